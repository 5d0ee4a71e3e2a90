/*
 * variant.c - see variant.h.
 */
#include "variants/variant.h"

#include "base/json.h"
#include "base/language.h"
#include "base/options.h"
#include "judge/check.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE = 1 << 20 };

__attribute__((format(printf, 2, 3))) static bool refuse(char **why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(why, _(format), arguments) < 0)
        *why = NULL;
    va_end(arguments);
    return false;
}

/* ---- Files --------------------------------------------------------------------------------------------- */

char *read_text_file(const char *file)
{
    FILE *from = fopen(file, "re");
    char *text = from != NULL ? malloc(MAX_FILE + 1) : NULL;
    size_t length = text != NULL ? fread(text, 1, MAX_FILE + 1, from) : 0;
    bool read = text != NULL && ferror(from) == 0 && length <= MAX_FILE;
    if (text != NULL && length > MAX_FILE)
        errno = EFBIG;
    if (from != NULL)
        fclose(from);
    if (!read) {
        free(text);
        return NULL;
    }
    text[length] = '\0';
    return text;
}

char *variant_name_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *name = slash != NULL ? slash + 1 : file;
    size_t length = strlen(name);
    bool patch = length > 6 && strcmp(name + length - 6, ".patch") == 0;
    return strndup(name, patch ? length - 6 : length);
}

static char *kit_path(const char *folder, const char *lab, const char *file)
{
    char *path;
    return asprintf(&path, "%s/%s/%s%s%s", kit_root(), folder, lab, file[0] != '\0' ? "/" : "", file) >= 0
               ? path
               : NULL;
}

char *variants_folder(const struct lab *lab)
{
    return kit_path("broken-variants", lab->name, "");
}

char *reference_path(const struct lab *lab)
{
    return kit_path("solutions", lab->name, lab->file);
}

/* ---- The head ------------------------------------------------------------------------------------------ */

enum field { TITLE, STAGE, KIND, LOOKS_RIGHT, FAILS, ASK, UNDEFINED, FIELDS };

static const struct {
    const char *name;
    bool optional;
} fields[FIELDS] = {
    [TITLE] = {"Title", false},        [STAGE] = {"Stage", false},
    [KIND] = {"Kind", false},          [LOOKS_RIGHT] = {"Looks right because", false},
    [FAILS] = {"Fails", false},        [ASK] = {"Ask", false},
    [UNDEFINED] = {"Undefined", true},
};

static char **field_of(struct variant *v, enum field field)
{
    char **const texts[FIELDS] = {
        [TITLE] = &v->title,         [STAGE] = &v->stage_number,
        [KIND] = &v->kind,           [LOOKS_RIGHT] = &v->looks_right,
        [FAILS] = &v->fails_text,    [ASK] = &v->ask,
        [UNDEFINED] = &v->undefined,
    };
    return texts[field];
}

/* The field that a line begins with, and where its text begins; FIELDS for none. */
static enum field field_at(const char *line, const char **text)
{
    for (int field = 0; field < FIELDS; field++) {
        size_t length = strlen(fields[field].name);
        if (strncmp(line, fields[field].name, length) == 0 && line[length] == ':') {
            *text = line + length + 1;
            return (enum field)field;
        }
    }
    return FIELDS;
}

/* Adds a line's text to a field, with one space between. */
static bool extend(char **field, const char *text)
{
    text += strspn(text, " \t");
    size_t length = strcspn(text, "\n");
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    char *longer = NULL;
    const char *before = *field != NULL ? *field : "";
    if (asprintf(&longer, "%s%s%.*s", before, before[0] != '\0' && length > 0 ? " " : "", (int)length, text) <
        0)
        return false;
    free(*field);
    *field = longer;
    return true;
}

