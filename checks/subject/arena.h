/*
 * arena.h - where SQLite's memory lies in the subject, so that a learner's mistake with it is seen and a check stays quick.
 *
 * SQLite takes its memory from one stretch, block behind block, and a block that was freed is not given again before all
 * are free: that is at the end of a call, when its connection is closed. What is not given is poisoned for
 * AddressSanitizer: a text that is read after its statement was finalized ends the process, with a report of
 * "use-after-poison". The sanitizer's own malloc() would see the same; but it notes a stack for each of some
 * hundred blocks a call and spreads them over many pages, which a fresh child must copy one by one. With the arena a
 * whole check takes a fifth less.
 *
 * What finds no room in the stretch comes from malloc().
 */
#ifndef SUBJECT_ARENA_H
#define SUBJECT_ARENA_H

#include <stdbool.h>

/* Hands SQLite its memory from now on. Before SQLite is used for the first time; false, and nothing has changed, when it
 * was used already. */
bool arena_install(void);

/* What SQLite holds, in bytes. */
long long arena_bytes(void);

/* What SQLite holds at this moment it holds for good: once all else is free, the stretch is given again from here on. */
void arena_settle(void);

#endif
