/*
 * together.h - compiles many variants as few files (schema.h), on as many processors as there are jobs.
 */
#ifndef VARIANTS_TOGETHER_H
#define VARIANTS_TOGETHER_H

#include "judge/lab.h"

/* How a variant is built: from an object that it shares, or by itself. */
struct shared {
    char *object;
    char **words; /* for the linker; NULL: by itself */
};

/*
 * Compiles the variants in `rows` (run.h) that have no outcome yet, below `folder`. Gives one a row, which shared_free() frees. What
 * cannot be compiled with others, or fails, is to be built by itself, and says why there. NULL when there is no memory.
 */
struct shared *compile_together(const struct lab *lab, const char *reference, const cJSON *rows,
                                const char *folder, int jobs);
void shared_free(struct shared *shared, int count);

#endif
