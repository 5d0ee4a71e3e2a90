/*
 * utf8.h - which bytes are characters, and which characters a reader can see.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads one character from `length` bytes into *code and gives its size in bytes, 1 to 4. 0 when they do not
 * start with valid UTF-8: cut off, overlong, a surrogate, above U+10FFFF, or no byte at all.
 */
size_t utf8_read(const char *bytes, size_t length, uint32_t *code);

/*
 * True for what a reader could not see, or could take for something else: controls (newline and tab too),
 * blanks of other widths, combining accents (so that the two Unicode forms of an accented letter differ),
 * direction marks, joiners, selectors, tags, no characters.
 */
bool utf8_is_hidden(uint32_t code);

#endif
