/*
 * output.h - reports are composed in memory and written at once: no half of one passes for the whole.
 */
#ifndef VARIANTS_OUTPUT_H
#define VARIANTS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct output {
    FILE *to; /* what is written here ... */
    char *text;
    size_t length;
};

/* False without memory. */
bool output_begin(struct output *output);
/* ... goes to standard output. Gives `status`, or EXIT_KIT after a sentence when not all of it was
 * written. */
int output_print(struct output *output, int status);
/* ... replaces the file: whole, or not at all. False after a sentence. */
bool output_save(struct output *output, const char *file);

/* A seed of few digits: it is there to be typed. False without random numbers. */
bool draw_seed(int64_t *seed);

#endif
