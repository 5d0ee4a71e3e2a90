#include "grader/attempt.h"

#include "base/language.h"
#include "grader/unpack.h"
#include "grader/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sha2.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* More than any judge has to say: each of its texts is bounded. */
#define OUTCOME_MAX_BYTES (64U * 1024 * 1024)

static const char *member(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));

    return text != NULL ? text : "";
}

/* ---- Outcomes ------------------------------------------------------------------------------------------ */

/* Takes `reason` over. */
static cJSON *outcome_new(const char *status, char *reason)
{
    cJSON *outcome = need(cJSON_CreateObject());

    need(cJSON_AddStringToObject(outcome, "status", status));
    need(cJSON_AddStringToObject(outcome, "reason", reason));
    free(reason);
    return outcome;
}

/* The first clause with this verdict; any that does not pass when it is NULL. */
static const cJSON *first_clause(const cJSON *result, const char *verdict)
{
    const cJSON *stage, *clause;

    cJSON_ArrayForEach(stage, cJSON_GetObjectItemCaseSensitive(result, "stages"))
        cJSON_ArrayForEach(clause, cJSON_GetObjectItemCaseSensitive(stage, "clauses"))
    {
        const char *is = member(clause, "verdict");
        if (verdict != NULL ? strcmp(is, verdict) == 0 : strcmp(is, "pass") != 0)
            return clause;
    }
    return NULL;
}

bool outcome_has(const cJSON *outcome, const char *verdict)
{
    return first_clause(cJSON_GetObjectItemCaseSensitive(outcome, "result"), verdict) != NULL;
}

/* The line of a compiler's messages that names the first error; the first line when none does. */
static char *first_error(const char *messages)
{
    const char *at = strstr(messages, "error:");

    if (at == NULL)
        at = messages;
    while (at > messages && at[-1] != '\n')
        at--;
    return text_format("%.*s", (int)strcspn(at, "\n"), at);
}

static char *reason_of(const cJSON *result)
{
    const cJSON *build = cJSON_GetObjectItemCaseSensitive(result, "build");
    const cJSON *broken = first_clause(result, NULL), *error = first_clause(result, "error");
    const double passed = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(result, "passed"));
    const double planned = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(result, "planned"));

    if (error != NULL)
        return text_format(_("The kit could not judge clause %s: %s"), member(error, "id"),
                           member(error, "observed"));
    if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(build, "ok"))) {
        char *line = first_error(member(build, "messages"));
        char *reason = line[0] != '\0' ? text_format(_("It does not compile: %s"), line)
                                       : text_format(_("It does not compile."));
        free(line);
        return reason;
    }
    if (broken == NULL)
        return text_format(_("All %.0f clauses hold."), planned);
    if (passed == 0 && strcmp(member(broken, "verdict"), "todo") == 0)
        return text_format(_("Nothing holds yet of %.0f clauses; the first is not written."), planned);
    return text_format(_("%.0f of %.0f clauses hold; the first that does not is %s: %s."), passed, planned,
                       member(broken, "id"), _(member(broken, "sentence")));
}

/* Notes the file: its path, digest and bytes. */
static void outcome_add_file(cJSON *outcome, const struct input *input, const char *digest)
{
    need(cJSON_AddStringToObject(outcome, "file", input->file));
    need(cJSON_AddStringToObject(outcome, "sha256", digest));
    need(cJSON_AddStringToObject(outcome, "source", input->bytes));
}

/* ---- The judge's process ------------------------------------------------------------------------------- */

/* Dies with its parent; at once when that is gone already. */
static void die_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent)
        _exit(EXIT_KIT);
}

