#include "tensor/file/dump_read.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "tensor/file/json_read.h"
#include "tensor/file/npy_read.h"
#include "tensor/file/zip.h"

enum { LENGTH_SIZE = 8 }; // of the header's length, in bytes

static size_t length_of(const struct reading *reading) {
    return (size_t)(reading->end - reading->start);
}

static bool is_pickle(const struct reading *reading) {
    enum { LEAST = 2, MOST = 5 }; // versions of the protocol
    return length_of(reading) >= 2 && reading->start[0] == '\x80' && reading->start[1] >= LEAST &&
           reading->start[1] <= MOST;
}

// No header has so many bytes that its length fills all eight, and no text has a NUL.
static bool is_safetensors(const struct reading *reading) {
    return length_of(reading) > LENGTH_SIZE && reading->start[LENGTH_SIZE] == '{' &&
           reading->start[LENGTH_SIZE - 1] == '\0';
}

bool has_members(const struct reading *reading) {
    return is_zip(reading) || is_safetensors(reading);
}

bool is_dump(const struct reading *reading) {
    return has_members(reading) || is_pickle(reading);
}

_Noreturn static void refuse_torch(const struct reading *reading) {
    fail_whole(reading, "written by torch.save, which only Python reads: use "
                        "safetensors.torch.save_file(tensors, \"dump.safetensors\"), or "
                        "numpy.savez(\"dump.npz\", **{name: x.detach().numpy() for name, x in "
                        "tensors.items()})");
}

static void add_member(struct dump *dump, const char *name, struct field field) {
    const size_t used = (size_t)dump->count * sizeof *dump->members;
    dump->members = arena_grow(dump->reading.arena, dump->members, used, sizeof *dump->members);
    dump->members[dump->count++] = (struct member){name, field};
}

// ---- .npz -----------------------------------------------------------------------------------------

static bool ends_in(const char *name, const char *end) {
    const size_t length = strlen(name), most = strlen(end);
    return length >= most && strcmp(name + length - most, end) == 0;
}

static void read_npz(struct dump *dump) {
    static const char END[] = ".npy";
    struct zip_member *members;
    const int count = zip_read(&dump->reading, &members);
    for (int i = 0; i < count; i++) {
        if (ends_in(members[i].name, "data.pkl")) refuse_torch(&dump->reading);
    }
    for (int i = 0; i < count; i++) {
        const char *name = members[i].name;
        if (!ends_in(name, END)) continue;
        if (!members[i].is_stored)
            fail_whole(&dump->reading, "compressed, as numpy.savez_compressed writes it: use "
                                       "numpy.savez(\"dump.npz\", **arrays)");
        name = arena_copy_bytes(dump->reading.arena, name, strlen(name) - strlen(END));
        add_member(dump, name, members[i].field);
    }
    if (dump->count == 0)
        fail_whole(&dump->reading, "a zip file without any .npy file in it: use "
                                   "numpy.savez(\"dump.npz\", **arrays)");
}

// ---- safetensors ----------------------------------------------------------------------------------

// A reading of the header, which has to lie within the file.
static struct reading take_header(struct dump *dump) {
    struct reading header = dump->reading;
    const uint64_t length = bits_at(header.start, LENGTH_SIZE, false);
    const uint64_t left = length_of(&header) - LENGTH_SIZE;
    if (length > left)
        fail_whole(&header,
                   "this safetensors file is cut: its header would have %" PRIu64
                   " bytes, but only %" PRIu64 " are there",
                   length, left);
    header.next = header.start + LENGTH_SIZE;
    header.end = header.next + length;
    dump->elements = header.end;
    return header;
}

// ---- A tensor of safetensors ----------------------------------------------------------------------

struct entry {
    const char *dtype; // "F32"
    bool has_shape, has_offsets;
    struct shape shape;
    uint64_t first, end; // of its bytes, from the start of all elements
    int64_t most;        // numbers that it may have
};

