/*
 * places.c - see places.h. The report is the submission's as well: it may hold any text, also such addresses.
 */
#include "judge/places.h"

#include "judge/build.h"
#include "judge/command.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "(subject+0x"

/* As many different addresses as a report has in its frames, and some to spare. */
enum { MAX_PLACES = 64, ADDRESS = 24, LOOK_UP_MS = 2000, MAX_BYTES = 65536 };

struct place {
    char address[ADDRESS]; /* "0x4992" */
    char text[256];        /* "in idem_fetch service.c:41"; "": not known */
};

struct places {
    const struct check_options *options;
    const char *folder;
    char *tool;
    struct place place[MAX_PLACES];
    int count, known; /* those up to `known` were looked up */
};

struct places *places_new(const struct check_options *options, const char *folder)
{
    struct places *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->options = options;
    p->folder = folder;
    p->tool = command_find("addr2line");
    return p;
}

void places_free(struct places *p)
{
    if (p != NULL)
        free(p->tool);
    free(p);
}

/* Reads the address that begins at `at`, as "(subject+0x4992)". Gives how much of the text it is; 0: none begins there. */
static size_t read_address(const char *at, char address[ADDRESS])
{
    size_t before = strlen("(subject+"), digits = strlen("0x");
    if (strncmp(at, MARK, strlen(MARK)) != 0)
        return 0;
    digits += strspn(at + strlen(MARK), "0123456789abcdef");
    if (digits == strlen("0x") || digits >= ADDRESS || at[before + digits] != ')')
        return 0;
    snprintf(address, ADDRESS, "%.*s", (int)digits, at + before);
    return before + digits + 1;
}

static struct place *find(struct places *p, const char *address)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->place[i].address, address) == 0)
            return &p->place[i];
    return NULL;
}

static void note_addresses(struct places *p, const char *report)
{
    char address[ADDRESS];
    for (const char *at = report; p->count < MAX_PLACES && (at = strstr(at, MARK)) != NULL; at++)
        if (read_address(at, address) > 0 && find(p, address) == NULL)
            memcpy(p->place[p->count++].address, address, ADDRESS);
}

/* Two lines: the function, and file:line, behind which there may be more. "??" stands for what is not known: the lines of the
 * kit's own part are not. */
static void note_place(struct place *place, const char *function, const char *line)
{
    int length = (int)strcspn(line, " ");
    if (line[0] == '?' || (length > 0 && line[length - 1] == '?'))
        length = 0;
    if (function[0] != '?')
        snprintf(place->text, sizeof place->text, "in %.100s%s%.*s", function, length > 0 ? " " : "",
                 length < 140 ? length : 140, line);
}

static void look_up(struct places *p)
{
    static char options[] = "-fs", program[] = "-e", subject[] = "subject";
    char *command[4 + MAX_PLACES + 1] = {p->tool, options, program, subject};
    for (int i = p->known; i < p->count; i++)
        command[4 + i - p->known] = p->place[i].address;
    struct command_result r = build_run_tool(p->options, p->folder, command, LOOK_UP_MS, MAX_BYTES);
    char *rest = r.exit_status == 0 ? r.output : NULL;
    for (int i = p->known; i < p->count; i++) {
        const char *function = strsep(&rest, "\n");
        const char *line = strsep(&rest, "\n");
        if (function != NULL && line != NULL)
            note_place(&p->place[i], function, line);
    }
    p->known = p->count;
    command_clear(&r);
}

char *places_name(struct places *p, char *report)
{
    char *named = NULL, address[ADDRESS];
    size_t length = 0;
    if (p == NULL || p->tool == NULL || report == NULL || strstr(report, MARK) == NULL)
        return report;
    note_addresses(p, report);
    if (p->known < p->count)
        look_up(p);
    FILE *to = open_memstream(&named, &length);
    for (const char *at = report; to != NULL && *at != '\0';) {
        at += at[0] == ' ' && at[1] == ' ' &&
              read_address(at + 2, address) > 0; /* one is for a function's name */
        size_t skip = read_address(at, address);
        const struct place *place = skip > 0 ? find(p, address) : NULL;
        if (place != NULL && place->text[0] != '\0') {
            fputs(place->text, to);
            at += skip;
        } else {
            putc(*at++, to);
        }
    }
    if (to == NULL || fclose(to) != 0) {
        free(named);
        return report;
    }
    free(report);
    return named;
}
