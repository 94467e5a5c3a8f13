// Files with several tensors: what is read of those in ../../corpus/numbers, which PyTorch, NumPy and tests of safetensors
// wrote, and that no damage to a file does more than refuse it in one line.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fixture.h"
#include "tensor/file/dump_read.h"

#include <check.h> // last: defines a macro fail

#include "expect.h"

struct content {
    char *bytes;
    size_t length;
};

static struct content content_of(const char *name) {
    FILE *file = fopen(arena_format(&arena, TEST_DATA "/../corpus/numbers/%s", name), "rb");
    struct content content = {.bytes = arena_allocate(&arena, 1 << 16)};
    ck_assert_ptr_nonnull(file);
    content.length = fread(content.bytes, 1, 1 << 16, file);
    fclose(file);
    return content;
}

struct attempted {
    struct reading reading;
    const char *member; // NULL: the names alone
    struct dump dump;
    struct numbers numbers;
};

static void read_it(void *context) {
    struct attempted *work = context;
    work->dump = dump_read(&work->reading);
    for (int i = 0; i < work->dump.count; i++) {
        if (work->member != NULL && strcmp(work->dump.members[i].name, work->member) == 0)
            work->numbers = member_numbers(&work->dump, &work->dump.members[i]);
    }
}

static struct numbers member_of(const char *file, const char *name) {
    const struct content content = content_of(file);
    struct attempted work = {.reading = reading_new(&arena, "file", content.bytes, content.length),
                             .member = name};
    ck_assert(is_dump(&work.reading));
    expect(attempt(&failure, read_it, &work), "%s: %s", file, failure.message);
    expect(work.numbers.values != NULL, "%s has no %s", file, name);
    return work.numbers;
}

static void holds(const char *file, const char *name, const char *dtype, struct shape shape,
                  const double *values) {
    const struct numbers numbers = member_of(file, name);
    ck_assert_str_eq(numbers.dtype, dtype);
    expect(shapes_equal(numbers.shape, shape), "%s", shape_text(&arena, numbers.shape));
    ck_assert_ptr_null(numbers.half_units);
    for (int64_t i = 0; i < count_of(shape); i++)
        expect(numbers.values[i] == values[i], "%s: %.9g", name, numbers.values[i]);
}

static const double scores[] = {0.43f, 0.15f, 0.55f, 0.87f};
static const double ids[] = {1, 2, 3};

START_TEST(all_types_of_safetensors_are_read) {
    holds("safetensors", "scores", "float32", SHAPE(2, 2), scores);
    holds("safetensors", "half", "float16", SHAPE(2), (const double[]){0.5, 0.25});
    holds("safetensors", "brain", "bfloat16", SHAPE(1, 2), (const double[]){1, -0.5});
    holds("safetensors", "loss", "float64", NO_DIMS, (const double[]){1.5});
    holds("safetensors", "ids", "int64", SHAPE(1), (const double[]){-7});
    holds("safetensors", "mask", "bool", SHAPE(2), (const double[]){1, 0});
}
END_TEST

START_TEST(arrays_of_savez_are_read) {
    holds("npz", "scores", "float32", SHAPE(2, 2), scores);
    holds("npz", "ids", "int64", SHAPE(3), ids);
    holds("npz", "mask", "bool", NO_DIMS, (const double[]){1});
}
END_TEST

static void refused(struct content content, const char *words) {
    struct attempted work = {.reading = reading_new(&arena, "file", content.bytes, content.length),
                             .member = "scores"};
    const bool is_read = is_dump(&work.reading) && attempt(&failure, read_it, &work);
    expect(!is_read, "read, and not refused with %s", words);
    expect(strstr(failure.message, words) != NULL, "%s, not %s", failure.message, words);
}

START_TEST(what_only_python_reads_is_refused) {
    refused(content_of("compressed"), "numpy.savez(\"dump.npz\", **arrays)");
    refused(content_of("torch_zip"), "safetensors.torch.save_file");
    refused(content_of("torch_pickle"), "safetensors.torch.save_file");
}
END_TEST

static struct content safetensors(const char *header, const char *elements, size_t length) {
    struct text text = text_new(&arena);
    const char size[8] = {(char)(strlen(header) & 0xFF), (char)(strlen(header) >> 8)};
    text_add_bytes(&text, size, 8);
    text_add(&text, header);
    text_add_bytes(&text, elements, length);
    return (struct content){text.bytes, text.length};
}

#define ENTRY(dtype, shape, offsets)                                                               \
    "{\"scores\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

