/*
 * subject.c - see subject.h.
 */
#include "judge/subject.h"

#include "base/json.h"
#include "base/language.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ANSWER = 32 * 1024 * 1024, CHANNEL = 3, POLL_MS = 250, COLLECT_MS = 2, PIPE_BYTES = 1 << 20 };

struct subject {
    const char *source;    /* the file's name, as a sanitizer names it */
    struct places *places; /* what the addresses in its reports mean */
    char folder[PATH_MAX]; /* where it runs, with a slash behind */
    pid_t pid;             /* the process that was started: the subject's first, or the sandbox around it */
    pid_t child;           /* the one forked for the clause, as this side numbers it; 0: none */
    int channel;
    int output;
    int number; /* of the last message */
    bool lost;
    char end_text[256];
    /* The line being received. */
    char *line;
    size_t length, room;
    pid_t sender;
    /* What was printed: the first bytes, and the last ones in a ring. */
    char head[PRINTED_HEAD];
    char tail[PRINTED_TAIL];
    unsigned long long printed;
};

static long long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* ---- Starting and stopping --------------------------------------------------------------------------------- */

static void become_subject(char *const command[], int channel, int output)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    /* The same addresses in each run: else what depends on them (an uninitialised byte, a report) would differ. Where a
     * container refuses that, they do. */
    (void)personality(ADDR_NO_RANDOMIZE);
    int nothing = open("/dev/null", O_RDONLY);
    /* Out of the way of 0 to 3 first: any of these may be among them. */
    channel = fcntl(channel, F_DUPFD, 10);
    output = fcntl(output, F_DUPFD, 10);
    if (nothing < 0 || channel < 0 || output < 0 || dup2(nothing, 0) < 0 || dup2(output, 1) < 0 ||
        dup2(output, 2) < 0 || dup2(channel, CHANNEL) < 0)
        _exit(127);
    if (close_range(CHANNEL + 1, ~0U, 0) != 0)
        _exit(127);
    static char path[] = "PATH=/usr/bin:/bin";
    char *const environment[] = {path, NULL};
    execve(command[0], command, environment);
    _exit(127);
}

