/*
 * watch.c - see watch.h.
 */
#include "subject/watch.h"

#include "subject/arena.h"
#include "subject/faults.h"

#include <cjson/cJSON.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPEN = 64 };

/* From the sanitizer's runtime (its header is not part of every compiler's package). */
size_t __sanitizer_get_current_allocated_bytes(void);

static struct {
    bool on;
    sqlite3 *open[MAX_OPEN]; /* NULL: a free place */
    int opened;
    int live; /* opened less closed; counts also those that found no place */
    int live_before;
    int statements;
    int stop_at;
    void (*stopped)(const char *sql);
    char last_sql[512];
    int cjson_blocks;
    int cjson_before;
    int cjson_calls; /* of the allocator: tells whether the hooks are still ours */
    long long sqlite_before;
    size_t heap_before;
} watch;

static void *count_malloc(size_t size)
{
    watch.cjson_calls++;
    if (faults_strike(FAULT_CJSON))
        return NULL;
    void *block = malloc(size);
    watch.cjson_blocks += block != NULL;
    return block;
}

static void count_free(void *block)
{
    watch.cjson_blocks -= block != NULL;
    free(block);
}

static void connection_closed(void *place)
{
    if (place != NULL)
        *(sqlite3 **)place = NULL;
    watch.live--;
}

/* The function that carries the destructor. Nobody calls it. */
static void no_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    (void)values;
    sqlite3_result_null(context);
}

static int statement_starts(unsigned event, void *context, void *statement, void *text)
{
    (void)context;
    (void)statement;
    const char *sql = text;
    /* A trigger's statements come as comments, between the boundaries of the statement that fired it. */
    if (event != SQLITE_TRACE_STMT || sql == NULL || strncmp(sql, "--", 2) == 0)
        return 0;
    watch.statements++;
    strncpy(watch.last_sql, sql, sizeof watch.last_sql - 1);
    if (watch.statements == watch.stop_at && watch.stopped != NULL)
        watch.stopped(sql);
    return 0;
}

static int connection_opens(sqlite3 *db, const char **message, const struct sqlite3_api_routines *api)
{
    (void)message;
    (void)api;
    sqlite3 **place = NULL;
    for (int i = 0; place == NULL && i < MAX_OPEN; i++)
        if (watch.open[i] == NULL)
            place = &watch.open[i];
    if (place != NULL)
        *place = db;
    watch.opened++;
    watch.live++;
    sqlite3_trace_v2(db, SQLITE_TRACE_STMT, statement_starts, NULL);
    return sqlite3_create_function_v2(db, "kit_watch", 0, SQLITE_UTF8, place, no_function, NULL, NULL,
                                      connection_closed);
}

bool watch_start(void)
{
    cJSON_Hooks hooks = {count_malloc, count_free};
    if (!faults_install() || sqlite3_auto_extension((void (*)(void))connection_opens) != SQLITE_OK)
        return false;
    cJSON_InitHooks(&hooks);
    watch.on = true;
    return true;
}

void watch_before(int stop_at, void (*stopped)(const char *sql))
{
    watch.opened = 0;
    watch.statements = 0;
    watch.stop_at = stop_at;
    watch.stopped = stopped;
    watch.last_sql[0] = '\0';
    watch.live_before = watch.live;
    watch.cjson_before = watch.cjson_blocks;
    watch.sqlite_before = arena_bytes();
    watch.heap_before = __sanitizer_get_current_allocated_bytes();
}

/* True when cJSON no longer allocates through the hooks set above. No fault may be planned. */
static bool hooks_are_lost(void)
{
    int calls = watch.cjson_calls;
    cJSON_Delete(cJSON_CreateNull());
    return watch.cjson_calls == calls;
}

static void look_at_open(struct watch_report *report)
{
    for (int i = 0; i < MAX_OPEN; i++) {
        sqlite3 *db = watch.open[i];
        if (db == NULL)
            continue;
        report->transactions += !sqlite3_get_autocommit(db);
        sqlite3_stmt *left = NULL;
        while ((left = sqlite3_next_stmt(db, left)) != NULL) {
            report->unfinalized++;
            report->sql = sqlite3_sql(left);
        }
    }
}

void watch_after(struct watch_report *report)
{
    memset(report, 0, sizeof *report);
    if (!watch.on)
        return;
    report->heap_bytes = (long long)__sanitizer_get_current_allocated_bytes() - (long long)watch.heap_before;
    report->sqlite_bytes = arena_bytes() - watch.sqlite_before;
    report->cjson_blocks = watch.cjson_blocks - watch.cjson_before;
    report->opened = watch.opened;
    report->open = watch.live - watch.live_before;
    report->statements = watch.statements;
    if (watch.last_sql[0] != '\0')
        report->sql = watch.last_sql;
    look_at_open(report);
    report->blind = hooks_are_lost();
}
