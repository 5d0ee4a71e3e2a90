/*
 * commands.h - the sub-commands of `lab` that are about broken variants.
 */
#ifndef VARIANTS_COMMANDS_H
#define VARIANTS_COMMANDS_H

#include "base/options.h"

/* The matrix. 0: each variant fails exactly as it says; 1: one does not; 2: wrong usage; 3: the kit could
 * not judge. */
extern const struct command variants_command;
/* One variant, prediction first. 0: shown, run and compared, however good the prediction was; 2, 3 as
 * above. */
extern const struct command predict_command;
/* A learner's tests against one variant. 0: they catch it; 1: they do not, or fail a correct service; 2, 3
 * as above. */
extern const struct command challenge_command;

#endif
