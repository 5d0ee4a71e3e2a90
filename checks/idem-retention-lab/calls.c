/*
 * calls.c - the eight functions of service.h as a call table.
 *
 * Linked into the subject, where the judge's calls arrive, and into `idem`, where a person's do.
 */
#include "subject/calls.h"

#include "service.h"

const char *const lab_statuses[4] = {
    [IDEM_OK] = "OK", [IDEM_TODO] = "TODO", [IDEM_INVALID] = "INVALID", [IDEM_FAILED] = "FAILED"};

static int make_init_db(const struct call_args *a, const struct call_out *o)
{
    (void)o;
    return (int)idem_init_db(a->path);
}

static int make_reserve(const struct call_args *a, const struct call_out *o)
{
    return (int)idem_reserve(a->path, a->text[0], a->text[1], a->number, o->flag);
}

static int make_finish(const struct call_args *a, const struct call_out *o)
{
    return (int)idem_finish(a->path, a->text[0], a->text[1], a->text[2], o->flag);
}

static int make_fetch(const struct call_args *a, const struct call_out *o)
{
    return (int)idem_fetch(a->path, a->text[0], a->number, o->json);
}

static int make_expired(const struct call_args *a, const struct call_out *o)
{
    return (int)idem_expired(a->path, a->number, a->json, o->json);
}

static int make_purge(const struct call_args *a, const struct call_out *o)
{
    return (int)idem_purge(a->path, a->number, a->json, o->json);
}

static int make_counts(const struct call_args *a, const struct call_out *o)
{
    return (int)idem_counts(a->path, o->json);
}

static int make_retention_cycle(const struct call_args *a, const struct call_out *o)
{
    return (int)idem_retention_cycle(a->path, a->text[0], o->flag);
}

const struct call_kind lab_calls[] = {
    {"init-db", "", "", GIVES_NOTHING, make_init_db},
    {"reserve", "ssn", "KEY DIGEST EXPIRES", GIVES_FLAG, make_reserve},
    {"finish", "sst", "KEY DIGEST JSON", GIVES_FLAG, make_finish},
    {"fetch", "sn", "KEY NOW", GIVES_JSON, make_fetch},
    {"expired", "nj", "NOW [LIMIT]", GIVES_JSON, make_expired},
    {"purge", "nj", "NOW [LIMIT]", GIVES_JSON, make_purge},
    {"counts", "", "", GIVES_JSON, make_counts},
    {"retention-cycle", "s", "KEY", GIVES_FLAG, make_retention_cycle},
    {NULL, NULL, NULL, GIVES_NOTHING, NULL},
};
