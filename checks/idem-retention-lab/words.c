/*
 * words.c - calls, rows and obstacles: the verbs of the clauses (clauses.h).
 *
 * Whatever the judge does to the database by its own hand becomes a step, with a shell command that does the
 * same where there is one, so that a failure can be repeated outside the kit. DB stands for the database in
 * these commands.
 */
#include "clauses.h"

#include "base/json.h"
#include "base/language.h"
#include "judge/report_parts.h"
#include "judge/statement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *must(char *text)
{
    if (text == NULL)
        abort();
    return text;
}

/* ---- Calls --------------------------------------------------------------------------------------------- */

static cJSON *call_of(const char *name)
{
    cJSON *call = cJSON_CreateObject();

    cJSON_AddStringToObject(call, "call", name);
    cJSON_AddArrayToObject(call, "args");
    return call;
}

static void add(cJSON *call, cJSON *item)
{
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(call, "args"), item);
}

static void add_text(cJSON *call, const char *text)
{
    add(call, text == NULL ? cJSON_CreateNull() : cJSON_CreateString(text));
}

/* A JSON value as an argument stands in an array of one, so that a JSON null can be told from none. */
static void add_json(cJSON *call, cJSON *item)
{
    cJSON *box = NULL;

    if (item != NULL) {
        box = cJSON_CreateArray();
        cJSON_AddItemToArray(box, item);
    }
    add(call, box != NULL ? box : cJSON_CreateNull());
}

cJSON *init_db(void)
{
    return call_of("init-db");
}

cJSON *reserve(const char *key, const char *digest, double expires)
{
    cJSON *call = call_of("reserve");

    add_text(call, key);
    add_text(call, digest);
    add(call, cJSON_CreateNumber(expires));
    return call;
}

cJSON *finish(const char *key, const char *digest, const char *response)
{
    cJSON *call = call_of("finish");

    add_text(call, key);
    add_text(call, digest);
    add_text(call, response);
    return call;
}

cJSON *fetch(const char *key, double now)
{
    cJSON *call = call_of("fetch");

    add_text(call, key);
    add(call, cJSON_CreateNumber(now));
    return call;
}

static cJSON *listing(const char *name, double now, cJSON *limit)
{
    cJSON *call = call_of(name);

    add(call, cJSON_CreateNumber(now));
    add_json(call, limit);
    return call;
}

cJSON *expired(double now, cJSON *limit)
{
    return listing("expired", now, limit);
}

cJSON *purge(double now, cJSON *limit)
{
    return listing("purge", now, limit);
}

cJSON *counts(void)
{
    return call_of("counts");
}

cJSON *retention_cycle(const char *key)
{
    cJSON *call = call_of("retention-cycle");

    add_text(call, key);
    return call;
}

cJSON *with_path(cJSON *call, const char *path)
{
    cJSON_AddItemToObject(call, "path", path == NULL ? cJSON_CreateNull() : cJSON_CreateString(path));
    return call;
}

cJSON *without_out(cJSON *call)
{
    cJSON_AddTrueToObject(call, "no_out");
    return call;
}

cJSON *number(double value)
{
    return cJSON_CreateNumber(value);
}

/* Takes `item` over. */
static const char *ok_item(struct trial *t, cJSON *item)
{
    char *text = must(json_text(item, NULL));
    const char *words = kept(t, "OK %s", text);

    free(text);
    cJSON_Delete(item);
    return words;
}

const char *ok_ids(struct trial *t, const char *const *ids, int count)
{
    cJSON *array = cJSON_CreateArray();

    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(ids[i]));
    return ok_item(t, array);
}