/* Judges the file. Takes nothing over. */
static cJSON *judge_file(const struct grading *grading, const struct sandbox *sandbox,
                         const struct input *input)
{
    char *file = text_format("%s/%s", sandbox->folder, grading->lab->file);
    char *shown = text_format("work/%s/%s", grading->lab->name, grading->lab->file);
    int stages = 0;
    char *why = NULL;
    cJSON *outcome = NULL, *result = NULL;

    while (grading->lab->stages[stages].number != NULL)
        stages++;
    const struct check_options options = {
        .file = file,
        .shown = shown,
        .seed = grading->seed,
        .first = 1,
        .last = stages,
        .jobs = 1, /* it is submissions that are judged side by side */
        .budget_ms = grading->budget_ms,
        .temp = sandbox->folder,
        .confine = sandbox->bwrap != NULL ? sandbox_confine : NULL,
        .sandbox = sandbox,
    };
    if (write_new_file(file, input->bytes, input->length, 0400))
        result = check_run(grading->lab, &options, &why);
    else
        why = text_format(_("The submission cannot be laid out: %s."), strerror(errno));
    if (result == NULL) {
        outcome = outcome_new("error", why != NULL ? why : text_format(_("The judge gave no reason.")));
    } else {
        const bool error = first_clause(result, "error") != NULL;
        outcome = outcome_new(error ? "error" : "graded", reason_of(result));
        cJSON_AddItemToObject(outcome, "result", result);
    }
    free(shown);
    free(file);
    return outcome;
}

/* What the judge's process does: from the input to the outcome. */
static cJSON *judge_input(const struct grading *grading, const struct sandbox *sandbox, struct input *input,
                          const char *known)
{
    char digest[SHA256_DIGEST_STRING_LENGTH] = "";
    char *why = NULL;
    cJSON *outcome = NULL;

    const pid_t supervisor_pid = getppid();
    const bool dropped = sandbox_drop(sandbox, grading->kit, &why);

    die_with(supervisor_pid); /* again: a change of the uid forgets it */
    if (!dropped || (input->is_archive && !unpack(sandbox, grading->lab->file, input, &why)))
        return outcome_new("error", why);
    if (input->refusal != NULL) {
        outcome = outcome_new("refused", need(strdup(input->refusal)));
        need(cJSON_AddStringToObject(outcome, "file", input->file));
        return outcome;
    }
    need(SHA256Data((const uint8_t *)input->bytes, input->length, digest));
    outcome = known != NULL && strcmp(known, digest) == 0 ? outcome_new("unchanged", text_format("%s", ""))
                                                          : judge_file(grading, sandbox, input);
    outcome_add_file(outcome, input, digest);
    return outcome;
}

/* Sends the outcome and ends the process. */
static _Noreturn void send_outcome(int to, const cJSON *outcome)
{
    char *text = need(cJSON_PrintUnformatted(outcome));

    _exit(write_all(to, text, strlen(text)) ? 0 : EXIT_KIT);
}

/* ---- The supervisor's process -------------------------------------------------------------------------- */

/* Takes in who has ended. True once that was the judge; *status is how. */
static bool reap(const struct attempt *judge, int *status)
{
    int how;

    for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;)
        if (pid == judge->process) {
            *status = how;
            return true;
        }
    return false;
}

/*
 * Reads the judge's document and watches meanwhile. False when the time is over or the document is too
 * long. Processes of the sandbox that lost their parents come to the supervisor as children, and are taken
 * in.
 */
static bool supervise(struct attempt *judge, int *status)
{
    const int64_t end_ms = now_ms() + ATTEMPT_LIMIT_MS;
    int64_t look_ms = 0;
    bool ended = false;

    while (now_ms() < end_ms && judge->length < OUTCOME_MAX_BYTES) {
        struct pollfd ready = {.fd = judge->from, .events = POLLIN};
        if (poll(&ready, 1, WATCH_TICK_MS) > 0 && !attempt_read(judge))
            break;
        if (now_ms() >= look_ms) {
            watch_sandboxes(judge->process);
            ended = ended || reap(judge, status);
            look_ms = now_ms() + WATCH_TICK_MS;
        }
    }
    const bool in_time = now_ms() < end_ms && judge->length < OUTCOME_MAX_BYTES;
    close(judge->from);
    if (!in_time && !ended)
        kill(judge->process, SIGKILL);
    while (!ended)
        ended = waitpid(judge->process, status, 0) == judge->process || errno != EINTR;
    return in_time;
}

