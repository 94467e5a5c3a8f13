#include "app/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// The first number in a file of the system after `key` ("" takes the first of all), or `otherwise`.
static double number_in(const char *path, const char *key, double otherwise) {
    char line[128];
    double number = otherwise;
    FILE *file = fopen(path, "r");
    if (file == NULL) return otherwise;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, strlen(key)) != 0) continue;
        char *end;
        const char *digits = line + strlen(key);
        const double read = (double)strtoull(digits, &end, 10);
        if (end != digits) number = read;
        break;
    }
    fclose(file);
    return number;
}

// Bytes that this process may take: what the machine has free, a container's limit, ulimit -v.
double available_bytes(void) {
#ifdef _SC_PHYS_PAGES
    const double physical = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
#else
    const double physical = INFINITY; // unknown
#endif
    double bytes = 1024 * number_in("/proc/meminfo", "MemAvailable:", physical / 1024);
    const double group = number_in("/sys/fs/cgroup/memory.max", "", bytes);
    if (group < bytes) bytes = group;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        (double)limit.rlim_cur < bytes) {
        bytes = (double)limit.rlim_cur;
    }
    return bytes;
}

const char *bytes_text(struct arena *arena, double bytes) {
    if (bytes < 1e9) return arena_format(arena, "%.1f MB", bytes * 1e-6);
    if (bytes < 1e12) return arena_format(arena, "%.1f GB", bytes * 1e-9);
    return arena_format(arena, "%.0f TB", bytes * 1e-12);
}

void keep_freed_memory(void) {
#ifdef __GLIBC__
    // The first setting stops glibc from adapting the second, beyond which memory always returns to the system.
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
#endif
}