// A whole number that is not negative. One that 64 bits can't hold is the largest that they can.
static uint64_t take_whole(struct reading *json) {
    uint64_t number = 0;
    (void)json_next(json);
    const char *start = json->next;
    for (; json->next < json->end && *json->next >= '0' && *json->next <= '9'; json->next++) {
        const uint64_t digit = (uint64_t)(*json->next - '0');
        number = number <= (UINT64_MAX - digit) / 10 ? number * 10 + digit : UINT64_MAX;
    }
    if (json->next == start) fail_whole(json, "its header has no whole number where one should be");
    return number;
}

static void take_shape(struct reading *json, struct entry *entry) {
    int64_t count = 1;
    json_take(json, '[');
    while (json_item(json, ']', NULL)) {
        const uint64_t size = take_whole(json);
        if (entry->shape.ndim == MAX_DIMS)
            fail_whole(json, "more than %d dimensions, which no step has", MAX_DIMS);
        if (size == 0 && entry->most <= NUMBERS_MAX) fail_whole(json, "a tensor without elements");
        if (size > (uint64_t)(entry->most / count))
            fail_whole(json, "more than %" PRId64 " numbers, which no step has", entry->most);
        entry->shape.size[entry->shape.ndim++] = (int64_t)size;
        if (size > 0) count *= (int64_t)size;
    }
    entry->has_shape = true;
}

static void take_offsets(struct reading *json, struct entry *entry) {
    json_take(json, '[');
    entry->first = take_whole(json);
    json_take(json, ',');
    entry->end = take_whole(json);
    json_take(json, ']');
    entry->has_offsets = true;
}

// The end of a tensor's bytes, from the start of all elements; the rest of what the header says of it is skipped. A tensor
// without offsets may end anywhere: UINT64_MAX.
static uint64_t end_in(struct reading *json) {
    struct entry entry = {0};
    const char *name;
    if (json_next(json) != '{') {
        json_skip(json);
        return UINT64_MAX;
    }
    json_take(json, '{');
    while (json_item(json, '}', &name)) {
        if (strcmp(name, "data_offsets") == 0)
            take_offsets(json, &entry);
        else
            json_skip(json);
    }
    if (!entry.has_offsets) return UINT64_MAX;
    return entry.end > entry.first ? entry.end : entry.first;
}

static struct entry take_entry(struct reading *json, int64_t most) {
    struct entry entry = {.most = most};
    const char *name;
    json_take(json, '{');
    while (json_item(json, '}', &name)) {
        if (strcmp(name, "dtype") == 0 && entry.dtype == NULL)
            entry.dtype = json_string(json);
        else if (strcmp(name, "shape") == 0 && !entry.has_shape)
            take_shape(json, &entry);
        else if (strcmp(name, "data_offsets") == 0 && !entry.has_offsets)
            take_offsets(json, &entry);
        else
            fail_whole(json, "its header has an unknown entry, or one twice");
    }
    if (entry.dtype == NULL || !entry.has_shape || !entry.has_offsets)
        fail_whole(json, "its header must have dtype, shape and data_offsets");
    return entry;
}

const struct element_type *element_type(const char *name) {
    static const struct element_type types[] = {
        {"F32", "float32", BITS_FLOAT, 4}, {"F64", "float64", BITS_FLOAT, 8},
        {"F16", "float16", BITS_FLOAT, 2}, {"BF16", "bfloat16", BITS_BFLOAT, 2},
        {"I64", "int64", BITS_SIGNED, 8},  {"I32", "int32", BITS_SIGNED, 4},
        {"I16", "int16", BITS_SIGNED, 2},  {"I8", "int8", BITS_SIGNED, 1},
        {"U8", "uint8", BITS_UNSIGNED, 1}, {"BOOL", "bool", BITS_TRUTH, 1},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, name) == 0) return &types[i];
    }
    return NULL;
}

static const struct element_type *type_of(const struct reading *json, const char *name) {
    const struct element_type *type = element_type(name);
    if (type == NULL)
        fail_whole(json,
                   "numbers of the type %s: save float32 or float64 (integers, bool and half "
                   "precision can be read as well)",
                   text_cut(json->arena, text_safe(json->arena, name), 16));
    return type;
}

