/*
 * bats.h - runs a bats file against one `idem` program, and holds it and all that it starts.
 *
 * Theory of operation. A supervisor process, in a session of its own, is the parent of bats and adopts
 * whatever loses its parent below it (a subreaper), so that nothing can slip away by forking twice. When
 * bats ends, when its time is up, or when `lab` is gone, however it went, the supervisor kills every child
 * it has until there is none left. bats 1.8 has a timeout of its own, but it does not stop a command under
 * `run`.
 *
 * The tests find the program in IDEM and their temporary files below `folder`. Results are counted from TAP:
 * an exit status of 0 proves nothing, since an empty file has it too.
 */
#ifndef VARIANTS_BATS_H
#define VARIANTS_BATS_H

#include <cjson/cJSON.h>
#include <stdbool.h>

struct bats_result {
    bool late;       /* the time was up */
    int exit_status; /* of bats; 128 + n for signal n */
    int planned;     /* by its plan; 0: there was none */
    int passed, skipped;
    cJSON *failed; /* names of the tests that failed, an array */
    char *output;  /* TAP, as printed */
};

/* The path of the program, allocated; NULL: there is none. When a test of another bats runs this, the inner
 * programs of that one are left out of PATH from here on: one of them is named bats too. */
char *bats_find(void);

/* `bats` is the path of the program. False when it could not be run: *why is a sentence without a full
 * stop, allocated. */
bool bats_run(const char *bats, const char *tests, const char *idem, const char *folder, int limit_ms,
              struct bats_result *result, char **why);
void bats_clear(struct bats_result *result);

/* Whether every planned test was seen, and there were some besides skipped ones. */
bool bats_is_complete(const struct bats_result *result);

#endif