struct subject *subject_start(char *const command[], const char *source, struct places *places)
{
    int channel[2], output[2];
    struct subject *s = calloc(1, sizeof *s);
    if (s == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) != 0) {
        free(s);
        return NULL;
    }
    if (pipe2(output, O_CLOEXEC) != 0) {
        close(channel[0]);
        close(channel[1]);
        free(s);
        return NULL;
    }
    s->source = source;
    s->places = places;
    size_t length = getcwd(s->folder, sizeof s->folder - 1) != NULL ? strlen(s->folder) : 0;
    snprintf(s->folder + length, sizeof s->folder - length, "%s", length > 0 ? "/" : "");
    int on = 1;
    setsockopt(channel[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    fcntl(channel[0], F_SETFL, O_NONBLOCK);
    fcntl(output[0], F_SETFL, O_NONBLOCK);
    fcntl(output[0], F_SETPIPE_SZ, PIPE_BYTES); /* where that is too much, the program waits more often */
    s->channel = channel[0];
    s->output = output[0];
    s->pid = fork();
    if (s->pid == 0)
        become_subject(command, channel[1], output[1]);
    close(channel[1]);
    close(output[1]);
    if (s->pid < 0) {
        subject_stop(s);
        return NULL;
    }
    setpgid(s->pid, s->pid);
    return s;
}

static void kill_child(struct subject *s)
{
    if (s->child > 0) {
        kill(-s->child, SIGKILL);
        kill(s->child, SIGKILL);
    }
    s->child = 0;
}

void subject_stop(struct subject *s)
{
    if (s == NULL)
        return;
    kill_child(s);
    if (s->pid > 0) {
        kill(-s->pid, SIGKILL);
        kill(s->pid, SIGKILL);
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    close(s->channel);
    close(s->output);
    free(s->line);
    free(s);
}

/* ---- What it prints ---------------------------------------------------------------------------------------- */

static void keep_printed(struct subject *s, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++, s->printed++) {
        if (s->printed < PRINTED_HEAD)
            s->head[s->printed] = bytes[i];
        s->tail[s->printed % PRINTED_TAIL] = bytes[i];
    }
}

static void drain_output(struct subject *s)
{
    char bytes[65536];
    ssize_t got;
    while ((got = read(s->output, bytes, sizeof bytes)) > 0)
        keep_printed(s, bytes, (size_t)got);
}

/* The last bytes printed, in order, as a string (NUL bytes become spaces). Allocated. */
static char *printed_tail(const struct subject *s)
{
    size_t count = s->printed < PRINTED_TAIL ? (size_t)s->printed : PRINTED_TAIL;
    char *text = malloc(count + 1);
    for (size_t i = 0; text != NULL && i < count; i++) {
        char byte = s->tail[(s->printed - count + i) % PRINTED_TAIL];
        text[i] = byte != '\0' ? byte : ' ';
    }
    if (text != NULL)
        text[count] = '\0';
    return text;
}

/* What a sanitizer says is the same each time but for the number of the process, with which it begins its lines, and for the
 * folder. Neither says anything to people. Gives how much of the text at `at` is to be left out. */
static size_t passing_text(const struct subject *s, const char *at, bool line_begins)
{
    size_t folder = strlen(s->folder);
    if (folder > 1 && strncmp(at, s->folder, folder) == 0)
        return folder;
    size_t digits = line_begins && strncmp(at, "==", 2) == 0 ? strspn(at + 2, "0123456789") : 0;
    return digits > 0 && strncmp(at + 2 + digits, "==", 2) == 0 ? digits + 4 : 0;
}

/* The bytes of the sanitizer's own tables that lie around an address say nothing to people either, and hide what does. */
static void cut_shadow_bytes(char *text)
{
    char *from = text != NULL ? strstr(text, "\nShadow bytes around the buggy address:\n") : NULL;
    char *to = from != NULL ? strstr(from, "==ABORTING\n") : NULL;
    while (to > from && to[-1] != '\n')
        to--;
    if (to != NULL)
        memmove(from + 1, to, strlen(to) + 1);
}

/* Takes a text over that was printed, and gives what is worth keeping of it. */
static char *lasting_text(const struct subject *s, char *text)
{
    cut_shadow_bytes(text);
    char *out = NULL;
    size_t length = 0;
    FILE *to = text != NULL ? open_memstream(&out, &length) : NULL;
    bool begins = true;
    for (const char *at = text; to != NULL && *at != '\0';) {
        size_t skip = passing_text(s, at, begins);
        begins = skip == 0 && *at == '\n';
        if (skip == 0)
            putc(*at, to);
        at += skip > 0 ? skip : 1;
    }
    free(text);
    return to != NULL && fclose(to) == 0 ? places_name(s->places, out) : NULL;
}

static char *printed_text(struct subject *s)
{
    drain_output(s);
    if (s->printed <= PRINTED_HEAD)
        return text_plain(s->head, (size_t)s->printed, PRINTED_HEAD);
    char *tail = printed_tail(s);
    char *head_text = text_plain(s->head, 1024, 1024);
    char *tail_text = NULL;
    if (tail != NULL) {
        size_t length = strlen(tail), shown = length < 4096 ? length : 4096;
        tail_text = text_plain(tail + length - shown, shown, shown);
    }
    char *text = NULL;
    if (head_text != NULL && tail_text != NULL &&
        asprintf(&text, _("%s\n[... %llu bytes in all ...]\n%s"), head_text, s->printed, tail_text) < 0)
        text = NULL;
    free(tail);
    free(head_text);
    free(tail_text);
    return text;
}

char *subject_printed(struct subject *s)
{
    return lasting_text(s, printed_text(s));
}

/* ---- Lines ------------------------------------------------------------------------------------------------- */

/* One read: bytes of one sender only, since the kernel does not join those of two. False at the end or on a fault.
 * There is room for the credentials alone: the kernel closes any descriptor that is sent along. */
static bool receive_bytes(struct subject *s)
{
    if (s->room - s->length < 65536) {
        char *more = s->room < MAX_ANSWER ? realloc(s->line, s->room + 262144) : NULL;
        if (more == NULL)
            return false;
        s->line = more;
        s->room += 262144;
    }
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct iovec into = {s->line + s->length, s->room - s->length - 1};
    struct msghdr message = {
        .msg_iov = &into, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t got = recvmsg(s->channel, &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return true;
    if (got <= 0)
        return false;
    s->sender = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c != NULL; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS)
            continue;
        struct ucred from;
        memcpy(&from, CMSG_DATA(c), sizeof from);
        s->sender = from.pid;
    }
    s->length += (size_t)got;
    s->line[s->length] = '\0';
    return true;
}

/* Processor time that the child has used, in ms; 0 where that cannot be read. */
static long long child_cpu_ms(const struct subject *s)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)s->child);
    FILE *file = s->child > 0 ? fopen(path, "re") : NULL;
    if (file == NULL)
        return 0;
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    /* The name, in brackets, may hold anything; behind it the 12th and 13th fields are the times in ticks. */
    char *field = strrchr(text, ')');
    for (int i = 0; field != NULL && i < 12; i++)
        field = strchr(field + 1, ' ');
    if (field == NULL)
        return 0;
    char *next = NULL;
    long long ticks = strtoll(field, &next, 10);
    ticks += strtoll(next, NULL, 10);
    return ticks * 1000 / sysconf(_SC_CLK_TCK);
}

