/*
 * subject.h - the judge's side of a subject: starts the process, forks a child for a clause, asks, waits, ends it.
 *
 * The other side is checks/subject/server.c, which also describes the messages. Nothing that comes from there is believed for
 * its form: an answer must be one line of JSON, of bounded size, with the number of its question, from the process
 * that was asked (the kernel tells the sender's pid), and within the time limit.
 */
#ifndef JUDGE_SUBJECT_H
#define JUDGE_SUBJECT_H

#include "judge/places.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <sys/types.h>

/* A call may use CALL_CPU_LIMIT_MS of the processor, and take CALL_LIMIT_MS by the clock. */
enum { CALL_CPU_LIMIT_MS = 2000, CALL_LIMIT_MS = 10000, PRINTED_HEAD = 8192, PRINTED_TAIL = 32768 };

struct subject;

/* REPLY_ANSWER: an answer; REPLY_GONE: the process ended in place of answering; REPLY_LATE: none within the limits;
 * REPLY_GARBLED: something else came. After anything but an answer the subject is of no more use. */
enum reply { REPLY_ANSWER, REPLY_GONE, REPLY_LATE, REPLY_GARBLED };

/* Starts `command` in the present folder; `source` is the name of the file it was built from and `places` names the addresses
 * in a sanitizer's report; both are kept. NULL when no process can be had (errno). subject_stop() ends and frees it; takes NULL. */
struct subject *subject_start(char *const command[], const char *source, struct places *places);
void subject_stop(struct subject *s);

/* A fresh child for a clause; what was printed before is forgotten. */
enum reply subject_fork(struct subject *s, bool watch);
/* Ends the child, and waits until it is gone. */
enum reply subject_end(struct subject *s);

/* Sends a call (adding its number to it) and waits. *answer is the caller's; NULL unless REPLY_ANSWER. */
enum reply subject_ask(struct subject *s, cJSON *message, cJSON **answer);
/* Lets a call go on that said where it stopped, and waits for its next line. */
enum reply subject_go_on(struct subject *s, cJSON **answer);

/* How it ended, for people, when it is gone: "signal 11 (Segmentation fault)", "exit status 0",
 * "AddressSanitizer: heap-use-after-free at service.c:41". Lives until the next call. */
const char *subject_end_text(struct subject *s);
/* True when it is gone and nothing of it can be started again: its first process is gone. */
bool subject_lost(const struct subject *s);

/* Descriptors that the child has open, as /proc shows them; -1 when that cannot be read. `newest`, if not NULL, gets what the highest
 * one is. */
int subject_descriptors(const struct subject *s, char newest[256]);

/* What was printed since the fork, for people: head and tail when it was long. Allocated; "" when nothing was. */
char *subject_printed(struct subject *s);

#endif
