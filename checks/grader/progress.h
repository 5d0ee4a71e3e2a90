/*
 * progress.h - one line that says how far a grading is, on a terminal only.
 */
#ifndef GRADER_PROGRESS_H
#define GRADER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    bool shown;
    size_t all, done, failing; /* submissions; failing: no full marks */
    int64_t start_ms;
};

void progress_begin(struct progress *progress, size_t all);
/* One more is done. */
void progress_step(struct progress *progress, bool failing);
/* Removes the line. */
void progress_end(struct progress *progress);

#endif
