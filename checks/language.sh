#!/bin/sh
# language.sh - the language in which scripts speak to people; they read it in with `.`, in the kit's root.
#
#   $language                       the one chosen: en, ja, zh; by the same rule as build/lab (checks/base/language.c)
#   say FORMAT ARGUMENT...          a line: printf's FORMAT, translated
#   give_up STATUS FORMAT ARGUMENT...   the same on standard error, and the end
#   page_of FOLDER NAME             FOLDER/LANGUAGE/NAME where there is one, else FOLDER/NAME
#
# Formats stand in the scripts in English and hold no % but %s; checks/po/extract.sh collects them. Without gettext(1), or
# without a catalog, people get that English.

# LAB_LANG, else the locale: ja of ja_JP.UTF-8. As for gettext, a list of languages counts before a locale that is not C.
# Characters that the locale lacks are not written unless somebody asked for them in so many words.
language=${LAB_LANG-}
if [ -z "$language" ]; then
    language=${LC_ALL:-${LC_MESSAGES:-${LANG:-C}}}
    [ "$language" = C ] || language=${LANGUAGE:-$language}
    case ${LC_ALL:-${LC_CTYPE:-${LANG-}}} in
    *[Uu][Tt][Ff]-8* | *[Uu][Tt][Ff]8*) ;;
    *) [ "$(locale charmap 2>/dev/null)" = UTF-8 ] || language=en ;;
    esac
fi
language=${language%%[_.@:-]*}
case $language in
'' | *[!a-z]*) language=en ;;
esac

# translate TEXT: into $translated.
translate() {
    translated=''
    if [ "$language" != en ]; then
        translated=$(TEXTDOMAINDIR=build/locale TEXTDOMAIN=lab LANGUAGE=$language LC_ALL=C.UTF-8 gettext "$1" 2>/dev/null) ||
            translated=''
    fi
    [ -n "$translated" ] || translated=$1
}

say() {
    translate "$1"
    shift
    # shellcheck disable=SC2059 # a translation has the %s of its English text
    printf "$translated\n" "$@"
}

give_up() {
    gave_up=$1
    shift
    say "$@" >&2
    exit "$gave_up"
}

page_of() {
    if [ -f "$1/$language/$2" ]; then
        printf '%s\n' "$1/$language/$2"
    else
        printf '%s\n' "$1/$2"
    fi
}