static const char *elements_of(const struct reading *json, const struct dump *dump,
                               const struct entry *entry, uint64_t expected) {
    const uint64_t there = (uint64_t)(dump->reading.end - dump->elements);
    if (entry->first > entry->end || entry->end > there)
        fail_whole(json,
                   "its elements would be bytes %" PRIu64 " to %" PRIu64
                   ", but the file has only %" PRIu64 " behind its header: it is cut or damaged",
                   entry->first, entry->end, there);
    if (entry->end - entry->first != expected)
        fail_whole(json, "%s of %s takes %" PRIu64 " bytes, but its offsets give it %" PRIu64,
                   shape_text(json->arena, entry->shape), entry->dtype, expected,
                   entry->end - entry->first);
    return dump->elements + entry->first;
}

static struct elements take_elements(struct reading *json, const struct dump *dump, int64_t most) {
    const struct entry entry = take_entry(json, most);
    const struct element_type *type = type_of(json, entry.dtype);
    const uint64_t count = (uint64_t)count_of(entry.shape);
    return (struct elements){type, entry.shape,
                             elements_of(json, dump, &entry, count * type->width)};
}

static struct numbers read_elements(struct reading *json, const struct dump *dump) {
    const struct elements elements = take_elements(json, dump, NUMBERS_MAX);
    const size_t count = (size_t)count_of(elements.shape), width = elements.type->width;
    struct numbers numbers = {.form = FORM_SAFETENSORS,
                              .shape = elements.shape,
                              .values = arena_array(json->arena, count, sizeof(double)),
                              .decimals = -1,
                              .dtype = elements.type->dtype};
    for (size_t i = 0; i < count; i++)
        numbers.values[i] = number_of_bits(elements.type->kind, width,
                                           bits_at(elements.bytes + i * width, width, false));
    return numbers;
}

// ---- A file ------------------------------------------------------------------------------------------

static void read_safetensors(struct dump *dump) {
    struct reading json = take_header(dump);
    const uint64_t there = (uint64_t)(dump->reading.end - dump->elements);
    uint64_t end = 0;
    const char *name;
    json_take(&json, '{');
    while (json_item(&json, '}', &name)) {
        (void)json_next(&json);
        const char *start = json.next;
        if (strcmp(name, "__metadata__") == 0) {
            json_skip(&json);
            dump->metadata = (struct field){start, start, (size_t)(json.next - start)};
            continue;
        }
        const uint64_t own_end = end_in(&json);
        if (own_end > end) end = own_end;
        add_member(dump, name, (struct field){start, start, (size_t)(json.next - start)});
    }
    if (json_next(&json) != '\0' || json.next < json.end)
        fail_whole(&json, "this safetensors file is damaged: its header goes on behind its end");
    if (dump->count == 0) fail_whole(&dump->reading, "a safetensors file without any tensor");
    if (end < there)
        fail_whole(&json,
                   "this safetensors file is damaged: %" PRIu64
                   " bytes behind its header are of no tensor",
                   there - end);
}

struct dump dump_read(const struct reading *reading) {
    struct dump dump = {.reading = *reading};
    if (is_zip(reading))
        read_npz(&dump);
    else if (is_safetensors(reading))
        read_safetensors(&dump);
    else
        refuse_torch(reading);
    return dump;
}

// Of what is said of a member; its messages name it.
static struct reading reading_of(const struct dump *dump, const struct member *member) {
    struct reading reading = dump->reading;
    reading.name = arena_format(reading.arena, "%s: %s", reading.name, member->name);
    reading.start = reading.next = member->field.bytes;
    reading.end = member->field.bytes + member->field.length;
    return reading;
}

struct elements member_elements(const struct dump *dump, const struct member *member,
                                int64_t most) {
    struct reading reading = reading_of(dump, member);
    return take_elements(&reading, dump, most);
}

struct numbers member_numbers(const struct dump *dump, const struct member *member) {
    struct reading reading = reading_of(dump, member);
    if (dump->elements != NULL) return read_elements(&reading, dump);
    if (!is_npy(&reading)) fail_whole(&reading, "not a .npy file, though its name says so");
    return read_npy(&reading);
}
