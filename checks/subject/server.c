/*
 * server.c - main() of the subject: the process that a submission is linked into.
 *
 * It serves the judge over one stream socket, descriptor 3, one JSON object a line; the judge waits for each answer. What
 * the submission prints goes to descriptors 1 and 2, a pipe that the judge reads. Nothing here knows what is right.
 *
 * The first process only forks: for each clause a child, so that no clause finds what an earlier one spoilt.
 *
 *   {"n":1,"fork":true,"watch":true}        the child answers {"n":1,"ready":true}
 *   {"n":2,"call":"fetch","path":"d1/k","args":["a",10],"fill":0}
 *                                           the child answers {"n":2,"status":0,"out":"[1]", …}
 *   {"n":3,"end":true}                      the child exits
 *                                           the first process, which waited for it: {"exit":0} or {"signal":11}
 *
 * More members of a call: "no_out" (pass NULL for the out-parameter); "stop":k (at the start of the k-th statement say
 * {"n":2,"at":"SQL"} and wait for a line); "fault":{"kind":"write","nth":2,"code":10}.
 *
 * An answer: "status"; "flag": the byte of a bool, which was "fill" before; or "out" as text: JSON, "nothing" for a NULL
 * pointer, "untouched"; "bad": why what it gave cannot be printed; "changed": it wrote to an argument; and, in a
 * watched child, what watch.h reports.
 */
#include "base/json.h"
#include "subject/arena.h"
#include "subject/calls.h"
#include "subject/faults.h"
#include "subject/watch.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHANNEL = 3, MAX_LINE = 8 * 1024 * 1024, EXIT_SANITIZER = 99, EXIT_CHANNEL = 98 };

/* AddressSanitizer asks for these before main(): there is no environment to take them from. */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
    static char options[PATH_MAX + 512] =
        "exitcode=99:detect_leaks=0:quarantine_size_mb=1:thread_local_quarantine_size_kb=64:malloc_context_"
        "size=2:max_malloc_fill_size=64:"
        "allocator_may_return_null=1:"
        "max_allocation_size_mb=1024:detect_stack_use_after_return=0:handle_abort=1:abort_on_error=0:"
        "print_legend=0:strip_path_prefix=";
    /* Reports name files as a learner does, not where they were compiled: no temporary folder in front. */
    char *end = options + strlen(options);
    /* The call by its number: the sanitizer's own readlink() cannot be used before it has its options. */
    long length = syscall(SYS_readlink, "/proc/self/exe", end, PATH_MAX);
    while (length > 0 && end[length - 1] != '/')
        length--;
    end[length > 0 ? length : 0] = '\0';
    return options;
}

const char *__ubsan_default_options(void)
{
    return "print_stacktrace=1:exitcode=99";
}

/* ---- The channel ------------------------------------------------------------------------------------------- */

static char line[MAX_LINE];

