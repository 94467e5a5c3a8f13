// Preloaded into the program under test: makes one call fail, the one numbered FAULT_AT of the kind
// FAULT_KIND ("memory", "write", "read", "file"; "stack" overflows it in a call of poll), and creates the file FAULT_MARK when it does; creates
// FAULT_LEAK if the program exits and has not freed all memory. Only calls from the program's own code
// count: curses crashes by itself for want of memory (ncurses 6.4, in newterm), and that is not ours to
// test.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void __libc_free(void *memory);

// Does the code that will be returned to belong to the program itself, rather than to a library?
static bool is_ours(const void *caller) {
    static uintptr_t first, end;
    if (end == 0) {
        const ElfW(Phdr) *const headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
        const size_t count = getauxval(AT_PHNUM);
        uintptr_t moved_by = 0; // the headers lie where PT_PHDR says, and so far from there
        for (size_t i = 0; i < count; i++)
            if (headers[i].p_type == PT_PHDR) moved_by = (uintptr_t)headers - headers[i].p_vaddr;
        first = UINTPTR_MAX;
        uintptr_t last = 0;
        for (size_t i = 0; i < count; i++) {
            if (headers[i].p_type != PT_LOAD) continue;
            const uintptr_t begins = moved_by + headers[i].p_vaddr;
            if (begins < first) first = begins;
            if (begins + headers[i].p_memsz > last) last = begins + headers[i].p_memsz;
        }
        end = last;
    }
    return (uintptr_t)caller >= first && (uintptr_t)caller < end;
}

// Creates the file that an environment variable names.
static void leave_file(const char *variable) {
    const char *name = getenv(variable);
    if (name == NULL) return;
    const long file = syscall(SYS_openat, AT_FDCWD, name, O_CREAT | O_WRONLY, 0600);
    if (file >= 0) syscall(SYS_close, file);
}

// Is this the call that is to fail?
static bool fails(const char *kind, void *caller) {
    static long calls;
    const char *wanted = getenv("FAULT_KIND"), *at = getenv("FAULT_AT");
    if (wanted == NULL || at == NULL || strcmp(wanted, kind) != 0 || !is_ours(caller)) return false;
    if (++calls != strtol(at, NULL, 10)) return false;
    leave_file("FAULT_MARK");
    return true;
}

// ---- Memory -------------------------------------------------------------------------------------

// What the program was given and has not freed. A slot of NULL was never used, one that holds the
// address of `freed` is free again.
enum { SLOTS = 1 << 20 };
static void *owned[SLOTS];
static char freed;
static atomic_flag is_busy = ATOMIC_FLAG_INIT;

// Finds the slot that holds `wanted`, looking from where `memory` would lie; NULL if there is none.
static void **slot_of(const void *memory, const void *wanted) {
    const size_t start = ((uintptr_t)memory >> 4) % SLOTS;
    for (size_t i = 0; i < SLOTS; i++) {
        void **slot = &owned[(start + i) % SLOTS];
        if (*slot == wanted) return slot;
        if (*slot == NULL) break;
    }
    return wanted == &freed ? slot_of(memory, NULL) : NULL;
}

// Slots that are free again, in front of one that was never used, are as good as never used: searches stay short.
static void forget_last_freed(size_t i) {
    while (owned[i] == &freed && owned[(i + 1) % SLOTS] == NULL) {
        owned[i] = NULL;
        i = (i + SLOTS - 1) % SLOTS;
    }
}

static void *own(void *memory, void *caller) {
    if (memory == NULL || !is_ours(caller)) return memory;
    while (atomic_flag_test_and_set(&is_busy)) continue;
    void **slot = slot_of(memory, &freed);
    if (slot != NULL) *slot = memory;
    atomic_flag_clear(&is_busy);
    return memory;
}

