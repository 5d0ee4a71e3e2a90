/*
 * language.c - see language.h.
 *
 * gettext takes the language from LANGUAGE whenever the locale is any but "C". So C.UTF-8, which every system has, is
 * chosen for the messages and LANGUAGE set to the language: no locale of it has to be installed.
 */
#include "base/language.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static char chosen[8] = "en";
static bool off;

const char *translated(const char *text)
{
    return text == NULL || text[0] == '\0' || strcmp(language_name(), "en") == 0 ? text : gettext(text);
}

const char *language_name(void)
{
    return off ? "en" : chosen;
}

void language_off(void)
{
    off = true;
}

void language_on(void)
{
    off = false;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* The locale's name as the environment has it, whether it is installed or not. */
static const char *locale_variable(const char *category)
{
    const char *value = variable("LC_ALL");
    if (value == NULL)
        value = variable(category);
    return value != NULL ? value : variable("LANG");
}

/* Characters as the locale has them. Where it is not installed but its name says UTF-8, C.UTF-8 does as well. */
static void choose_characters(void)
{
    const char *name = locale_variable("LC_CTYPE");
    if (setlocale(LC_CTYPE, "") == NULL && name != NULL &&
        (strcasestr(name, "UTF-8") != NULL || strcasestr(name, "utf8") != NULL))
        setlocale(LC_CTYPE, "C.UTF-8");
}

/* Speaks the language of a name such as "ja" or "zh_CN.UTF-8". False when there is no catalog for it. */
static bool speak(const char *name, const char *folder)
{
    char language[sizeof chosen], file[PATH_MAX];
    size_t length = strcspn(name, "_.@:-");
    if (length == 0 || length >= sizeof language)
        return false;
    snprintf(language, sizeof language, "%.*s", (int)length, name);
    snprintf(file, sizeof file, "%s/%s/LC_MESSAGES/lab.mo", folder, language);
    if (strcmp(language, "en") == 0 || strcmp(language, "C") == 0)
        return true;
    if (access(file, R_OK) != 0 || setlocale(LC_MESSAGES, "C.UTF-8") == NULL)
        return false;
    setenv("LANGUAGE", language, 1);
    bindtextdomain("lab", folder);
    bind_textdomain_codeset("lab", "UTF-8");
    textdomain("lab");
    snprintf(chosen, sizeof chosen, "%s", language);
    return true;
}

bool language_choose(const char *wanted, const char *folder)
{
    choose_characters();
    wanted = wanted != NULL ? wanted : variable("LAB_LANG");
    if (wanted != NULL) { /* asked for in so many words: in its characters, whatever the locale's are */
        bool spoken = speak(wanted, folder);
        if (strcmp(chosen, "en") != 0)
            setlocale(LC_CTYPE, "C.UTF-8");
        return spoken;
    }
    const char *name = locale_variable("LC_MESSAGES");
    if (name != NULL && strcmp(name, "C") != 0 && variable("LANGUAGE") != NULL)
        name = variable("LANGUAGE");
    if (name != NULL && strcmp(nl_langinfo(CODESET), "UTF-8") == 0)
        speak(name, folder);
    return true;
}
