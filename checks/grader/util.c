#include "grader/util.h"

#include "base/language.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void *need(void *memory)
{
    if (memory == NULL)
        die(EXIT_KIT, _("lab: out of memory"));
    return memory;
}

void die(int status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(status);
}

char *text_format(const char *format, ...)
{
    va_list args;
    char *text = NULL;

    va_start(args, format);
    const int length = vasprintf(&text, format, args);
    va_end(args);
    return need(length < 0 ? NULL : text);
}

void words_add(struct words *words, const char *text)
{
    words->word = need(reallocarray(words->word, words->count + 2, sizeof words->word[0]));
    words->word[words->count++] = need(strdup(text));
    words->word[words->count] = NULL;
}

void words_clear(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->word[i]);
    free(words->word);
    *words = (struct words){NULL, 0};
}

int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool write_all(int fd, const void *bytes, size_t length)
{
    const char *at = bytes;

    while (length > 0) {
        const ssize_t n = write(fd, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        at += n;
        length -= (size_t)n;
    }
    return true;
}

char *read_all(int fd, size_t max, size_t *length)
{
    char *bytes = NULL;
    size_t room = 0, filled = 0;

    for (;;) {
        if (filled == room) {
            room = room == 0 ? 65536 : room * 2;
            bytes = need(realloc(bytes, room + 1));
        }
        const ssize_t n = read(fd, bytes + filled, room - filled);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            bytes[filled] = '\0';
            *length = filled;
            if (n == 0)
                return bytes;
            break;
        }
        filled += (size_t)n;
        if (filled > max) {
            errno = EFBIG;
            break;
        }
    }
    free(bytes);
    return NULL;
}

char *read_file(const char *path, size_t max, size_t *length)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *bytes = fd >= 0 ? read_all(fd, max, length) : NULL;
    const int error = errno;

    if (fd >= 0)
        close(fd);
    errno = error;
    return bytes;
}

bool write_new_file(const char *path, const void *bytes, size_t length, mode_t mode)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    bool ok = fd >= 0 && write_all(fd, bytes, length) && fchmod(fd, mode) == 0;
    const int error = errno;

    if (fd >= 0 && close(fd) != 0 && ok)
        return false;
    errno = error;
    return ok;
}

int open_folder(int parent, const char *name)
{
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void remove_inside(int fd, int depth)
{
    DIR *folder = fdopendir(fd);

    if (folder == NULL) {
        close(fd);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            unlinkat(fd, entry->d_name, 0) == 0 || depth == 0)
            continue;
        fchmodat(fd, entry->d_name, 0700, AT_SYMLINK_NOFOLLOW); /* a folder of mode 0 could not be opened */
        const int below = open_folder(fd, entry->d_name);
        if (below >= 0)
            remove_inside(below, depth - 1);
        unlinkat(fd, entry->d_name, AT_REMOVEDIR);
    }
    closedir(folder);
}