static void disown(const void *memory) {
    if (memory == NULL) return;
    while (atomic_flag_test_and_set(&is_busy)) continue;
    void **slot = slot_of(memory, memory);
    if (slot != NULL) *slot = &freed;
    if (slot != NULL) forget_last_freed((size_t)(slot - owned));
    atomic_flag_clear(&is_busy);
}

__attribute__((destructor)) static void look_for_leaks(void) {
    for (size_t i = 0; i < SLOTS; i++) {
        if (owned[i] != NULL && owned[i] != &freed) leave_file("FAULT_LEAK");
    }
}

void *malloc(size_t size) {
    void *caller = __builtin_return_address(0);
    if (!fails("memory", caller)) return own(__libc_malloc(size), caller);
    errno = ENOMEM;
    return NULL;
}

void *calloc(size_t count, size_t size) {
    void *caller = __builtin_return_address(0);
    if (!fails("memory", caller)) return own(__libc_calloc(count, size), caller);
    errno = ENOMEM;
    return NULL;
}

void *realloc(void *memory, size_t size) {
    void *caller = __builtin_return_address(0);
    if (fails("memory", caller)) {
        errno = ENOMEM;
        return NULL;
    }
    void *larger = __libc_realloc(memory, size);
    if (larger != NULL) disown(memory);
    return own(larger, caller);
}

void free(void *memory) {
    disown(memory);
    __libc_free(memory);
}

// ---- Files --------------------------------------------------------------------------------------

ssize_t write(int file, const void *bytes, size_t length) {
    if (!fails("write", __builtin_return_address(0)))
        return syscall(SYS_write, file, bytes, length);
    errno = ENOSPC;
    return -1;
}

ssize_t read(int file, void *bytes, size_t length) {
    if (!fails("read", __builtin_return_address(0))) return syscall(SYS_read, file, bytes, length);
    errno = EIO;
    return -1;
}

int rename(const char *from, const char *to) {
    if (!fails("file", __builtin_return_address(0)))
        return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    errno = EACCES;
    return -1;
}

int fchmod(int file, mode_t mode) {
    if (!fails("file", __builtin_return_address(0))) return (int)syscall(SYS_fchmod, file, mode);
    errno = EPERM;
    return -1;
}

int truncate(const char *path, off_t length) {
    if (!fails("file", __builtin_return_address(0)))
        return (int)syscall(SYS_truncate, path, length);
    errno = EIO;
    return -1;
}

int fsync(int file) {
    if (!fails("file", __builtin_return_address(0))) return (int)syscall(SYS_fsync, file);
    errno = EIO;
    return -1;
}

int close(int file) {
    const bool is_faulty = fails("file", __builtin_return_address(0));
    const int result = (int)syscall(SYS_close, file);
    if (!is_faulty) return result;
    errno = EIO;
    return -1;
}

int mkstemp(char *name) {
    static int (*next)(char *);
    if (next == NULL) next = (int (*)(char *))dlsym(RTLD_NEXT, "mkstemp");
    if (!fails("file", __builtin_return_address(0))) return next(name);
    errno = EROFS;
    return -1;
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (!fails("file", __builtin_return_address(0)))
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    errno = EACCES;
    return -1;
}

int mkdir(const char *path, mode_t mode) {
    if (!fails("file", __builtin_return_address(0)))
        return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    errno = EROFS;
    return -1;
}

// ---- The stack ----------------------------------------------------------------------------------

// Calls itself until the stack is full, long before `left` calls are made.
static int overflow(volatile char *before, long left) {
    volatile char room[4096];
    room[0] = before == NULL ? 1 : (char)(before[0] + 1);
    return left == 0 ? 0 : overflow(room, left - 1) + room[0];
}

int poll(struct pollfd *files, nfds_t count, int milliseconds) {
    static int (*next)(struct pollfd *, nfds_t, int);
    if (next == NULL) next = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
    if (!fails("stack", __builtin_return_address(0))) return next(files, count, milliseconds);
    return overflow(NULL, LONG_MAX);
}
