/*
 * places.h - the lines of the submission that a sanitizer's report means.
 *
 * The subject writes addresses into its reports, as "(subject+0x4992)": what they stand for is looked up here, by
 * addr2line, and only when there is a report. The sanitizer could do it in the subject itself, and would then unpack the debugging
 * information of every library for each child that crashes: a fifth of a second where that of the C library is
 * installed, and other reports where it is not.
 */
#ifndef JUDGE_PLACES_H
#define JUDGE_PLACES_H

#include "judge/check.h"

struct places;

/* For the subject built in `folder`; both are kept. NULL when there is no memory. places_free() takes NULL. */
struct places *places_new(const struct check_options *options, const char *folder);
void places_free(struct places *p);

/* Takes a report over and gives it back with each address replaced, as "in idem_fetch service.c:41". What cannot be looked
 * up stays as it is. Allocated; NULL only for NULL. */
char *places_name(struct places *p, char *report);

#endif
