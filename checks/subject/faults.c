/*
 * faults.c - see faults.h.
 *
 * A file of this VFS is a head of ours and behind it, in the same block, the file of the system's VFS. Each method finds
 * the real file and calls the method of the same name; those that can be made to fail ask faults_strike() first.
 */
#include "subject/faults.h"

#include <sqlite3.h>
#include <string.h>

const char *const fault_names[FAULT_KINDS] = {"open", "read", "write", "sync", "lock", "delete", "cjson"};

static struct {
    enum fault_kind kind;
    int nth;
    int code;
    struct faults_met met; /* since the plan */
} plan;

struct kit_file {
    sqlite3_file base;
    sqlite3_file *real; /* right behind this head */
};

void faults_plan(enum fault_kind kind, int nth, int code)
{
    memset(&plan, 0, sizeof plan);
    plan.kind = kind;
    plan.nth = nth;
    plan.code = code;
}

bool faults_strike(enum fault_kind kind)
{
    int count = ++plan.met.seen[kind];
    if (kind != plan.kind || count != plan.nth)
        return false;
    plan.met.fired = true;
    return true;
}

struct faults_met faults_met(void)
{
    return plan.met;
}

static sqlite3_file *real_of(sqlite3_file *file)
{
    return ((struct kit_file *)(void *)file)->real;
}

/* ---- Methods of a file ------------------------------------------------------------------------------------- */

static int file_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int file_read(sqlite3_file *file, void *to, int bytes, sqlite3_int64 at)
{
    if (faults_strike(FAULT_READ))
        return plan.code;
    return real_of(file)->pMethods->xRead(real_of(file), to, bytes, at);
}

/* A page goes into the journal as three writes, of which SQLite takes the failure of any in the same way: the page itself
 * counts, its number before it and its checksum behind it do not. */
enum { PAGE_NUMBER = 4 };

static int file_write(sqlite3_file *file, const void *from, int bytes, sqlite3_int64 at)
{
    if (bytes != PAGE_NUMBER && faults_strike(FAULT_WRITE))
        return plan.code;
    return real_of(file)->pMethods->xWrite(real_of(file), from, bytes, at);
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 bytes)
{
    if (faults_strike(FAULT_WRITE))
        return plan.code;
    return real_of(file)->pMethods->xTruncate(real_of(file), bytes);
}

static int file_sync(sqlite3_file *file, int flags)
{
    if (faults_strike(FAULT_SYNC))
        return plan.code;
    return real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *bytes)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), bytes);
}

static int file_lock(sqlite3_file *file, int level)
{
    if (faults_strike(FAULT_LOCK))
        return plan.code;
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int file_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int file_check_reserved(sqlite3_file *file, int *out)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}

static int file_control(sqlite3_file *file, int op, void *arg)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), op, arg);
}

static int file_sector_size(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int file_characteristics(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int file_shm_map(sqlite3_file *file, int page, int bytes, int extend, void volatile **out)
{
    return real_of(file)->pMethods->xShmMap(real_of(file), page, bytes, extend, out);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    /* Giving a lock back never fails, and taking one can only be refused as BUSY. */
    if ((flags & SQLITE_SHM_LOCK) && faults_strike(FAULT_LOCK))
        return plan.code;
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int file_shm_unmap(sqlite3_file *file, int delete_it)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), delete_it);
}

/* Version 2: no memory-mapped reads, so that every read passes through file_read(). */
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

/* ---- Methods of the VFS: all but three are the system's own ------------------------------------------------ */

static sqlite3_vfs *system_vfs(sqlite3_vfs *vfs)
{
    return (sqlite3_vfs *)vfs->pAppData;
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
    struct kit_file *kit = (struct kit_file *)(void *)file;
    kit->base.pMethods = NULL;
    if (faults_strike(FAULT_OPEN))
        return plan.code;
    kit->real = (sqlite3_file *)(void *)(kit + 1);
    kit->real->pMethods = NULL;
    int rc = system_vfs(vfs)->xOpen(system_vfs(vfs), name, kit->real, flags, out_flags);
    if (kit->real->pMethods != NULL)
        kit->base.pMethods = &methods;
    return rc;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_folder)
{
    (void)sync_folder;
    if (faults_strike(FAULT_DELETE))
        return plan.code;
    return system_vfs(vfs)->xDelete(system_vfs(vfs), name, 0);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    return microseconds;
}

bool faults_install(void)
{
    static sqlite3_vfs kit_vfs;
    sqlite3_vfs *real = sqlite3_vfs_find(NULL);
    if (real == NULL)
        return false;
    /* The methods that are not replaced look only at their arguments and at pAppData of the unix VFS, which
     * is a pointer to its locking style: it stays reachable through system_vfs() in those that are. */
    kit_vfs = *real;
    kit_vfs.zName = "kit";
    kit_vfs.szOsFile = (int)sizeof(struct kit_file) + real->szOsFile;
    kit_vfs.pAppData = real;
    kit_vfs.xOpen = vfs_open;
    kit_vfs.xDelete = vfs_delete;
    kit_vfs.xSleep = vfs_sleep;
    kit_vfs.pNext = NULL;
    return sqlite3_vfs_register(&kit_vfs, 1) == SQLITE_OK;
}
