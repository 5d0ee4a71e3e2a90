/*
 * inputs.c - what the clauses put in, drawn from the trial's seed.
 *
 * Drawn texts end in, begin with or hold eight hex digits by chance, so that two draws are never equal;
 * around them stands what has broken stores of keys before: quotes, spaces, SQL, letters of other scripts,
 * numbers, wildcards.
 */
#include "clauses.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A judge without memory can say nothing more. */
static char *must(char *text)
{
    if (text == NULL)
        abort();
    return text;
}

const char *kept(struct trial *t, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        abort();
    va_end(arguments);
    return trial_keep(t, text);
}

static unsigned draw_bits(struct trial *t)
{
    return (unsigned)(rng_next(trial_rng(t)) & 0xffffffffU);
}

static int draw_below(struct trial *t, int limit)
{
    return rng_below(trial_rng(t), limit);
}

/* ---- Keys and digests ---------------------------------------------------------------------------------- */

/*
 * Drawn keys, digests and times are plain. A seed chooses names, never the kind of situation: a service that is
 * wrong about quotes, fractions or years long gone fails the clauses about these, with every seed, and no other.
 */
const char *draw_key(struct trial *t)
{
    return kept(t, "ord-%08x", draw_bits(t));
}

/* As a hash is written. */
const char *draw_digest(struct trial *t)
{
    unsigned bits = draw_bits(t);

    return kept(t, "%08x%08x%08x%08x%08x%08x%08x%08x", bits, ~bits, bits * 3, bits * 5, bits * 7, bits * 11,
                bits * 13, bits * 17);
}

/* ---- Times --------------------------------------------------------------------------------------------- */

/* Whole, and after the year 2100: a clause about something else must hold in a service that is wrong about
 * fractions alone, or that looks at a clock of its own. */
double draw_time(struct trial *t)
{
    return 4102444800.0 + draw_below(t, 10000000);
}

static const double boundaries[] = {0,
                                    0.5,
                                    1,
                                    10,
                                    99.999,
                                    0.30000000000000004,
                                    -0.5,
                                    -100,
                                    -2208988800,
                                    1767225600,
                                    1767225600.125,
                                    1767225600.999999,
                                    1e-9,
                                    1e12,
                                    4102444800.75};

int boundary_count(void)
{
    return COUNT_OF(boundaries);
}

double boundary(int index)
{
    return boundaries[index];
}

double just_before(double time)
{
    return nextafter(time, -INFINITY);
}

double just_after(double time)
{
    return nextafter(time, INFINITY);
}

/* ---- Responses ----------------------------------------------------------------------------------------- */

static const char *const responses[] = {
    "{\"receipt\":1}",
    " {\"a\" : 1} ",
    "\n[1,\t2]\r\n",
    "{}",
    "[]",
    "[ ]",
    "\"\"",
    "0",
    "false",
    "true",
    "null",
    "-1",
    "0.30000000000000004",
    "9007199254740991",
    "1.7976931348623157e308",
    "5e-324",
    "1e2",
    "1.0",
    "123456789012345680",
    "\"text\"",
    "\"null\"",
    "\" \"",
    "\"O'Brien said \\\"no\\\" \\\\ \\n \\u00e9 \\ud83d\\ude00 \xe9\x8d\xb5\"",
    "{\"b\":[1,{\"c\":null}],\"a\":{\"d\":[]},\"\":false}",
    "[[[[[[[[[[[[[[[[0]]]]]]]]]]]]]]]]",
    "[0.1,0.2,0.30000000000000004,9007199254740991]",
    "{\"sql\":\"'); DELETE FROM keys; --\"}",
};

int response_count(void)
{
    return COUNT_OF(responses);
}

const char *response_text(int index)
{
    return responses[index];
}

const char *draw_response(struct trial *t)
{
    return kept(t, "{\"receipt\":%d}", draw_below(t, 1000000000));
}

struct input draw_input(struct trial *t)
{
    struct input in;

    in.key = draw_key(t);
    in.digest = draw_digest(t);
    in.response = draw_response(t);
    in.time = draw_time(t);
    return in;
}

const char *long_response(struct trial *t)
{
    enum { LENGTH = 20000 };
    char *text = must(malloc(LENGTH + 1));

    memset(text, 'a' + draw_below(t, 26), LENGTH);
    memcpy(text, "[\"", 2);
    memcpy(text + LENGTH - 2, "\"]", 2);
    text[LENGTH] = '\0';
    return trial_keep(t, text);
}

/* Nothing here that parsers disagree about: no 01, 1., control characters, broken UTF-8 or byte order
 * mark. */
static const char *const bad_responses[] = {
    "",      " ",     "{",     "}",     "[1,",        "[1,]",        "{\"a\":1",    "{\"a\":1,}", "{\"a\"}",
    "{a:1}", "\"abc", "'abc'", "tru",   "nul",        "receipt",     "True",        "nullx",      "truefalse",
    "1 2",   "1,2",   "{} {}", "[] []", "null null",  "\"a\" \"b\"", "{\"a\":1} x", "{\"a\":1};", "[1] ]",
    "-",     "+1",    "1e",    "--1",   "{\"a\":1}}", "[1 2]",       "{\"a\" 1}",   "/* */ 1",    "undefined",
};

