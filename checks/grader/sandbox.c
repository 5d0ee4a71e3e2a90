#include "grader/sandbox.h"

#include "base/language.h"
#include "grader/util.h"
#include "judge/command.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Who judges when root grades, where the machine has no user `nobody`. The limit of processes is counted
 * inside each sandbox, so that several may share one uid.
 */
enum { OVERFLOW_UID = 65534 };

/*
 * The size of the bounded file system and how many files it may hold: compiled programs, databases,
 * journals.
 */
#define TEMP_OPTIONS "size=128m,nr_inodes=8192"
/* The same for what an archive may unpack to. */
#define UNPACK_OPTIONS "size=16m,nr_inodes=2048"
/* Of /tmp and /dev/shm inside, in bytes. Compilers keep their assembler text in /tmp. */
#define TMP_BYTES "67108864"
#define SHM_BYTES "8388608"

static char *failed(const char *doing)
{
    return text_format("%s: %s", doing, strerror(errno));
}

/* ---- What is needed ------------------------------------------------------------------------------------ */

/* True when the folder `path` is `top` or lies below it. */
static bool lies_below(const char *path, const char *top)
{
    const size_t length = strlen(top);

    return strncmp(path, top, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

/*
 * The bounded file system covers /dev/shm in the eyes of the supervisor and the judge: a folder that every
 * system has, that any user may enter, and in which nothing lies that they need; unless the kit does, then
 * it is /tmp.
 */
static const char *choose_temp(const char *kit)
{
    return access("/dev/shm", X_OK) == 0 && !lies_below(kit, "/dev/shm") ? "/dev/shm" : "/tmp";
}

bool sandbox_find(struct sandbox *sandbox, const char *kit, const char *const hidden[], bool unsandboxed,
                  char **why)
{
    *sandbox = (struct sandbox){.uid = geteuid(), .gid = getegid(), .temp = choose_temp(kit)};
    if (sandbox->uid == 0) {
        sandbox->uid = OVERFLOW_UID;
        sandbox->gid = OVERFLOW_UID;
    }
    sandbox->bsdtar = command_find("bsdtar");
    if (unsandboxed)
        return true;
    for (size_t i = 0; hidden[i] != NULL; i++)
        if (lies_below(hidden[i], "/usr")) {
            *why = text_format(_("%s lies under /usr, which every submission can read; move it elsewhere."),
                               hidden[i]);
            return false;
        }
    sandbox->bwrap = command_find("bwrap");
    if (sandbox->bwrap == NULL) {
        *why = text_format(_("There is no bwrap: install bubblewrap, or grade with --no-sandbox, which runs "
                             "submissions with all rights of your user."));
        return false;
    }
    sandbox->confined = text_format("%s/build/confined", kit);
    if (access(sandbox->confined, R_OK) != 0) {
        *why = text_format(_("%s is missing: `make` builds it."), sandbox->confined);
        return false;
    }
    return true;
}

void sandbox_clear(struct sandbox *sandbox)
{
    free(sandbox->bwrap);
    free(sandbox->confined);
    free(sandbox->bsdtar);
    free(sandbox->folder);
    *sandbox = (struct sandbox){0};
}

/* ---- The supervisor's step ----------------------------------------------------------------------------- */

static bool write_proc(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const bool ok = fd >= 0 && write_all(fd, text, strlen(text));

    if (fd >= 0)
        close(fd);
    return ok;
}

/* An own mount namespace. Who is not root needs a user namespace around it, in which he stays who he is. */
static bool own_mounts(void)
{
    if (geteuid() == 0)
        return unshare(CLONE_NEWNS) == 0;
    char *uid = text_format("%u %u 1", geteuid(), geteuid());
    char *gid = text_format("%u %u 1", getegid(), getegid());
    const bool ok = unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_proc("/proc/self/uid_map", uid) &&
                    write_proc("/proc/self/setgroups", "deny") && write_proc("/proc/self/gid_map", gid);
    free(uid);
    free(gid);
    return ok;
}

static bool mount_memory(const struct sandbox *sandbox, const char *folder, const char *bounds)
{
    char *options = text_format("%s,mode=0700,uid=%u,gid=%u", bounds, sandbox->uid, sandbox->gid);
    const bool ok = mount("lab", folder, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;

    free(options);
    return ok;
}

char *sandbox_unpack_folder(const struct sandbox *sandbox)
{
    return text_format("%s/unpack", sandbox->folder);
}

/*
 * The helper, where an unprivileged user can reach it: the kit may lie in a home folder that nobody else
 * may enter.
 */
static bool copy_confined(const struct sandbox *sandbox)
{
    size_t length = 0;
    char *program = read_file(sandbox->confined, 64 * 1024 * 1024, &length);
    char *path = text_format("%s/confined", sandbox->temp);
    const bool ok = program != NULL && write_new_file(path, program, length, 0555);

    free(program);
    free(path);
    return ok;
}

/*
 * The bounded file system, with a second one in it for archives: what is unpacked must not fill the
 * judge's.
 */
static bool enter_bounded(struct sandbox *sandbox, char **why)
{
    if (!own_mounts() || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        *why = failed("No mount namespace can be made for a submission");
        return false;
    }
    if (!mount_memory(sandbox, sandbox->temp, TEMP_OPTIONS)) {
        *why = failed("No memory file system can be mounted for a submission");
        return false;
    }
    sandbox->folder = need(strdup(sandbox->temp));
    char *unpack = sandbox_unpack_folder(sandbox);
    const bool ok =
        mkdir(unpack, 0700) == 0 && mount_memory(sandbox, unpack, UNPACK_OPTIONS) && copy_confined(sandbox);
    if (!ok)
        *why = failed("The memory file system of a submission cannot be filled");
    free(unpack);
    return ok;
}

/* Without a sandbox: a folder of its own, on memory where there is one, without a bound. */
static bool enter_plain(struct sandbox *sandbox, char **why)
{
    sandbox->folder = text_format("%s/lab-grade-XXXXXX", sandbox->temp);
    bool ok = mkdtemp(sandbox->folder) != NULL;

    if (ok) {
        char *unpack = sandbox_unpack_folder(sandbox);
        ok = mkdir(unpack, 0700) == 0;
        if (ok && geteuid() == 0) /* both are empty folders that root has made just now */
            ok = chown(unpack, sandbox->uid, sandbox->gid) == 0 &&
                 chown(sandbox->folder, sandbox->uid, sandbox->gid) == 0;
        free(unpack);
    }
    if (!ok)
        *why = failed("No folder can be made for a submission");
    return ok;
}

bool sandbox_enter(struct sandbox *sandbox, char **why)
{
    return sandbox->bwrap != NULL ? enter_bounded(sandbox, why) : enter_plain(sandbox, why);
}

void sandbox_leave(struct sandbox *sandbox)
{
    if (sandbox->bwrap != NULL || sandbox->folder == NULL)
        return; /* goes with the mount namespace */
    const int fd = open_folder(AT_FDCWD, sandbox->folder);
    if (fd >= 0)
        remove_inside(fd, 64);
    rmdir(sandbox->folder);
}

/* ---- The judge's step ---------------------------------------------------------------------------------- */

/* Keeps one capability, or none (-1). The library for this is larger than its one call. */
static bool keep_capability(int which)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}, {0}};

    if (which >= 0) {
        data[which / 32].permitted = 1U << (which % 32);
        data[which / 32].effective = 1U << (which % 32);
    }
    return syscall(SYS_capset, &header, data) == 0;
}