static bool read_head_line(struct variant *v, const char *line, int number, enum field *last, char **why)
{
    const char *text = line;
    bool blank = line[strspn(line, " \t")] == '\n';
    bool goes_on = !blank && (line[0] == ' ' || line[0] == '\t');
    if (blank)
        return true;
    if (goes_on && *last != FIELDS)
        return extend(field_of(v, *last), text);
    *last = field_at(line, &text);
    if (*last == FIELDS) {
        char *quoted = text_quoted(line, strcspn(line, "\n"), 40);
        refuse(why, "line %d begins with no field of the head and no diff: %s", number, quoted);
        free(quoted);
        return false;
    }
    if (*field_of(v, *last) != NULL)
        return refuse(why, "line %d gives %s a second time", number, fields[*last].name);
    return extend(field_of(v, *last), text);
}

static bool is_diff(const char *line)
{
    return strncmp(line, "--- ", 4) == 0 || strncmp(line, "diff ", 5) == 0;
}

/* Reads up to the diff; *number is then the diff's first line. */
static bool read_head(struct variant *v, const char **at, int *number, char **why)
{
    enum field last = FIELDS;
    const char *missing = NULL;
    for (*number = 1; **at != '\0' && !is_diff(*at); (*number)++) {
        if (!read_head_line(v, *at, *number, &last, why))
            return false;
        *at += strcspn(*at, "\n");
        *at += **at == '\n';
    }
    for (int field = 0; field < FIELDS; field++) {
        const char *text = *field_of(v, (enum field)field);
        if (missing == NULL && !fields[field].optional && (text == NULL || text[0] == '\0'))
            missing = fields[field].name;
    }
    if (missing != NULL) {
        refuse(why, "the head has no %s", missing);
        return false;
    }
    return **at != '\0' || refuse(why, "there is no diff under the head");
}

/* ---- What the fields say ------------------------------------------------------------------------------- */

static bool read_stage(struct variant *v, const struct lab *lab, char **why)
{
    for (v->stage = 0; lab->stages[v->stage].number != NULL; v->stage++) {
        const char *number = lab->stages[v->stage].number;
        if (strcmp(number, v->stage_number) != 0)
            continue;
        bool numbered =
            isdigit((unsigned char)v->name[0]) && isdigit((unsigned char)v->name[1]) && v->name[2] == '-';
        if (numbered && strncmp(v->name, number, 2) != 0)
            return refuse(why, "its name begins with %.2s, and its Stage is %s", v->name, number);
        return true;
    }
    refuse(why, "its Stage is %s, which %s does not have", v->stage_number, lab->name);
    return false;
}

static bool read_kind(const struct variant *v, char **why)
{
    static const char *const kinds[] = {"worksheet", "boundary", "cleanup", "field"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(v->kind, kinds[i]) == 0)
            return true;
    return refuse(why, "its Kind is %s, which is none of worksheet, boundary, cleanup, field", v->kind);
}

static bool read_fails(struct variant *v, const struct lab *lab, char **why)
{
    char unknown[64];
    if (strncmp(v->fails_text, "none", 4) == 0 && strchr(" :", v->fails_text[4]) != NULL) {
        const char *reason = v->fails_text + 4 + strspn(v->fails_text + 4, " :");
        if (reason[0] == '\0')
            return refuse(why, "its Fails is none, and does not say why");
        return (v->why_none = strdup(reason)) != NULL;
    }
    if (!clause_set_read(&v->fails, lab, v->fails_text, unknown))
        return refuse(why, "its Fails names %s, which is no clause (`build/lab list` names them all)",
                      unknown);
    return clause_set_size(&v->fails) > 0 || refuse(why, "its Fails names no clause");
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

static void drop_carriage_returns(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++)
        if (from[0] != '\r' || from[1] != '\n')
            *to++ = *from;
    *to = '\0';
}

static bool fill(struct variant *v, const struct lab *lab, char *text, char **why)
{
    const char *at = text;
    int number;
    drop_carriage_returns(text);
    if (!read_head(v, &at, &number, why) || !read_stage(v, lab, why) || !read_kind(v, why) ||
        !read_fails(v, lab, why))
        return false;
    v->diff = diff_read(at, number, why);
    return v->diff != NULL && (v->diff_text = strdup(at)) != NULL;
}

