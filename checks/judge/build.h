/*
 * build.h - one file of a learner becomes a subject.
 *
 * The file is copied alone into the folder, as lab->file, beside the lab's header and the kit's part of the subject: a header that
 * lay beside it at home cannot win. Compiler, linker and symbol reader run through options->confine.
 */
#ifndef JUDGE_BUILD_H
#define JUDGE_BUILD_H

#include "judge/check.h"

struct build {
    bool ok;
    char *
        messages; /* of the compiler, or the kit's own sentence on why it does not build; printable; allocated */
    char *finding; /* the first name it uses that the lab forbids, in a sentence; NULL: none; allocated */
};

/* Builds `folder`/submission.o, and looks at its symbols. False when the kit itself failed: *why is a sentence, allocated.
 * build_clear() frees. */
bool build_object(const struct lab *lab, const struct check_options *options, const char *folder,
                  struct build *build, char **why);

/* Builds `folder`/subject. False when the kit itself failed: *why is a sentence, allocated. build_clear() frees. */
bool build_subject(const struct lab *lab, const struct check_options *options, const char *folder,
                   struct build *build, char **why);
void build_clear(struct build *build);

/* Runs one of the compiler's tools on what lies in `folder`, through options->confine, for at most `most_ms`. command_clear()
 * frees the result. */
struct command_result build_run_tool(const struct check_options *options, const char *folder,
                                     char *const command[], int most_ms, size_t max_bytes);

#endif
