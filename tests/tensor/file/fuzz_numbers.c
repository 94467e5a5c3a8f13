// libFuzzer: whatever bytes a file has, numbers_read() and dump_read() take them or refuse them in one harmless line.

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tensor/file/dump_read.h"
#include "tensor/file/numbers_read.h"

struct work {
    struct arena *arena;
    const char *bytes;
    size_t length;
    struct numbers numbers;
};

static void read_them(void *context) {
    struct work *work = context;
    work->numbers = numbers_read(work->arena, "fuzz", work->bytes, work->length);
}

static void require(bool is_true) {
    if (!is_true) abort();
}

static void inspect(const struct numbers *numbers) {
    const int64_t count = count_of(numbers->shape);
    require(numbers->shape.ndim <= MAX_DIMS && count >= 1 && count <= NUMBERS_MAX);
    require((numbers->half_units != NULL) == (numbers->decimals >= 0));
    for (int64_t i = 0; i < count; i++) {
        if (numbers->half_units != NULL) require(numbers->half_units[i] >= 0);
    }
    if (numbers->behind != NULL) require(numbers->behind->shape.ndim == 0);
}

static void inspect_message(const struct failure *failure) {
    const size_t length = strlen(failure->message);
    require(failure->status == FAIL_INPUT);
    require(length > 6 && length + 1 < sizeof failure->message);
    require(utf8_is_valid(failure->message, length));
    for (size_t i = 0; i < length; i++) require((unsigned char)failure->message[i] >= 0x20);
}

struct dumped {
    struct reading reading;
    struct dump dump;
    int member;
    struct numbers numbers;
};

static void read_dump(void *context) {
    struct dumped *work = context;
    work->dump = dump_read(&work->reading);
}

static void read_member(void *context) {
    struct dumped *work = context;
    work->numbers = member_numbers(&work->dump, &work->dump.members[work->member]);
}

// All tensors of a file with several.
static void inspect_dump(struct arena *arena, const char *bytes, size_t length) {
    struct dumped work = {.reading = reading_new(arena, "fuzz", bytes, length)};
    if (!is_dump(&work.reading)) return;
    if (!attempt(arena->failure, read_dump, &work)) inspect_message(arena->failure);
    for (; work.member < work.dump.count; work.member++) {
        if (attempt(arena->failure, read_member, &work))
            inspect(&work.numbers);
        else
            inspect_message(arena->failure);
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t length) {
    struct failure failure = {0};
    struct arena arena = arena_new(&failure);
    struct work work = {.arena = &arena, .bytes = (const char *)bytes, .length = length};
    if (attempt(&failure, read_them, &work))
        inspect(&work.numbers);
    else
        inspect_message(&failure);
    inspect_dump(&arena, work.bytes, length);
    arena_free(&arena);
    return 0;
}
