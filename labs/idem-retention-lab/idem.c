/*
 * idem.c - the service as a program: one call of one function of service.c, by hand.
 *
 *     idem DB CALL ARGUMENTS...
 *
 * The call table (calls.h) says what each call takes and gives. This file turns the words of the command line into
 * arguments, makes the call, prints what came and turns the status into an exit status:
 *
 *     0  OK        what the function gave is on standard output: true or false, or JSON on a line
 *     1  FAILED    also when what was given cannot be printed
 *     2  wrong usage of this program; no call was made
 *     3  INVALID
 *     4  TODO
 *
 * A call that gives nothing (init-db, or fetch without anything to replay) prints nothing. Whatever is not 0
 * says why in one sentence on standard error.
 */
#include "service.h"

#include "base/json.h"
#include "subject/calls.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum exit_status { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INVALID = 3, EXIT_TODO = 4 };

static void print_usage(FILE *to)
{
    fprintf(to, "usage: idem DB CALL ARGUMENTS...\n\n");
    for (const struct call_kind *call = lab_calls; call->name != NULL; call++)
        fprintf(to, "    idem DB %s%s%s\n", call->name, *call->usage != '\0' ? " " : "", call->usage);
    fprintf(to,
            "\nDB is the path of the database. EXPIRES and NOW are numbers. JSON and LIMIT are JSON texts.\n"
            "Exit status: 0 OK, 1 FAILED, 2 wrong usage, 3 INVALID, 4 TODO.\n");
}

static const struct call_kind *find_call(const char *name)
{
    for (const struct call_kind *call = lab_calls; call->name != NULL; call++)
        if (strcmp(call->name, name) == 0)
            return call;
    return NULL;
}

/* The whole word must be a finite number. strtod() alone would skip white space and stop at "10x". */
static bool read_number(const char *word, double *number)
{
    char *end = NULL;

    if (*word == '\0' || isspace((unsigned char)*word))
        return false;
    *number = strtod(word, &end);
    return *end == '\0' && isfinite(*number);
}

/*
 * Fills `args` from the words after the call's name. Only the last letter of `takes` may be left out, and only if it
 * is a j. *json is what was parsed for it; the caller deletes it. False, and a sentence, for wrong words.
 */
static bool read_arguments(const struct call_kind *call, char **words, struct call_args *args, cJSON **json)
{
    int texts = 0;

    for (const char *letter = call->takes; *letter != '\0'; letter++) {
        const char *word = *words;

        if (word == NULL) {
            if (*letter == 'j')
                return true;
            fprintf(stderr, "idem: too few arguments: %s %s\n", call->name, call->usage);
            return false;
        }
        words++;
        if (*letter == 's' || *letter == 't') {
            args->text[texts++] = word;
        } else if (*letter == 'n' && !read_number(word, &args->number)) {
            fprintf(stderr, "idem: not a number: %s\n", word);
            return false;
        } else if (*letter == 'j' && (args->json = *json = cJSON_ParseWithOpts(word, NULL, 1)) == NULL) {
            fprintf(stderr, "idem: not a JSON value: %s\n", word);
            return false;
        }
    }
    if (*words != NULL)
        fprintf(stderr, "idem: too many arguments: %s%s%s\n", call->name, *call->usage ? " " : "",
                call->usage);
    return *words == NULL;
}

/* The exit status for a status, after a sentence about it unless it is OK. */
static enum exit_status say_status(const char *name, int status)
{
    static const enum exit_status exits[4] = {[IDEM_OK] = EXIT_OK,
                                              [IDEM_TODO] = EXIT_TODO,
                                              [IDEM_INVALID] = EXIT_INVALID,
                                              [IDEM_FAILED] = EXIT_FAILED};

    if (status < 0 || status > 3) {
        fprintf(stderr, "idem: %s answered %d, which is no status\n", name, status);
        return EXIT_FAILED;
    }
    if (status != IDEM_OK)
        fprintf(stderr, "idem: %s answered %s\n", name, lab_statuses[status]);
    return exits[status];
}

/* Takes `item` over, but for one that cannot be printed: what is cyclic cannot be deleted either. */
static bool print_json(const char *name, cJSON *item)
{
    const char *why = NULL;
    char *text = json_text(item, &why);

    if (text == NULL) {
        fprintf(stderr, "idem: what %s gave cannot be printed: %s\n", name, why ? why : "memory ran out");
        return false;
    }
    puts(text);
    free(text);
    cJSON_Delete(item);
    return true;
}

static enum exit_status make_call(const struct call_kind *call, const struct call_args *args)
{
    bool flag = false;
    cJSON *json = NULL;
    const struct call_out out = {.flag = &flag, .json = &json};
    enum exit_status result = say_status(call->name, call->make(args, &out));

    if (result != EXIT_OK)
        return result;
    if (call->gives == GIVES_FLAG)
        puts(flag ? "true" : "false");
    if (call->gives == GIVES_JSON && json != NULL && !print_json(call->name, json))
        return EXIT_FAILED;
    if (fflush(stdout) != 0) {
        perror("idem: standard output");
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        print_usage(stdout);
        return EXIT_OK;
    }
    if (argc < 3) {
        print_usage(stderr);
        return EXIT_USAGE;
    }

    const struct call_kind *call = find_call(argv[2]);
    if (call == NULL) {
        fprintf(stderr, "idem: no such call: %s (`idem` alone lists them)\n", argv[2]);
        return EXIT_USAGE;
    }

    struct call_args args = {.path = argv[1]};
    cJSON *json = NULL;
    enum exit_status result = EXIT_USAGE;
    if (read_arguments(call, argv + 3, &args, &json))
        result = make_call(call, &args);
    cJSON_Delete(json);
    return result;
}
