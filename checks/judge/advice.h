/*
 * advice.h - which of a lab's advices fits what a stage came to (struct advice in lab.h).
 */
#ifndef JUDGE_ADVICE_H
#define JUDGE_ADVICE_H

#include "judge/lab.h"

/* The first row of the lab's table that fits this stage of a result (see check.h); NULL when none does. */
const struct advice *advice_for(const struct lab *lab, const cJSON *stage);

#endif
