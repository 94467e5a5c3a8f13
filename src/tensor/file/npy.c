#include "tensor/file/npy.h"

#include <math.h>
#include <string.h>

enum {
    PREAMBLE = 10, // magic, version and the header's length
    ALIGNMENT = 64,
};

static const char *descriptions[] = {[FLOAT32] = "<f4", [BOOL] = "|b1", [INT64] = "<i8"};

// The dictionary, padded so that the elements begin at a multiple of ALIGNMENT bytes.
static void add_header(struct text *text, const struct tensor *tensor) {
    struct text header = text_new(text->arena);
    text_add_format(&header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                    descriptions[tensor->storage->dtype],
                    shape_text(text->arena, shape_of(tensor)));
    const size_t unpadded = PREAMBLE + header.length + 1;
    const size_t over = unpadded % ALIGNMENT;
    text_add_repeated(&header, " ", over > 0 ? (int)(ALIGNMENT - over) : 0);
    text_add(&header, "\n");
    const unsigned char preamble[PREAMBLE] = {
        0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, header.length & 0xff, (header.length >> 8) & 0xff};
    text_add_bytes(text, (const char *)preamble, PREAMBLE);
    text_add_bytes(text, header.bytes, header.length);
}

// The lowest `size` bytes of a number, the lowest first.
static void add_little_endian(struct text *text, uint64_t number, size_t size) {
    char bytes[sizeof number];
    for (size_t i = 0; i < size; i++) bytes[i] = (char)(unsigned char)(number >> (8 * i));
    text_add_bytes(text, bytes, size);
}

// There are many NANs, and 0 / 0 is not the same one on all processors: here it is NumPy's.
static uint32_t bits_of(float value) {
    uint32_t bits = 0x7fc00000;
    if (!isnan(value)) memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void add_element(struct text *text, const struct tensor *tensor, int64_t position) {
    const struct storage *storage = tensor->storage;
    switch (storage->dtype) {
    case FLOAT32:
        add_little_endian(text, bits_of(((const float *)storage->data)[position]), 4);
        break;
    case BOOL:
        add_little_endian(text, ((const unsigned char *)storage->data)[position] != 0, 1);
        break;
    case INT64:
        add_little_endian(text, (uint64_t)((const int64_t *)storage->data)[position], 8);
        break;
    case INT32:
    case FLOAT64: // of programs only, which write no files
        break;
    }
}

void npy_add(struct text *text, const struct tensor *tensor) {
    add_header(text, tensor);
    const struct shape shape = shape_of(tensor);
    const int64_t count = count_of(shape);
    for (int64_t position = 0; position < count; position++) {
        int64_t index[MAX_DIMS] = {0};
        index_at(shape, position, index);
        add_element(text, tensor, flat_index(tensor, index));
    }
}
