#include "grader/progress.h"

#include "base/language.h"
#include "grader/util.h"

#include <unistd.h>

static void show(const struct progress *progress)
{
    if (!progress->shown)
        return;
    fputs("\r\033[K", stderr);
    fprintf(stderr, _("%zu of %zu graded, %zu failing"), progress->done, progress->all, progress->failing);
    if (progress->done > 0) {
        const double spent_s = (double)(now_ms() - progress->start_ms) / 1000;
        const double left_s = spent_s * (double)(progress->all - progress->done) / (double)progress->done;
        fprintf(stderr, _(", about %.0f s left"), left_s + 0.5);
    }
    fflush(stderr);
}

void progress_begin(struct progress *progress, size_t all)
{
    *progress = (struct progress){.shown = isatty(STDERR_FILENO) == 1, .all = all, .start_ms = now_ms()};
    show(progress);
}

void progress_step(struct progress *progress, bool failing)
{
    progress->done++;
    progress->failing += failing;
    show(progress);
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
