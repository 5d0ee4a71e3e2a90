/*
 * labs.h - the labs of this kit. The first is the one that commands mean when they name none.
 */
#ifndef LABS_H
#define LABS_H

#include "judge/lab.h"

enum { MAX_LABS = 16 };
extern const struct lab *const known_labs[]; /* at most MAX_LABS; ends with NULL */

#endif