static bool become_unprivileged(const struct sandbox *sandbox)
{
    return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 && setgroups(0, NULL) == 0 &&
           setresgid(sandbox->gid, sandbox->gid, sandbox->gid) == 0 &&
           setresuid(sandbox->uid, sandbox->uid, sandbox->uid) == 0;
}

bool sandbox_drop(const struct sandbox *sandbox, const char *kit, char **why)
{
    const bool was_root = geteuid() == 0;
    bool ok = !was_root || become_unprivileged(sandbox);

    /*
     * A kit in root's home folder: then the judge may still read any file, and nothing more. It is asked
     * after the uid has changed, since root would be told yes. No program that the judge starts inherits
     * it.
     */
    const struct rlimit file_size = {64U << 20, 64U << 20}, core = {0, 0};
    if (sandbox->bwrap == NULL) /* else confined.c has closer limits */
        ok = ok && setrlimit(RLIMIT_FSIZE, &file_size) == 0 && setrlimit(RLIMIT_CORE, &core) == 0;
    const bool must_read = ok && was_root && eaccess(kit, R_OK | X_OK) != 0;
    ok = ok && keep_capability(must_read ? CAP_DAC_READ_SEARCH : -1);
    if (!ok)
        *why = failed("The rights of the grader cannot be laid down");
    return ok;
}

