/*
 * output.c - see output.h.
 */
#include "variants/output.h"

#include "base/options.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_begin(struct output *output)
{
    *output = (struct output){NULL, NULL, 0};
    output->to = open_memstream(&output->text, &output->length);
    return output->to != NULL;
}

static bool end(struct output *output)
{
    bool composed = ferror(output->to) == 0;
    composed = fclose(output->to) == 0 && composed && output->length > 0;
    output->to = NULL;
    return composed;
}

int output_print(struct output *output, int status)
{
    if (!end(output)) {
        status = kit_error("There is no memory for the report.");
    } else {
        signal(SIGPIPE, SIG_IGN); /* a reader that went away is a failed write like any other */
        bool written = fwrite(output->text, 1, output->length, stdout) == output->length;
        if (fflush(stdout) != 0 || !written)
            status = kit_error("The report could not be written: %s.", strerror(errno));
    }
    free(output->text);
    output->text = NULL;
    return status;
}

/* Writes beside the file and renames. */
static bool replace(const char *file, const char *text, size_t length)
{
    char *beside = NULL;
    bool done = false;
    int fd = asprintf(&beside, "%s.XXXXXX", file) >= 0 ? mkstemp(beside) : -1;
    FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (to != NULL) {
        mode_t mask = umask(0);
        umask(mask);
        done = fwrite(text, 1, length, to) == length && fchmod(fd, 0666 & ~mask) == 0;
        done = fclose(to) == 0 && done && rename(beside, file) == 0;
    }
    int problem = errno;
    if (fd >= 0 && !done)
        unlink(beside);
    free(beside);
    errno = problem;
    return done;
}

bool output_save(struct output *output, const char *file)
{
    bool done = false;
    if (!end(output))
        kit_error("There is no memory for %s.", file);
    else if (!(done = replace(file, output->text, output->length)))
        kit_error("%s could not be written: %s.", file, strerror(errno));
    free(output->text);
    output->text = NULL;
    return done;
}

bool draw_seed(int64_t *seed)
{
    uint64_t bits;
    if (getrandom(&bits, sizeof bits, 0) != (ssize_t)sizeof bits)
        return false;
    *seed = (int64_t)(1 + bits % 999999);
    return true;
}
