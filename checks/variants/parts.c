/*
 * parts.c - see parts.h.
 */
#include "variants/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading -------------------------------------------------------------------------------------------- */

/* Where the text or character that begins at `quote` ends. */
static char *quoted_end(char *quote)
{
    char *at = quote + 1;
    while (*at != '\0' && *at != *quote && *at != '\n')
        at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
    return *at == *quote ? at + 1 : at;
}

static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n')
            *from = ' ';
}

static void blank_comments(char *text)
{
    for (char *at = text; *at != '\0';) {
        bool block = strncmp(at, "/*", 2) == 0;
        if (*at == '"' || *at == '\'') {
            at = quoted_end(at);
        } else if (block || strncmp(at, "//", 2) == 0) {
            char *end = block ? strstr(at + 2, "*/") : strchr(at, '\n');
            end = end == NULL ? at + strlen(at) : end + (block ? 2 : 0);
            blank(at, end);
            at = end;
        } else {
            at++;
        }
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The end of the function whose head begins at this line; NULL when none does. */
static char *function_end(char *line)
{
    char *body = strstr(line, "\n{\n");
    if (!is_word(line[0]) || isdigit((unsigned char)line[0]) || body == NULL)
        return NULL;
    size_t head = strcspn(line, ";{}#\"");
    char *end = line + head == body + 1 && memchr(line, '(', head) != NULL ? strstr(body, "\n}\n") : NULL;
    return end != NULL ? end + 3 : NULL;
}

/* The end of the macro that this line defines; NULL when it defines none, or goes on in the next. */
static char *macro_end(char *line)
{
    static const char define[] = "#define ";
    char *end = strchr(line, '\n');
    if (strncmp(line, define, strlen(define)) != 0 || end == NULL || end[-1] == '\\')
        return NULL;
    return is_word(line[strlen(define)]) ? end + 1 : NULL;
}

static void add(struct parts *s, const char *name, const char *text, const char *end)
{
    size_t length = 0;
    while (is_word(name[length]))
        length++;
    s->part[s->count++] = (struct part){name, length, text, (size_t)(end - text), false};
}

/* Adds the function or the macro that begins at this line. Gives its end; NULL when none begins here. */
static char *add_what_begins(struct parts *s, char *line)
{
    char *end = macro_end(line);
    const char *name = line + strlen("#define ");
    if (end == NULL && (end = function_end(line)) != NULL)
        for (name = strchr(line, '('); name > line && is_word(name[-1]);)
            name--;
    if (end != NULL)
        add(s, name, line, end);
    return end;
}

bool parts_read(struct parts *s, const char *text)
{
    s->text = strdup(text);
    s->outside = calloc(1, strlen(text) + 1);
    if (s->text == NULL || s->outside == NULL)
        return false;
    blank_comments(s->text);
    char *out = s->outside;
    for (char *line = s->text; *line != '\0';) {
        if (s->count == MAX_PARTS)
            return false;
        char *end = add_what_begins(s, line);
        if (end != NULL) {
            line = end;
            continue;
        }
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        if (strspn(line, " \t\n") < length) { /* a blank line says nothing */
            memcpy(out, line, length);
            out += length;
        }
        line += length;
    }
    return true;
}

void parts_clear(struct parts *s)
{
    free(s->text);
    free(s->outside);
}

/* ---- Comparing ------------------------------------------------------------------------------------------ */

static bool same_name(const struct part *a, const struct part *b)
{
    return a->name_length == b->name_length && memcmp(a->name, b->name, a->name_length) == 0;
}

const struct part *parts_find(const struct parts *s, const struct part *f)
{
    for (int i = 0; i < s->count; i++)
        if (same_name(&s->part[i], f))
            return &s->part[i];
    return NULL;
}

bool parts_changed(const struct parts *old, const struct part *f)
{
    const struct part *before = parts_find(old, f);
    return before == NULL || before->length != f->length || memcmp(before->text, f->text, f->length) != 0;
}

static bool names(const char *text, size_t length, const struct part *other)
{
    const char *end = text + length;
    const char *at = text;
    while ((at = memmem(at, (size_t)(end - at), other->name, other->name_length)) != NULL) {
        bool begins = at == text || !is_word(at[-1]);
        at += other->name_length;
        if (begins && (at == end || !is_word(*at)))
            return true;
    }
    return false;
}

/* Whether the text names something that is affected, or that was there before and is gone. */
static bool names_an_affected_one(const struct parts *old, const struct parts *new, const char *text,
                                  size_t length)
{
    for (int i = 0; i < new->count; i++)
        if (new->part[i].affected && names(text, length, &new->part[i]))
            return true;
    for (int i = 0; i < old->count; i++)
        if (parts_find(new, &old->part[i]) == NULL && names(text, length, &old->part[i]))
            return true;
    return false;
}

bool parts_mark_affected(const struct parts *old, struct parts *new)
{
    bool more = strcmp(old->outside, new->outside) == 0;
    bool known = more;
    for (int i = 0; i < new->count; i++)
        new->part[i].affected = parts_changed(old, &new->part[i]);
    while (more) {
        more = false;
        for (int i = 0; i < new->count; i++) {
            struct part *f = &new->part[i];
            if (f->affected || !names_an_affected_one(old, new, f->text, f->length))
                continue;
            f->affected = more = true;
        }
    }
    return known && !names_an_affected_one(old, new, new->outside, strlen(new->outside));
}
