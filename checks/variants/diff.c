/*
 * diff.c - see diff.h.
 *
 * Which words are changed is found block by block: a block is what goes and what comes between two lines
 * that stay. Its two sides are cut into words (a name, a number, a run of spaces, any other character) and
 * the longest common sequence of words stays unmarked. A space between two marked words is marked too:
 * nobody sees a changed phrase as three changes.
 */
#include "variants/diff.h"

#include "base/language.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 2000 /* of one side of a block; beyond that whole lines are shown as changed */ };

__attribute__((format(printf, 2, 3))) static bool refuse(char **why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(why, _(format), arguments) < 0)
        *why = NULL;
    va_end(arguments);
    return false;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

struct reader {
    const char *at;
    int line;
    struct diff *diff;
    char **why;
};

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void next_line(struct reader *r)
{
    r->at += strcspn(r->at, "\n");
    r->at += *r->at == '\n';
    r->line++;
}

static void skip_blank_lines(struct reader *r)
{
    while (*r->at != '\0' && r->at[strspn(r->at, " \t")] == '\n')
        next_line(r);
}

static bool add_line(struct diff *diff, char kind, const char *text, size_t length)
{
    struct diff_line *more = realloc(diff->lines, (size_t)(diff->line_count + 1) * sizeof *more);
    if (more == NULL)
        return false;
    diff->lines = more;
    more[diff->line_count] = (struct diff_line){kind, strndup(text, length), NULL};
    return more[diff->line_count++].text != NULL;
}

/* Skips a text and the number after it; false, and nothing skipped, where they do not stand. */
static bool skip_number(const char **at, const char *before, int *number)
{
    const char *digits = *at + strlen(before);
    if (!starts(*at, before) || !isdigit((unsigned char)*digits))
        return false;
    char *end;
    *number = (int)strtol(digits, &end, 10);
    *at = end;
    return true;
}

/* "@@ -12,7 +12,8 @@": how many old and new lines come; a number that is left out is 1. */
static bool read_hunk_head(struct reader *r, int *old_lines, int *new_lines)
{
    int place;
    const char *at = r->at;
    *old_lines = *new_lines = 1;
    if (skip_number(&at, "@@ -", &place)) {
        skip_number(&at, ",", old_lines);
        if (skip_number(&at, " +", &place)) {
            skip_number(&at, ",", new_lines);
            if (starts(at, " @@"))
                return true;
        }
    }
    return refuse(r->why, "line %d is no head of a hunk: @@ -LINE,COUNT +LINE,COUNT @@", r->line);
}

/* One line of a hunk. Editors cut the one space of an empty line that stays. */
static bool read_hunk_line(struct reader *r, int *old_lines, int *new_lines)
{
    char kind = *r->at == '\n' ? ' ' : *r->at;
    if (kind == '\0' || strchr(" -+", kind) == NULL)
        return refuse(r->why, "the hunk ends at line %d, and its head announces more lines", r->line);
    const char *text = *r->at == '\n' ? r->at : r->at + 1;
    *old_lines -= kind != '+';
    *new_lines -= kind != '-';
    if (*old_lines < 0 || *new_lines < 0)
        return refuse(r->why, "the hunk goes on at line %d, and its head announces fewer lines", r->line);
    bool added = add_line(r->diff, kind, text, strcspn(text, "\n"));
    next_line(r);
    return added;
}

static bool read_hunk(struct reader *r)
{
    struct diff *diff = r->diff;
    struct diff_hunk *more = realloc(diff->hunks, (size_t)(diff->hunk_count + 1) * sizeof *more);
    int old_lines;
    int new_lines;
    if (more == NULL)
        return false;
    diff->hunks = more;
    struct diff_hunk *hunk = &more[diff->hunk_count++];
    *hunk = (struct diff_hunk){r->line, diff->line_count, 0};
    if (!read_hunk_head(r, &old_lines, &new_lines))
        return false;
    next_line(r);
    while (old_lines > 0 || new_lines > 0)
        if (!read_hunk_line(r, &old_lines, &new_lines))
            return false;
    hunk->count = diff->line_count - hunk->first;
    return true;
}

static bool read_file_names(struct reader *r)
{
    while (starts(r->at, "diff ") || starts(r->at, "index "))
        next_line(r);
    if (!starts(r->at, "--- "))
        return refuse(r->why, "line %d does not begin a unified diff: --- OLD", r->line);
    next_line(r);
    if (!starts(r->at, "+++ "))
        return refuse(r->why, "line %d of the diff is missing: +++ NEW", r->line);
    next_line(r);
    return true;
}

static bool changes_something(const struct reader *r)
{
    for (int i = 0; i < r->diff->line_count; i++)
        if (r->diff->lines[i].kind != ' ')
            return true;
    return refuse(r->why, "the diff changes nothing");
}

