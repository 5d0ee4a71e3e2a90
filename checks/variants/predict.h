/*
 * predict.h - how a prediction compares with what failed, and what `lab predict` shows.
 *
 * Counted are the clauses of the variant's own stage, and whatever else was named: nobody is asked to think
 * through the random runs of seven other stages, and nobody who does so is told that it was wrong.
 */
#ifndef VARIANTS_PREDICT_H
#define VARIANTS_PREDICT_H

#include "judge/report.h"
#include "variants/variant.h"

struct comparison {
    struct clause_set hits;   /* predicted, and failed */
    struct clause_set missed; /* failed, of its stage, and not predicted */
    struct clause_set wrong;  /* predicted, and did not fail */
    struct clause_set others; /* failed, of other stages, and not predicted */
};

struct comparison compare(const struct lab *lab, int stage, const struct clause_set *predicted,
                          const struct clause_set *failed);

/* All that somebody needs for a prediction: the change, why it looks right, the clauses of its stage, the
 * question. */
void show_variant(FILE *to, const struct lab *lab, const struct variant *variant,
                  const struct report_style *style);

/*
 * What was predicted beside what failed, and the steps of the first surprise. `row` is the variant's of
 * variants_run(). `predicted` NULL: nothing was; then what failed and the steps of the first.
 */
void show_outcome(FILE *to, const struct lab *lab, const cJSON *row, long long seed,
                  const struct clause_set *predicted, const struct report_style *style);

/* The predictions that count, by stage; `scored` as predictions_scored() gives them. */
void show_score(FILE *to, const struct lab *lab, const cJSON *scored);

#endif
