// libFuzzer: whatever bytes a file has, numbers_read() takes them or refuses them in one harmless line.

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
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
}

static void inspect_message(const struct failure *failure) {
    const size_t length = strlen(failure->message);
    require(failure->status == FAIL_INPUT);
    require(length > 6 && length + 1 < sizeof failure->message);
    require(utf8_is_valid(failure->message, length));
    for (size_t i = 0; i < length; i++) require((unsigned char)failure->message[i] >= 0x20);
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
    arena_free(&arena);
    return 0;
}
