#ifndef ONESTEP_TENSOR_FILE_ZIP_H
#define ONESTEP_TENSOR_FILE_ZIP_H

// Zip files (APPNOTE.TXT of PKWARE), as far as Python writes them without compression.

#include "tensor/text/reading.h"

struct zip_member {
    const char *name;
    bool is_stored;     // not compressed
    struct field field; // its bytes, if it is stored
};

// Does the file begin like a zip file?
bool is_zip(const struct reading *reading);

// What is in the file, in its own order; *members becomes an array of them. Returns how many. Fails with FAIL_INPUT for a file
// that is cut, damaged (a stored member has another CRC) or encrypted, or has a NUL in a name.
int zip_read(const struct reading *reading, struct zip_member **members);

#endif
