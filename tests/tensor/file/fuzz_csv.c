// libFuzzer: whatever bytes a file has, csv_read() takes them or refuses them in one harmless line.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tensor/file/csv.h"

struct work {
    struct arena *arena;
    const char *bytes;
    size_t length;
};

static void read_it(void *context) {
    struct work *work = context;
    const struct tensor tensor = csv_read(work->arena, "fuzz", work->bytes, work->length);
    const int64_t count = count_of(shape_of(&tensor));
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(element_at(&tensor, i))) abort();
    }
    for (int64_t row = 0; row < tensor.shape[0]; row++) {
        const char *token = tensor.axis[0].labels[row];
        if (*token == '\0' || !utf8_is_valid(token, strlen(token))) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct failure failure = {0};
    struct arena arena = arena_new(&failure);
    struct work work = {&arena, (const char *)bytes, size};
    if (!attempt(&failure, read_it, &work)) {
        if (failure.status != FAIL_INPUT || strncmp(failure.message, "fuzz:", 5) != 0) abort();
        if (!utf8_is_valid(failure.message, strlen(failure.message))) abort();
        for (const char *byte = failure.message; *byte != '\0'; byte++) {
            if ((unsigned char)*byte < ' ' || *byte == 0x7f) abort();
        }
    }
    arena_free(&arena);
    return 0;
}