START_TEST(headers_that_promise_too_much_are_refused) {
    static const struct {
        const char *header, *words;
    } cases[] = {
        {ENTRY("F32", "[1]", "[0,8]"), "cut or damaged"},
        {ENTRY("F32", "[1]", "[4,0]"), "cut or damaged"},
        {ENTRY("F32", "[1]", "[18446744073709551615,3]"), "cut or damaged"},
        {ENTRY("F32", "[1]", "[6442450944,6442450948]"), "6442450944"},
        {ENTRY("F32", "[2]", "[0,4]"), "takes 8 bytes, but its offsets give it 4"},
        {ENTRY("F32", "[4294967296,4294967296]", "[0,4]"), "more than 1048576 numbers"},
        {ENTRY("F32", "[0]", "[0,4]"), "without elements"},
        {ENTRY("F32", "[1,1,1,1,1,1,1]", "[0,4]"), "more than 6 dimensions"},
        {ENTRY("C64", "[1]", "[0,4]"), "numbers of the type C64"},
        {ENTRY("F32", "[-1]", "[0,4]"), "no whole number"},
        {"{\"scores\":{\"dtype\":\"F32\"}}", "must have dtype, shape and data_offsets"},
        {"{\"scores\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", "unknown entry, or one twice"},
        {"{}", "without any tensor"},
        {ENTRY("F32", "[1]", "[0,4]") "{}", "its header goes on behind its end"},
        {ENTRY("F32", "[1]", "[0,4]") "  x", "its header goes on behind its end"},
        {ENTRY("F16", "[1]", "[0,2]"), "2 bytes behind its header are of no tensor"},
        {ENTRY("F32\\u0000", "[1]", "[0,4]"), "holds a NUL"},
        {"{\"scores\\u0000x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
         "holds a NUL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(safetensors(cases[i].header, "\0\0\0\0", 4), cases[i].words);
}
END_TEST

// The offset of a mark in a file, not before `from`.
static size_t place_of(struct content content, const char *mark, size_t from) {
    for (size_t i = from; i + 4 <= content.length; i++) {
        if (memcmp(content.bytes + i, mark, 4) == 0) return i;
    }
    ck_abort_msg("no mark in the file");
}

// A zip file of NumPy's with one byte of its first member, or of the member's list entry, changed.
START_TEST(zip_files_that_are_not_as_written_are_refused) {
    const size_t entry = place_of(content_of("npz"), "PK\x01\x02", 0);
    const size_t name = entry + 46, element = place_of(content_of("npz"), "PK\x03\x04", 4) - 1;
    const struct {
        size_t place;
        char byte;
        const char *words;
    } cases[] = {
        {entry + 16, '\0', "do not have the CRC"},
        {element, '\x55', "do not have the CRC"},
        {entry + 8, '\x01', "encrypted"},
        {name + 1, '\0', "holds a NUL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct content content = content_of("npz");
        expect(content.bytes[cases[i].place] != cases[i].byte, "case %zu changes nothing", i);
        content.bytes[cases[i].place] = cases[i].byte;
        refused(content, cases[i].words);
    }
}
END_TEST

// Reads from memory that ends with the last byte, so that a sanitizer sees a step beyond.
static void read_damaged(const char *bytes, size_t length) {
    char *exact = malloc(length > 0 ? length : 1);
    ck_assert_ptr_nonnull(exact);
    memcpy(exact, bytes, length);
    struct attempted work = {.reading = reading_new(&arena, "file", exact, length),
                             .member = "scores"};
    const bool is_one = is_dump(&work.reading);
    if (is_one && !attempt(&failure, read_it, &work)) {
        ck_assert_int_eq(failure.status, FAIL_INPUT);
        ck_assert(strncmp(failure.message, "file", 4) == 0);
        ck_assert_ptr_null(strchr(failure.message, '\n'));
    }
    free(exact);
}

START_TEST(damage_of_any_byte_is_survived) {
    static const char *const files[] = {"npz", "safetensors", "compressed", "torch_zip"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        const struct content content = content_of(files[f]);
        for (size_t i = 0; i < content.length; i++) {
            static const char others[] = {0, '\xff', '[', '"', '9'};
            const char byte = content.bytes[i];
            for (size_t k = 0; k < sizeof others; k++) {
                content.bytes[i] = others[k];
                read_damaged(content.bytes, content.length);
            }
            content.bytes[i] = byte;
            read_damaged(content.bytes, i);
        }
    }
}
END_TEST

Suite *dump_suite(void) {
    Suite *suite = suite_create("dump");
    TCase *cases = add_case(suite, "dumps", set_up_arena, tear_down_arena);
    tcase_add_test(cases, all_types_of_safetensors_are_read);
    tcase_add_test(cases, arrays_of_savez_are_read);
    tcase_add_test(cases, what_only_python_reads_is_refused);
    tcase_add_test(cases, headers_that_promise_too_much_are_refused);
    tcase_add_test(cases, zip_files_that_are_not_as_written_are_refused);
    tcase_add_test(cases, damage_of_any_byte_is_survived);
    return suite;
}
