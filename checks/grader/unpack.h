/*
 * unpack.h - an archive that nobody trusts, unpacked inside the sandbox.
 */
#ifndef GRADER_UNPACK_H
#define GRADER_UNPACK_H

#include "grader/inputs.h"
#include "grader/sandbox.h"

enum { UNPACK_LIMIT_MS = 15000 };

/*
 * Puts the file that is meant inside the archive `input` in its place, or a refusal. False, and *why a
 * sentence (allocated), when the kit cannot unpack at all.
 */
bool unpack(const struct sandbox *sandbox, const char *meant, struct input *input, char **why);

#endif
