// libFuzzer: whatever the JSON of a recording says, it is read, run and evaluated, or refused in one harmless line.

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "script/recording/recording_lesson.h"
#include "show/json.h"

struct work {
    struct arena *arena;
    struct text file;
    struct run run;
};

static void require(bool is_true) {
    if (!is_true) abort();
}

// All numbers of a tensor lie in its storage.
static void require_inside(const struct tensor *tensor) {
    int64_t last = tensor->offset;
    for (int dim = 0; dim < tensor->ndim; dim++) {
        if (tensor->shape[dim] == 0) return;
        last += (tensor->shape[dim] - 1) * tensor->stride[dim];
    }
    require(tensor->offset >= 0 && last < tensor->storage->count);
}

static const char *read_nothing(void *context, const char *path, size_t *length) {
    struct arena *arena = context;
    (void)length;
    fail(arena->failure, FAIL_INPUT, "cannot read %s: there is no file", text_safe(arena, path));
}

static void run_recording(void *context) {
    struct work *work = context;
    static const struct parameters none;
    const struct reading reading =
        reading_new(work->arena, "fuzz", work->file.bytes, work->file.length);
    const struct recording recording =
        recording_read(&reading, &(struct beside){read_nothing, work->arena, NULL});
    const struct lesson *lesson = recording_lesson_new(work->arena, "fuzz.onestep", &recording);
    run_lesson(&work->run, work->arena, lesson, &none);
    for (int i = 0; i < work->run.step_count; i++) {
        const struct step *step = &work->run.steps[i];
        (void)recorded_result(&work->run, i);
        require(step->tensor.storage->origin != NULL);
        require_inside(&step->tensor);
        require(step->within == 0 ||
                (step->within > i + 1 && step->within <= work->run.step_count));
    }
}

// Three tensors, "a" of floats (2, 3), "b" of floats (3, 2), "i" of two integers, and the JSON in the header.
static struct text file_with(struct arena *arena, const char *bytes, size_t length) {
    static const char elements[64] = {[3] = 0x3f, [7] = 0x40, [11] = 0x41, [30] = 0x40, [48] = 1};
    struct text header = text_new(arena), file = text_new(arena);
    struct json json = json_new(&header);
    json_open_object(&json, NULL);
    json_open_object(&json, "__metadata__");
    json_add_string(&json, "format", "onestep recording 1");
    json_add_string(&json, "recording", text_safe_bytes(arena, bytes, length));
    json_close(&json);
    text_add(&header,
             ", \"a\": {\"dtype\": \"F32\", \"shape\": [2, 3], \"data_offsets\": [0, 24]}, "
             "\"b\": {\"dtype\": \"F32\", \"shape\": [3, 2], \"data_offsets\": [24, 48]}, "
             "\"i\": {\"dtype\": \"I64\", \"shape\": [2], \"data_offsets\": [48, 64]}}");
    for (int i = 0; i < 8; i++)
        text_add_bytes(&file, &(const char){(char)(header.length >> 8 * i & 0xFF)}, 1);
    text_add_bytes(&file, header.bytes, header.length);
    text_add_bytes(&file, elements, sizeof elements);
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length) {
    struct failure failure = {0};
    struct arena arena = arena_new(&failure);
    struct work work = {.arena = &arena};
    work.file = file_with(&arena, (const char *)data, length);
    arena.limit = arena.used + ((size_t)256 << 20);
    if (!attempt(&failure, run_recording, &work)) {
        require(failure.message[0] != '\0' && strchr(failure.message, '\n') == NULL);
        require(utf8_is_valid(failure.message, strlen(failure.message)));
    }
    arena_free(&arena);
    return 0;
}
