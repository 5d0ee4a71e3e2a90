#include "grader/names.h"

#include "base/utf8.h"
#include "grader/util.h"

#include <sha2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FILE_NAME_MAX = 200, FILE_NAME_KEPT = 160 };

bool name_ends(const char *name, const char *ending)
{
    const size_t length = strlen(name), tail = strlen(ending);

    return length > tail && strcasecmp(name + length - tail, ending) == 0;
}

bool name_is_archive(const char *name)
{
    return name_ends(name, ".zip") || name_ends(name, ".tar.gz") || name_ends(name, ".tgz");
}

bool name_is_junk(const char *name)
{
    static const char *const junk[] = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".git"};

    for (size_t i = 0; i < sizeof junk / sizeof junk[0]; i++)
        if (strcasecmp(name, junk[i]) == 0)
            return true;
    return strncmp(name, "._", 2) == 0;
}

/* Writes the bytes, those of characters that cannot be shown and those listed in `besides` as %XX. */
static char *escape(const char *bytes, size_t length, const char *besides)
{
    char *text = need(malloc(length * 3 + 1)), *to = text;

    for (size_t i = 0; i < length;) {
        uint32_t c;
        const size_t size = utf8_read(bytes + i, length - i, &c);
        const bool plain = size > 0 && !utf8_is_hidden(c) && (c >= 0x80 || strchr(besides, (int)c) == NULL);
        for (size_t end = i + (size > 0 ? size : 1); i < end; i++)
            if (plain)
                *to++ = bytes[i];
            else
                to += sprintf(to, "%%%02X", (unsigned char)bytes[i]);
    }
    *to = '\0';
    return text;
}

char *name_text(const char *bytes)
{
    return escape(bytes, strlen(bytes), "%");
}

/* The length of `entry` without what a platform appended to a person's name. */
static size_t without_platform(const char *entry)
{
    static const char *const marks[] = {"_assignsubmission_file", "_assignsubmission_onlinetext"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const char *mark = strstr(entry, marks[i]);
        if (mark != NULL && mark > entry)
            return (size_t)(mark - entry);
    }
    return strlen(entry);
}

char *name_of_submission(const char *entry, bool is_folder)
{
    static const char *const endings[] = {".c", ".zip", ".tar.gz", ".tgz"};
    size_t length = without_platform(entry);

    for (size_t i = 0; !is_folder && entry[length] == '\0' && i < sizeof endings / sizeof endings[0]; i++)
        if (name_ends(entry, endings[i]))
            length -= strlen(endings[i]);
    return escape(entry, length, "%");
}

char *name_for_file(const char *name)
{
    /* Upper-case letters are left: file systems that ignore case are not where a class is graded. */
    char *text = escape(name, strlen(name), "/\\~");

    if (text[0] == '.') { /* hidden, or a folder */
        char *shown = text_format("%%2E%s", text + 1);
        free(text);
        text = shown;
    }
    if (strlen(text) > FILE_NAME_MAX) {
        char digest[SHA256_DIGEST_STRING_LENGTH];
        need(SHA256Data((const uint8_t *)name, strlen(name), digest));
        size_t kept = FILE_NAME_KEPT;
        while (kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80)
            kept--;
        char *cut = text_format("%.*s~%.32s", (int)kept, text, digest);
        free(text);
        text = cut;
    }
    return text;
}
