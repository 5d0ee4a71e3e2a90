/*
 * options.c - see options.h.
 *
 * Words of the command line are quoted before they are shown: they may hold any byte.
 */
#include "base/options.h"

#include "base/json.h"
#include "base/language.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPTIONS = 24, FIRST_VALUE = 1000 /* above every character that getopt could give */ };

__attribute__((format(printf, 1, 0))) static void say_error(const char *format, va_list arguments)
{
    vfprintf(stderr, _(format), arguments);
    putc('\n', stderr);
}

int usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_error(format, arguments);
    va_end(arguments);
    return EXIT_USAGE;
}

int kit_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_error(format, arguments);
    va_end(arguments);
    return EXIT_KIT;
}

bool option_number(const char *option, const char *value, int64_t least, int64_t most, int64_t *number)
{
    size_t digits = strspn(value, "0123456789");
    long long read = digits > 0 && digits <= 18 && value[digits] == '\0' ? strtoll(value, NULL, 10) : -1;
    if (read < least || read > most) {
        char *shown = text_quoted(value, strlen(value), 40);
        usage_error("--%s takes a whole number from %lld to %lld, not %s.", option, (long long)least,
                    (long long)most, shown != NULL ? shown : "?");
        free(shown);
        return false;
    }
    *number = read;
    return true;
}

/* Adds a word to a list for a sentence, such as "text, tap or json": `before` stands in front of all but the first.
 * NULL when memory ran out, also for the list so far. */
static char *listed(char *so_far, const char *before, const char *prefix, const char *word)
{
    char *longer = NULL;
    if (so_far == NULL ||
        asprintf(&longer, "%s%s%s%s", so_far, so_far[0] != '\0' ? before : "", prefix, word) < 0)
        longer = NULL;
    free(so_far);
    return longer;
}

int option_choice(const char *option, const char *value, const char *const choices[])
{
    char *list = strdup("");
    for (int i = 0; choices[i] != NULL; i++) {
        if (strcmp(choices[i], value) == 0) {
            free(list);
            return i;
        }
        list = listed(list, choices[i + 1] != NULL ? _(", ") : _(" or "), "", choices[i]);
    }
    char *shown = text_quoted(value, strlen(value), 40);
    usage_error("--%s takes %s, not %s.", option, list != NULL ? list : "?", shown != NULL ? shown : "?");
    free(shown);
    free(list);
    return -1;
}

/* ---- Help ---------------------------------------------------------------------------------------------- */

static int show_help(const struct command *command)
{
    const char *gap = command->operands[0] != '\0' ? " " : "";
    if (command->options[0].name != NULL) {
        printf(_("Usage: build/lab %s [options]%s%s\n"), command->name, gap, command->operands);
    } else {
        printf(_("Usage: build/lab %s%s%s\n"), command->name, gap, command->operands);
    }
    puts(_(command->summary));
    for (const struct command_option *option = command->options; option->name != NULL; option++) {
        char left[40];
        snprintf(left, sizeof left, "--%s%s%s", option->name, option->value != NULL ? " " : "",
                 option->value != NULL ? option->value : "");
        printf("  %-22s %s\n", left, _(option->help));
    }
    return EXIT_HOLDS;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

/* The table as getopt_long() wants it, and --help; each option's value is its index. */
static void getopt_table(const struct command *command, struct option table[])
{
    int count = 0;
    for (const struct command_option *from = command->options; from->name != NULL; from++) {
        int takes = from->value != NULL ? required_argument : no_argument;
        table[count] = (struct option){from->name, takes, NULL, FIRST_VALUE + count};
        count++;
    }
    table[count] = (struct option){"help", no_argument, NULL, 'h'};
    table[count + 1] = (struct option){0};
}

static int refuse_word(const struct command *command, const char *word)
{
    char *shown = text_quoted(word, strlen(word), 60);
    char *list = strdup("");
    for (const struct command_option *option = command->options; option->name != NULL; option++) {
        list = listed(list, _(", "), "--", option->name);
    }
    list = listed(list, _(" and "), "--", "help");
    usage_error("build/lab %s does not take %s; it takes %s.", command->name, shown != NULL ? shown : "?",
                list != NULL ? list : "?");
    free(shown);
    free(list);
    return EXIT_USAGE;
}

static int refuse_value(const struct command *command, int found, bool missing)
{
    const struct command_option *option =
        found >= FIRST_VALUE ? &command->options[found - FIRST_VALUE] : NULL;
    if (option == NULL || !missing) {
        return usage_error("--%s takes no value.", option != NULL ? option->name : "help");
    }
    return usage_error("--%s needs a value: --%s %s, %s.", option->name, option->name, option->value,
                       _(option->help));
}

/* Takes what getopt_long() found; -1: go on. */
static int take_found(const struct command *command, int found, char **argv, void *request)
{
    if (found == 'h') {
        return show_help(command);
    }
    if (found == ':' || (found == '?' && (optopt >= FIRST_VALUE || optopt == 'h'))) {
        return refuse_value(command, optopt, found == ':');
    }
    if (found == '?' && optopt != 0) { /* a letter, perhaps one of several behind one dash */
        return refuse_word(command, (char[]){'-', (char)optopt, '\0'});
    }
    if (found == '?' || (found == 1 && command->operand == NULL)) {
        return refuse_word(command, argv[optind - 1]);
    }
    const struct command_option *option = found == 1 ? NULL : &command->options[found - FIRST_VALUE];
    take_function *take = option != NULL ? option->take : command->operand;
    return take(request, optarg) ? -1 : EXIT_USAGE;
}

int options_read(const struct command *command, int argc, char **argv, void *request)
{
    struct option table[MOST_OPTIONS + 2];
    getopt_table(command, table);
    int status = -1;
    int found;
    optind = 0; /* glibc: begin anew */
    opterr = 0;
    /* "-": operands come in their place, as 1, whatever POSIXLY_CORRECT says; ":": missing values as ':'. */
    while (status < 0 && (found = getopt_long(argc, argv, "-:h", table, NULL)) != -1) {
        status = take_found(command, found, argv, request);
    }
    for (; status < 0 && optind < argc; optind++) { /* what stands behind "--" */
        if (command->operand == NULL) {
            return refuse_word(command, argv[optind]);
        }
        status = command->operand(request, argv[optind]) ? -1 : EXIT_USAGE;
    }
    return status;
}