int bad_response_count(void)
{
    return COUNT_OF(bad_responses);
}

const char *bad_response(int index)
{
    return bad_responses[index];
}

/* ---- Limits -------------------------------------------------------------------------------------------- */

/* As JSON; 4294967297 and its kind become 1 where a double is cut to 32 bits. */
static const char *const bad_limits[] = {
    "0",     "-1",         "101",        "1.5",  "1e10", "true",           "false", "\"10\"",
    "null",  "[]",         "{}",         "0.5",  "-0.5", "0.999999999999", "100.5", "-1e10",
    "1e300", "4294967297", "4294967306", "\"\"", "[1]",  "{\"limit\":1}",
};

int bad_limit_count(void)
{
    return COUNT_OF(bad_limits);
}

cJSON *bad_limit(int index)
{
    return cJSON_Parse(bad_limits[index]);
}

/* ---- Keys that differ by little ------------------------------------------------------------------------ */

/* All from one key, "ord-é1a2b3c4d". In the NFD form é is an e and a combining accent: another text that
 * looks the same. */
static void draw_variations(struct trial *t, const char *keys[FAMILY_SIZE - 2])
{
    unsigned bits = draw_bits(t);
    const char *nfc = "\xc3\xa9";
    const char *nfd = "e\xcc\x81";

    keys[0] = kept(t, "ord-%s%08x", nfc, bits);
    keys[1] = kept(t, "ord-%s%08x", nfd, bits);
    keys[2] = kept(t, "Ord-%s%08x", nfc, bits);
    keys[3] = kept(t, "ord-\xc3\x89%08x", bits); /* É */
    keys[4] = kept(t, "ord-%s%08x ", nfc, bits);
    keys[5] = kept(t, " ord-%s%08x", nfc, bits);
    keys[6] = kept(t, "ord-%s%08x\n", nfc, bits);
    keys[7] = kept(t, "ord-%s%07x", nfc, bits >> 4); /* without the last digit */
    keys[8] = kept(t, "ord-%s%08x0", nfc, bits);
    keys[9] = kept(t, "'ord-%s%08x'", nfc, bits);
    keys[10] = kept(t, "ord-%s%08x' OR '1'='1", nfc, bits);
    keys[11] = kept(t, "ord-%s%%", nfc);
    keys[12] = "%";
    keys[13] = "*";
    keys[14] = kept(t, "x'); DELETE FROM keys; -- %08x", bits);
    keys[15] = kept(t, "\"ord-%s%08x\"", nfc, bits);
    keys[16] = kept(t, "{\"key\":\"%08x\"}", bits);
    keys[17] = kept(t, "?1 :key @id $x \\%08x\\", bits);
    keys[18] = kept(t, "\xe9\x8d\xb5-%08x\xe5\x8f\xb7", bits); /* CJK on both sides */
    keys[19] = kept(t, "\xf0\x9f\x94\x91\t%08x", bits);
    keys[20] = kept(t, "0%u", bits); /* a number's affinity would change it */
    keys[21] = kept(t, "%u", bits);
}

void draw_family(struct trial *t, const char *keys[FAMILY_SIZE])
{
    enum { LONG = 301 };
    char *longs[2];
    int letter = 'a' + draw_below(t, 26);

    draw_variations(t, keys);
    for (int i = 0; i < 2; i++) {
        longs[i] = must(malloc(LONG + 1));
        memset(longs[i], letter, LONG);
        longs[i][LONG - 1] = (char)('a' + i);
        longs[i][LONG] = '\0';
        keys[FAMILY_SIZE - 2 + i] = trial_keep(t, longs[i]);
    }
}

/* ---- Ids in the order of their bytes ------------------------------------------------------------------- */

/* Not the order of numbers (10 before 9), of letters without their case (Z before a), of a language (z before
 * é) or of UTF-16. */
static const char *const in_order[] = {"",
                                       " ",
                                       "\"x\"",
                                       "'); DELETE FROM keys; --",
                                       "10",
                                       "2",
                                       "9",
                                       "A",
                                       "Ab",
                                       "B",
                                       "Z",
                                       "_",
                                       "a",
                                       "a ",
                                       "aB",
                                       "aa",
                                       "b",
                                       "e",
                                       "e\xcc\x81",
                                       "f",
                                       "z",
                                       "\xc3\x84",
                                       "\xc3\xa9",
                                       "\xe4\xb8\xad",
                                       "\xef\xbd\x9e",
                                       "\xf0\x9f\x94\x91"};

const char *const *ids_in_order(int *count)
{
    *count = COUNT_OF(in_order);
    return in_order;
}

void draw_ascending(struct trial *t, const char **ids, int count)
{
    for (int i = 0; i < count; i++)
        ids[i] = kept(t, "%c-%08x", 'a' + i, draw_bits(t));
}
