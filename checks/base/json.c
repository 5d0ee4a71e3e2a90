/*
 * json.c - see json.h.
 *
 * Everything is composed into a memory stream and handed out when it is complete; a stream that ran out of
 * memory gives NULL. A cJSON value is walked through `child` and `next` alone, and each step is counted: a
 * cycle through `next` ends at the bound of items, a cycle through `child` at the bound of depth. Nothing
 * that a value says of itself (its `prev`, its size) is believed.
 *
 * Text for people is decoded as UTF-8 one character at a time; what does not decode shows byte by byte.
 */
#include "base/json.h"

#include "base/language.h"
#include "base/utf8.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Composing a text ---------------------------------------------------------------------------------- */

struct text {
    FILE *to;
    char *bytes;
    size_t length;
};

static bool text_begin(struct text *text)
{
    *text = (struct text){0};
    text->to = open_memstream(&text->bytes, &text->length);
    return text->to != NULL;
}

/* The finished text, or NULL when memory ran out on the way. */
static char *text_end(struct text *text)
{
    bool failed = ferror(text->to) != 0;
    failed = fclose(text->to) != 0 || failed;
    if (failed) {
        free(text->bytes);
        return NULL;
    }
    return text->bytes;
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

/* Whatever the locale writes between the digits becomes a point: tested code may have called setlocale(). */
static void use_point(char *number)
{
    size_t before = strspn(number, "0123456789+-e");
    size_t separator = strcspn(number + before, "0123456789+-e");
    if (separator == 0) {
        return;
    }
    number[before] = '.';
    char *rest = number + before + separator;
    memmove(number + before + 1, rest, strlen(rest) + 1);
}

void json_number(char out[32], double number)
{
    if (!isfinite(number)) {
        snprintf(out, 32, "%s", isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
        return;
    }
    if (fabs(number) < 1e15 && number == (double)(long long)number && (number != 0 || !signbit(number))) {
        snprintf(out, 32, "%lld", (long long)number); /* as below, sooner */
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, 32, "%.*g", digits, number);
        if (strtod(out, NULL) == number) {
            break;
        }
    }
    use_point(out);
}

static void write_escape(FILE *to, unsigned char byte)
{
    static const char letters[] = "\bb\ff\nn\rr\tt\"\"\\\\";
    for (const char *pair = letters; *pair != '\0'; pair += 2) {
        if ((unsigned char)*pair == byte) {
            fprintf(to, "\\%c", pair[1]);
            return;
        }
    }
    fprintf(to, "\\u%04x", byte);
}

void json_write_string(FILE *to, const char *bytes, size_t length)
{
    size_t start = 0; /* of the run that is copied as it is */
    putc('"', to);
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (byte < 0x20 || byte == 0x7f || byte == '"' || byte == '\\') {
            fwrite(bytes + start, 1, i - start, to);
            write_escape(to, byte);
            start = i + 1;
        }
    }
    fwrite(bytes + start, 1, length - start, to);
    putc('"', to);
}

/* A value being printed. The functions below give NULL, or why the value cannot be printed. */
struct walk {
    FILE *to;
    size_t items, bytes; /* seen so far; of bytes, only those of strings */
};

static const char *write_string(struct walk *walk, const char *string, const char *missing)
{
    if (string == NULL) {
        return missing;
    }
    size_t room = JSON_MAX_BYTES - walk->bytes;
    size_t length = strnlen(string, room);
    if (length == room) {
        return N_("is larger than 4 MiB");
    }
    walk->bytes += length;
    json_write_string(walk->to, string, length);
    return NULL;
}

static const char *write_number(struct walk *walk, double number)
{
    if (!isfinite(number)) {
        return N_("has a number that is not finite");
    }
    char text[32];
    json_number(text, number);
    fputs(text, walk->to);
    return NULL;
}

static const char *write_item(struct walk *walk, const cJSON *item, int depth);

static const char *write_children(struct walk *walk, const cJSON *parent, bool named, int depth)
{
    const char *why = NULL;
    putc(named ? '{' : '[', walk->to);
    for (const cJSON *child = parent->child; child != NULL && why == NULL; child = child->next) {
        if (child != parent->child) {
            putc(',', walk->to);
        }
        if (named) {
            why = write_string(walk, child->string, N_("has an object member without a name"));
            putc(':', walk->to);
        }
        if (why == NULL) {
            why = write_item(walk, child, depth + 1);
        }
    }
    putc(named ? '}' : ']', walk->to);
    return why;
}