static bool read_all(struct reader *r)
{
    if (!read_file_names(r))
        return false;
    do {
        if (!read_hunk(r))
            return false;
        skip_blank_lines(r);
    } while (starts(r->at, "@@"));
    if (starts(r->at, "--- ") || starts(r->at, "diff "))
        return refuse(r->why, "line %d begins a second file, and a variant changes one", r->line);
    if (*r->at != '\0')
        return refuse(r->why, "line %d belongs to no hunk", r->line);
    return changes_something(r);
}

/* ---- Marking changed words ----------------------------------------------------------------------------- */

/* The words of one side of a block; where each begins, in which line. */
struct word {
    int line, start, length;
    bool changed;
};

struct side {
    const struct diff *diff;
    struct word *words;
    int count;
};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (c & 0x80) != 0;
}

static int word_length(const char *text)
{
    int length = 1;
    if (is_name(text[0]))
        while (is_name(text[length]))
            length++;
    else if (text[0] == ' ')
        while (text[length] == ' ')
            length++;
    return length;
}

static void cut_into_words(struct side *side, char kind, int first, int last)
{
    for (int line = first; line < last; line++) {
        const char *text = side->diff->lines[line].text;
        if (side->diff->lines[line].kind != kind)
            continue;
        for (int at = 0; text[at] != '\0' && side->count < MOST_WORDS;) {
            int length = word_length(text + at);
            side->words[side->count++] = (struct word){line, at, length, true};
            at += length;
        }
    }
}

static const char *text_of(const struct side *side, const struct word *word)
{
    return side->diff->lines[word->line].text + word->start;
}

static bool same_word(const struct side *a, int i, const struct side *b, int j)
{
    const struct word *x = &a->words[i];
    const struct word *y = &b->words[j];
    return x->length == y->length && memcmp(text_of(a, x), text_of(b, y), (size_t)x->length) == 0;
}

/* Unmarks the longest common sequence. lengths[i][j] is that of the words from i and from j on. */
static void unmark_common(struct side *a, struct side *b)
{
    size_t width = (size_t)b->count + 1;
    unsigned short *lengths = calloc((size_t)(a->count + 1) * width, sizeof *lengths);
    if (lengths == NULL)
        return;
#define LENGTH(i, j) lengths[(size_t)(i)*width + (size_t)(j)]
    for (int i = a->count - 1; i >= 0; i--)
        for (int j = b->count - 1; j >= 0; j--) {
            unsigned short skip = LENGTH(i + 1, j) > LENGTH(i, j + 1) ? LENGTH(i + 1, j) : LENGTH(i, j + 1);
            unsigned short take = same_word(a, i, b, j) ? (unsigned short)(LENGTH(i + 1, j + 1) + 1) : 0;
            LENGTH(i, j) = take > skip ? take : skip;
        }
    for (int i = 0, j = 0; i < a->count && j < b->count;) {
        if (same_word(a, i, b, j) && LENGTH(i, j) == LENGTH(i + 1, j + 1) + 1)
            a->words[i++].changed = b->words[j++].changed = false;
        else if (LENGTH(i + 1, j) >= LENGTH(i, j + 1))
            i++;
        else
            j++;
    }
#undef LENGTH
    free(lengths);
}

/* A space between two changed words of one line belongs to the change. */
static void join_phrases(struct side *side)
{
    for (int i = 1; i + 1 < side->count; i++) {
        struct word *w = &side->words[i];
        if (w[-1].changed && w[1].changed && w[-1].line == w->line && w[1].line == w->line &&
            text_of(side, w)[0] == ' ')
            w->changed = true;
    }
}

/* Whether the marks of a line say more than its '-' or '+' does: some of it is changed and some is not. */
static bool is_partly_changed(const struct side *side, int line)
{
    bool changed = false;
    bool same = false;
    for (int i = 0; i < side->count; i++) {
        const struct word *w = &side->words[i];
        if (w->line != line || text_of(side, w)[0] == ' ')
            continue;
        changed |= w->changed;
        same |= !w->changed;
    }
    return changed && same;
}

static void write_marks(struct diff *diff, const struct side *side, char kind, int first, int last)
{
    for (int line = first; line < last; line++) {
        struct diff_line *l = &diff->lines[line];
        if (l->kind != kind || !is_partly_changed(side, line) || (l->marks = strdup(l->text)) == NULL)
            continue;
        memset(l->marks, ' ', strlen(l->text));
        for (int i = 0; i < side->count; i++)
            if (side->words[i].line == line && side->words[i].changed)
                memset(l->marks + side->words[i].start, '^', (size_t)side->words[i].length);
    }
}

static void mark_block(struct diff *diff, int first, int last)
{
    struct side old = {diff, calloc(MOST_WORDS, sizeof *old.words), 0};
    struct side new = {diff, calloc(MOST_WORDS, sizeof *new.words), 0};
    if (old.words != NULL && new.words != NULL) {
        cut_into_words(&old, '-', first, last);
        cut_into_words(&new, '+', first, last);
        unmark_common(&old, &new);
        join_phrases(&old);
        join_phrases(&new);
        if (old.count < MOST_WORDS && new.count < MOST_WORDS) {
            write_marks(diff, &old, '-', first, last);
            write_marks(diff, &new, '+', first, last);
        }
    }
    free(old.words);
    free(new.words);
}

