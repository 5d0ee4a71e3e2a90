/*
 * affected.c - see affected.h.
 */
#include "variants/affected.h"

#include "judge/report_parts.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FUNCTIONS = 200 };

/* A function, or a macro of one line: both have a name by which others use them. */
struct function {
    const char *name;
    size_t name_length;
    const char *text; /* head and body, or the line */
    size_t length;
    bool affected;
};

/* A source in parts; `text` is what they point into. */
struct source {
    char *text;
    struct function functions[MAX_FUNCTIONS];
    int count;
    char *outside; /* everything else */
};

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

static void add(struct source *s, const char *name, const char *text, const char *end)
{
    size_t length = 0;
    while (is_word(name[length]))
        length++;
    s->functions[s->count++] = (struct function){name, length, text, (size_t)(end - text), false};
}

/* Adds the function or the macro that begins at this line. Gives its end; NULL when none begins here. */
static char *add_what_begins(struct source *s, char *line)
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

/* Takes the text apart. False when that cannot be done. */
static bool take_apart(struct source *s, const char *text)
{
    s->text = strdup(text);
    s->outside = calloc(1, strlen(text) + 1);
    if (s->text == NULL || s->outside == NULL)
        return false;
    blank_comments(s->text);
    char *out = s->outside;
    for (char *line = s->text; *line != '\0';) {
        if (s->count == MAX_FUNCTIONS)
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

static void source_clear(struct source *s)
{
    free(s->text);
    free(s->outside);
}

/* ---- Comparing ------------------------------------------------------------------------------------------ */

static bool same_name(const struct function *a, const struct function *b)
{
    return a->name_length == b->name_length && memcmp(a->name, b->name, a->name_length) == 0;
}

static const struct function *find(const struct source *s, const struct function *f)
{
    for (int i = 0; i < s->count; i++)
        if (same_name(&s->functions[i], f))
            return &s->functions[i];
    return NULL;
}

static bool is_changed(const struct source *old, const struct function *f)
{
    const struct function *before = find(old, f);
    return before == NULL || before->length != f->length || memcmp(before->text, f->text, f->length) != 0;
}

static bool names(const char *text, size_t length, const struct function *other)
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
static bool names_an_affected_one(const struct source *old, const struct source *new, const char *text,
                                  size_t length)
{
    for (int i = 0; i < new->count; i++)
        if (new->functions[i].affected && names(text, length, &new->functions[i]))
            return true;
    for (int i = 0; i < old->count; i++)
        if (find(new, &old->functions[i]) == NULL && names(text, length, &old->functions[i]))
            return true;
    return false;
}

/* Marks what is affected. False when that may be anything: what is neither function nor macro has changed, or names an
 * affected one. */
static bool mark_affected(const struct source *old, struct source *new)
{
    bool more = strcmp(old->outside, new->outside) == 0;
    bool known = more;
    for (int i = 0; i < new->count; i++)
        new->functions[i].affected = is_changed(old, &new->functions[i]);
    while (more) {
        more = false;
        for (int i = 0; i < new->count; i++) {
            struct function *f = &new->functions[i];
            if (f->affected || !names_an_affected_one(old, new, f->text, f->length))
                continue;
            f->affected = more = true;
        }
    }
    return known && !names_an_affected_one(old, new, new->outside, strlen(new->outside));
}

/* ---- Clauses -------------------------------------------------------------------------------------------- */

/* Whether the function is the one behind a call of this name: idem_init_db behind init-db. */
static bool is_behind(const struct function *f, const char *call)
{
    size_t length = strlen(call);
    size_t before = f->name_length - length;
    if (f->name_length < length || (before > 0 && f->name[before - 1] != '_'))
        return false;
    for (size_t i = 0; i < length; i++)
        if (f->name[before + i] != (call[i] == '-' ? '_' : call[i]))
            return false;
    return true;
}

static bool call_is_affected(const struct source *s, const char *call)
{
    bool found = false;
    for (int i = 0; i < s->count; i++) {
        if (!is_behind(&s->functions[i], call))
            continue;
        found = true;
        if (s->functions[i].affected)
            return true;
    }
    return !found;
}

static bool has_name(const cJSON *names, const char *wanted)
{
    const cJSON *name;
    cJSON_ArrayForEach(name, names)
    {
        if (strcmp(name->valuestring, wanted) == 0)
            return true;
    }
    return false;
}

/* Adds those calls of the clause that are not affected. Gives whether all are. */
static bool add_unaffected(const struct source *s, const cJSON *clause, cJSON *names)
{
    const cJSON *call;
    const cJSON *calls = cJSON_GetObjectItemCaseSensitive(clause, "calls");
    bool all = cJSON_IsArray(calls);
    cJSON_ArrayForEach(call, calls)
    {
        bool affected = call_is_affected(s, call->valuestring);
        all = all && !affected;
        if (!affected && !has_name(names, call->valuestring))
            cJSON_AddItemToArray(names, cJSON_CreateString(call->valuestring));
    }
    return all;
}

struct unaffected unaffected_by(const cJSON *check, const char *old, const char *new)
{
    struct source before = {0};
    struct source after = {0};
    struct unaffected unaffected = {cJSON_CreateArray(), cJSON_CreateArray()};
    const cJSON *stage;
    const cJSON *clause;
    if (take_apart(&before, old) && take_apart(&after, new) && mark_affected(&before, &after)) {
        cJSON_ArrayForEach(stage, member_list(check, "stages"))
        {
            cJSON_ArrayForEach(clause, member_list(stage, "clauses"))
            {
                if (add_unaffected(&after, clause, unaffected.calls) && clause_has(clause, "pass"))
                    cJSON_AddItemToArray(unaffected.clauses, cJSON_Duplicate(clause, true));
            }
        }
    }
    source_clear(&before);
    source_clear(&after);
    return unaffected;
}

void unaffected_clear(struct unaffected *unaffected)
{
    cJSON_Delete(unaffected->clauses);
    cJSON_Delete(unaffected->calls);
}
