/*
 * advice.c - what to say of the usual mistakes of each stage: those of broken-variants/, and their like.
 *
 * A row rests on what does not depend on the inputs: on examples, races and craft, never on a random run.
 * Within a stage the first row that fits counts. So what is left behind comes first, since the judge has seen it and need not conclude it; then
 * what fails many clauses; then what one clause alone gives away.
 *
 * An advice says where to look and what for. It names no function of SQLite and writes no code: that is
 * what the third hint is for.
 */
#include "clauses.h"

#include "base/language.h"

/* ---- What a call leaves behind, in any stage ----------------------------------------------------------- */

/* Messages of the judge (trial.c, refusals.c), word by word. */
#define STATEMENT_LEFT N_("%lld connection(s) still open, with a statement that was not finalized: %s")
#define CONNECTION_LEFT N_("%lld connection(s) still open%s; the last statement was: %s")
#define SQLITE_LEFT N_("%lld bytes of SQLite still allocated: a handle or a text that was not freed")
#define ITEM_LEFT N_("%lld block(s) of cJSON still allocated: an item that was not deleted")
#define OUT_WRITTEN N_("%s, and the out-parameter was written: %s")
#define TABLE_CHANGED N_("the table has changed")
#define NOW_IT_HAS N_("%s; in the table was: %s; now: %s")
#define NO_SUCH_ROW N_("no such row")
#define SQLITE_FREED N_("AddressSanitizer: use of memory that SQLite has freed or never gave")
#define SANITIZER "AddressSanitizer: "

#define FINALIZE_IT                                                                                          \
    N_("A statement outlives the call, and a connection cannot be closed while one is alive. "               \
       "Follow every way out of the function, also the one after a step that failed: is what "               \
       "was prepared there finalized on each of them?")
#define CLOSE_IT                                                                                             \
    N_("The connection outlives the call. Follow every way out of the function, failures "                   \
       "included: is the database closed on each of them?")
#define CLOSE_WHAT_FAILED                                                                                    \
    N_("Something of SQLite outlives the call. An open that failed leaves a handle as well, and "            \
       "who asked for it must close it: follow the way on which the open fails.")
#define DELETE_IT                                                                                            \
    N_("A value that was parsed or built is still there after the call. Whatever the caller "                \
       "does not get is deleted before the call ends: look above all at the ways out on which "              \
       "something has failed.")
#define KEEP_IT_BACK                                                                                         \
    N_("The caller's variable was written although the call failed. Keep the result in a "                   \
       "variable of your own, and hand it over only when nothing can fail any more.")
#define ONE_OWNER                                                                                            \
    N_("A value has two owners: it was handed to the caller, and deleted here as well. Hand it "             \
       "over last, when nothing can fail any more, and delete it only on those ways out on "                 \
       "which nobody got it.")

#define LEFT_BEHIND(stage, craft)                                                                            \
    {"statement-not-finalized", stage, craft, "", STATEMENT_LEFT, FINALIZE_IT},                              \
        {"connection-not-closed", stage, craft, "", CONNECTION_LEFT, CLOSE_IT},                              \
        {"failed-open-not-closed", stage, craft, "", SQLITE_LEFT, CLOSE_WHAT_FAILED},                        \
        {"value-not-deleted", stage, craft, "", ITEM_LEFT, DELETE_IT},                                       \
    {                                                                                                        \
        "result-written-on-failure", stage, craft, "", OUT_WRITTEN, KEEP_IT_BACK                             \
    }

/* ---- Arguments and paths, in any stage ------------------------------------------------------------------ */

#define ASK_ARGUMENTS_FIRST                                                                                  \
    N_("A NULL that the contract does not allow is INVALID, and nothing else happens. Look "                 \
       "which pointer nobody asks about, the path and the result included, before the database "             \
       "is opened.")
#define KEEP_APART                                                                                           \
    N_("A key may hold any character, a quote as well, and here one of them became part of the "             \
       "statement. How can a value reach a statement without being written into its text?")
#define MAKE_NO_FILE                                                                                         \
    N_("The path has a typing error, and after the call there is a new file. Only the first "                \
       "function makes a database: how does every other one open it?")