static const char *write_item(struct walk *walk, const cJSON *item, int depth)
{
    if (depth > JSON_MAX_DEPTH) {
        return N_("is cyclic or nested deeper than 1100 levels");
    }
    if (++walk->items > JSON_MAX_ITEMS) {
        return N_("is cyclic or has more than 100000 items");
    }
    switch (item->type & 0xFF) { /* the bits above are flags of ownership */
    case cJSON_False:
        fputs("false", walk->to);
        return NULL;
    case cJSON_True:
        fputs("true", walk->to);
        return NULL;
    case cJSON_NULL:
        fputs("null", walk->to);
        return NULL;
    case cJSON_Number:
        return write_number(walk, item->valuedouble);
    case cJSON_String:
        return write_string(walk, item->valuestring, N_("has a string item without a string"));
    case cJSON_Array:
        return write_children(walk, item, false, depth);
    case cJSON_Object:
        return write_children(walk, item, true, depth);
    default:
        return N_("has an item of no JSON type");
    }
}

static bool members_equal(const cJSON *a, const cJSON *b)
{
    if (cJSON_GetArraySize(a) != cJSON_GetArraySize(b))
        return false;
    const cJSON *member;
    cJSON_ArrayForEach(member, a)
    {
        const cJSON *other = cJSON_GetObjectItemCaseSensitive(b, member->string);
        if (other == NULL || !json_equal(member, other))
            return false;
    }
    return true;
}

static bool items_equal(const cJSON *a, const cJSON *b)
{
    a = a->child;
    b = b->child;
    while (a != NULL && b != NULL && json_equal(a, b)) {
        a = a->next;
        b = b->next;
    }
    return a == NULL && b == NULL;
}

bool json_has_text(const cJSON *array, const char *text)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, array)
    {
        if (cJSON_IsString(item) && strcmp(item->valuestring, text) == 0)
            return true;
    }
    return false;
}

bool json_equal(const cJSON *a, const cJSON *b)
{
    if ((a->type & 0xFF) != (b->type & 0xFF))
        return false;
    switch (a->type & 0xFF) {
    case cJSON_Number:
        return a->valuedouble == b->valuedouble;
    case cJSON_String:
        return strcmp(a->valuestring, b->valuestring) == 0;
    case cJSON_Array:
        return items_equal(a, b);
    case cJSON_Object:
        return members_equal(a, b);
    default:
        return true;
    }
}

char *json_text(const cJSON *item, const char **why)
{
    const char *unused = NULL;
    why = why != NULL ? why : &unused;
    *why = item == NULL ? N_("is a NULL pointer") : NULL;
    struct text text;
    if (item == NULL || !text_begin(&text)) {
        return NULL;
    }
    struct walk walk = {.to = text.to};
    *why = write_item(&walk, item, 1);
    char *out = text_end(&text);
    if (*why != NULL) {
        free(out);
        return NULL;
    }
    return out;
}

/* ---- Text for people ----------------------------------------------------------------------------------- */

static void write_hidden(FILE *to, uint32_t code)
{
    if (code == '\n' || code == '\r' || code == '\t') {
        fprintf(to, "\\%c", code == '\n' ? 'n' : code == '\r' ? 'r' : 't');
    } else if (code < 0x80) {
        fprintf(to, "\\x%02x", (unsigned)code);
    } else {
        fprintf(to, "\\u{%x}", (unsigned)code);
    }
}

/* Writes the character at `at` so that it can be seen; gives its length in bytes. */
static size_t write_visible(FILE *to, const unsigned char *at, size_t left)
{
    uint32_t code;
    size_t length = utf8_read((const char *)at, left, &code);
    if (length == 0) {
        fprintf(to, "\\x%02x", *at);
        return 1;
    }
    if (utf8_is_hidden(code)) {
        write_hidden(to, code);
    } else {
        fwrite(at, 1, length, to);
    }
    return length;
}

/* Where to cut at or before `at` without cutting a character: it has at most three bytes after its first. */
static size_t cut_before(const char *bytes, size_t length, size_t at)
{
    for (size_t back = 0; at < length && back <= 3 && back <= at; back++) {
        if (((unsigned char)bytes[at - back] & 0xc0) != 0x80) {
            return at - back;
        }
    }
    return at;
}

/*
 * A text that is too long is shown by its beginning and its end, since a difference is as often in its last
 * byte as in its first. `head` and `tail` are where the part left out begins and ends; equal when nothing is.
 */
static void choose_parts(const char *bytes, size_t length, size_t max, size_t *head, size_t *tail)
{
    *head = *tail = length;
    if (length > max) {
        *head = cut_before(bytes, length, max - max / 3);
        *tail = cut_before(bytes, length, length - max / 3);
        if (*tail <= *head) {
            *head = *tail = length;
        }
    }
}

