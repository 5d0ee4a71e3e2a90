/*
 * clause_set.h - which clauses of a lab: what a variant says must fail, what failed, what somebody predicted.
 *
 * Clauses are counted through all stages, from 0; that number is a clause's place. A set is a plain value.
 * Texts returned are allocated; NULL means that memory ran out.
 */
#ifndef VARIANTS_CLAUSE_SET_H
#define VARIANTS_CLAUSE_SET_H

#include "judge/lab.h"

enum { MAX_CLAUSES = 256 };

struct clause_set {
    bool has[MAX_CLAUSES];
};

int clause_count(const struct lab *lab);
/* The clause at a place; *stage, if not NULL, counts from 0. */
const struct clause *clause_at(const struct lab *lab, int place, int *stage);
/* The place of a clause by its id, in either case ("2.c"); -1 when there is none. */
int clause_place(const struct lab *lab, const char *id);

/*
 * Reads ids with spaces or commas between them. False at the first word that is no clause of the lab: it is
 * then in `unknown`, cut to its size.
 */
bool clause_set_read(struct clause_set *set, const struct lab *lab, const char *text, char unknown[64]);
int clause_set_size(const struct clause_set *set);
/* What is in a and not in b. */
struct clause_set clause_set_minus(const struct clause_set *a, const struct clause_set *b);
struct clause_set clause_set_both(const struct clause_set *a, const struct clause_set *b);
/* Those of one stage, counted from 0. */
struct clause_set clause_set_of_stage(const struct clause_set *set, const struct lab *lab, int stage);

/* "2.2 2.3 8.1"; "" for none. */
char *clause_set_text(const struct clause_set *set, const struct lab *lab);
/* The same as a JSON array, and back; ids that the lab does not have are left out. */
cJSON *clause_set_json(const struct clause_set *set, const struct lab *lab);
struct clause_set clause_set_from_json(const cJSON *ids, const struct lab *lab);

#endif
