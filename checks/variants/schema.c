/*
 * schema.c - see schema.h.
 */
#include "variants/schema.h"

#include <stdlib.h>
#include <string.h>

static bool is_macro(const struct part *p)
{
    return p->text[0] == '#';
}

/* Whether other files see it. */
static bool is_public(const struct part *p)
{
    return !is_macro(p) && strncmp(p->text, "static ", 7) != 0;
}

static int name_length(const struct part *p)
{
    return (int)p->name_length;
}

static void write_line(FILE *to, int line, const char *file)
{
    fprintf(to, "#line %d \"%s\"\n", line, file);
}

static int line_of(const struct parts *s, const struct part *p)
{
    int line = 1;
    for (const char *at = s->text; at < p->text; at++)
        line += *at == '\n';
    return line;
}

static void undefine(FILE *to, const struct part *p)
{
    fprintf(to, "#undef %.*s\n", name_length(p), p->name);
}

/* From here on the function's name stands for the reference's. */
static void name_reference(FILE *to, const struct part *p)
{
    undefine(to, p);
    if (is_public(p))
        fprintf(to, "#define %.*s ref_%.*s\n", name_length(p), p->name, name_length(p), p->name);
}

bool schema_begin(struct schema *s, FILE *to, const char *file, const char *reference)
{
    *s = (struct schema){.to = to, .file = file};
    if (!parts_read(&s->reference, reference))
        return false;
    for (int i = 0; i < s->reference.count; i++)
        if (is_public(&s->reference.part[i]))
            name_reference(s->to, &s->reference.part[i]);
    write_line(s->to, 1, file);
    fprintf(s->to, "%s\n", reference);
    return true;
}

/* ---- One variant ---------------------------------------------------------------------------------------- */

static void write_macros(FILE *to, const struct parts *reference, const struct parts *variant)
{
    for (int i = 0; i < reference->count; i++)
        if (is_macro(&reference->part[i]) && parts_find(variant, &reference->part[i]) == NULL)
            undefine(to, &reference->part[i]);
    for (int i = 0; i < variant->count; i++) {
        const struct part *p = &variant->part[i];
        if (!is_macro(p) || !parts_changed(reference, p))
            continue;
        undefine(to, p);
        fprintf(to, "%.*s", (int)p->length, p->text);
    }
}

static void restore_macros(FILE *to, const struct parts *reference, const struct parts *variant)
{
    for (int i = 0; i < variant->count; i++)
        if (is_macro(&variant->part[i]) && parts_changed(reference, &variant->part[i]))
            undefine(to, &variant->part[i]);
    for (int i = 0; i < reference->count; i++) {
        const struct part *p = &reference->part[i];
        const struct part *now = parts_find(variant, p);
        if (is_macro(p) && (now == NULL || parts_changed(reference, now)))
            fprintf(to, "%.*s", (int)p->length, p->text);
    }
}

static void write_functions(const struct schema *s, const struct parts *variant, int number)
{
    for (int i = 0; i < variant->count; i++) {
        const struct part *p = &variant->part[i];
        if (is_macro(p) || !p->affected)
            continue;
        undefine(s->to, p);
        fprintf(s->to, "#define %.*s v%d_%.*s\n", name_length(p), p->name, number, name_length(p), p->name);
    }
    for (int i = 0; i < variant->count; i++) {
        const struct part *p = &variant->part[i];
        const char *body = strstr(p->text, "\n{\n");
        if (!is_macro(p) && p->affected) /* declared first: one may name another that stands behind it */
            fprintf(s->to, "%.*s;\n", (int)(body - p->text), p->text);
    }
    for (int i = 0; i < variant->count; i++) {
        const struct part *p = &variant->part[i];
        if (is_macro(p) || !p->affected)
            continue;
        write_line(s->to, line_of(variant, p), s->file);
        fprintf(s->to, "%.*s", (int)p->length, p->text);
    }
    for (int i = 0; i < variant->count; i++)
        if (!is_macro(&variant->part[i]) && variant->part[i].affected)
            name_reference(s->to, &variant->part[i]);
}

static char **link_words(const struct parts *variant, int number)
{
    char **words = calloc((size_t)variant->count + 1, sizeof *words);
    int count = 0;
    for (int i = 0; words != NULL && i < variant->count; i++) {
        const struct part *p = &variant->part[i];
        char prefix[16];
        if (!is_public(p))
            continue;
        snprintf(prefix, sizeof prefix, p->affected ? "v%d" : "ref", number);
        if (asprintf(&words[count], "-Wl,--defsym=%.*s=%s_%.*s", name_length(p), p->name, prefix,
                     name_length(p), p->name) < 0) {
            words[count] = NULL;
            schema_words_free(words);
            return NULL;
        }
        count++;
    }
    return words;
}

char **schema_add(struct schema *s, const char *source, int number)
{
    struct parts variant = {0};
    char **words = NULL;
    if (parts_read(&variant, source) && parts_mark_affected(&s->reference, &variant))
        words = link_words(&variant, number);
    if (words != NULL) {
        write_macros(s->to, &s->reference, &variant);
        write_functions(s, &variant, number);
        restore_macros(s->to, &s->reference, &variant);
    }
    parts_clear(&variant);
    return words;
}

void schema_words_free(char **words)
{
    for (char **word = words; word != NULL && *word != NULL; word++)
        free(*word);
    free(words);
}

void schema_clear(struct schema *s)
{
    parts_clear(&s->reference);
}