/* Waits for one line. What came is in s->line, without more behind it. */
static enum reply receive_line(struct subject *s)
{
    /* A busy machine gives a call less of the processor, not less time on it: that is what a loop is charged with. Its
     * clock is first read when the call has taken a while, since most never do. */
    long long deadline = now_ms() + CALL_LIMIT_MS, cpu_limit = -1;
    bool collecting = false, overtime = false;
    s->length = 0;
    for (;;) {
        long long left = deadline - now_ms();
        struct pollfd wait[2] = {{s->channel, POLLIN, 0}, {collecting ? -1 : s->output, POLLIN, 0}};
        if (cpu_limit < 0 && left <= CALL_LIMIT_MS - POLL_MS)
            cpu_limit = child_cpu_ms(s) - POLL_MS + CALL_CPU_LIMIT_MS;
        if (left < CALL_LIMIT_MS - CALL_CPU_LIMIT_MS && s->child > 0 && child_cpu_ms(s) >= cpu_limit)
            return REPLY_LATE;
        long long longest = collecting ? COLLECT_MS : POLL_MS;
        longest = left < longest ? left : longest;
        int ready = poll(wait, 2, longest > 0 ? (int)longest : 0);
        if (ready < 0 && errno != EINTR)
            return REPLY_GARBLED;
        /* Looked at once more: the judge may have been stopped meanwhile, and the answer be there. */
        if (left <= 0 && (ready == 0 || overtime))
            return REPLY_LATE;
        overtime = left <= 0;
        if (wait[1].revents & POLLIN)
            drain_output(s);
        /* What prints a lot is not read line by line, and a closed output not looked at without end. */
        collecting = wait[1].revents != 0;
        if (!(wait[0].revents & (POLLIN | POLLHUP | POLLERR)))
            continue;
        if (!receive_bytes(s)) {
            s->lost = true;
            return REPLY_GONE;
        }
        char *end = s->length > 0 ? memchr(s->line, '\n', s->length) : NULL;
        if (end != NULL)
            return end + 1 == s->line + s->length ? REPLY_ANSWER : REPLY_GARBLED;
    }
}

static bool send_line(struct subject *s, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t put = send(s->channel, text, length, MSG_NOSIGNAL);
        if (put < 0 && errno == EAGAIN) {
            struct pollfd wait = {s->channel, POLLOUT, 0};
            if (poll(&wait, 1, CALL_LIMIT_MS) <= 0)
                return false;
            continue;
        }
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        text += put;
        length -= (size_t)put;
    }
    return true;
}