const char *ok_json(struct trial *t, const char *text)
{
    return ok_item(t, cJSON_Parse(text));
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

static const char *shown(struct trial *t, const char *text)
{
    enum { SHOWN_BYTES = 120 };

    return text == NULL ? "NULL" : trial_keep(t, must(text_quoted(text, strlen(text), SHOWN_BYTES)));
}

static const char *time_text(struct trial *t, double time)
{
    char text[32];

    json_number(text, time);
    return kept(t, "%s", text);
}

const char *sqlite3_command(struct trial *t, const char *sql)
{
    char *word = must(text_shell(sql));
    const char *command = kept(t, "sqlite3 DB %s", word);

    free(word);
    return command;
}

/* What a step begins with, as wide as the names of calls are. */
static const char *padded(struct trial *t, const char *name)
{
    int room = 10 - report_columns(name);

    return kept(t, "%s%*s", name, room > 0 ? room : 0, "");
}

/* Runs SQL of the judge's own and notes it; the texts are in the chosen language. */
static void run_step(struct trial *t, const char *name, const char *text, const char *sql)
{
    if (trial_over(t))
        return;
    trial_step(t, sqlite3_command(t, sql), "%s %s", padded(t, name), text);
    trial_sql(t, sql);
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

/* The submission made the table, or its lock was left: both are its own. The rest is the judge's bad luck. */
static void refused_row(struct trial *t, sqlite3 *db)
{
    switch (sqlite3_errcode(db)) {
    case SQLITE_NOMEM:
    case SQLITE_IOERR:
    case SQLITE_FULL:
        trial_error(t, "cannot set up a row: %s", sqlite3_errmsg(db));
        return;
    default:
        trial_fail(t, "the table takes a row as the contract has it",
                   kept(t, _("SQLite refuses the row: %s"), sqlite3_errmsg(db)));
    }
}

const char *quoted_sql(struct trial *t, const char *text)
{
    char *quoted = sqlite3_mprintf("%Q", text);
    const char *sql = kept(t, "%s", must(quoted));

    sqlite3_free(quoted);
    return sql;
}

static void note_row(struct trial *t, const char *key, const char *digest, const char *status,
                     const char *response, const char *expires)
{
    const char *sql = kept(t, "INSERT INTO keys VALUES(%s, %s, '%s', %s, %s)", quoted_sql(t, key),
                           quoted_sql(t, digest), status, quoted_sql(t, response), expires);

    trial_step(t, sqlite3_command(t, sql), "%s %s %s %s %s %s", padded(t, _("row")), shown(t, key),
               shown(t, digest), status, shown(t, response), expires);
}

static bool insert_row(sqlite3 *db, const char *key, const char *digest, const char *status,
                       const char *response, double expires)
{
    const char *const texts[] = {key, digest, status, response};
    sqlite3_stmt *stmt =
        statement_for(db, "INSERT INTO keys(id, fingerprint, status, response, expires) VALUES(?,?,?,?,?)");

    if (stmt == NULL)
        return false;
    for (int i = 0; i < COUNT_OF(texts); i++) /* binding a NULL pointer binds NULL */
        sqlite3_bind_text(stmt, i + 1, texts[i], -1, SQLITE_STATIC);
    sqlite3_bind_double(stmt, 5, expires);
    sqlite3_step(stmt);
    return sqlite3_reset(stmt) == SQLITE_OK;
}

void have_row(struct trial *t, const char *key, const char *digest, const char *status, const char *response,
              double expires)
{
    sqlite3 *db = trial_db(t);

    if (db == NULL)
        return;
    note_row(t, key, digest, status, response, time_text(t, expires));
    if (insert_row(db, key, digest, status, response, expires))
        state_put(trial_state(t), key, digest, status, response, expires);
    else
        refused_row(t, db);
}

const char *have_pending(struct trial *t, const char *digest, double expires)
{
    const char *key = draw_key(t);

    have_row(t, key, digest, "pending", NULL, expires);
    return key;
}

const char *have_done(struct trial *t, const char *response, double expires)
{
    struct input in = draw_input(t);

    have_row(t, in.key, in.digest, "done", response, expires);
    return in.key;
}

void have_done_rows(struct trial *t, const char *const *keys, int count, double expires)
{
    for (int i = 0; i < count; i++) {
        struct input in = draw_input(t);
        have_row(t, keys[i], in.digest, "done", in.response, expires);
    }
}

void have_disordered_rows(struct trial *t, const char *const *keys, int count, double last)
{
    enum { MAX = 100 };
    int order[MAX];
    int age[MAX];

    rng_shuffle(trial_rng(t), order, count);
    rng_shuffle(trial_rng(t), age, count);
    for (int i = 0; i < count; i++) {
        struct input in = draw_input(t);
        have_row(t, keys[order[i]], in.digest, "done", in.response, last - age[i]);
    }
}

/* The last id comes first: an order by chance that is not that of the ids. */
void have_rows(struct trial *t, int count, const char *prefix, const char *status, const char *response,
               double expires)
{
    const char *time = time_text(t, expires);
    const char *sql = kept(t,
                           "WITH RECURSIVE n(i) AS (SELECT %d UNION ALL SELECT i - 1 FROM n WHERE i > 0)"
                           " INSERT INTO keys SELECT %s || printf('%%03d', i), 'd', '%s', %s, %s FROM n",
                           count - 1, quoted_sql(t, prefix), status, quoted_sql(t, response), time);
    char id[64];

    if (trial_over(t))
        return;
    const char *rows = count == 1 ? _("1 row") : kept(t, _("%d rows"), count);
    trial_step(t, sqlite3_command(t, sql), "%s %s000 to %03d, \"d\" %s %s %s", padded(t, rows), prefix,
               count - 1, status, shown(t, response), time);
    trial_sql(t, sql);
    for (int i = 0; i < count && !trial_over(t); i++) {
        snprintf(id, sizeof id, "%s%03d", prefix, i);
        state_put(trial_state(t), id, "d", status, response, expires);
    }
}

/* One step for the three of them: they are rarely what a failure is about. */
void have_bystanders(struct trial *t)
{
    enum { COUNT = 3 };
    static const char *const statuses[COUNT] = {"pending", "done", "pending"};
    struct input in[COUNT];
    const char *sql = "INSERT INTO keys VALUES";
    const char *words = "";

    for (int i = 0; i < COUNT; i++) {
        const char *separator = i == 0 ? "" : ", ";
        in[i] = draw_input(t);
        in[i].response = i == 1 ? in[i].response : NULL;
        sql = kept(t, "%s%s(%s, %s, '%s', %s, %s)", sql, separator, quoted_sql(t, in[i].key),
                   quoted_sql(t, in[i].digest), statuses[i], quoted_sql(t, in[i].response),
                   time_text(t, LAST_TIME));
        words = kept(t, "%s%s%s %s", words, separator, shown(t, in[i].key), statuses[i]);
    }
    run_step(t, _("3 rows"), kept(t, _("that must stay: %s"), words), sql);
    for (int i = 0; i < COUNT && !trial_over(t); i++)
        state_put(trial_state(t), in[i].key, in[i].digest, statuses[i], in[i].response, LAST_TIME);
}

void clear_rows(struct trial *t)
{
    run_step(t, _("no rows"), _("the table is emptied"), "DELETE FROM keys");
    if (!trial_over(t))
        state_clear(trial_state(t));
}

/* ---- Obstacles ----------------------------------------------------------------------------------------- */

void hide_table(struct trial *t)
{
    run_step(t, _("table"), _("renamed to hidden"), "ALTER TABLE keys RENAME TO hidden");
}

void show_table(struct trial *t)
{
    run_step(t, _("table"), _("renamed to keys again"), "ALTER TABLE hidden RENAME TO keys");
}

void refuse(struct trial *t, const char *event, const char *condition)
{
    run_step(
        t, _("refuse"), kept(t, _("each %s where %s"), event, condition),
        kept(t,
             "CREATE TRIGGER refuse_%s BEFORE %s ON keys WHEN %s BEGIN SELECT RAISE(ABORT, 'refused'); END",
             event, event, condition));
}

void allow_all(struct trial *t)
{
    run_step(t, _("allow"), _("all again"),
             "DROP TRIGGER IF EXISTS refuse_INSERT; DROP TRIGGER IF EXISTS refuse_UPDATE;"
             " DROP TRIGGER IF EXISTS refuse_DELETE");
}

void fails_without_table(struct trial *t, cJSON *call)
{
    hide_table(t);
    expect_failed(t, "the table is missing", call);
    show_table(t);
}

/* In rollback mode, whatever mode the service chose: with a write-ahead log a lock would keep out writers
 * only. */
void fails_when_locked(struct trial *t, cJSON *call)
{
    trial_sql(t, "PRAGMA journal_mode=DELETE");
    trial_sql(t, "BEGIN EXCLUSIVE");
    expect_failed(t, "another connection holds the database locked", call);
    trial_sql(t, "ROLLBACK");
}

void fails_when_read(struct trial *t, cJSON *call)
{
    trial_sql(t, "PRAGMA journal_mode=DELETE");
    trial_sql(t, "BEGIN");
    trial_sql(t, "SELECT count(*) FROM keys");
    expect_failed(t, "another connection is reading, so nothing can be committed", call);
    trial_sql(t, "ROLLBACK");
}

/* Whichever statement the service chose to write with. */
void fails_when_refused(struct trial *t, cJSON *call)
{
    refuse(t, "INSERT", "1");
    refuse(t, "UPDATE", "1");
    refuse(t, "DELETE", "1");
    expect_failed(t, "triggers refuse every change", call);
    allow_all(t);
}

/* ---- Paths that are no database ------------------------------------------------------------------------ */

const char *beside(struct trial *t, const char *ending)
{
    return kept(t, "%s-%08x%s", trial_path(t), (unsigned)(rng_next(trial_rng(t)) & 0xffffffffU), ending);
}

static void write_file(struct trial *t, const char *path, const char *content)
{
    size_t length = strlen(content);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    bool written = fd >= 0 && write(fd, content, length) == (ssize_t)length;

    if (fd >= 0)
        close(fd);
    if (!written)
        trial_error(t, "cannot write the file %s: %s", path, strerror(errno));
}

/* The bytes of a regular file, as far as they may be compared with `expected`. */
static bool file_holds(const char *path, const char *expected)
{
    char bytes[4096];
    struct stat status;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t length =
        fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? read(fd, bytes, sizeof bytes) : -1;

    if (fd >= 0)
        close(fd);
    return length == (ssize_t)strlen(expected) && memcmp(bytes, expected, (size_t)length) == 0;
}

static void fails_on_folder(struct trial *t, cJSON *call)
{
    const char *folder = beside(t, ".folder");

    if (mkdir(folder, 0777) != 0)
        trial_error(t, "cannot make the folder %s: %s", folder, strerror(errno));
    expect_failed(t, "the path is a folder", with_path(call, folder));
}

static void fails_in_missing_folder(struct trial *t, cJSON *call)
{
    const char *folder = beside(t, ".missing");

    expect_failed(t, "the path lies in a missing folder", with_path(call, kept(t, "%s/idem.db", folder)));
    if (!trial_over(t) && access(folder, F_OK) == 0)
        trial_fail(t, "a missing folder stays missing", "the folder is there now");
}

static void fails_on_text(struct trial *t, cJSON *call)
{
    const char *path = beside(t, ".txt");
    const char *content =
        kept(t, "not a database: %08x\nonly a few lines of text,\nand somebody needs them.\n",
             (unsigned)(rng_next(trial_rng(t)) & 0xffffffffU));

    write_file(t, path, content);
    expect_failed(t, "the file is text and no database", with_path(call, path));
    if (!trial_over(t) && !file_holds(path, content))
        trial_fail(t, "the file of text as it was", "the file has other bytes now");
}

void fails_without_file(struct trial *t, cJSON *call)
{
    const char *path = beside(t, ".db");

    expect_failed(t, "there is no file of this name", with_path(call, path));
    if (!trial_over(t) && access(path, F_OK) == 0)
        trial_fail(t, "no file where there was none: the name may be mistyped", "there is a file now");
}

void fails_on_no_database(struct trial *t, cJSON *call)
{
    if (!trial_over(t)) {
        fails_on_folder(t, cJSON_Duplicate(call, true));
        fails_in_missing_folder(t, cJSON_Duplicate(call, true));
        fails_on_text(t, cJSON_Duplicate(call, true));
    }
    cJSON_Delete(call);
}
