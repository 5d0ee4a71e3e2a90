/*
 * bats.c - see bats.h for the theory of operation.
 */
#include "variants/bats.h"

#include "base/language.h"
#include "judge/command.h"
#include "variants/variant.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20 /* of any file that a test writes, and of the TAP: what can be read back */ };

struct order {
    const char *bats, *tests, *idem, *folder;
    char *tap; /* the file for its output */
    int limit_ms;
};

/* What the supervisor has to say at the end. */
struct ending {
    bool late;
    int how; /* as waitpid() gives it */
};

static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* ---- In the supervisor --------------------------------------------------------------------------------- */

/* An outer bats (the kit's own tests) must not steer this one. */
static void forget_outer_bats(void)
{
    for (char **variable = environ; *variable != NULL;) {
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*variable, "="), *variable);
        if (strncmp(name, "BATS_", 5) == 0 && unsetenv(name) == 0)
            variable = environ;
        else
            variable++;
    }
}

static _Noreturn void become_bats(const struct order *order, const sigset_t *signals)
{
    struct rlimit size = {64 * MOST_BYTES, 64 * MOST_BYTES};
    struct rlimit no_core = {0, 0};
    int nothing = open("/dev/null", O_RDONLY);
    int tap = open(order->tap, O_WRONLY | O_CREAT | O_EXCL, 0600);
    setpgid(0, 0);
    setrlimit(RLIMIT_FSIZE, &size);
    setrlimit(RLIMIT_CORE, &no_core);
    forget_outer_bats();
    if (nothing < 0 || tap < 0 || dup2(nothing, 0) < 0 || dup2(tap, 1) < 0 || dup2(tap, 2) < 0 ||
        close_range(3, ~0U, 0) != 0 || setenv("IDEM", order->idem, 1) != 0 ||
        setenv("TMPDIR", order->folder, 1) != 0)
        _exit(127);
    sigprocmask(SIG_SETMASK, signals, NULL);
    execl(order->bats, "bats", "--tap", order->tests, (char *)NULL);
    _exit(127);
}

/* Every child of this process gets the signal; false when there is none. */
static bool kill_children(void)
{
    char path[64];
    char line[4096] = "";
    char *end;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(path, "re");
    bool some = children != NULL && fgets(line, sizeof line, children) != NULL;
    if (children != NULL)
        fclose(children);
    for (char *at = line; some && (end = strchr(at, ' ')) != NULL;
         at = end + 1) /* one that is cut off waits */
        kill((pid_t)strtol(at, NULL, 10), SIGKILL);
    return some;
}

/* What is killed leaves its children to us: once more, until there is nobody. */
static void end_everybody(pid_t leader)
{
    kill(-leader, SIGKILL); /* at once, before it can start more */
    while (kill_children())
        waitpid(-1, NULL, 0);
}

/* Reaps who has ended. True when the leader is among them: *how is how. */
static bool reap(pid_t leader, int *how)
{
    pid_t pid;
    int status;
    bool ended = false;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid != leader)
            continue;
        ended = true;
        *how = status;
    }
    return ended;
}

/* Waits for the end of bats, of its time, or of `lab` (SIGTERM). */
static struct ending await(pid_t leader, const sigset_t *signals, int limit_ms)
{
    struct ending ending = {false, -1};
    long long deadline = now_ms() + limit_ms;
    for (;;) {
        long long left = deadline - now_ms();
        struct timespec wait = {left / 1000, left % 1000 * 1000000};
        int signal = left > 0 ? sigtimedwait(signals, NULL, &wait) : -1;
        if (reap(leader, &ending.how))
            return ending;
        if (signal == SIGTERM)
            _exit((end_everybody(leader), 1));
        if (left <= 0) {
            ending.late = true;
            return ending;
        }
    }
}

