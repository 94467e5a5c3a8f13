#include "records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#include <check.h> // last: defines a macro fail

const char *read_whole(struct arena *arena, const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    struct text text = text_new(arena);
    text_add(&text, "");
    char bytes[65536];
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, file)) > 0;)
        text_add_bytes(&text, bytes, got);
    fclose(file);
    return text.bytes;
}

const char *data_file(struct arena *arena, const char *name) {
    const char *path = arena_format(arena, "%s/%s", TEST_DATA, name);
    const char *text = read_whole(arena, path);
    ck_assert_msg(text != NULL, "cannot read %s", path);
    return text;
}

bool next_record(struct arena *arena, const char **text, struct record *record) {
    if (**text == '\0') return false;
    const size_t length = strcspn(*text, "\n");
    *record = (struct record){.line = arena_copy_bytes(arena, *text, length)};
    *text += length + ((*text)[length] == '\n');
    for (const char *at = record->line; at != NULL && record->field_count < MOST_FIELDS;) {
        const char *end = strstr(at, " |");
        const size_t field_length = end != NULL ? (size_t)(end - at) : strlen(at);
        record->fields[record->field_count++] = arena_copy_bytes(arena, at, field_length);
        at = end == NULL ? NULL : end + 2 + (end[2] == ' ');
    }
    return true;
}

const char *next_word(struct arena *arena, const char **text) {
    *text += strspn(*text, " ");
    const size_t length = strcspn(*text, " ");
    if (length == 0) return NULL;
    const char *word = arena_copy_bytes(arena, *text, length);
    *text += length;
    return word;
}

struct shape read_shape(const char *text) {
    struct shape shape = {0};
    while (*text >= '0' && *text <= '9') {
        char *end;
        shape.size[shape.ndim++] = strtoll(text, &end, 10);
        text = *end == 'x' ? end + 1 : end;
    }
    return shape;
}

double *numbers_in(struct arena *arena, const char *text, int64_t count) {
    double *numbers = arena_array(arena, (size_t)count, sizeof *numbers);
    for (int64_t i = 0; i < count; i++) {
        char *end;
        numbers[i] = strtod(text, &end);
        ck_assert_msg(end > text, "no number: %.40s", text);
        text = end;
    }
    ck_assert_str_eq(text + strspn(text, " "), "");
    return numbers;
}

bool same_float(float a, float b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

uint32_t crc32_with(uint32_t crc, const void *bytes, size_t count) {
    crc = ~crc;
    for (size_t i = 0; i < count; i++) {
        crc ^= ((const uint8_t *)bytes)[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}
