/*
 * together.c - see together.h.
 */
#include "variants/together.h"

#include "judge/build.h"
#include "judge/report_parts.h"
#include "variants/schema.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_TOGETHER = 12 };

/* The variants of some rows that follow one another, as one file. */
struct group {
    int first, count;
    char *folder; /* where it is compiled */
    pid_t compiler;
};

struct together {
    const struct lab *lab;
    const char *reference; /* the text */
    const cJSON *rows;
    const char *folder;
    struct shared *shared;
};

/* Writes the file that holds all variants of the group. What cannot be in it gets no words. */
static bool write_group(struct together *all, const struct group *g, const char *file)
{
    struct schema schema;
    FILE *to = fopen(file, "we");
    bool ok = to != NULL && schema_begin(&schema, to, all->lab->file, all->reference);
    for (int i = g->first; ok && i < g->first + g->count; i++) {
        const cJSON *row = cJSON_GetArrayItem(all->rows, i);
        struct shared *shared = &all->shared[i];
        if (cJSON_HasObjectItem(row, "outcome"))
            continue;
        shared->words = schema_add(&schema, member_text(row, "source"), i);
        ok = asprintf(&shared->object, "%s/submission.o", g->folder) >= 0;
    }
    if (to != NULL)
        schema_clear(&schema);
    return to != NULL && fclose(to) == 0 && ok;
}

/* 0: the object is there, and no variant in it uses a name that it may not. */
static _Noreturn void be_compiler(const struct together *all, const struct group *g, const char *file)
{
    struct check_options options = {.file = file};
    struct build build;
    char *why = NULL;
    bool built = build_object(all->lab, &options, g->folder, &build, &why);
    _exit(built && build.ok && build.finding == NULL ? 0 : 1);
}

static void forget(struct shared *shared)
{
    schema_words_free(shared->words);
    free(shared->object);
    *shared = (struct shared){0};
}

static void start_compiler(struct together *all, struct group *g)
{
    char *file = NULL;
    pid_t parent = getpid();
    bool ok = asprintf(&g->folder, "%s/group-%d", all->folder, g->first) >= 0 &&
              asprintf(&file, "%s.c", g->folder) >= 0 && mkdir(g->folder, 0755) == 0 &&
              write_group(all, g, file);
    fflush(NULL);
    g->compiler = ok ? fork() : -1;
    if (g->compiler == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        be_compiler(all, g, file);
    }
    free(file);
}

static void finish_compiler(struct together *all, struct group *g)
{
    int how = -1;
    while (g->compiler > 0 && waitpid(g->compiler, &how, 0) < 0 && errno == EINTR)
        continue;
    for (int i = g->first; how != 0 && i < g->first + g->count; i++)
        forget(&all->shared[i]);
    free(g->folder);
}

struct shared *compile_together(const struct lab *lab, const char *reference, const cJSON *rows,
                                const char *folder, int jobs)
{
    int count = cJSON_GetArraySize(rows);
    int most = (count + jobs - 1) / jobs < MOST_TOGETHER ? (count + jobs - 1) / jobs : MOST_TOGETHER;
    int groups = most > 1 ? (count + most - 1) / most : 0;
    struct group *group = calloc((size_t)groups + 1, sizeof *group);
    struct together all = {lab, reference, rows, folder, calloc((size_t)count + 1, sizeof *all.shared)};
    for (int i = 0; group != NULL && all.shared != NULL && i < groups + jobs; i++) {
        if (i >= jobs && i - jobs < groups)
            finish_compiler(&all, &group[i - jobs]);
        if (i >= groups)
            continue;
        int first = i * most;
        group[i] = (struct group){.first = first, .count = count - first < most ? count - first : most};
        start_compiler(&all, &group[i]);
    }
    free(group);
    return all.shared;
}

void shared_free(struct shared *shared, int count)
{
    for (int i = 0; shared != NULL && i < count; i++)
        forget(&shared[i]);
    free(shared);
}
