/*
 * faults.h - makes one operation beneath SQLite or cJSON fail.
 *
 * A VFS of the kit's own stands as the default VFS in front of the system's: it hands every operation on, counts it by its
 * kind, and fails one of them when told to. Its xSleep returns at once, so that a busy timeout costs no time.
 * One plan at a time; there are no threads.
 */
#ifndef SUBJECT_FAULTS_H
#define SUBJECT_FAULTS_H

#include <stdbool.h>

enum fault_kind {
    FAULT_OPEN,
    FAULT_READ,
    FAULT_WRITE,
    FAULT_SYNC,
    FAULT_LOCK,
    FAULT_DELETE,
    FAULT_CJSON,
    FAULT_KINDS
};

/* The kinds by name ("open", "read", …), as the judge asks for them. */
extern const char *const fault_names[FAULT_KINDS];

/* Puts the VFS in place. False when SQLite refuses it. */
bool faults_install(void);

/* From now on the nth operation of this kind (counted from 1) fails with SQLite's result `code`; nth 0: none does. */
void faults_plan(enum fault_kind kind, int nth, int code);

/* Counts one operation: true when it is the one that must fail. For the allocator of cJSON. */
bool faults_strike(enum fault_kind kind);

/* What was met since the plan: how many operations of each kind, and whether one was made to fail. */
struct faults_met {
    int seen[FAULT_KINDS];
    bool fired;
};
struct faults_met faults_met(void);

#endif
