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
enum { MAX_PLACES = 64, LOOK_UP_MS = 2000, MAX_BYTES = 65536 };

struct place {
    char address[24]; /* "0x4992" */
    char text[256];   /* "in idem_fetch service.c:41"; "": not known */
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

/* The length of the address that begins at `at`, as "(subject+0x4992)"; 0: none does. */
static size_t address_at(const char *at)
{
    size_t mark = strlen(MARK);
    if (strncmp(at, MARK, mark) != 0)
        return 0;
    size_t digits = strspn(at + mark, "0123456789abcdef");
    return digits > 0 && digits <= 16 && at[mark + digits] == ')' ? mark + digits + 1 : 0;
}

/* The place of an address of this length. NULL when it is not known. */
static struct place *find(struct places *p, const char *at, size_t length)
{
    const char *address = strchr(at, '+') + 1;
    int bytes = (int)(at + length - 1 - address);
    for (int i = 0; i < p->count; i++)
        if (strncmp(p->place[i].address, address, (size_t)bytes) == 0 && p->place[i].address[bytes] == '\0')
            return &p->place[i];
    return NULL;
}

static void note_addresses(struct places *p, const char *report)
{
    for (const char *at = report; p->count < MAX_PLACES && (at = strstr(at, MARK)) != NULL; at++) {
        size_t length = address_at(at);
        if (length == 0 || find(p, at, length) != NULL)
            continue;
        const char *address = strchr(at, '+') + 1;
        struct place *place = &p->place[p->count++];
        snprintf(place->address, sizeof place->address, "%.*s", (int)(at + length - 1 - address), address);
    }
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
    char *named = NULL;
    size_t length = 0;
    if (p == NULL || p->tool == NULL || report == NULL || strstr(report, MARK) == NULL)
        return report;
    note_addresses(p, report);
    if (p->known < p->count)
        look_up(p);
    FILE *to = open_memstream(&named, &length);
    for (const char *at = report; to != NULL && *at != '\0';) {
        at += at[0] == ' ' && at[1] == ' ' && address_at(at + 2) > 0; /* one is for a function's name */
        size_t skip = address_at(at);
        const struct place *place = skip > 0 ? find(p, at, skip) : NULL;
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
