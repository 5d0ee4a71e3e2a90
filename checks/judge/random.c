/*
 * random.c - a long run by chance, and the shortest run that shows a disagreement (see trial_random() in trial.h).
 *
 * The model draws calls; subject and model make the same ones. (Where a call is known to be right, the judge makes it in
 * the subject's place.) At the first disagreement the run so far is cut, unless that is enough: calls are left out, larger
 * pieces first, and the rest is run again from an empty table, as long as some call in it still disagrees. The shortest
 * run found is run once more, with its steps noted.
 */
#include "judge/trial_internal.h"

#include "base/json.h"

#include <stdlib.h>
#include <string.h>

/* Each attempt to cut is a run of its own; a crash costs some 30 ms, a right answer 0.3. */
enum { MAX_ATTEMPTS = 80, DEFAULT_CALLS = 100 };

static void forget_verdict(struct trial *t)
{
    free(t->expected);
    free(t->observed);
    t->expected = t->observed = NULL;
    t->verdict = VERDICT_PASS;
}

/* The call as the model makes it, with what it leaves in the table. */
static void make_by_judge(struct trial *t, const cJSON *call)
{
    void *after = NULL;
    struct answer answer = model_answer(t, t->state, call, &after);
    char *given = answer_text(&answer);
    if (!t->lab->model->equal(t->state, after))
        trial_store(t, after);
    if (!t->quiet)
        trial_note_call(t, call, NULL, given);
    t->lab->model->destroy(t->state);
    t->state = after;
    answer_clear(&answer);
    free(given);
}

static void make(struct trial *t, const cJSON *call)
{
    if (json_has_text(t->known_calls, cJSON_GetObjectItemCaseSensitive(call, "call")->valuestring))
        make_by_judge(t, call);
    else
        expect(t, NULL, cJSON_Duplicate(call, 1));
}

/* Runs the calls from an empty table. True when some call disagrees; *length is then how many were made. */
static bool run_again(struct trial *t, cJSON *const *calls, int *length)
{
    trial_finish(t);
    forget_verdict(t);
    trial_begin(t);
    for (int i = 0; i < *length && !trial_over(t); i++) {
        make(t, calls[i]);
        if (trial_over(t))
            *length = i + 1;
    }
    return trial_over(t);
}

/* Cuts `size` calls at a time out of the run, where it still disagrees without them. */
static int cut_pieces(struct trial *t, cJSON **calls, int length, int size, int *attempts)
{
    cJSON **shorter = malloc((size_t)length * sizeof(cJSON *));
    for (int at = length - 1 - size; shorter != NULL && at >= 0 && *attempts < MAX_ATTEMPTS; at -= size) {
        int without = length - size;
        memcpy(shorter, calls, (size_t)at * sizeof *calls);
        memcpy(shorter + at, calls + at + size, (size_t)(without - at) * sizeof *calls);
        (*attempts)++;
        if (!run_again(t, shorter, &without))
            continue;
        memcpy(calls, shorter, (size_t)without * sizeof *calls);
        length = without;
        if (at > length - 1)
            at = length - 1;
    }
    free(shorter);
    return length;
}

/* Whether two calls have a text in common: the same key, say. */
static bool are_related(const cJSON *a, const cJSON *b)
{
    const cJSON *arg;
    cJSON_ArrayForEach(arg, cJSON_GetObjectItemCaseSensitive(a, "args"))
    {
        if (cJSON_IsString(arg) &&
            json_has_text(cJSON_GetObjectItemCaseSensitive(b, "args"), arg->valuestring))
            return true;
    }
    return false;
}

/* One attempt that often does most of it: only the calls that have a text in common with the last one. */
static int keep_related(struct trial *t, cJSON **calls, int length, int *attempts)
{
    cJSON **related = calloc((size_t)length + 1, sizeof(cJSON *));
    int count = 0;
    for (int i = 0; related != NULL && i < length; i++)
        if (i == length - 1 || are_related(calls[length - 1], calls[i]))
            related[count++] = calls[i];
    if (count > 1 && count < length) {
        (*attempts)++;
        if (run_again(t, related, &count)) {
            memcpy(calls, related, (size_t)count * sizeof *calls);
            length = count;
        }
    }
    free(related);
    return length;
}

static int shorten(struct trial *t, cJSON **calls, int length)
{
    int attempts = 0;
    t->quiet = true;
    length = keep_related(t, calls, length, &attempts);
    for (int size = length / 2 > 0 ? length / 2 : 1; attempts < MAX_ATTEMPTS; size /= 2) {
        int before;
        do {
            before = length;
            if (size < length)
                length = cut_pieces(t, calls, length, size, &attempts);
        } while (size == 1 && length < before && attempts < MAX_ATTEMPTS);
        if (size <= 1)
            break;
    }
    t->quiet = false;
    return length;
}

void trial_random(struct trial *t, int stage)
{
    int planned = t->calls > 0 ? t->calls : DEFAULT_CALLS, length = 0;
    cJSON *drawn = cJSON_CreateArray();
    cJSON **calls = calloc((size_t)planned, sizeof(cJSON *));
    if (calls == NULL || drawn == NULL)
        trial_error(t, "memory ran out");
    t->quiet = true;
    while (calls != NULL && !trial_over(t) && length < planned) {
        calls[length] = t->lab->model->draw(&t->rng, t->state, stage, length);
        cJSON_AddItemToArray(drawn, calls[length]); /* owns them, whatever is left out below */
        make(t, calls[length++]);
    }
    t->quiet = false;
    bool cut = !t->spoiled && !t->brief;
    if ((t->verdict == VERDICT_FAIL || t->verdict == VERDICT_CRASH) && cut) {
        int shown = shorten(t, calls, length);
        if (!run_again(t, calls, &shown)) /* what came once and does not come again is no less wrong */
            trial_fail(t, "the same answers to the same calls", "a disagreement that did not come again");
    }
    if (trial_over(t) && !cut && length > 0) {
        trial_note(t, NULL, "%d calls that agree", length - 1);
        trial_note_call(t, calls[length - 1], NULL, NULL);
    }
    cJSON_Delete(drawn);
    free(calls);
}
