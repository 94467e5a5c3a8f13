#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mremap on Linux
#endif
#include "tensor/file/widened.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

// ---- Making numbers ---------------------------------------------------------------------------------

// The numbers of a storage are put where `data` is. A bfloat16 is the upper half of a float.
static void make_numbers(struct storage *storage, const struct element_type *type,
                         const char *bytes) {
    const size_t width = type->width;
    const bool is_half = type->kind == BITS_BFLOAT && storage->dtype == FLOAT32;
    for (int64_t i = 0; i < storage->count; i++, bytes += width) {
        const uint64_t bits = bits_at(bytes, width, false);
        if (is_half)
            memcpy((float *)storage->data + i, &(uint32_t){(uint32_t)bits << 16}, sizeof(float));
        else
            put_number(storage, i, number_of_bits(type->kind, width, bits));
    }
}

static void *made_at_once(struct arena *arena, const struct storage *storage,
                          struct elements elements) {
    struct storage numbers = *storage;
    numbers.data = arena_array(arena, (size_t)storage->count, bytes_of_number(storage->dtype));
    make_numbers(&numbers, elements.type, elements.bytes);
    return numbers.data;
}

static void (*restore)(void);

void when_memory_is_foreign(void (*restore_terminal)(void)) {
    restore = restore_terminal;
}

#ifndef __linux__
void *widened(struct arena *arena, const struct storage *storage, struct elements elements) {
    return made_at_once(arena, storage, elements);
}
#else

// ---- Pieces -----------------------------------------------------------------------------------------

// A tensor whose numbers are made piece by piece.
struct region {
    struct region *next;
    struct arena *arena; // that frees it
    struct storage numbers;
    struct elements elements;
    char *start;
    size_t bytes; // whole pieces
};

static struct region *regions;
static char *kept[MOST_PIECES]; // the pieces that are there, NULL: none
static int oldest;
static atomic_flag is_taken = ATOMIC_FLAG_INIT; // by whoever makes a piece

static void take(void) {
    while (atomic_flag_test_and_set(&is_taken)) sched_yield();
}

static void give_back(void) {
    atomic_flag_clear(&is_taken);
}

static char *map(char *at, size_t bytes, int protection) {
    const int fixed = at != NULL ? MAP_FIXED : 0;
    void *start =
        mmap(at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

static bool is_kept(const char *piece) {
    for (int i = 0; i < MOST_PIECES; i++)
        if (kept[i] == piece) return true;
    return false;
}

// Makes it elsewhere and moves it here as a whole: another thread never reads half of it.
static bool make_piece(const struct region *region, char *piece) {
    const size_t width = bytes_of_number(region->numbers.dtype);
    const int64_t first = (int64_t)((size_t)(piece - region->start) / width);
    const int64_t most = (int64_t)(BYTES_OF_PIECE / width), left = region->numbers.count - first;
    struct storage numbers = region->numbers;
    numbers.data = map(NULL, BYTES_OF_PIECE, PROT_READ | PROT_WRITE);
    numbers.count = left < most ? left : most;
    if (numbers.data == NULL) return false;
    make_numbers(&numbers, region->elements.type,
                 region->elements.bytes + (size_t)first * region->elements.type->width);
    if (mprotect(numbers.data, BYTES_OF_PIECE, PROT_READ) != 0 ||
        mremap(numbers.data, BYTES_OF_PIECE, BYTES_OF_PIECE, MREMAP_MAYMOVE | MREMAP_FIXED,
               piece) == MAP_FAILED)
        return false;
    if (kept[oldest] != NULL && map(kept[oldest], BYTES_OF_PIECE, PROT_NONE) == NULL) return false;
    kept[oldest] = piece;
    oldest = (oldest + 1) % MOST_PIECES;
    return true;
}

static bool bring(const char *address) {
    const struct region *region = regions;
    while (region != NULL && !(address >= region->start && address < region->start + region->bytes))
        region = region->next;
    if (region == NULL) return false;
    char *piece =
        region->start + (size_t)(address - region->start) / BYTES_OF_PIECE * BYTES_OF_PIECE;
    return is_kept(piece) || make_piece(region, piece);
}

static void fault(int number, siginfo_t *info, void *context) {
    (void)context;
    take();
    const bool is_there = bring(info->si_addr);
    give_back();
    if (is_there) return;
    signal(number, SIG_DFL); // the same address is read again, and ends the program
    if (restore != NULL) restore();
}

static void watch_faults(void) {
    struct sigaction before, own = {.sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&own.sa_mask);
    if (sigaction(SIGSEGV, NULL, &before) == 0 && before.sa_sigaction != fault)
        sigaction(SIGSEGV, &own, NULL);
}

// ---- Regions ----------------------------------------------------------------------------------------

static void release(struct arena *arena) {
    take();
    struct region **at = &regions;
    while ((*at)->arena != arena) at = &(*at)->next;
    struct region *region = *at;
    *at = region->next;
    for (int i = 0; i < MOST_PIECES; i++)
        if (kept[i] >= region->start && kept[i] < region->start + region->bytes) kept[i] = NULL;
    munmap(region->start, region->bytes);
    give_back();
}

void *widened(struct arena *arena, const struct storage *storage, struct elements elements) {
    const size_t bytes = (size_t)storage->count * bytes_of_number(storage->dtype);
    if (bytes < BYTES_OF_PIECE) return made_at_once(arena, storage, elements);
    struct region *region = arena_allocate(arena, sizeof *region);
    struct arena *owner = arena_child(arena);
    region->numbers = *storage;
    region->elements = elements;
    region->bytes = (bytes + BYTES_OF_PIECE - 1) / BYTES_OF_PIECE * BYTES_OF_PIECE;
    region->start = map(NULL, region->bytes, PROT_NONE);
    if (region->start == NULL) fail(arena->failure, FAIL_RUNTIME, "out of memory");
    region->arena = owner;
    owner->release = release;
    take();
    region->next = regions;
    regions = region;
    give_back();
    watch_faults();
    return region->start;
}
#endif