/* What the judge said, when it may be believed: it ended well and in time. */
static cJSON *outcome_of(const struct attempt *judge, bool in_time, int status)
{
    cJSON *outcome = NULL;

    if (!in_time)
        return outcome_new("error",
                           text_format(_("The judge did not end within %d s."), ATTEMPT_LIMIT_MS / 1000));
    if (WIFSIGNALED(status))
        return outcome_new("error", text_format(_("The judge ended by signal %d (%s)."), WTERMSIG(status),
                                                strsignal(WTERMSIG(status))));
    if (WEXITSTATUS(status) == 0 && judge->text != NULL)
        outcome = cJSON_Parse(judge->text);
    return outcome != NULL
               ? outcome
               : outcome_new("error", text_format(_("The judge ended with status %d and without a result."),
                                                  WEXITSTATUS(status)));
}

/* Forks a process that is heard through a pipe. In the child gives 0 and the end to write to. */
static pid_t fork_heard(struct attempt *attempt, int *to)
{
    int pipe_fd[2];

    *attempt = (struct attempt){.from = -1};
    if (pipe2(pipe_fd, O_CLOEXEC) != 0)
        die(EXIT_KIT, _("lab: no pipe: %s"), strerror(errno));
    fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0)
        die(EXIT_KIT, _("lab: no process: %s"), strerror(errno));
    close(pipe_fd[pid == 0 ? 0 : 1]);
    *to = pipe_fd[1];
    attempt->from = pipe_fd[0];
    attempt->process = pid;
    return pid;
}

/* Makes the world, has the input judged in it, and clears up. */
static cJSON *attempt_input(const struct grading *grading, struct input *input, const char *known)
{
    struct sandbox sandbox = grading->sandbox;
    const pid_t supervisor_pid = getpid();
    char *why = NULL;
    struct attempt judge;
    int to, status = 0;

    if (!sandbox_enter(&sandbox, &why))
        return outcome_new("error", why);
    if (fork_heard(&judge, &to) == 0) {
        die_with(supervisor_pid);
        send_outcome(to, judge_input(grading, &sandbox, input, known));
    }
    const bool in_time = supervise(&judge, &status);
    end_descendants();
    sandbox_leave(&sandbox);
    return outcome_of(&judge, in_time, status);
}

static void read_kit_file(const char *path, struct input *input)
{
    *input = (struct input){.file = need(strdup(path))};
    input->bytes = read_file(path, INPUT_MAX_BYTES, &input->length);
    if (input->bytes == NULL)
        input->refusal = text_format(_("%s cannot be read: %s."), path, strerror(errno));
}

static cJSON *supervisor(const struct grading *grading, const struct entrant *entrant, const char *path,
                         const char *known)
{
    const int64_t start_ms = now_ms();
    struct input input;
    cJSON *outcome = NULL;

    if (entrant != NULL)
        input_find(grading->class_fd, entrant, grading->lab->file, &input);
    else
        read_kit_file(path, &input);
    if (input.refusal != NULL) {
        outcome = outcome_new("refused", need(strdup(input.refusal)));
        if (input.file != NULL)
            need(cJSON_AddStringToObject(outcome, "file", input.file));
    } else {
        outcome = attempt_input(grading, &input, known);
    }
    need(cJSON_AddNumberToObject(outcome, "took_ms", (double)(now_ms() - start_ms)));
    return outcome;
}

/* ---- The grader's side --------------------------------------------------------------------------------- */

void attempt_start(struct attempt *attempt, const struct grading *grading, const struct entrant *entrant,
                   const char *path, const char *known)
{
    const pid_t grader = getpid();
    int to;

    if (fork_heard(attempt, &to) == 0) {
        die_with(grader);
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        close(grading->lock_fd);
        send_outcome(to, supervisor(grading, entrant, path, known));
    }
}

bool attempt_read(struct attempt *attempt)
{
    enum { PIECE = 65536 };

    attempt->text = need(realloc(attempt->text, attempt->length + PIECE + 1));
    const ssize_t n = read(attempt->from, attempt->text + attempt->length, PIECE);
    if (n < 0 && errno == EINTR)
        return true;
    attempt->length += n > 0 ? (size_t)n : 0;
    attempt->text[attempt->length] = '\0';
    return n > 0;
}

cJSON *attempt_end(struct attempt *attempt)
{
    int status = 0;

    close(attempt->from);
    while (waitpid(attempt->process, &status, 0) < 0 && errno == EINTR)
        continue;
    cJSON *outcome = outcome_of(attempt, true, status);
    free(attempt->text);
    *attempt = (struct attempt){.from = -1};
    return outcome;
}
