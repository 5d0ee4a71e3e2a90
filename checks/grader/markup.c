#include "grader/markup.h"

#include "base/json.h"
#include "base/utf8.h"
#include "grader/util.h"

#include <stdlib.h>
#include <string.h>

/* Writes the character at `at`, of `size` bytes (0: it is none), so that it can be seen. */
static void write_clean(FILE *to, const char *at, size_t size, uint32_t c)
{
    if (size == 0)
        fprintf(to, "\\x%02x", (unsigned char)*at);
    else if (!utf8_is_hidden(c) || c == '\n' || c == '\t')
        fwrite(at, 1, size, to);
    else if (c < 0x20 || c == 0x7f)
        fprintf(to, "\xe2\x90%c", c == 0x7f ? 0xa1 : (int)(0x80 + c)); /* U+2400 and on */
    else
        fprintf(to, "\\u{%x}", (unsigned)c);
}

char *clean_text(const char *text, size_t max)
{
    const size_t length = strlen(text);
    char *clean = NULL;
    size_t clean_length = 0, at = 0;
    FILE *to = need(open_memstream(&clean, &clean_length));

    while (at < length && at < max) {
        uint32_t c = 0;
        const size_t size = utf8_read(text + at, length - at, &c);
        if (!(c == '\r' && text[at + 1] == '\n'))
            write_clean(to, text + at, size, c);
        at += size > 0 ? size : 1;
    }
    if (at < length)
        fprintf(to, "\n… (cut here: %zu bytes in all)", length);
    fclose(to);
    return need(clean);
}

void markup_text(FILE *to, const char *clean)
{
    for (; *clean != '\0'; clean++)
        switch (*clean) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        case '\'':
            fputs("&#39;", to);
            break;
        case '\n': /* in an attribute a bare one would become a space */
            fputs("&#10;", to);
            break;
        default:
            fputc(*clean, to);
        }
}

void markup_write(FILE *to, const char *text, size_t max)
{
    char *clean = clean_text(text, max);

    markup_text(to, clean);
    free(clean);
}

void json_write(FILE *to, const char *text, size_t max)
{
    char *clean = clean_text(text, max);

    json_write_string(to, clean, strlen(clean));
    free(clean);
}

void csv_write(FILE *to, const char *text, size_t max)
{
    char *clean = clean_text(text, max);

    fputc('"', to);
    if (clean[0] != '\0' && strchr("=+-@\t", clean[0]) != NULL)
        fputc('\'', to);
    for (const char *at = clean; *at != '\0'; at++) {
        if (*at == '"')
            fputc('"', to);
        fputc(*at, to);
    }
    fputc('"', to);
    free(clean);
}
