#include "grader/inputs.h"

#include "base/language.h"
#include "grader/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The class ----------------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * The names in a folder, without junk, in the order of their bytes: what is found must not depend on the
 * order in which a file system keeps names. At most `max`; more are cut. Closes `fd`; false, with errno,
 * when the folder cannot be read.
 */
static bool list_names(int fd, size_t max, struct words *names)
{
    DIR *folder = fdopendir(fd);

    if (folder == NULL) {
        close(fd);
        return false;
    }
    errno = 0;
    for (const struct dirent *entry; names->count < max && (entry = readdir(folder)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            !name_is_junk(entry->d_name))
            words_add(names, entry->d_name);
    const int error = errno;
    closedir(folder);
    if (names->count > 0)
        qsort(names->word, names->count, sizeof names->word[0], by_text);
    errno = error;
    return error == 0;
}

static struct entrant *entrant_of(struct class_list *list, char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->entrant[i].name, name) == 0) {
            free(name);
            return &list->entrant[i];
        }
    list->entrant = need(reallocarray(list->entrant, list->count + 1, sizeof list->entrant[0]));
    list->entrant[list->count] = (struct entrant){.name = name};
    return &list->entrant[list->count++];
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct entrant *)a)->name, ((const struct entrant *)b)->name);
}

bool class_list(int fd, const struct stat *not_this, struct class_list *list)
{
    struct words names = {NULL, 0};
    const bool ok = list_names(dup(fd), SIZE_MAX, &names);
    const int error = errno;

    *list = (struct class_list){NULL, 0};
    for (size_t i = 0; i < names.count; i++) {
        struct stat is;
        const bool known = fstatat(fd, names.word[i], &is, AT_SYMLINK_NOFOLLOW) == 0;
        if (known && not_this != NULL && is.st_dev == not_this->st_dev && is.st_ino == not_this->st_ino)
            continue;
        char *name = name_of_submission(names.word[i], known && S_ISDIR(is.st_mode));
        words_add(&entrant_of(list, name)->entries, names.word[i]);
    }
    words_clear(&names);
    if (list->count > 0)
        qsort(list->entrant, list->count, sizeof list->entrant[0], by_name);
    errno = error;
    return ok;
}

void class_clear(struct class_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->entrant[i].name);
        words_clear(&list->entrant[i].entries);
    }
    free(list->entrant);
    *list = (struct class_list){NULL, 0};
}

/* ---- The file that is meant ---------------------------------------------------------------------------- */

/* A file that could be meant. */
struct candidate {
    int folder; /* open; -1: none */
    char *name; /* in that folder */
    char *path; /* below the class, fit for people */
    bool exact; /* it has the name that the lab asks for */
    bool archive;
};

enum { CANDIDATES_MAX = 64 };

struct search {
    const char *meant;
    bool archives; /* an archive may be meant */
    struct candidate found[CANDIDATES_MAX];
    size_t count, looked_at;
    bool deeper; /* there were folders too deep to look into */
    char *unreadable;
};

static bool could_be_meant(const struct search *search, const char *name)
{
    return strcmp(name, search->meant) == 0 || name_ends(name, ".c") ||
           (search->archives && name_is_archive(name));
}

static void add_candidate(struct search *search, int folder, const char *name, const char *path)
{
    if (search->count == CANDIDATES_MAX)
        return;
    search->found[search->count++] = (struct candidate){
        .folder = fcntl(folder, F_DUPFD_CLOEXEC, 0),
        .name = need(strdup(name)),
        .path = need(strdup(path)),
        .exact = strcmp(name, search->meant) == 0,
        .archive = name_is_archive(name),
    };
}

static void look_into(struct search *search, int folder, const char *path, int depth);

/* `depth`: how many folders below this one may still be entered. */
static void look_at(struct search *search, int folder, const char *name, const char *path, int depth)
{
    struct stat is;
    const bool known = fstatat(folder, name, &is, AT_SYMLINK_NOFOLLOW) == 0;

    if (search->looked_at++ >= INPUT_MAX_FILES)
        return;
    if (known && S_ISDIR(is.st_mode) && strcmp(name, search->meant) != 0) {
        const int below = depth > 0 ? open_folder(folder, name) : -1;
        if (below >= 0)
            look_into(search, below, path, depth - 1);
        else if (depth == 0)
            search->deeper = true;
        else if (search->unreadable == NULL)
            search->unreadable = text_format(_("The folder %s cannot be read: %s."), path, strerror(errno));
        return;
    }
    if (could_be_meant(search, name))
        add_candidate(search, folder, name, path);
}

/* Closes `folder`. */
static void look_into(struct search *search, int folder, const char *path, int depth)
{
    struct words names = {NULL, 0};
    const int listed = fcntl(folder, F_DUPFD_CLOEXEC, 0);

    if (!list_names(listed, INPUT_MAX_FILES, &names) && search->unreadable == NULL)
        search->unreadable = text_format(_("The folder %s cannot be read: %s."), path, strerror(errno));
    for (size_t i = 0; i < names.count; i++) {
        char *shown = name_text(names.word[i]);
        char *below = text_format("%s/%s", path, shown);
        look_at(search, folder, names.word[i], below, depth);
        free(below);
        free(shown);
    }
    words_clear(&names);
    close(folder);
}