/* What the system calls a signal. Its own translations are seldom installed: those that end a process most are here. */
static const char *signal_name(int number)
{
    static const char *const known[] = {
        N_("Aborted"),
        N_("Alarm clock"),
        N_("Broken pipe"),
        N_("Bus error"),
        N_("CPU time limit exceeded"),
        N_("File size limit exceeded"),
        N_("Floating point exception"),
        N_("Hangup"),
        N_("Illegal instruction"),
        N_("Interrupt"),
        N_("Killed"),
        N_("Segmentation fault"),
        N_("Terminated"),
        N_("Trace/breakpoint trap"),
    };
    const char *name = strsignal(number);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i]) == 0)
            return _(known[i]);
    return name;
}

/* Notes how the child ended, from the first process's line {"exit":n} or {"signal":n}. False when it is no such line. */
static bool note_end(struct subject *s, const cJSON *line)
{
    const cJSON *status = cJSON_GetObjectItemCaseSensitive(line, "exit");
    const cJSON *signal_number = cJSON_GetObjectItemCaseSensitive(line, "signal");
    if (s->sender == s->child || (!cJSON_IsNumber(status) && !cJSON_IsNumber(signal_number)))
        return false;
    if (cJSON_IsNumber(status))
        snprintf(s->end_text, sizeof s->end_text, _("exit status %d"), status->valueint);
    else
        snprintf(s->end_text, sizeof s->end_text, _("signal %d (%s)"), signal_number->valueint,
                 signal_name(signal_number->valueint));
    return true;
}

/* Waits for the line that answers the last message. */
static enum reply receive_answer(struct subject *s, cJSON **answer)
{
    *answer = NULL;
    enum reply reply = receive_line(s);
    if (reply == REPLY_GONE)
        snprintf(s->end_text, sizeof s->end_text, _("its first process is gone"));
    if (reply != REPLY_ANSWER)
        return reply;
    cJSON *line = cJSON_ParseWithLength(s->line, s->length);
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(line, "n");
    if (note_end(s, line)) {
        s->child = 0;
        cJSON_Delete(line);
        return REPLY_GONE;
    }
    if (!cJSON_IsNumber(n) || n->valueint != s->number || s->sender == 0 ||
        (s->child != 0 && s->sender != s->child)) {
        cJSON_Delete(line);
        return REPLY_GARBLED;
    }
    *answer = line;
    return REPLY_ANSWER;
}

/* ---- Asking ------------------------------------------------------------------------------------------------ */

enum reply subject_ask(struct subject *s, cJSON *message, cJSON **answer)
{
    *answer = NULL;
    cJSON_DeleteItemFromObjectCaseSensitive(message, "n");
    cJSON_AddNumberToObject(message, "n", ++s->number);
    char *text = json_text(message, NULL);
    if (text == NULL)
        return REPLY_GARBLED;
    size_t length = strlen(text);
    text[length] = '\n';
    bool sent = send_line(s, text, length + 1);
    free(text);
    if (!sent && s->child == 0) {
        s->lost = true;
        snprintf(s->end_text, sizeof s->end_text, _("its first process is gone"));
        return REPLY_GONE;
    }
    return receive_answer(s, answer);
}

enum reply subject_go_on(struct subject *s, cJSON **answer)
{
    *answer = NULL;
    send_line(s, "\n", 1);
    return receive_answer(s, answer);
}

enum reply subject_fork(struct subject *s, bool watch)
{
    cJSON *message = cJSON_CreateObject(), *answer = NULL;
    cJSON_AddTrueToObject(message, "fork");
    cJSON_AddBoolToObject(message, "watch", watch);
    s->child = 0;
    s->end_text[0] = '\0';
    drain_output(s);
    s->printed = 0;
    enum reply reply = subject_ask(s, message, &answer);
    if (reply == REPLY_ANSWER)
        s->child = s->sender;
    cJSON_Delete(message);
    cJSON_Delete(answer);
    return reply;
}