/* ---- The table ------------------------------------------------------------------------------------------ */

const struct advice idem_advice[] = {
    LEFT_BEHIND("01", "1.C"),
    {"failed-statement-not-noticed", "01", "1.3", "1.1", "OK",
     N_("An open proves little: SQLite looks at the file only with the first statement. Follow what the "
        "call answers when the open went well and that statement fails.")},
    {"null-path-opened", "01", "1.4", "1.1", NULL,
     N_("For SQLite a NULL path is no mistake: it opens a database of its own that nobody sees again. The "
        "path has to be asked about before it is opened.")},
    {"existing-table-is-an-error", "01", "1.2", "1.1", "FAILED",
     N_("The second call finds the table in its place, and that is no failure. What should the statement do "
        "when the table exists already?")},
    {"table-made-anew", "01", "1.2", "1.1", NO_SUCH_ROW,
     N_("The second call costs the rows that were in the table. Where the table exists there is nothing to "
        "do: look for what removes it or puts another in its place.")},
    {"ids-compared-otherwise", "01", "1.1", "", N_("how ids are compared"),
     N_("Ids are the same only when every byte is. Look at what the declaration of the id says of how texts "
        "are compared.")},
    {"times-in-another-type", "01", "1.1 1.2", "", ": its expires is not a real number",
     N_("A time can have a fraction, and the type of a column changes what is stored in it. Which type does "
        "the contract give to expires?")},
    {"columns-not-as-written", "01", "1.1", "", N_("the columns of the table keys"),
     N_("Hold your columns beside those of the contract, word by word: the name, the type, the key, and "
        "which of them must have a value.")},

    LEFT_BEHIND("02", "2.C"),
    {"null-key-stored", "02", "2.5", "2.1", ": its id is not a text",
     N_("Here a primary key of type TEXT takes a NULL, and any number of them: the table refuses nothing "
        "for you. Which argument does nobody ask about?")},
    {"null-not-refused", "02", "2.5", "2.1", "NULL", ASK_ARGUMENTS_FIRST},
    {"key-becomes-sql", "02", "2.4", "", "FAILED", KEEP_APART},
    {"key-becomes-sql", "02", "2.4", "", "\"1\" \"", KEEP_APART}, /* ' OR '1'='1 gave the key 1 */
    {"key-changed-on-its-way", "02", "2.4", "2.1", NULL,
     N_("Two keys that differ were stored as one, or as other keys. A key is kept byte by byte: look for "
        "what shortens, trims or converts it on its way into the table.")},
    {"fraction-lost", "02", "2.1", "2.2 2.3", "OK true",
     N_("A time comes back as another number. It is a double and may have a fraction: look for a place where "
        "it becomes a whole number on its way into the table.")},
    {"conflict-is-a-failure", "02", "2.2 2.3", "2.1", "FAILED",
     N_("A key that exists already is an answer, false, and no failure. How can you tell it from a statement "
        "that really failed?")},
    {"expired-row-taken-over", "02", "2.3", "2.1 2.C", "OK true",
     N_("A row whose time has passed was given to the next caller. Reserve asks for no time: a row stays "
        "what it is until finish or purge, however old.")},
    {"same-digest-taken-over", "02", "2.2", "2.1 2.3", "OK true",
     N_("A retry with the same digest is told that the key is its own, while the first attempt is still at "
        "work. Whoever asks, an existing key gives false.")},
    {"existing-key-replaced", "02", "2.2 2.3", "2.1", "OK true",
     N_("Reserve wrote over a row that was there. What does your statement do with the old row when the key "
        "exists already?")},
    {"failure-told-as-false", "02", "2.6 2.C", "2.2", "OK false",
     N_("False says that another row has the key. Here the statement never came to its end, for a lock or "
        "another failure stopped it. Look at how it ended before you ask what it changed.")},
    {"looked-before-inserting", "02", "2.6", "2.1 2.2 2.3 2.C", NULL,
     N_("Between a look and the insert that follows it another caller can come. Who was first is known to "
        "the statement that writes: what does it tell about its own effect?")},
    {"missing-file-made", "02", "2.C", "2.1 2.2 2.6", "-> FAILED", MAKE_NO_FILE},

    {"parsed-response-not-deleted", "03", "3.C", "3.1", ITEM_LEFT,
     N_("The response was parsed, if only to know that it is JSON, and what the parser gave is still there. "
        "Who owns it, and when is it no longer needed?")},
    LEFT_BEHIND("03", "3.C"),
    {"late-finish-refused", "03", "3.6", "", "OK false",
     N_("Work that took too long was done all the same, and its response has to be kept. Finish asks for no "
        "time: look for a condition that does.")},
    {"finish-changes-more", "03", "3.1 3.2 3.6", "", "OK true",
     N_("Finish changes the status and the response, and nothing else. Hold the row before and after side by "
        "side: which of key, digest and expires did not stay?")},
    {"failure-where-nothing-matched", "03", "3.3 3.4 3.5", "3.1", "FAILED",
     N_("That no row matched is an answer, false, and no failure. FAILED says that the statement could not "
        "be run to its end.")},
    {"true-where-nothing-matched", "03", "3.3 3.4 3.5", "3.1", "OK true",
     N_("A statement that changed no row has succeeded all the same. Whether it changed one is another "
        "question, and true is the answer to that one.")},
    {"null-stored-as-no-value", "03", "3.2", "3.1", "done NULL",
     N_("The response null is a text of four letters, to be stored like any other. A column without a value "
        "means something else: that there is no response yet.")},
    {"response-rewritten", "03", "3.2", "3.1", "OK true",
     N_("The response is stored as it came, to the last digit and space. Parsing and printing it again gives "
        "other digits and other spaces: which of the two texts do you store?")},
    {"response-not-parsed", "03", "3.7", "3.2", "\"\" -> ",
     N_("A text that is no JSON was stored as the response. It has to be read as JSON once, before the "
        "database is opened, and to be refused when it is none.")},
    {"text-after-the-value", "03", "3.7", "3.2", NULL,
     N_("This text begins with a JSON value and is none. Is your parser content with a value at the "
        "beginning, or must it reach the end of the text?")},
    {"digest-compared-in-part", "03", "3.3", "3.1 3.4 3.5 3.C", "OK true",
     N_("Two digests that differ were taken for one. They may share a long beginning: look at how much of "
        "them is compared.")},
    {"digest-not-compared", "03", "3.3", "3.1 3.4 3.5", "OK true",
     N_("A request with another digest finished the row of somebody else. By what, besides the key, does "
        "finish know that the row belongs to this request?")},
    {"done-row-overwritten", "03", "3.4", "3.1 3.3 3.5", "OK true",
     N_("A client has seen the first response by now, and it is gone. What must be true of the status of a "
        "row that finish may change?")},
    {"another-key-finished", "03", "3.5", "3.1 3.3 3.4", "OK true",
     N_("There is no such key in the table, and a row was finished all the same. Keys are the same only when "
        "every byte is: how are they compared here?")},
    {"null-not-refused", "03", "3.9", "3.1", "NULL", ASK_ARGUMENTS_FIRST},
    {"looked-before-finishing", "03", "3.8", "3.1 3.3 3.4 3.5 3.6", NULL,
     N_("Between a look and the change that follows it the other finisher can come. Let one statement do "
        "both: ask whether the row may change, and change it.")},
    {"missing-file-made", "03", "3.C", "3.1 3.8", "-> FAILED", MAKE_NO_FILE},

    {"text-used-too-late", "04", "4.1 4.5 4.C", "", SQLITE_FREED,
     N_("Memory is read that is no longer there. The text of a column belongs to the statement and lives "
        "only until that is stepped again or finalized: when is it read here?")},
    LEFT_BEHIND("04", "4.C"),
    {"broken-text-is-nothing", "04", "4.7", "4.1", "OK nothing",
     N_("Nothing says that there is no response, and the sender does the work again. A stored text that "
        "cannot be read is broken data: which answer is there for that?")},
    {"reading-deletes", "04", "4.3 4.8", "4.1", NO_SUCH_ROW,
     N_("Fetch only reads, and the row is gone or changed. An expired row stays until purge takes it, and "
        "so long its key is not free.")},
    {"empty-response-is-nothing", "04", "4.1 4.6", "4.5", "OK nothing",
     N_("A response was taken for none because there is little in it. An empty object, an empty text, 0 and "
        "false are responses: what do you ask to know that there is one?")},
    {"json-null-is-nothing", "04", "4.6", "4.1", "OK nothing",
     N_("The JSON value null is a response, and no NULL pointer. What comes back when the answer was null, "
        "and what when there is none?")},
    {"pending-row-looked-at", "04", "4.4", "4.1", NULL,
     N_("A pending row has no response to give, before its time or after it. Which rows may fetch look "
        "at?")},
    {"another-key-fetched", "04", "4.5", "4.1", "OK",
     N_("A missing key found a row. Is the key compared as it is, or does a character in it stand for "
        "others?")},
    {"null-not-refused", "04", "4.10", "4.1", "NULL", ASK_ARGUMENTS_FIRST},
    {"only-the-moment-of-expiry", "04", "4.3 4.8", "4.1 4.2", NULL,
     N_("At its expiry a response is over, and a moment later it is back. Look at how the two times are "
        "compared: what is true of every time after the boundary?")},
    {"time-not-asked", "04", "4.2 4.3 4.8", "4.1", NULL,
     N_("A response is given however late it is. What ends the guarantee of a key, and where does fetch ask "
        "for that?")},
    {"whole-seconds-compared", "04", "4.2 4.3 4.9", "4.1 4.8", NULL,
     N_("Times with a fraction are off by less than a second. Both times are doubles: look for a place where "
        "one of them becomes a whole number.")},
    {"unit-guessed", "04", "4.2 4.3", "4.1 4.8 4.9", NULL,
     N_("Only the large times go wrong. In which unit and epoch they count is the caller's business: look "
        "for what converts a number because of its size.")},
    {"zero-is-a-time", "04", "4.2 4.9", "4.1 4.3", NULL,
     N_("The time 0 is a time like any other, and so is one below it. Look for a place where 0 means that no "
        "time was given.")},
    {"replayed-at-its-expiry", "04", "4.2", "4.1 4.3 4.9", NULL,
     N_("At the very moment of its expiry a response is over already. Look at how the two times are "
        "compared, and what comes of it when they are equal.")},
    {"missing-file-made", "04", "4.C", "4.1 4.8", "-> FAILED", MAKE_NO_FILE},

    {"handed-over-and-deleted", "05", "5.C", "", SANITIZER, ONE_OWNER},
    LEFT_BEHIND("05", "5.C"),
    {"list-broke-off", "05", "5.C", "5.1 5.3 5.7", "OK [",
     N_("Reading failed in the middle, and what had been read was given as the whole list. How does the last "
        "row differ from a failure, in what the step answers?")},
    {"nothing-for-an-empty-list", "05", "5.7", "", "OK nothing",
     N_("That nothing has expired is a list as well: one without items. Look for the place that gives no "
        "list when no row was found.")},
    {"boundary-not-listed", "05", "5.1", "5.2 5.7", "OK []",
     N_("At the very moment of its expiry a row is to be listed: fetch no longer gives it. Look at how the "
        "two times are compared, and what comes of it when they are equal.")},
    {"whole-seconds-compared", "05", "5.1", "5.2 5.7", NULL,
     N_("A row is listed too early or too late by less than a second. Both times are doubles: look for a "
        "place where one of them becomes a whole number.")},
    {"limit-before-the-status", "05", "5.2", "5.1 5.4", "OK []",
     N_("Old pending rows take the places of those that are to be listed. The limit counts what is left "
        "after every condition: where does yours count?")},
    {"ordered-by-time", "05", "5.3", "5.1 5.7 5.C", NULL,
     N_("The ids come in another order when the times differ. The list goes by the id alone: what else is "
        "asked before it?")},
    {"order-not-ascending", "05", "5.3", "5.1 5.7", NULL,
     N_("The ids ascend by their bytes, and a limit keeps the smallest. At which end does your order begin, "
        "and are the ids compared as they are?")},
    {"one-more-than-the-limit", "05", "5.4 5.5", "5.3", NULL,
     N_("The list is longer than the limit. How many rows do you let through, and is that number changed on "
        "its way to the statement?")},
    {"another-default", "05", "5.5", "5.4", NULL,
     N_("Without a limit another number of ids is listed than the contract says. Which number stands for a "
        "limit that was not given?")},
    {"hundred-refused", "05", "5.6", "5.1", "INVALID",
     N_("A limit that the contract allows was refused. The smallest and the largest limit are limits "
        "too: look at both ends of the range.")},
    {"limit-out-of-range", "05", "5.6", "5.1", " 0 -> OK",
     N_("A limit that is too small was accepted. At which number does the range of the limits begin?")},
    {"limit-out-of-range", "05", "5.6", "5.1", " 101 -> OK",
     N_("A limit that is too large was accepted. At which number does the range of the limits end?")},
    {"json-null-is-no-limit", "05", "5.6", "5.1", " null -> OK",
     N_("A limit that is not given is a NULL pointer. The JSON value null was given, and it is no number.")},
    {"limit-is-no-whole-number", "05", "5.6", "5.1", NULL,
     N_("Something that is no whole number was accepted as a limit. A number with a fraction and a parsed "
        "true "
        "have a whole number in them as well: ask for the type first, then for the value as it was given.")},
    {"listing-changes-the-file", "05", "5.8", "5.1", NULL,
     N_("Listing only reads, and after it the database is another one. Look for what it writes, makes or "
        "locks besides.")},
    {"null-not-refused", "05", "5.9", "5.1", "NULL)", ASK_ARGUMENTS_FIRST},
    {"missing-file-made", "05", "5.C", "5.1 5.8", "-> FAILED", MAKE_NO_FILE},

    {"handed-over-and-deleted", "06", "6.1 6.8 6.C", "", SANITIZER, ONE_OWNER},
    LEFT_BEHIND("06", "6.C"),
    {"rows-marked", "06", "6.1", "", ": its status is neither pending nor done",
     N_("The rows are marked and not gone. A purged key is a new request: what does reserve find of it "
        "now?")},
    {"purged-before-its-time", "06", "6.3", "", NO_SUCH_ROW,
     N_("Rows go that have not expired. A row must be done and must have expired: how are the two conditions "
        "put together?")},
    {"reported-and-not-gone", "06", "6.1 6.2 6.8", "", NULL,
     N_("The ids are reported, and their rows are still there. How does the transaction end when everything "
        "went well?")},
    {"limit-ignored", "06", "6.1 6.5 6.8", "6.2 6.3", NULL,
     N_("Everything goes at once, whatever the limit. Who chooses the rows, and does that statement know how "
        "many it may take?")},
    {"limit-before-the-status", "06", "6.2", "6.3", "OK []",
     N_("Old pending rows take the places of those that are to go. The limit counts what is left after every "
        "condition: where does yours count?")},
    {"purged-by-time-alone", "06", "6.2", "6.3", NULL,
     N_("A pending row is gone because it is old, and somebody may still be at work on it. What besides the "
        "time makes a row one to purge?")},
    {"key-becomes-sql", "06", "6.1", "6.2", "FAILED", KEEP_APART},
    {"boundary-not-deleted", "06", "6.1 6.R", "6.2 6.3 6.5", NULL,
     N_("At the very moment of its expiry a row is to go: expired lists it. Look at how the two times are "
        "compared, and what comes of it when they are equal.")},
    {"ids-in-another-order", "06", "6.1 6.5", "6.2 6.3 6.8", NULL,
     N_("The right rows go, and their ids come in another order. Nothing says in which order rows are "
        "deleted: from where do you take the list?")},
    {"limit-not-checked", "06", "6.4", "6.1", NULL,
     N_("Purge took a limit that expired refuses, or refused one that it takes. Do both look at it in the "
        "same way, and before anything is deleted?")},
    {"no-transaction", "06", "6.6 6.7", "", TABLE_CHANGED,
     N_("One deletion failed, and those before it are done for good. What makes one change of several "
        "statements, and when does it begin?")},
    {"half-committed", "06", "6.6", "6.7", TABLE_CHANGED,
     N_("One deletion failed, and those before it are done for good. The transaction is there: how does it "
        "end when something in it has failed?")},
    {"failed-deletion-not-noticed", "06", "6.6 6.7", "6.1", "OK [",
     N_("A deletion was refused, and its id is reported as gone. Look at how each deletion ends, and what "
        "the rest of the purge makes of it.")},
    {"refused-commit-not-noticed", "06", "6.7 6.C", "6.1 6.6", "OK [",
     N_("The end of a transaction can be refused too, by a reader for example, and then nothing is deleted. "
        "Who asks how it went before the ids are handed over?")},
    {"refused-begin-not-noticed", "06", "6.C", "6.1 6.6 6.7", NOW_IT_HAS,
     N_("The transaction could not begin, and the purge went on without one. What is each deletion then by "
        "itself?")},
    {"chosen-outside-the-transaction", "06", "6.7", "6.1 6.6 6.C", NULL,
     N_("Between the choice of the rows and the first deletion another connection can change them. From "
        "which statement on does your transaction keep others out?")},
    {"null-not-refused", "06", "6.9", "6.1", "NULL)", ASK_ARGUMENTS_FIRST},
    {"missing-file-made", "06", "6.C", "6.1 6.7", "-> FAILED", MAKE_NO_FILE},

    LEFT_BEHIND("07", "7.C"),
    {"zeros-for-a-failure", "07", "7.5", "7.1 7.2 7.3", "OK",
     N_("The table could not be counted, and numbers were reported. How does an answer of no rows differ "
        "from no answer, in what the step says?")},
    {"missing-status-has-no-key", "07", "7.1 7.2", "", "OK {}",
     N_("A status without rows still has its key, with 0. What does a count by groups give for a group that "
        "is not there?")},
    {"old-rows-not-counted", "07", "7.3", "7.5", NULL,
     N_("Done rows are missing from the count once their time has passed. Counting asks for no time: what is "
        "in the table is counted.")},
    {"count-is-a-constant", "07", "7.2 7.3 7.4", "", NULL,
     N_("One of the two numbers stays the same whatever the table holds. From which statement does each of "
        "them come?")},
    {"null-not-refused", "07", "7.6", "7.1", "NULL)", ASK_ARGUMENTS_FIRST},
    {"missing-file-made", "07", "7.C", "7.1 7.3", "-> FAILED", MAKE_NO_FILE},

    {"ids-of-the-purge-not-deleted", "08", "8.C", "8.1", ITEM_LEFT,
     N_("What a step hands back belongs to whoever called it, and here that is the cycle. The purge has "
        "handed back a list: who deletes it, also when a later step fails?")},
    {"written-by-the-first-step", "08", "8.C", "8.1", OUT_WRITTEN,
     N_("An early step wrote into the caller's variable, and a later one failed. Only the last reserve "
        "decides what the caller is told: where do the others put their results?")},
    LEFT_BEHIND("08", "8.C"),
    {"same-digest-again", "08", "8.1 8.2", "", "\"v1\" pending",
     N_("The new row has the digest of the first request. The cycle shows two different requests with the "
        "same key: by what are they told apart?")},
    {"purged-too-early", "08", "8.1 8.2", "", "\"v1\" done",
     N_("The first row is still there when the key is reserved again. At which time does the cycle purge, "
        "and "
        "does your purge take a row at that very moment?")},
    {"row-reused", "08", "8.4", "8.1 8.2", NULL,
     N_("The table ends as it should and went another way. A row that expired is not turned into a new one: "
        "it goes, and the key is reserved like any new one.")},
    {"failed-step-not-noticed", "08", "8.5", "8.1 8.4", "OK",
     N_("A step failed, and the cycle went on as if it had not. Follow the status of each step, that of the "
        "purge too: where does it end?")},
    {"pointers-left-to-the-steps", "08", "8.6", "8.1", N_("what was written to the table"),
     N_("The call was refused in the end, after steps had changed the table. All arguments of the cycle have "
        "to be asked about before its first step.")},
    {"null-not-refused", "08", "8.6", "8.1", "NULL", ASK_ARGUMENTS_FIRST},
    {"answer-not-of-the-last-reserve", "08", "8.7", "8.1 8.4", "OK true",
     N_("Between the purge and the last reserve the key was taken by somebody else, and the caller was told "
        "that it is theirs. Which call says whose it is, and where does its answer go?")},
    {0},
};
