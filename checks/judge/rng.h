/*
 * rng.h - numbers from a seed (splitmix64). The same seed gives the same numbers on every machine.
 */
#ifndef JUDGE_RNG_H
#define JUDGE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t state;
};

/* A generator of its own for each `name`: the inputs of a clause do not depend on which clauses ran before it. */
struct rng rng_new(uint64_t seed, const char *name);
uint64_t rng_next(struct rng *rng);
/* From 0 up to, not including, `limit`; limit > 0. */
int rng_below(struct rng *rng, int limit);
/* Orders 0 .. count-1 by chance into `order`. */
void rng_shuffle(struct rng *rng, int *order, int count);

#endif
