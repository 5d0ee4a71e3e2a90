/*
 * report_parts.c - see report_parts.h.
 */
#include "judge/report_parts.h"

#include "base/json.h"
#include "base/language.h"
#include "judge/check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

/* ---- Reading a result ---------------------------------------------------------------------------------- */

const char *member_text(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return text != NULL ? text : "";
}

const cJSON *member_list(const cJSON *object, const char *name)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsArray(list) ? list : NULL;
}

long long member_number(const cJSON *object, const char *name)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(number) ? (long long)number->valuedouble : 0;
}

const char *clause_verdict(const cJSON *clause)
{
    const char *verdict = member_text(clause, "verdict");
    return verdict[0] != '\0' ? verdict : "error";
}

bool clause_has(const cJSON *clause, const char *verdict)
{
    return strcmp(clause_verdict(clause), verdict) == 0;
}

/* ---- Making it printable ------------------------------------------------------------------------------- */

static void write_character(FILE *to, unsigned code)
{
    static const struct {
        unsigned code;
        const char *ascii;
    } known[] = {
        {0xb7, "-"},    {0x2013, "-"},  {0x2014, "-"},   {0x2018, "'"},  {0x2019, "'"},
        {0x201c, "\""}, {0x201d, "\""}, {0x2026, "..."}, {0x2192, "->"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].code == code) {
            fputs(known[i].ascii, to);
            return;
        }
    }
    fprintf(to, "\\u{%x}", code);
}

/* Text of valid UTF-8 without a byte above 0x7f. */
static void write_ascii(FILE *to, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at != '\0') {
        unsigned code = *at++;
        if (code < 0x80) {
            putc((int)code, to);
            continue;
        }
        code &= code >= 0xf0 ? 0x07 : code >= 0xe0 ? 0x0f : 0x1f;
        while ((*at & 0xc0) == 0x80) {
            code = code << 6 | (*at++ & 0x3fU);
        }
        write_character(to, code);
    }
}

/* A printf stands in for bytes above 0x7f: as it is between double quotes, between closed and opened ones
 * otherwise. `open` is the quote that the command has open, or 0; text_shell() leaves such bytes nowhere
 * else. */
static const char *write_bytes(FILE *to, const char *text, char open)
{
    fputs(open == '"' ? "$(printf '" : "'\"$(printf '", to);
    for (; (unsigned char)*text >= 0x80; text++) {
        fprintf(to, "\\%03o", (unsigned char)*text);
    }
    fputs(open == '"' ? "')" : "')\"'", to);
    return text;
}

static void write_ascii_command(FILE *to, const char *text)
{
    char open = '\0';
    while (*text != '\0') {
        if ((unsigned char)*text >= 0x80) {
            text = write_bytes(to, text, open);
            continue;
        }
        if (*text == open) {
            open = '\0';
        } else if (open == '\0' && (*text == '"' || *text == '\'')) {
            open = *text;
        } else if (*text == '\\' && open != '\'' && text[1] != '\0') {
            putc(*text++, to);
        }
        putc(*text++, to);
    }
}

/* Takes a printable text over and gives it without a byte above 0x7f. */
static char *to_ascii(char *text, bool command)
{
    char *out = NULL;
    size_t length = 0;
    FILE *to = text != NULL ? open_memstream(&out, &length) : NULL;
    if (to != NULL) {
        (command ? write_ascii_command : write_ascii)(to, text);
        if (fclose(to) != 0) {
            free(out);
            out = NULL;
        }
    }
    free(text);
    return out;
}

static char *printable(const char *text, bool ascii, bool command)
{
    size_t length = strlen(text);
    char *plain = text_plain(text, length, length);
    return ascii ? to_ascii(plain, command) : plain;
}

static bool make_printable(cJSON *item, bool ascii, bool command)
{
    bool done = true;
    if (cJSON_IsString(item)) {
        char *text = printable(item->valuestring, ascii, command);
        done = text != NULL && cJSON_SetValuestring(item, text) != NULL;
        free(text);
    }
    for (cJSON *child = item->child; child != NULL && done; child = child->next) {
        const char *name = child->string != NULL ? child->string : "";
        bool commands = strcmp(name, "repeat") == 0 || strcmp(name, "by_hand") == 0;
        done = make_printable(child, ascii, command || commands);
    }
    return done;
}

cJSON *report_printable(const cJSON *result, bool ascii)
{
    cJSON *copy = cJSON_Duplicate(result, true);
    if (copy != NULL && !make_printable(copy, ascii, false)) {
        cJSON_Delete(copy);
        return NULL;
    }
    return copy;
}

char *report_word(const char *text, bool ascii)
{
    char *word = text_shell(text);
    return ascii ? to_ascii(word, true) : word;
}