enum reply subject_end(struct subject *s)
{
    cJSON *message = cJSON_CreateObject(), *answer = NULL;
    cJSON_AddTrueToObject(message, "end");
    enum reply reply = subject_ask(s, message, &answer);
    cJSON_Delete(message);
    cJSON_Delete(answer);
    drain_output(s);
    return reply;
}

/* ---- Looking at it from outside ---------------------------------------------------------------------------- */

/* The first line of the submission that a sanitizer's report names, as "service.c:41"; "" when it names none. */
static void find_place(const struct subject *s, const char *report, char place[64])
{
    size_t length = strlen(s->source);
    place[0] = '\0';
    for (const char *at = report; (at = strstr(at, s->source)) != NULL; at += length) {
        long line = at[length] == ':' ? strtol(at + length + 1, NULL, 10) : 0;
        if (line > 0) {
            snprintf(place, 64, "%.40s:%ld", s->source, line);
            return;
        }
    }
}

/* What a sanitizer said, `length` bytes of it, and where; `place` is "" when no line of the submission is known. */
static void note_report(struct subject *s, int length, const char *report, const char *place)
{
    static const char poison[] = "AddressSanitizer: use-after-poison";
    if (length == (int)strlen(poison) && strncmp(report, poison, strlen(poison)) == 0) {
        /* Nothing but SQLite's memory is poisoned by hand (checks/subject/arena.h). */
        report = _("AddressSanitizer: use of memory that SQLite has freed or never gave");
        length = (int)strlen(report);
    }
    if (place[0] != '\0')
        snprintf(s->end_text, sizeof s->end_text, _("%.*s at %s"), length, report, place);
    else
        snprintf(s->end_text, sizeof s->end_text, "%.*s", length, report);
}

static void note_undefined(struct subject *s, int length, const char *report, const char *place)
{
    if (place[0] != '\0')
        snprintf(s->end_text, sizeof s->end_text, _("undefined behaviour: %.*s at %s"), length, report,
                 place);
    else
        snprintf(s->end_text, sizeof s->end_text, _("undefined behaviour: %.*s"), length, report);
}

const char *subject_end_text(struct subject *s)
{
    drain_output(s);
    char *tail = lasting_text(s, printed_tail(s));
    const char *report = tail != NULL ? strstr(tail, "ERROR: AddressSanitizer: ") : NULL;
    const char *undefined = tail != NULL ? strstr(tail, ": runtime error: ") : NULL;
    char place[64];
    if (report != NULL) {
        report += strlen("ERROR: ");
        find_place(s, report, place);
        size_t words = strcspn(report, "\n");
        const char *details = strstr(report, " on ");
        if (details != NULL && details < report + words)
            words = (size_t)(details - report);
        note_report(s, (int)words, report, place);
    } else if (undefined != NULL) {
        const char *start = undefined;
        while (start > tail && start[-1] != '\n')
            start--;
        find_place(s, start, place);
        undefined += strlen(": runtime error: ");
        note_undefined(s, (int)strcspn(undefined, "\n"), undefined, place);
    }
    free(tail);
    return s->end_text;
}

bool subject_lost(const struct subject *s)
{
    return s->lost;
}

int subject_descriptors(const struct subject *s, char newest[256])
{
    char path[64], link[300];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)s->child);
    DIR *folder = s->child > 0 ? opendir(path) : NULL;
    if (folder == NULL)
        return -1;
    int count = 0;
    long highest = -1;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        count++;
        long fd = strtol(entry->d_name, NULL, 10);
        highest = fd > highest ? fd : highest;
    }
    if (newest != NULL) {
        snprintf(link, sizeof link, "%s/%ld", path, highest);
        ssize_t length = readlink(link, newest, 255);
        newest[length > 0 ? length : 0] = '\0';
    }
    closedir(folder);
    return count;
}
