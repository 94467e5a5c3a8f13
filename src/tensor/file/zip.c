#include "tensor/file/zip.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

// Records of the format, without the names and comments behind them, in bytes.
enum { LOCAL_SIZE = 30, ENTRY_SIZE = 46, END_SIZE = 22, MOST_COMMENT = 0xFFFF };

static const char LOCAL[] = "PK\x03\x04", ENTRY[] = "PK\x01\x02", END[] = "PK\x05\x06";
enum { MARK_SIZE = 4, ENCRYPTED = 1 };

// A number of so many bytes, the lowest first.
static uint32_t number_at(const char *at, int width) {
    uint32_t number = 0;
    for (int i = width; i > 0; i--) number = number << 8 | (unsigned char)at[i - 1];
    return number;
}

static size_t length_of(const struct reading *reading) {
    return (size_t)(reading->end - reading->start);
}

// The record at an offset of the file; fails unless it is there, whole, and begins with its mark.
static const char *record_at(const struct reading *reading, uint64_t offset, const char *mark,
                             size_t size) {
    const size_t length = length_of(reading);
    if (offset > length || length - offset < size ||
        memcmp(reading->start + offset, mark, MARK_SIZE) != 0)
        fail_whole(reading, "this zip file is cut or damaged: write it again with numpy.savez");
    return reading->start + offset;
}

bool is_zip(const struct reading *reading) {
    const bool has_room = length_of(reading) >= MARK_SIZE;
    return has_room && (memcmp(reading->start, LOCAL, MARK_SIZE) == 0 ||
                        memcmp(reading->start, END, MARK_SIZE) == 0);
}

// The last record, which says where the list of members is. A comment may follow it.
static const char *find_end(const struct reading *reading) {
    const size_t length = length_of(reading);
    for (size_t behind = END_SIZE; behind <= length && behind <= END_SIZE + MOST_COMMENT;
         behind++) {
        const char *at = reading->end - behind;
        if (memcmp(at, END, MARK_SIZE) == 0) return at;
    }
    return record_at(reading, length, END, END_SIZE);
}

// The check value of all bytes: CRC-32 as ISO 3309 has it, the lowest bit first.
static uint32_t crc_of(struct field field) {
    uint32_t table[256], crc = UINT32_MAX;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (0xEDB88320U & (0U - (table[i] & 1)));
    }
    for (size_t i = 0; i < field.length; i++)
        crc = crc >> 8 ^ table[(crc ^ (unsigned char)field.bytes[i]) & 0xFF];
    return ~crc;
}

// The bytes of a member, whose list entry names the offset of its own record.
static struct field field_of(const struct reading *reading, const char *entry) {
    const uint64_t size = number_at(entry + 20, 4), offset = number_at(entry + 42, 4);
    const char *local = record_at(reading, offset, LOCAL, LOCAL_SIZE);
    const uint64_t names = (uint64_t)number_at(local + 26, 2) + number_at(local + 28, 2);
    const uint64_t left = length_of(reading) - offset - LOCAL_SIZE;
    if (names > left || size > left - names) (void)record_at(reading, length_of(reading), LOCAL, 1);
    const char *bytes = local + LOCAL_SIZE + names;
    return (struct field){bytes, bytes, (size_t)size};
}

// The name of a member, which stands behind its list entry.
static const char *name_of(const struct reading *reading, const char *entry) {
    const size_t length = number_at(entry + 28, 2);
    const size_t left = (size_t)(reading->end - entry) - ENTRY_SIZE;
    if (length > left) (void)record_at(reading, length_of(reading), ENTRY, ENTRY_SIZE);
    const char *name = entry + ENTRY_SIZE;
    if (memchr(name, '\0', length) != NULL)
        fail_whole(reading, "a name in this zip file holds a NUL: write it again with numpy.savez");
    return arena_copy_bytes(reading->arena, name, length);
}

// Whether a member's bytes are what was written. `left` counts the bytes of the file that no member has taken: members that
// share bytes would take more than there are.
static void check_member(const struct reading *reading, const struct zip_member *member,
                         const char *entry, size_t *left) {
    const size_t length = member->field.length;
    if (length > *left) (void)record_at(reading, length_of(reading), ENTRY, ENTRY_SIZE);
    *left -= length;
    if (crc_of(member->field) != number_at(entry + 16, 4))
        fail_whole(reading,
                   "this zip file is damaged: the bytes of %s do not have the CRC that it "
                   "gives; write it again with numpy.savez",
                   text_cut(reading->arena, text_safe(reading->arena, member->name), 40));
}

int zip_read(const struct reading *reading, struct zip_member **members) {
    const char *end = find_end(reading);
    const int count = (int)number_at(end + 10, 2);
    uint64_t offset = number_at(end + 16, 4);
    size_t left = length_of(reading);
    *members = arena_array(reading->arena, (size_t)count, sizeof **members);
    for (int i = 0; i < count; i++) {
        const char *entry = record_at(reading, offset, ENTRY, ENTRY_SIZE);
        struct zip_member *member = &(*members)[i];
        member->name = name_of(reading, entry);
        if ((number_at(entry + 8, 2) & ENCRYPTED) != 0)
            fail_whole(reading, "this zip file is encrypted: write it again with numpy.savez");
        member->is_stored = number_at(entry + 10, 2) == 0;
        if (member->is_stored) {
            member->field = field_of(reading, entry);
            check_member(reading, member, entry, &left);
        }
        offset += ENTRY_SIZE + number_at(entry + 28, 2) + number_at(entry + 30, 2) +
                  number_at(entry + 32, 2);
    }
    return count;
}
