#include "script/inside.h"

#include <string.h>

enum { FIRST_SLOTS = 8 };

// Entries stand in the order of insertion; a slot has the number of an entry plus 1, or 0.
static int64_t slot_for(const struct dict *dict, uint64_t hash) {
    return (int64_t)(hash & (uint64_t)(dict->slot_count - 1));
}

static void put_into_slot(struct dict *dict, int64_t entry) {
    int64_t slot = slot_for(dict, dict->entries[entry].hash);
    while (dict->slots[slot] != 0) slot = (slot + 1) & (dict->slot_count - 1);
    dict->slots[slot] = (int32_t)(entry + 1);
}

static size_t size_for(int64_t slots) {
    return (size_t)(slots / 2) * sizeof(struct dict_entry) + (size_t)slots * sizeof(int32_t);
}

static void give_back(struct machine *machine, struct dict *dict) {
    pool_give(machine, dict->entries, size_for(dict->slot_count));
    machine_count_memory(machine, -(int64_t)size_for(dict->slot_count));
}

// Leaves out deleted entries, and makes room for one more.
static void rebuild(struct machine *machine, struct dict *dict) {
    int64_t slots = FIRST_SLOTS;
    while (slots < (dict->count + 1) * 2) slots *= 2;
    struct dict_entry *entries = pool_take(machine, size_for(slots));
    int32_t *places = (int32_t *)(entries + slots / 2);
    memset(places, 0, (size_t)slots * sizeof *places);
    int64_t count = 0;
    for (int64_t i = 0; i < dict->used; i++)
        if (dict->entries[i].key.kind != VALUE_ABSENT) entries[count++] = dict->entries[i];
    give_back(machine, dict);
    machine_count_memory(machine, (int64_t)size_for(slots));
    dict->entries = entries;
    dict->slots = places;
    dict->slot_count = slots;
    dict->used = count;
    for (int64_t i = 0; i < count; i++) put_into_slot(dict, i);
}

// The entry of the key, or -1. False if comparing raised. A comparison may change the dict: then it is searched again.
static bool find(struct machine *machine, const struct dict *dict, struct value key, uint64_t hash,
                 int64_t *entry) {
    *entry = -1;
again:
    if (dict->slot_count == 0) return true;
    for (int64_t slot = slot_for(dict, hash); dict->slots[slot] != 0;
         slot = (slot + 1) & (dict->slot_count - 1)) {
        const struct dict_entry *candidate = &dict->entries[dict->slots[slot] - 1];
        if (candidate->hash != hash || candidate->key.kind == VALUE_ABSENT) continue;
        const struct dict before = *dict;
        bool is_equal;
        if (!is_or_equals(machine, candidate->key, key, &is_equal)) return false;
        if (dict->entries != before.entries || dict->used != before.used ||
            dict->count != before.count)
            goto again;
        if (is_equal) *entry = dict->slots[slot] - 1;
        if (is_equal) return true;
    }
    return true;
}

struct value dict_new(struct machine *machine) {
    return value_of_object(object_new(machine, OBJECT_DICT, sizeof(struct dict)));
}

struct value set_new(struct machine *machine) {
    return value_of_object(object_new(machine, OBJECT_SET, sizeof(struct dict)));
}

// The key's hash and its entry, or -1. False if hashing or comparing raised.
static bool look_up(struct machine *machine, const struct dict *dict, struct value key,
                    uint64_t *hash, int64_t *entry) {
    return value_hash(machine, key, hash) && find(machine, dict, key, *hash, entry);
}

bool dict_set(struct machine *machine, struct dict *dict, struct value key, struct value value) {
    uint64_t hash;
    int64_t entry;
    if (!look_up(machine, dict, key, &hash, &entry)) return false;
    if (entry >= 0) {
        dict->entries[entry].value = value;
        return true;
    }
    if ((dict->used + 1) * 2 > dict->slot_count) rebuild(machine, dict);
    dict->entries[dict->used] = (struct dict_entry){key, value, hash};
    put_into_slot(dict, dict->used++);
    dict->count++;
    return true;
}

bool dict_get(struct machine *machine, struct dict *dict, struct value key, struct value *value) {
    uint64_t hash;
    int64_t entry;
    if (!look_up(machine, dict, key, &hash, &entry)) return false;
    *value = entry < 0 ? NO_VALUE : dict->entries[entry].value;
    return true;
}

bool dict_delete(struct machine *machine, struct dict *dict, struct value key, bool *was_there) {
    uint64_t hash;
    int64_t entry;
    if (!look_up(machine, dict, key, &hash, &entry)) return false;
    *was_there = entry >= 0;
    if (entry < 0) return true;
    dict->entries[entry].key = dict->entries[entry].value = NO_VALUE;
    dict->count--;
    return true;
}

struct value dict_at(const struct dict *dict, const char *bytes, int64_t length, uint64_t hash) {
    if (dict->slot_count == 0) return NO_VALUE;
    for (int64_t slot = slot_for(dict, hash); dict->slots[slot] != 0;
         slot = (slot + 1) & (dict->slot_count - 1)) {
        const struct dict_entry *entry = &dict->entries[dict->slots[slot] - 1];
        if (entry->hash != hash || !is_kind(entry->key, OBJECT_STR)) continue;
        const struct str *key = as_str(entry->key);
        if (key->bytes == bytes ||
            (key->length == length && memcmp(key->bytes, bytes, (size_t)length) == 0))
            return entry->value;
    }
    return NO_VALUE;
}

struct value dict_named(const struct dict *dict, const char *name) {
    const int64_t length = (int64_t)strlen(name);
    return dict_at(dict, name, length, bytes_hash(name, length));
}

struct value dict_of_str(const struct dict *dict, const struct str *name) {
    return dict_at(dict, name->bytes, name->length, name->hash);
}

void dict_name(struct machine *machine, struct dict *dict, const char *name, struct value value) {
    dict_set(machine, dict, value_of_object(interned(machine, name)), value);
}

int64_t dict_count(const struct dict *dict) {
    return dict->count;
}

bool dict_next(const struct dict *dict, int64_t *i, struct value *key, struct value *value) {
    while (*i < dict->used && dict->entries[*i].key.kind == VALUE_ABSENT) ++*i;
    if (*i >= dict->used) return false;
    *key = dict->entries[*i].key;
    *value = dict->entries[(*i)++].value;
    return true;
}

void dict_clear(struct machine *machine, struct dict *dict) {
    give_back(machine, dict);
    dict->entries = NULL;
    dict->slots = NULL;
    dict->slot_count = dict->used = dict->count = 0;
}