static void mark_changed_words(struct diff *diff)
{
    for (int first = 0; first < diff->line_count; first++) {
        int last = first;
        while (last < diff->line_count && diff->lines[last].kind != ' ')
            last++;
        if (last > first)
            mark_block(diff, first, last);
        first = last;
    }
}

struct diff *diff_read(const char *text, int line, char **why)
{
    struct diff *diff = calloc(1, sizeof *diff);
    struct reader r = {text, line, diff, why};
    *why = NULL;
    if (diff == NULL || !read_all(&r)) {
        diff_free(diff);
        return NULL;
    }
    mark_changed_words(diff);
    return diff;
}

void diff_free(struct diff *diff)
{
    if (diff == NULL)
        return;
    for (int i = 0; i < diff->line_count; i++) {
        free(diff->lines[i].text);
        free(diff->lines[i].marks);
    }
    free(diff->lines);
    free(diff->hunks);
    free(diff);
}

/* ---- Applying ------------------------------------------------------------------------------------------ */

/* The lines of one side of a hunk ('-' or '+') with those that stay, each with its newline. Allocated. */
static char *hunk_side(const struct diff *diff, const struct diff_hunk *hunk, char kind)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (to == NULL)
        return NULL;
    for (int i = hunk->first; i < hunk->first + hunk->count; i++)
        if (diff->lines[i].kind == ' ' || diff->lines[i].kind == kind)
            fprintf(to, "%s\n", diff->lines[i].text);
    fclose(to);
    return text;
}

static int line_number(const char *source, const char *at)
{
    int line = 1;
    for (; source < at; source++)
        line += *source == '\n';
    return line;
}

/* Where whole lines stand in the source; NULL when nowhere. */
static const char *find_lines(const char *source, const char *from, const char *lines)
{
    for (const char *at = from; (at = strstr(at, lines)) != NULL; at++)
        if (at == source || at[-1] == '\n')
            return at;
    return NULL;
}

/* The one place of a hunk; NULL after a refusal. */
static const char *find_hunk(const char *source, const struct diff_hunk *hunk, const char *old, char **why)
{
    const char *place = old[0] != '\0' ? find_lines(source, source, old) : NULL;
    if (place == NULL) {
        refuse(why, "the hunk at line %d applies nowhere: its old lines do not stand in the reference",
               hunk->at);
        return NULL;
    }
    const char *second = find_lines(source, place + 1, old);
    if (second == NULL)
        return place;
    refuse(why,
           "the hunk at line %d applies twice, at the lines %d and %d of the reference; more lines around "
           "the change tell them apart",
           hunk->at, line_number(source, place), line_number(source, second));
    return NULL;
}

/* Copies the source from `from` up to the hunk, then its new lines. Gives where the source goes on; NULL
 * after a refusal. */
static const char *apply_hunk(FILE *to, const struct diff *diff, const struct diff_hunk *hunk,
                              const char *source, const char *from, char **why)
{
    char *old = hunk_side(diff, hunk, '-');
    char *new = hunk_side(diff, hunk, '+');
    const char *place = old != NULL && new != NULL ? find_hunk(source, hunk, old, why) : NULL;
    const char *next = NULL;
    if (place != NULL && place < from) {
        refuse(why, "the hunk at line %d does not come after the one before it", hunk->at);
    } else if (place != NULL) {
        fwrite(from, 1, (size_t)(place - from), to);
        fputs(new, to);
        next = place + strlen(old);
    }
    free(old);
    free(new);
    return next;
}

char *diff_apply(const struct diff *diff, const char *source, char **why)
{
    char *text = NULL;
    size_t length = 0;
    const char *from = source;
    FILE *to = open_memstream(&text, &length);
    *why = NULL;
    for (int i = 0; to != NULL && i < diff->hunk_count && from != NULL; i++)
        from = apply_hunk(to, diff, &diff->hunks[i], source, from, why);
    if (to == NULL)
        return NULL;
    if (from != NULL)
        fputs(from, to);
    fclose(to);
    if (from != NULL)
        return text;
    free(text);
    return NULL;
}

/* ---- The place of a change ----------------------------------------------------------------------------- */

struct difference difference_of(const char *old, const char *new)
{
    int start = 0;
    int old_end = (int)strlen(old);
    int new_end = (int)strlen(new);
    while (old[start] != '\0' && old[start] == new[start])
        start++;
    while (old_end > start && new_end > start && old[old_end - 1] == new[new_end - 1]) {
        old_end--;
        new_end--;
    }
    while (start > 0 && is_name(old[start - 1]) && (is_name(old[start]) || is_name(new[start])))
        start--;
    while (is_name(old[old_end]) && ((old_end > start && is_name(old[old_end - 1])) ||
                                     (new_end > start && is_name(new[new_end - 1])))) {
        old_end++;
        new_end++;
    }
    return (struct difference){start, old_end, new_end};
}