/* The next message, or NULL at the end of the channel. The judge sends one at a time, so nothing is read ahead. */
static cJSON *receive(void)
{
    size_t length = 0;
    while (length < sizeof line) {
        ssize_t got = read(CHANNEL, line + length, sizeof line - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return NULL;
        length += (size_t)got;
        if (line[length - 1] == '\n')
            return cJSON_ParseWithLength(line, length);
    }
    return NULL;
}

static void send_bytes(const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t put = write(CHANNEL, bytes, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            _exit(EXIT_CHANNEL);
        bytes += put;
        length -= (size_t)put;
    }
}

/* What is written here is one line to the judge. Opened once: the first block of such a stream is a large one. */
static struct {
    FILE *to;
    char *text;
    size_t length;
} out_line;

static FILE *line_begin(void)
{
    if (out_line.to == NULL)
        out_line.to = open_memstream(&out_line.text, &out_line.length);
    if (out_line.to == NULL)
        _exit(EXIT_CHANNEL);
    rewind(out_line.to);
    return out_line.to;
}

static void line_send(void)
{
    if (fflush(out_line.to) != 0)
        _exit(EXIT_CHANNEL);
    send_bytes(out_line.text, out_line.length);
}

/* ---- One call ---------------------------------------------------------------------------------------------- */

/* What the call is made with, and copies to see afterwards that it wrote to none of it. */
struct prepared {
    struct call_args args;
    char *path_copy;
    char *text_copy[CALL_MAX_TEXTS];
    cJSON *json_copy;
};

static const char *string_or_null(const cJSON *item)
{
    return item != NULL && cJSON_IsString(item) ? item->valuestring : NULL;
}

static char *copy_or_null(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

static void prepare(struct prepared *p, const struct call_kind *kind, const cJSON *message)
{
    memset(p, 0, sizeof *p);
    p->args.path = string_or_null(cJSON_GetObjectItemCaseSensitive(message, "path"));
    p->path_copy = copy_or_null(p->args.path);
    const cJSON *args = cJSON_GetObjectItemCaseSensitive(message, "args");
    int texts = 0;
    for (int i = 0; kind->takes[i] != '\0'; i++) {
        const cJSON *item = cJSON_GetArrayItem(args, i);
        if (kind->takes[i] == 'n' && item != NULL)
            p->args.number = item->valuedouble;
        else if (kind->takes[i] == 'j')
            p->args.json = cJSON_IsArray(item) ? item->child : NULL;
        else
            p->args.text[texts++] = string_or_null(item);
    }
    for (int i = 0; i < texts; i++)
        p->text_copy[i] = copy_or_null(p->args.text[i]);
    p->json_copy = p->args.json != NULL ? cJSON_Duplicate(p->args.json, 1) : NULL;
}

static bool same_text(const char *now, const char *before)
{
    return now == before || (now != NULL && before != NULL && strcmp(now, before) == 0);
}

static bool arguments_changed(const struct prepared *p)
{
    bool changed = !same_text(p->args.path, p->path_copy);
    for (int i = 0; i < CALL_MAX_TEXTS; i++)
        changed |= !same_text(p->args.text[i], p->text_copy[i]);
    return changed || (p->args.json != NULL && !cJSON_Compare(p->args.json, p->json_copy, 1));
}

static void release(struct prepared *p)
{
    free(p->path_copy);
    for (int i = 0; i < CALL_MAX_TEXTS; i++)
        free(p->text_copy[i]);
    cJSON_Delete(p->json_copy);
}

/* What came out of a call. The text lies in a place that was there before, so that it does not count as a leak. */
static char out_text[JSON_MAX_BYTES + 1];

struct outcome {
    int status;
    int flag;        /* the byte of the bool; -1: the call has none */
    const char *out; /* NULL: the call gives no JSON */
    const char *bad; /* why it cannot be printed; NULL: it can */
};

/* Prints what was handed over and, where that was possible, frees it as its new owner. */
static void take_json(struct outcome *o, cJSON *json, const cJSON *untouched)
{
    o->out = json == untouched ? "untouched" : json == NULL ? "nothing" : out_text;
    if (o->out != out_text)
        return;
    char *text = json_text(json, &o->bad);
    if (text == NULL) {
        o->out = NULL;
        if (o->bad == NULL)
            o->bad = "it is too large";
        return;
    }
    snprintf(out_text, sizeof out_text, "%s", text);
    free(text);
    cJSON_Delete(json);
}

static void stopped_at(const char *sql);
static int current; /* the number of the call being made */

static struct outcome make_call(const struct call_kind *kind, const struct prepared *p, const cJSON *message)
{
    static cJSON untouched;
    bool no_out = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(message, "no_out"));
    const cJSON *fill = cJSON_GetObjectItemCaseSensitive(message, "fill");
    bool flag; /* looked at as a byte: a submission may leave there what is no bool */
    memset(&flag, fill != NULL ? fill->valueint : 0, 1);
    cJSON *json = &untouched;
    struct call_out out = {no_out ? NULL : &flag, no_out ? NULL : &json};
    struct outcome o = {0, -1, NULL, NULL};
    o.status = kind->make(&p->args, &out);
    unsigned char byte;
    memcpy(&byte, &flag, 1);
    if (kind->gives == GIVES_FLAG && !no_out)
        o.flag = byte;
    if (kind->gives == GIVES_JSON && !no_out)
        take_json(&o, json, &untouched);
    return o;
}

static void plan_fault(const cJSON *fault)
{
    const char *name = string_or_null(cJSON_GetObjectItemCaseSensitive(fault, "kind"));
    const cJSON *nth = cJSON_GetObjectItemCaseSensitive(fault, "nth");
    const cJSON *code = cJSON_GetObjectItemCaseSensitive(fault, "code");
    faults_plan(FAULT_OPEN, 0, 0);
    for (int kind = 0; name != NULL && nth != NULL && code != NULL && kind < FAULT_KINDS; kind++)
        if (strcmp(name, fault_names[kind]) == 0)
            faults_plan((enum fault_kind)kind, nth->valueint, code->valueint);
}

static void write_watch(FILE *to, const struct watch_report *w, const struct faults_met *f)
{
    fprintf(
        to,
        ",\"opened\":%d,\"open\":%d,\"statements\":%d,\"unfinalized\":%d,\"transactions\":%d,"
        "\"sqlite_bytes\":%lld,\"heap_bytes\":%lld,\"cjson_blocks\":%d,\"blind\":%s,\"fired\":%s,\"seen\":{",
        w->opened, w->open, w->statements, w->unfinalized, w->transactions, w->sqlite_bytes, w->heap_bytes,
        w->cjson_blocks, w->blind ? "true" : "false", f->fired ? "true" : "false");
    for (int kind = 0; kind < FAULT_KINDS; kind++)
        fprintf(to, "%s\"%s\":%d", kind > 0 ? "," : "", fault_names[kind], f->seen[kind]);
    putc('}', to);
    if (w->sql != NULL) {
        fputs(",\"sql\":", to);
        json_write_string(to, w->sql, strnlen(w->sql, 512));
    }
}

static void write_text_member(FILE *to, const char *name, const char *text)
{
    if (text == NULL)
        return;
    fprintf(to, ",\"%s\":", name);
    json_write_string(to, text, strlen(text));
}

static void answer_call(const struct call_kind *kind, const cJSON *message)
{
    struct prepared p;
    prepare(&p, kind, message);
    const cJSON *stop = cJSON_GetObjectItemCaseSensitive(message, "stop");
    plan_fault(cJSON_GetObjectItemCaseSensitive(message, "fault"));
    watch_before(stop != NULL ? stop->valueint : 0, stopped_at);
    struct outcome o = make_call(kind, &p, message);
    struct faults_met met = faults_met();
    faults_plan(FAULT_OPEN, 0, 0);
    struct watch_report w;
    watch_after(&w);

    FILE *to = line_begin();
    fprintf(to, "{\"n\":%d,\"status\":%d", current, o.status);
    if (o.flag >= 0)
        fprintf(to, ",\"flag\":%d", o.flag);
    write_text_member(to, "out", o.out);
    write_text_member(to, "bad", o.bad);
    fprintf(to, ",\"changed\":%s", arguments_changed(&p) ? "true" : "false");
    write_watch(to, &w, &met);
    fputs("}\n", to);
    line_send();
    release(&p);
}

/* The submission stands between two statements until the judge sends a line. */
static void stopped_at(const char *sql)
{
    FILE *to = line_begin();
    fprintf(to, "{\"n\":%d,\"at\":", current);
    json_write_string(to, sql, strnlen(sql, 512));
    fputs("}\n", to);
    line_send();
    char byte = 0;
    while (byte != '\n')
        if (read(CHANNEL, &byte, 1) <= 0 && errno != EINTR)
            _exit(EXIT_CHANNEL);
}

/* ---- The child of a clause, and the first process ---------------------------------------------------------- */

static const struct call_kind *find_call(const char *name)
{
    for (const struct call_kind *kind = lab_calls; name != NULL && kind->name != NULL; kind++)
        if (strcmp(kind->name, name) == 0)
            return kind;
    return NULL;
}

static int number_of(const cJSON *message)
{
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(message, "n");
    return n != NULL ? n->valueint : 0;
}

static void say(const char *what)
{
    fprintf(line_begin(), "{\"n\":%d,%s}\n", current, what);
    line_send();
}

static void serve_clause(const cJSON *request)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(request, "watch")) && !watch_start())
        _exit(EXIT_CHANNEL);
    arena_settle();
    say("\"ready\":true");
    cJSON *message;
    while ((message = receive()) != NULL) {
        current = number_of(message);
        const struct call_kind *kind =
            find_call(string_or_null(cJSON_GetObjectItemCaseSensitive(message, "call")));
        if (kind == NULL)
            break;
        answer_call(kind, message);
        fflush(NULL);
        cJSON_Delete(message);
    }
    fflush(NULL);
    _exit(message != NULL ? 0 : EXIT_CHANNEL);
}

