/*
 * rng.c - see rng.h. splitmix64: the state is a counter, each number is a mix of it.
 */
#include "judge/rng.h"

static uint64_t mix(uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

/* FNV-1a of the name, then the seed: names and seeds that lie side by side give unrelated streams. */
struct rng rng_new(uint64_t seed, const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    }
    return (struct rng){mix(hash) ^ mix(seed + UINT64_C(0x9e3779b97f4a7c15))};
}

uint64_t rng_next(struct rng *rng)
{
    rng->state += UINT64_C(0x9e3779b97f4a7c15);
    return mix(rng->state);
}

/* From the high bits. The bias towards some numbers is below one in four thousand million / limit. */
int rng_below(struct rng *rng, int limit)
{
    return (int)(((rng_next(rng) >> 32) * (uint64_t)limit) >> 32);
}

/* Fisher and Yates, inside out. */
void rng_shuffle(struct rng *rng, int *order, int count)
{
    for (int i = 0; i < count; i++) {
        int at = rng_below(rng, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
}