static void search_clear(struct search *search)
{
    for (size_t i = 0; i < search->count; i++) {
        if (search->found[i].folder >= 0)
            close(search->found[i].folder);
        free(search->found[i].name);
        free(search->found[i].path);
    }
    free(search->unreadable);
}

/*
 * Leaves only the candidates that go before the others: those with the right name and archives, where there
 * are any. Gives how many are left; the first is at found[0], a second at found[1].
 */
static size_t prefer(struct search *search)
{
    size_t better = 0;

    for (size_t i = 0; i < search->count; i++)
        if (search->found[i].exact || search->found[i].archive) {
            const struct candidate first = search->found[better];
            search->found[better] = search->found[i];
            search->found[i] = first;
            better++;
        }
    return better > 0 ? better : search->count;
}

void input_refuse(struct input *input, char *refusal)
{
    free(input->bytes);
    free(input->refusal);
    input->bytes = NULL;
    input->length = 0;
    input->refusal = refusal;
}

void input_clear(struct input *input)
{
    free(input->file);
    free(input->bytes);
    free(input->refusal);
    *input = (struct input){0};
}

/* What a file is that is no regular one. */
static const char *kind_of(mode_t mode)
{
    return S_ISLNK(mode)    ? _("a symbolic link")
           : S_ISDIR(mode)  ? _("a folder")
           : S_ISFIFO(mode) ? _("a named pipe")
           : S_ISSOCK(mode) ? _("a socket")
                            : _("a device");
}

/* What is wrong with the bytes of a C file; NULL when nothing is. */
static char *wrong_bytes(const char *path, const char *bytes, size_t length)
{
    const char *nul = memchr(bytes, '\0', length);

    if (length == 0)
        return text_format(_("%s is empty."), path);
    if (nul != NULL)
        return text_format(_("%s is not a text file: byte %zu is zero."), path, (size_t)(nul - bytes) + 1);
    return NULL;
}

/* Between the look and the opening a file could have changed, so what was opened is looked at again. */
static void take(const struct candidate *from, struct input *input)
{
    const size_t max = from->archive ? INPUT_MAX_ARCHIVE : INPUT_MAX_BYTES;
    struct stat is;
    char *refusal = NULL;

    input->file = need(strdup(from->path));
    input->is_archive = from->archive;
    if (fstatat(from->folder, from->name, &is, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(is.st_mode)) {
        input_refuse(input, text_format(_("%s is %s, not a file."), from->path, kind_of(is.st_mode)));
        return;
    }
    const int fd = openat(from->folder, from->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &is) != 0)
        refusal = text_format(_("%s cannot be opened: %s."), from->path, strerror(errno));
    else if (!S_ISREG(is.st_mode))
        refusal = text_format(_("%s is %s, not a file."), from->path, kind_of(is.st_mode));
    else if ((size_t)is.st_size > max)
        refusal = text_format(_("%s has %lld bytes; at most %zu are taken."), from->path,
                              (long long)is.st_size, max);
    else if ((input->bytes = read_all(fd, max, &input->length)) == NULL)
        refusal = text_format(_("%s cannot be read: %s."), from->path, strerror(errno));
    else if (!from->archive)
        refusal = wrong_bytes(from->path, input->bytes, input->length);
    if (fd >= 0)
        close(fd);
    if (refusal != NULL)
        input_refuse(input, refusal);
}

/* Takes what was found, or says why nothing can be. */
static void decide(struct search *search, struct input *input)
{
    const size_t left = prefer(search);

    *input = (struct input){0};
    if (search->looked_at > INPUT_MAX_FILES)
        input_refuse(input, text_format(_("There are more than %d files."), INPUT_MAX_FILES));
    else if (left == 1)
        take(&search->found[0], input);
    else if (left > 1)
        input_refuse(input, text_format(left > 2 ? _("More than two files could be meant: %s, %s and others.")
                                                 : _("Two files could be meant: %s and %s."),
                                        search->found[0].path, search->found[1].path));
    else if (search->unreadable != NULL)
        input_refuse(input, text_format("%s", search->unreadable));
    else
        input_refuse(input, text_format(search->deeper ? _("There is no %s within three folders.")
                                                       : _("There is no %s, nor another C file."),
                                        search->meant));
    search_clear(search);
}

void input_find(int fd, const struct entrant *entrant, const char *meant, struct input *input)
{
    struct search search = {.meant = meant, .archives = true};

    for (size_t i = 0; i < entrant->entries.count; i++) {
        char *path = name_text(entrant->entries.word[i]);
        look_at(&search, fd, entrant->entries.word[i], path, INPUT_DEPTH + 1);
        free(path);
    }
    decide(&search, input);
}

void input_find_unpacked(int fd, const char *archive, const char *meant, struct input *input)
{
    struct search search = {.meant = meant};

    look_into(&search, fd, archive, INPUT_DEPTH);
    decide(&search, input);
}
