/*
 * watch.h - how much memory the sandboxes of one submission hold, and an end to those that hold too much.
 *
 * What it promises: the supervisor looks every WATCH_TICK_MS; a sandbox whose processes together hold more
 * than SANDBOX_MEMORY_BYTES of private and shared memory is killed as a whole. Between two looks a
 * submission can take as much more as the machine can hand out in that time; the memory files it may write
 * are bounded by their own sizes (sandbox.c), and it is the kernel's first victim when memory runs out
 * (confined.c). Not counted are what the kernel itself holds for it (pages of page tables, pipes, sockets:
 * bounded by the limits of processes and descriptors). Control groups would count exactly, but cannot be
 * had by who is not root, nor in most containers.
 *
 * For the judge, a sandbox that was killed is a subject that died of signal 9: a crash, at that clause.
 */
#ifndef GRADER_WATCH_H
#define GRADER_WATCH_H

#include <stdbool.h>
#include <sys/types.h>

enum { WATCH_TICK_MS = 50 };
#define SANDBOX_MEMORY_BYTES (512L * 1024L * 1024L)

/* Looks once at the descendants of `judge` and ends the sandboxes that hold too much. */
void watch_sandboxes(pid_t judge);

/*
 * Kills whatever descends from the calling process, and waits until it is gone. To miss nothing the caller
 * must be a subreaper: then who has lost his parent becomes a child of the caller.
 */
void end_descendants(void);

#endif
