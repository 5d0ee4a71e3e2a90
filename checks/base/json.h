/*
 * json.h - cJSON values as text without loss, and text as people can read it.
 *
 * cJSON prints 0.30000000000000004 as 0.3 and follows a cyclic value for ever. This printer gives each number
 * its shortest text that reads back as the same double, and walks with bounds, so that it may be used on a
 * value that a submission handed over. Shared by the judge, the subject and the `idem` program.
 *
 * Every char * returned here is allocated with malloc(); the caller frees it. NULL means that memory ran out.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The bounds of a walk. A value beyond them is not printed but described. */
enum { JSON_MAX_DEPTH = 1100, JSON_MAX_ITEMS = 100000, JSON_MAX_BYTES = 4 * 1024 * 1024 };

/*
 * `item` as compact JSON. When it cannot be printed (cyclic or deeper than JSON_MAX_DEPTH, too large, of no
 * JSON type, a number that is not finite, an object member without a name), returns NULL and, if `why` is not
 * NULL, sets *why to a static phrase that goes on from "the value", such as "has an item of no JSON type".
 * *why is NULL when memory ran out.
 */
char *json_text(const cJSON *item, const char **why);

/*
 * True when both are the same JSON value: numbers the same double, strings the same bytes, the members of an object in
 * any order. (cJSON_Compare takes numbers that differ a little for equal.)
 */
bool json_equal(const cJSON *a, const cJSON *b);

/* True when `array` holds this text; false for NULL. */
bool json_has_text(const cJSON *array, const char *text);

/* The shortest decimal text that strtod() reads back as `number`; else nan, inf or -inf. */
void json_number(char out[32], double number);

/* Writes `bytes` to `to` as a JSON string; bytes from 0x80 up are copied as they are. */
void json_write_string(FILE *to, const char *bytes, size_t length);

/*
 * Bytes as a quoted text on one line for people: quotes, backslashes, control characters, bytes that are not
 * valid UTF-8, spaces at either end, and whatever cannot be seen or told apart (direction marks, combining
 * accents) show as escapes (\n, \x1b, \u{200b}). Of more than `max` bytes the beginning and the end are
 * shown, with how many there are in all.
 */
char *text_quoted(const char *bytes, size_t length, size_t max);

/* The same without the quotes, for what a program printed: newlines, tabs, quotes, backslashes are kept. */
char *text_plain(const char *bytes, size_t length, size_t max);

/* `text` as one word for a POSIX shell: as it is where that is safe, else in quotes, else (what a terminal
 * must not see) as a printf that gives the same bytes. */
char *text_shell(const char *text);

#endif
