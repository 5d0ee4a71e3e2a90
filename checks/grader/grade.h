/*
 * grade.h - `lab grade`: a folder of submissions in, marks and feedback out. See grade.c.
 */
#ifndef GRADER_GRADE_H
#define GRADER_GRADE_H

#include "base/options.h"

/*
 * Exit status: 0 every submission is graded, or refused with a reason; 2 wrong usage; 3 the kit could not
 * judge (what could be judged is booked all the same).
 */
extern const struct command grade_command;

#endif
