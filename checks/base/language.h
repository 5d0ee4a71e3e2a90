/*
 * language.h - the language in which the kit speaks to people.
 *
 * Texts stand in the sources in English and are looked up where they are shown (gettext); what has no translation stays English.
 * Programs read English: TAP, JSON and everything that is compared are written with the language off.
 *
 * A literal that is handed to one of the functions named in checks/po/extract.sh (trial_fail, usage_error, …) is found
 * by xgettext there and translated inside it. Elsewhere a text is marked: _("…") where it is shown at once, N_("…")
 * in a table whose reader translates it.
 */
#ifndef BASE_LANGUAGE_H
#define BASE_LANGUAGE_H

#include <libintl.h>
#include <stdbool.h>

#define N_(text) (text)
#define _(text) translated(text)

/* The text in the chosen language; the empty text, which names a catalog's own head, stays empty. */
const char *translated(const char *text) __attribute__((format_arg(1)));

/*
 * Chooses the language and the character set, once, at the start: `wanted` ("ja"), or NULL for LAB_LANG, else what the locale's
 * variables say. Catalogs lie in `folder`/LANG/LC_MESSAGES/lab.mo; no locale of that language need be installed. False when
 * `wanted` or LAB_LANG names a language that has no catalog; then the kit speaks English.
 */
bool language_choose(const char *wanted, const char *folder);

/* The one chosen: "en", "ja", "zh". */
const char *language_name(void);

/* From here on this process and its children speak English: for reports that programs read. */
void language_off(void);
/* Back to the one chosen, for a report that people read beside those. */
void language_on(void);

#endif
