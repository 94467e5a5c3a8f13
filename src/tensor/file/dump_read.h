#ifndef ONESTEP_TENSOR_FILE_DUMP_READ_H
#define ONESTEP_TENSOR_FILE_DUMP_READ_H

// A file with several tensors, each of which has a name:
//
//     safetensors   eight bytes with the length of the header, the lowest first; the header in JSON,
//                   {"scores": {"dtype": "F32", "shape": [6, 6], "data_offsets": [0, 144]}, ...}; the elements
//     .npz          a zip file of .npy files, as numpy.savez writes it, not compressed

#include "tensor/file/bits.h"
#include "tensor/text/numbers.h"
#include "tensor/text/reading.h"

// One of the tensors. Nobody has looked at its elements yet, nor believed what the file says of them.
struct member {
    const char *name;
    struct field field; // of safetensors what the header says of it; of an .npz file its .npy file
};

struct dump {
    struct reading reading; // of the file
    const char *elements;   // of safetensors; NULL: an .npz file
    struct field metadata;  // of safetensors: the object "__metadata__" in JSON; no bytes: none
    int count;
    struct member *members;
};

// Do the bytes begin like one of these files, or like what torch.save writes?
bool is_dump(const struct reading *reading);

// The same, without a pickle of torch.save.
bool has_members(const struct reading *reading);

// The names in a file for which is_dump() holds. Fails with FAIL_INPUT and "NAME: what is wrong and what would be right" for
// a file that is damaged (a wrong CRC, bytes of no tensor, a NUL in a name), encrypted or compressed, and for one of torch.save. Time and memory are proportional to its length.
struct dump dump_read(const struct reading *reading);

// A type of elements, as safetensors and as NumPy call it.
struct element_type {
    const char *name, *dtype;
    enum bits_kind kind;
    size_t width; // bytes
};
// The type that safetensors call so; NULL: there is none.
const struct element_type *element_type(const char *name);

// The elements of a member of safetensors as they lie in the file, row by row.
struct elements {
    const struct element_type *type;
    struct shape shape;
    const char *bytes;
};
// Fails as member_numbers does. `most`: so many numbers a tensor may have. With more than NUMBERS_MAX it may also have none.
struct elements member_elements(const struct dump *dump, const struct member *member, int64_t most);

// The numbers of a member. Fails in the same way, and names the member, for elements that are not in the file, and for
// types and sizes that no step has.
struct numbers member_numbers(const struct dump *dump, const struct member *member);

#endif
