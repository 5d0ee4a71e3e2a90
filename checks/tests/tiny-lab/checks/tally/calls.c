/*
 * calls.c - the two functions of service.h as a call table.
 */
#include "subject/calls.h"

#include "service.h"

const char *const lab_statuses[4] = {
    [TALLY_OK] = "OK", [TALLY_TODO] = "TODO", [TALLY_INVALID] = "INVALID", [TALLY_FAILED] = "FAILED"};

static int make_init(const struct call_args *a, const struct call_out *o)
{
    (void)o;
    return (int)tally_init(a->path);
}

static int make_add(const struct call_args *a, const struct call_out *o)
{
    return (int)tally_add(a->path, a->text[0], a->number, o->json);
}

const struct call_kind lab_calls[] = {
    {"init", "", "", GIVES_NOTHING, make_init},
    {"add", "sn", "NAME AMOUNT", GIVES_JSON, make_add},
    {NULL, NULL, NULL, GIVES_NOTHING, NULL},
};