/* Stages may be named as functions are; pages have dashes. */
char *report_page(const char *lab, const char *number, const char *name)
{
    char *page, *there = NULL;
    const char *language = language_name(), *root = kit_root();
    bool english = strcmp(language, "en") == 0;
    if (asprintf(&page, "labs/%s/%s%s%s-%s.md", lab, english ? "" : language, english ? "" : "/", number,
                 name) < 0) {
        return NULL;
    }
    for (char *at = page + strlen("labs/") + strlen(lab); *at != '\0'; at++) {
        *at = *at == '_' ? '-' : *at;
    }
    bool missing = !english && (asprintf(&there, "%s/%s", root != NULL ? root : ".", page) < 0 ||
                                access(there, R_OK) != 0);
    free(there);
    if (missing) { /* a lab need not be translated */
        free(page);
        return asprintf(&page, "labs/%s/%s-%s.md", lab, number, name) < 0 ? NULL : page;
    }
    return page;
}

/* ---- Wrapping lines ------------------------------------------------------------------------------------ */

/* The bytes of the character at `at`; *columns is its width. A colour takes no column. */
static size_t character_at(const char *at, int *columns)
{
    *columns = 0;
    if (*at == '\x1b') {
        size_t length = strcspn(at, "m");
        return at[length] == 'm' ? length + 1 : length;
    }
    wchar_t wide;
    mbstate_t state = {0};
    size_t length = mbrtowc(&wide, at, strlen(at) < MB_CUR_MAX ? strlen(at) : MB_CUR_MAX, &state);
    if (length == 0 || length > MB_CUR_MAX) { /* no character of this locale */
        *columns = ((unsigned char)*at & 0xc0) != 0x80;
        return 1;
    }
    int width = wcwidth(wide);
    *columns = width > 0 ? width : 0;
    return length;
}

int report_columns(const char *text)
{
    int columns = 0;
    while (*text != '\0') {
        int width;
        text += character_at(text, &width);
        columns += width;
    }
    return columns;
}

int report_padded(FILE *to, const char *text, int width)
{
    int columns = report_columns(text);
    int room = width > columns ? width - columns : 0;
    fprintf(to, "%s%*s", text, room, "");
    return columns + room;
}

/* Marks that begin no line, and those that end none, where lines break between wide characters. */
static bool stays_behind(const char *at)
{
    static const char *const marks[] = {"、", "。", "，", "．", "：", "；", "！", "？", "）", "」",
                                        "』", "】", "》", "”",  "’",  "ー", "…",  "々", NULL};
    for (int i = 0; marks[i] != NULL; i++) {
        if (strncmp(at, marks[i], strlen(marks[i])) == 0) {
            return true;
        }
    }
    return strchr(",.:;!?)]}%", *at) != NULL; /* and the end of the text */
}

static bool stays_in_front(const char *at)
{
    static const char *const marks[] = {"（", "「", "『", "【", "《", "“", "‘", NULL};
    for (int i = 0; marks[i] != NULL; i++) {
        if (strncmp(at, marks[i], strlen(marks[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Between two characters of which one is wide a line may break, unless a mark forbids it. */
static bool breaks_between(const char *at, int width, const char *next)
{
    int next_width;
    character_at(next, &next_width);
    return (width == 2 || next_width == 2) && *at != '(' && !stays_in_front(at) && !stays_behind(next) &&
           *next != ' ' && *next != '\n' && *next != '"';
}

/* How far the text must stay on one line: to a newline, the end, a single space outside quotes, or where a
 * line may break beside a wide character. */
static size_t unbroken(const char *text, int *columns)
{
    size_t at = 0;
    bool quoted = false;
    *columns = 0;
    while (text[at] != '\0' && text[at] != '\n') {
        bool single = text[at] == ' ' && text[at + 1] != ' ' && (at == 0 || text[at - 1] != ' ');
        if (single && !quoted) {
            break;
        }
        if (quoted && text[at] == '\\' && text[at + 1] != '\0') {
            at++;
            *columns += 1;
        } else if (text[at] == '"') {
            quoted = !quoted;
        }
        int width;
        size_t length = character_at(text + at, &width);
        *columns += width;
        at += length;
        if (!quoted && text[at] != '\0' && text[at - length] != ' ' &&
            breaks_between(text + at - length, width, text + at)) {
            break;
        }
    }
    return at;
}

static int new_line(FILE *to, int indent)
{
    fprintf(to, "\n%*s", indent, "");
    return indent;
}

void report_wrapped(FILE *to, const char *text, int column, int indent)
{
    int space = 0;      /* stands between what was written and what comes */
    bool begun = false; /* something stands on this line */
    while (text != NULL && *text != '\0') {
        int columns;
        size_t length = unbroken(text, &columns);
        if (begun && column + space + columns > REPORT_WIDTH) {
            column = new_line(to, indent);
        } else if (space > 0) {
            putc(' ', to);
            column++;
        }
        fwrite(text, 1, length, to);
        column += columns;
        text += length;
        begun = *text != '\n';
        space = *text == ' ';
        if (*text == '\n') {
            column = new_line(to, indent);
        }
        text += *text == ' ' || *text == '\n';
    }
}

void report_say(FILE *to, int indent, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, _(format), arguments);
    va_end(arguments);
    if (length >= 0) {
        report_wrapped(to, text, 0, indent);
        putc('\n', to);
        free(text);
    }
}
