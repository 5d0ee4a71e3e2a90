/*
 * arena.c - see arena.h. One thread at a time is in here; there is one, unless a submission makes others.
 *
 * Before each block lies a head that says how large it is. It is poisoned for the submission, as is all that is not
 * given; this file and SQLite itself are compiled without the sanitizer and are not looked at.
 */
#include "subject/arena.h"

#include <sched.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { STRETCH = 1 << 20, ALIGNED = 16, FILLED = 64, FILL = 0xbe };

/* From the sanitizer's runtime (its header is not part of every compiler's package). */
void __asan_poison_memory_region(const volatile void *start, size_t bytes);
void __asan_unpoison_memory_region(const volatile void *start, size_t bytes);
void __asan_report_store_n(uintptr_t address, size_t bytes);

/* As large as the alignment of blocks; what lies behind it may be another block's end. */
struct head {
    size_t size; /* of the block, in bytes; 0: it was freed */
    size_t unused;
};

static struct {
    char *start;     /* of the stretch */
    size_t base;     /* what lies before it is held for good */
    size_t next;     /* where the next block's head goes */
    size_t given;    /* blocks behind base that are not free */
    long long bytes; /* in all blocks that are not free, wherever they lie */
} arena;

static atomic_flag busy = ATOMIC_FLAG_INIT;

static void enter(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        sched_yield();
}

static void leave(void)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

static struct head *head_of(void *block)
{
    return (struct head *)block - 1;
}

static bool from_stretch(const void *block)
{
    uintptr_t at = (uintptr_t)block, start = (uintptr_t)arena.start;
    return at >= start && at < start + STRETCH;
}

static int round_up(int bytes)
{
    return (bytes + 7) & ~7;
}

/* Room in the stretch for a head and its block, or NULL. */
static struct head *take(size_t size)
{
    size_t whole = (sizeof(struct head) + size + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (whole > STRETCH - arena.next)
        return NULL;
    struct head *head = (struct head *)(void *)(arena.start + arena.next);
    arena.next += whole;
    arena.given++;
    __asan_unpoison_memory_region(head + 1, size);
    return head;
}

static void *arena_malloc(int bytes)
{
    size_t size = (size_t)round_up(bytes);
    enter();
    struct head *head = take(size);
    if (head == NULL)
        head = malloc(sizeof *head + size);
    arena.bytes += head != NULL ? (long long)size : 0;
    leave();
    if (head == NULL)
        return NULL;
    head->size = size;
    /* As the sanitizer does: who reads what was never written shall not find zeros. */
    memset(head + 1, FILL, size < FILLED ? size : FILLED);
    return head + 1;
}

static void give_back(struct head *head)
{
    if (head->size == 0) /* freed twice: poisoned, so this reports it and ends the process */
        __asan_report_store_n((uintptr_t)(head + 1), 1);
    __asan_poison_memory_region(head + 1, head->size);
    head->size = 0;
    if ((char *)head >= arena.start + arena.base && --arena.given == 0)
        arena.next = arena.base;
}

static void arena_free(void *block)
{
    struct head *head = head_of(block);
    bool ours = from_stretch(block);
    enter();
    arena.bytes -= (long long)head->size;
    if (ours)
        give_back(head);
    leave();
    if (!ours)
        free(head); /* or from nowhere, or freed before: then the sanitizer says so, and ends the process */
}

static int arena_size(void *block)
{
    return block != NULL ? (int)head_of(block)->size : 0;
}

static void *arena_realloc(void *block, int bytes)
{
    int size = arena_size(block);
    if (bytes <= size)
        return block;
    void *larger = arena_malloc(bytes);
    if (larger == NULL)
        return NULL;
    memcpy(larger, block, (size_t)size);
    arena_free(block);
    return larger;
}

static int arena_begin(void *nothing)
{
    (void)nothing;
    if (arena.start != NULL)
        return SQLITE_OK;
    void *start = mmap(NULL, STRETCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return SQLITE_NOMEM;
    arena.start = start;
    __asan_poison_memory_region(start, STRETCH);
    return SQLITE_OK;
}

static void arena_end(void *nothing)
{
    (void)nothing; /* a submission may call sqlite3_shutdown(); its texts must stay readable or poisoned */
}

bool arena_install(void)
{
    static const sqlite3_mem_methods methods = {arena_malloc, arena_free,  arena_realloc, arena_size,
                                                round_up,     arena_begin, arena_end,     NULL};
    /* SQLite's own count would cost a mutex for each block. */
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK &&
           sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK;
}

long long arena_bytes(void)
{
    return arena.bytes;
}

void arena_settle(void)
{
    arena.base = arena.next;
    arena.given = 0;
}