/* ---- The command --------------------------------------------------------------------------------------- */

static void add_all(struct words *words, const char *const list[])
{
    for (size_t i = 0; list[i] != NULL; i++)
        words_add(words, list[i]);
}

static void add3(struct words *words, const char *option, const char *from, const char *to)
{
    add_all(words, (const char *const[]){option, from, to, NULL});
}

/* /bin, /lib and the like: links into /usr, or folders of their own on a system that has not merged them. */
static void add_system_folders(struct words *words)
{
    static const char *const folders[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

    add3(words, "--ro-bind", "/usr", "/usr");
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char target[256];
        const ssize_t length = readlink(folders[i], target, sizeof target - 1);
        if (length > 0) {
            target[length] = '\0';
            add3(words, "--symlink", target, folders[i]);
        } else if (access(folders[i], X_OK) == 0) {
            add3(words, "--ro-bind", folders[i], folders[i]);
        }
    }
    /* Where `cc` leads on Debian, and where libraries are found that do not lie in the usual folders. */
    add3(words, "--ro-bind-try", "/etc/alternatives", "/etc/alternatives");
    add3(words, "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache");
}

static void add_world(struct words *words, const char *folder, enum sandbox_use use)
{
    static const char *const namespaces[] = {"--unshare-all",
                                             "--unshare-user",
                                             "--disable-userns",
                                             "--die-with-parent",
                                             "--new-session",
                                             "--uid",
                                             "1000",
                                             "--gid",
                                             "1000",
                                             "--hostname",
                                             "sandbox",
                                             "--clearenv",
                                             "--setenv",
                                             "PATH",
                                             "/usr/bin:/bin",
                                             NULL};

    add_all(words, namespaces);
    if (use == SANDBOX_UNPACK) /* so that bsdtar takes names as UTF-8, which is what archives say they are */
        add3(words, "--setenv", "LC_ALL", "C.UTF-8");
    add_system_folders(words);
    add_all(words, (const char *const[]){"--proc", "/proc", "--dev", "/dev", NULL});
    /*
     * bubblewrap's own /dev and / are memory file systems without a bound, so they are closed once they are
     * filled.
     */
    add_all(words, (const char *const[]){"--size", SHM_BYTES, "--tmpfs", "/dev/shm", NULL});
    add_all(words, (const char *const[]){"--remount-ro", "/dev", NULL});
    if (use != SANDBOX_UNPACK)
        add_all(words, (const char *const[]){"--size", TMP_BYTES, "--tmpfs", "/tmp", NULL});
    add3(words, "--bind", folder, "/w");
    add_all(words, (const char *const[]){"--chdir", "/w", NULL});
}

char **sandbox_command(const struct sandbox *sandbox, const char *folder, enum sandbox_use use,
                       const char *const command[])
{
    static const char *const kinds[] = {
        [SANDBOX_COMPILE] = "compile", [SANDBOX_RUN] = "run", [SANDBOX_UNPACK] = "unpack"};
    struct words words = {NULL, 0};

    if (sandbox->bwrap != NULL) {
        char *confined = text_format("%s/confined", sandbox->temp);
        words_add(&words, sandbox->bwrap);
        add_world(&words, folder, use);
        add3(&words, "--ro-bind", confined, "/confined");
        add_all(&words, (const char *const[]){"--remount-ro", "/", "--", "/confined", kinds[use], NULL});
        free(confined);
    }
    add_all(&words, command);
    return words.word;
}

char **sandbox_confine(const void *sandbox, const char *folder, bool compiling, char *const command[])
{
    return sandbox_command(sandbox, folder, compiling ? SANDBOX_COMPILE : SANDBOX_RUN,
                           (const char *const *)command);
}
