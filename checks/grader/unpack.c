/*
 * The archive lies as `archive` in a memory file system of its own (sandbox.c), which bounds what it may
 * unpack to, and bsdtar sees nothing else. bsdtar refuses absolute names and names with `..`, and writes
 * through no link that came out of the archive. What lies there afterwards is searched like a folder of the
 * class: links are not followed.
 */
#include "grader/unpack.h"

#include "base/json.h"
#include "base/language.h"
#include "judge/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

enum { SAID_MAX = 4096, SAID_SHOWN = 300 };

/* Runs bsdtar; NULL when it unpacked everything, else what it printed, as far as it is shown. */
static char *run_bsdtar(const struct sandbox *sandbox, const char *folder)
{
    const char *const bare[] = {sandbox->bsdtar,   "-x", "-f", "archive", "-C", "files",
                                "--no-same-owner", NULL};
    struct words command = {.word = sandbox_command(sandbox, folder, SANDBOX_UNPACK, bare)};
    struct command_result ran = command_run(command.word, folder, UNPACK_LIMIT_MS, SAID_MAX);
    char *said = NULL;

    if (ran.exit_status != 0 || ran.late) {
        const char *text = ran.late ? "it takes too long" : need(ran.output);
        if (text[0] == '\0') /* ended by a limit before it could say so */
            text = "it is too large";
        said = need(text_plain(text, strcspn(text, "\n"), SAID_SHOWN));
    }
    while (command.word[command.count] != NULL)
        command.count++;
    words_clear(&command);
    command_clear(&ran);
    return said;
}

bool unpack(const struct sandbox *sandbox, const char *meant, struct input *input, char **why)
{
    char *folder = sandbox_unpack_folder(sandbox);
    char *archive = text_format("%s/archive", folder), *files = text_format("%s/files", folder);
    char *said = NULL;

    *why = NULL;
    if (sandbox->bsdtar == NULL) {
        *why = text_format(_("There is no bsdtar to unpack archives with: install libarchive-tools."));
    } else if (!write_new_file(archive, input->bytes, input->length, 0400) || mkdir(files, 0700) != 0) {
        *why = text_format(_("The archive cannot be laid out to be unpacked: %s."), strerror(errno));
    } else if ((said = run_bsdtar(sandbox, folder)) != NULL) {
        input_refuse(input,
                     text_format(_("%s cannot be unpacked: %s (at most 16 MB in 2000 files, within %d s)."),
                                 input->file, said, UNPACK_LIMIT_MS / 1000));
    } else {
        struct input inside;
        input_find_unpacked(open_folder(AT_FDCWD, files), input->file, meant, &inside);
        if (inside.file == NULL)
            inside.file = need(strdup(input->file));
        input_clear(input);
        *input = inside;
    }
    free(said);
    free(files);
    free(archive);
    free(folder);
    return *why == NULL;
}
