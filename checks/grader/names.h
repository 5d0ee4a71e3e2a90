/*
 * names.h - names of submissions: bytes from a file system, made fit for tables, files and pages.
 *
 * A file name may hold any byte but '/' and NUL: a newline, a bidirectional control, half a character. The
 * gradebook and the reports show it with such bytes as %XX, as in a web address, so that two names never
 * look the same and every name is valid UTF-8 on one line. Ordinary names, CJK and quotes included, stay as
 * they are.
 *
 * Every char * returned here is allocated with malloc(); the caller frees it.
 */
#ifndef GRADER_NAMES_H
#define GRADER_NAMES_H

#include <stdbool.h>

/* `bytes` for people; also for a path with slashes. One to one: '%' itself becomes %25. */
char *name_text(const char *bytes);

/*
 * The name under which a submission is booked, from the name of a file or folder of the class: without .c,
 * .zip, .tar.gz or .tgz, and without what a platform appends: Moodle's `Ada
 * Lovelace_12_assignsubmission_file_` becomes `Ada Lovelace_12`, the number stays, since two people may
 * have one name. As name_text().
 */
char *name_of_submission(const char *entry, bool is_folder);

/*
 * The name of a report's file for this submission, without an ending: no leading dot, at most 200 bytes,
 * one to one.
 */
char *name_for_file(const char *name);

/* True when `name` ends with `ending` and has something before it, whatever the case of its letters. */
bool name_ends(const char *name, const char *ending);
/*
 * A file of the platform or the computer that nobody wrote: __MACOSX, .DS_Store, ._*, Thumbs.db,
 * desktop.ini, .git.
 */
bool name_is_junk(const char *name);
/* An archive that is unpacked: .zip, .tar.gz, .tgz. */
bool name_is_archive(const char *name);

#endif