static _Noreturn void supervise(const struct order *order, pid_t parent, int to)
{
    sigset_t signals;
    sigset_t before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, &before);
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    pid_t leader = getppid() == parent ? fork() : -1;
    if (leader == 0)
        become_bats(order, &before);
    if (leader < 0)
        _exit(1);
    struct ending ending = await(leader, &signals, order->limit_ms);
    end_everybody(leader);
    bool said = write(to, &ending, sizeof ending) == (ssize_t)sizeof ending;
    _exit(said ? 0 : 1);
}

/* ---- Counting ------------------------------------------------------------------------------------------ */

/* The name in "not ok 3 name"; TAP escapes nothing in it. */
static const char *name_in(const char *line)
{
    line += strspn(line, " ");
    line += strspn(line, "0123456789");
    return line + strspn(line, " ");
}

static void count_line(struct bats_result *r, const char *line)
{
    if (strncmp(line, "1..", 3) == 0) {
        r->planned = (int)strtol(line + 3, NULL, 10);
    } else if (strncmp(line, "ok ", 3) == 0) {
        bool skipped = strstr(line, " # skip") != NULL;
        r->skipped += skipped;
        r->passed += !skipped;
    } else if (strncmp(line, "not ok ", 7) == 0) {
        cJSON_AddItemToArray(r->failed, cJSON_CreateString(name_in(line + 7)));
    }
}

static void count(struct bats_result *r)
{
    char *copy = strdup(r->output);
    char *rest = copy;
    for (char *line; copy != NULL && (line = strsep(&rest, "\n")) != NULL;)
        count_line(r, line);
    free(copy);
}

bool bats_is_complete(const struct bats_result *r)
{
    int failed = cJSON_GetArraySize(r->failed);
    return r->planned > 0 && r->planned == r->passed + r->skipped + failed && r->passed + failed > 0;
}

/* ---- Outside ------------------------------------------------------------------------------------------- */

static void drop_from_path(const char *folder)
{
    const char *path = getenv("PATH");
    char *kept = NULL;
    size_t length = 0;
    FILE *to = path != NULL && folder[0] != '\0' ? open_memstream(&kept, &length) : NULL;
    if (to == NULL)
        return;
    for (const char *at = path; at != NULL;) {
        size_t word = strcspn(at, ":");
        if (word != strlen(folder) || strncmp(at, folder, word) != 0)
            fprintf(to, "%s%.*s", ftell(to) > 0 ? ":" : "", (int)word, at);
        at = at[word] == ':' ? at + word + 1 : NULL;
    }
    if (fclose(to) == 0 && length > 0)
        setenv("PATH", kept, 1);
    free(kept);
}

char *bats_find(void)
{
    const char *inner = getenv("BATS_LIBEXEC");
    drop_from_path(inner != NULL ? inner : "");
    return command_find("bats");
}

static bool start(const struct order *order, struct ending *ending)
{
    int ends[2];
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        supervise(order, parent, ends[1]);
    }
    close(ends[1]);
    ssize_t got;
    while ((got = read(ends[0], ending, sizeof *ending)) < 0 && errno == EINTR)
        continue;
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return pid > 0 && got == (ssize_t)sizeof *ending;
}

bool bats_run(const char *bats, const char *tests, const char *idem, const char *folder, int limit_ms,
              struct bats_result *r, char **why)
{
    struct order order = {bats, tests, idem, folder, NULL, limit_ms};
    struct ending ending = {false, -1};
    *r = (struct bats_result){.failed = cJSON_CreateArray()};
    *why = NULL;
    errno = 0;
    bool ran = asprintf(&order.tap, "%s/tap", folder) >= 0 && start(&order, &ending) &&
               (r->output = read_text_file(order.tap)) != NULL;
    if (ran) {
        r->late = ending.late;
        r->exit_status = WIFSIGNALED(ending.how) ? 128 + WTERMSIG(ending.how) : WEXITSTATUS(ending.how);
        count(r);
    } else {
        *why =
            strdup(errno == EFBIG ? _("the tests print more than a mebibyte") : _("bats could not be run"));
    }
    free(order.tap);
    return ran;
}

void bats_clear(struct bats_result *r)
{
    cJSON_Delete(r->failed);
    free(r->output);
    *r = (struct bats_result){0};
}