/* The bytes from `from` to `end` in quotes; of the whole text (`length`) the outermost spaces are escaped. */
static void write_quoted(FILE *to, const char *bytes, size_t from, size_t end, size_t length)
{
    putc('"', to);
    while (from < end) {
        bool outermost = from == 0 || from + 1 == length;
        if (bytes[from] == ' ' && outermost) {
            fputs("\\x20", to);
            from++;
        } else if (bytes[from] == '"' || bytes[from] == '\\') {
            fprintf(to, "\\%c", bytes[from++]);
        } else {
            from += write_visible(to, (const unsigned char *)bytes + from, end - from);
        }
    }
    putc('"', to);
}

char *text_quoted(const char *bytes, size_t length, size_t max)
{
    struct text text;
    size_t head, tail;
    if (!text_begin(&text)) {
        return NULL;
    }
    choose_parts(bytes, length, max, &head, &tail);
    write_quoted(text.to, bytes, 0, head, length);
    if (tail > head) {
        fputs(" ... ", text.to);
        write_quoted(text.to, bytes, tail, length, length);
        fprintf(text.to, " (%zu bytes)", length);
    }
    return text_end(&text);
}

/* Tabs are kept as newlines are: compilers indent with them. */
static void write_plain(FILE *to, const char *bytes, size_t from, size_t end)
{
    while (from < end) {
        if (bytes[from] == '\n' || bytes[from] == '\t') {
            putc(bytes[from++], to);
        } else {
            from += write_visible(to, (const unsigned char *)bytes + from, end - from);
        }
    }
}

char *text_plain(const char *bytes, size_t length, size_t max)
{
    struct text text;
    size_t head, tail;
    if (!text_begin(&text)) {
        return NULL;
    }
    choose_parts(bytes, length, max, &head, &tail);
    write_plain(text.to, bytes, 0, head);
    if (tail > head) {
        fprintf(text.to, "\n[... %zu of %zu bytes left out ...]\n", tail - head, length);
        write_plain(text.to, bytes, tail, length);
    }
    return text_end(&text);
}

/* ---- A word for the shell ------------------------------------------------------------------------------ */

static bool all_visible(const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        uint32_t code;
        size_t length = utf8_read(text, left, &code);
        if (length == 0 || utf8_is_hidden(code)) {
            return false;
        }
        text += length;
        left -= length;
    }
    return true;
}

static void write_single_quoted(FILE *to, const char *text)
{
    putc('\'', to);
    for (; *text != '\0'; text++) {
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, to);
    }
    putc('\'', to);
}

/* For a text with single quotes, SQL above all: 'it'\''s' is hard to read. */
static void write_double_quoted(FILE *to, const char *text)
{
    putc('"', to);
    for (; *text != '\0'; text++) {
        if (strchr("\"\\$`", *text) != NULL) {
            putc('\\', to);
        }
        putc(*text, to);
    }
    putc('"', to);
}

/* What a terminal must not see goes through printf's octal escapes; so do '-', which printf could take for
 * an option, and '!', which an interactive bash would expand. $(...) drops newlines at the end: they
 * follow, quoted. No other quotes stand inside: report_parts.c follows which are open. */
static void write_printf(FILE *to, const char *text)
{
    size_t length = strlen(text);
    size_t kept = length;
    while (kept > 0 && text[kept - 1] == '\n') {
        kept--;
    }
    fputs("\"$(printf '", to);
    for (size_t i = 0; i < kept; i++) {
        unsigned char byte = (unsigned char)text[i];
        if (byte < 0x20 || byte >= 0x7f || strchr("'\"\\-!", byte) != NULL) {
            fprintf(to, "\\%03o", byte);
        } else {
            fputs(byte == '%' ? "%%" : (char[]){(char)byte, '\0'}, to);
        }
    }
    fputs("')\"", to);
    if (kept < length) {
        write_single_quoted(to, text + kept);
    }
}

char *text_shell(const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    struct text out;
    if (!text_begin(&out)) {
        return NULL;
    }
    if (*text != '\0' && text[strspn(text, safe)] == '\0') {
        fputs(text, out.to);
    } else if (!all_visible(text)) {
        write_printf(out.to, text);
    } else if (strchr(text, '\'') != NULL && strchr(text, '!') == NULL) { /* "!" recalls a command in bash */
        write_double_quoted(out.to, text);
    } else {
        write_single_quoted(out.to, text);
    }
    return text_end(&out);
}