/* Waits for the child, ends what it started in its process group, and says how it ended. */
static void report_end(pid_t child)
{
    int how = 0;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        continue;
    kill(-child, SIGKILL);
    fprintf(line_begin(), WIFSIGNALED(how) ? "{\"signal\":%d}\n" : "{\"exit\":%d}\n",
            WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how));
    line_send();
}

/* SQLite and stdio allocate a few things once: before the first call, so that no call is blamed for them. */
static void warm_up(void)
{
    static char buffer[2][4096];
    setvbuf(stdout, buffer[0], _IOLBF, sizeof buffer[0]);
    setvbuf(stderr, buffer[1], _IOLBF, sizeof buffer[1]);
    /* Refused when a submission used SQLite before main(): then all stays with malloc(), which is watched as well. */
    (void)arena_install();
    /* No two threads use one connection: nothing to lock in it. */
    sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
    /* Small blocks come from the arena like the others: a text used after finalize is then seen. */
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    /* And pages one by one, as they are needed: else each connection takes twenty at once, for two or three. */
    sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
    sqlite3 *db = NULL;
    if (sqlite3_open(":memory:", &db) == SQLITE_OK)
        sqlite3_exec(
            db, "CREATE TABLE t(a TEXT PRIMARY KEY, b REAL); INSERT INTO t VALUES('a', 1.5); DELETE FROM t",
            NULL, NULL, NULL);
    sqlite3_close(db);
}

int main(void)
{
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGPIPE, SIG_IGN);
    warm_up();
    line_begin();
    cJSON *request;
    while ((request = receive()) != NULL) {
        current = number_of(request);
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            serve_clause(request);
        if (child < 0)
            return EXIT_CHANNEL;
        setpgid(child, child);
        report_end(child);
        cJSON_Delete(request);
    }
    return 0;
}