struct variant *variant_load(const struct lab *lab, const char *file, char **why)
{
    *why = NULL;
    struct variant *v = calloc(1, sizeof *v);
    char *text = v != NULL ? read_text_file(file) : NULL;
    if (v != NULL && text == NULL)
        refuse(why, "it cannot be read: %s", strerror(errno));
    bool filled = text != NULL && (v->file = strdup(file)) != NULL &&
                  (v->name = variant_name_of(file)) != NULL && fill(v, lab, text, why);
    free(text);
    if (filled)
        return v;
    variant_free(v);
    return NULL;
}

void variant_free(struct variant *v)
{
    if (v == NULL)
        return;
    for (int field = 0; field < FIELDS; field++)
        free(*field_of(v, (enum field)field));
    free(v->name);
    free(v->file);
    free(v->why_none);
    free(v->diff_text);
    diff_free(v->diff);
    free(v);
}

/* ---- Which files --------------------------------------------------------------------------------------- */

void files_free(char **files)
{
    for (char **file = files; file != NULL && *file != NULL; file++)
        free(*file);
    free(files);
}

static int is_patch(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 6 && strcmp(entry->d_name + length - 6, ".patch") == 0;
}

/* In the order of bytes, whatever the locale. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static char **every_file(const struct lab *lab, int *status)
{
    struct dirent **entries = NULL;
    char *folder = variants_folder(lab);
    int count = folder != NULL ? scandir(folder, &entries, is_patch, by_bytes) : -1;
    char **files = calloc(count > 0 ? (size_t)count + 1 : 1, sizeof *files);
    for (int i = 0; i < count; i++) {
        if (files != NULL && asprintf(&files[i], "%s/%s", folder, entries[i]->d_name) < 0)
            files[i] = NULL;
        free(entries[i]);
    }
    free(entries);
    free(folder);
    if (files != NULL && files[0] != NULL)
        return files;
    *status = kit_error("There is no variant in broken-variants/%s.", lab->name);
    files_free(files);
    return NULL;
}

/* Words that begin as an existing name does are most often a stage, or a name cut short. */
static void suggest(const struct lab *lab, const char *word)
{
    int status;
    int shown = 0;
    char **files = every_file(lab, &status);
    size_t length = strlen(word) < 2 ? strlen(word) : 2;
    for (char **file = files; file != NULL && *file != NULL; file++) {
        char *name = variant_name_of(*file);
        if (name != NULL && length > 0 && strncmp(name, word, length) == 0)
            fprintf(stderr, "%s%s", shown++ == 0 ? _("Those that begin alike:\n  ") : "\n  ", name);
        free(name);
    }
    if (shown > 0)
        putc('\n', stderr);
    files_free(files);
}

static char *file_for(const struct lab *lab, const char *word, int *status)
{
    struct stat info;
    char *path = NULL;
    char *name = strchr(word, '/') == NULL ? variant_name_of(word) : NULL;
    if (name != NULL && asprintf(&path, "%s/broken-variants/%s/%s.patch", kit_root(), lab->name, name) < 0)
        path = NULL;
    free(name);
    if (path != NULL && stat(path, &info) == 0 && S_ISREG(info.st_mode))
        return path;
    free(path);
    if (stat(word, &info) == 0 && S_ISREG(info.st_mode))
        return strdup(word);
    char *shown = text_quoted(word, strlen(word), 100);
    *status = usage_error("There is no variant %s; `ls broken-variants/%s` lists them.", shown, lab->name);
    free(shown);
    suggest(lab, word);
    return NULL;
}

char **variant_files(const struct lab *lab, char *const words[], int count, int *status)
{
    if (count == 0)
        return every_file(lab, status);
    char **files = calloc((size_t)count + 1, sizeof *files);
    for (int i = 0; files != NULL && i < count; i++) {
        if ((files[i] = file_for(lab, words[i], status)) == NULL) {
            files_free(files);
            return NULL;
        }
    }
    return files;
}
