/*
 * options.h - what the sub-commands of `lab` share: description, options, endings.
 *
 * A sub-command is a table row (struct command) and a function. Its options are a table too; from that come
 * the reading, the --help text and the sentences about wrong usage, so that the three cannot disagree.
 * Options may be written --name value or --name=value, before or after the operands; "--" ends them; the last
 * of several counts.
 */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* The exit statuses of `lab`. A kit that cannot judge never looks like a submission that falls short. */
enum { EXIT_HOLDS = 0, EXIT_FALLS_SHORT = 1, EXIT_USAGE = 2, EXIT_KIT = 3 };

/* Takes a value (NULL for an option that has none) into the command's request; false after usage_error(). */
typedef bool take_function(void *request, const char *value);

struct command_option {
    const char *name;  /* "stage" */
    const char *value; /* "NN"; NULL for an option without a value */
    const char *help;
    take_function *take;
};

struct command {
    const char *name;                     /* "check" */
    const char *operands;                 /* "SERVICE.c"; "" for none */
    const char *summary;                  /* one line */
    const struct command_option *options; /* ends with a row whose name is NULL */
    take_function *operand;               /* for each word that is no option; NULL when there may be none */
    int (*run)(const struct command *command, int argc, char **argv); /* argv[0] is the command's name */
};

/* Reads the words of a command into `request`. -1: go on; else the exit status, since all has been said. */
int options_read(const struct command *command, int argc, char **argv, void *request);

/* One sentence on standard error: what was wrong, what is possible. printf-like. Gives EXIT_USAGE. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* One sentence on standard error: why the kit cannot do it. Gives EXIT_KIT. */
int kit_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Digits only, from `least` to `most`; false after usage_error(). `option` is its name in that sentence. */
bool option_number(const char *option, const char *value, int64_t least, int64_t most, int64_t *number);
/* The index of `value` in `choices`, which ends with NULL; -1 after usage_error(). */
int option_choice(const char *option, const char *value, const char *const choices[]);

#endif
