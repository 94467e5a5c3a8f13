#ifndef ONESTEP_SCRIPT_DICT_H
#define ONESTEP_SCRIPT_DICT_H

// The inside of a dict or a set; value.h has what others call.

#include "script/inside.h"

struct dict_entry {
    struct value key, value; // NO_VALUE: deleted
    uint64_t hash;
};
struct dict {
    struct object object;
    struct dict_entry *entries;
    int64_t *slots;
    int64_t slot_count; // a power of two, or 0
    int64_t used;       // entries, the deleted ones included
    int64_t count;
    bool is_frozen; // frozenset
};

uint64_t bytes_hash(const char *bytes, int64_t length);
struct value dict_of_str(const struct dict *dict, const struct str *name); // as dict_named
void dict_clear(struct dict *dict);

#endif
