/*
 * markup.h - texts of any bytes written into HTML, XML, JSON and CSV, each valid whatever comes.
 *
 * Two steps. clean_text() makes of any bytes valid UTF-8 that shows as what it is: control characters as
 * their pictures (U+2400 and on), characters that would mislead a reader as \u{202e}, bytes that are no
 * UTF-8 as \xff. The writers then escape what their format gives a meaning; they must only be handed clean
 * text.
 */
#ifndef GRADER_MARKUP_H
#define GRADER_MARKUP_H

#include <stddef.h>
#include <stdio.h>

/*
 * At most `max` bytes of `text`, cleaned; newlines and tabs stay, CR LF becomes LF. When more is there a
 * last line says how much there is in all. Allocated.
 */
char *clean_text(const char *text, size_t max);

/* For elements and attributes of HTML and XML alike. */
void markup_text(FILE *to, const char *clean);
/* clean_text() and markup_text() in one. */
void markup_write(FILE *to, const char *text, size_t max);

/* A string of JSON, with its quotes, from any bytes. */
void json_write(FILE *to, const char *text, size_t max);

/*
 * A field of CSV (RFC 4180), from any bytes. What a spreadsheet would take as a formula gets an apostrophe
 * in front.
 */
void csv_write(FILE *to, const char *text, size_t max);

#endif
