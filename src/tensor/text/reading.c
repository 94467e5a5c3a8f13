#include "tensor/text/reading.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct reading reading_new(struct arena *arena, const char *name, const char *bytes,
                           size_t length) {
    return (struct reading){
        .arena = arena, .name = name, .start = bytes, .next = bytes, .end = bytes + length};
}

// ---- Saying what is wrong -----------------------------------------------------------------------

// How much of a stranger's text a message shows, in bytes. A file's name keeps its end, a word its
// beginning.
enum { MAX_NAME_SHOWN = 72, MAX_BYTES_SHOWN = 32 };

static bool continues_character(char byte) {
    return ((unsigned char)byte & 0xC0) == 0x80;
}

static const char *shown_name(const struct reading *reading) {
    const char *safe = text_safe(reading->arena, reading->name);
    const size_t length = strlen(safe);
    if (length <= MAX_NAME_SHOWN) return safe;
    const char *tail = safe + length - MAX_NAME_SHOWN;
    while (continues_character(*tail)) tail++;
    return arena_format(reading->arena, "...%s", tail);
}

void fail_at(const struct reading *reading, const char *at, const char *format, ...) {
    size_t line = 1, column = 1;
    if (reading->shown_at != NULL) at = reading->shown_at;
    for (const char *byte = reading->start; byte < at; byte++) {
        if (*byte == '\n') {
            line++;
            column = 1;
        } else if (!continues_character(*byte)) {
            column++;
        }
    }
    char what[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fail(reading->arena->failure, FAIL_INPUT, "%s:%zu:%zu: %s", shown_name(reading), line, column,
         what);
}

void fail_whole(const struct reading *reading, const char *format, ...) {
    char what[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fail(reading->arena->failure, FAIL_INPUT, "%s: %s", shown_name(reading), what);
}

const char *field_text(const struct reading *reading, struct field field) {
    const char *safe = text_safe_bytes(reading->arena, field.bytes, field.length);
    size_t most = strlen(safe);
    if (most <= MAX_BYTES_SHOWN) return safe;
    most = MAX_BYTES_SHOWN;
    while (continues_character(safe[most])) most--;
    return arena_format(reading->arena, "%.*s...", (int)most, safe);
}

const char *word_at(const struct reading *reading, const char *at) {
    size_t length = 0;
    const size_t most = (size_t)(reading->end - at);
    while (length < most && !ends_word(at[length])) length++;
    if (length == 0 && most > 0) length = 1;
    return field_text(reading, (struct field){at, at, length});
}

// ---- Words --------------------------------------------------------------------------------------

bool is_blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

bool ends_word(char byte) {
    return is_blank(byte) || strchr("[](){}<>,;", byte) != NULL; // a NUL too
}

void skip_blanks(struct reading *reading) {
    while (reading->next < reading->end && is_blank(*reading->next)) reading->next++;
}

void skip_byte_order_mark(struct reading *reading) {
    static const char MARK[] = "\xEF\xBB\xBF";
    const size_t length = sizeof MARK - 1, left = (size_t)(reading->end - reading->start);
    if (left >= length && memcmp(reading->start, MARK, length) == 0) reading->start += length;
    reading->next = reading->start;
}

static char small_letter(char byte) {
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

bool skip_word(struct reading *reading, const char *word) {
    const size_t length = strlen(word);
    if ((size_t)(reading->end - reading->next) < length) return false;
    for (size_t i = 0; i < length; i++) {
        if (small_letter(reading->next[i]) != small_letter(word[i])) return false;
    }
    reading->next += length;
    return true;
}

// ---- Fields -------------------------------------------------------------------------------------

// What is between the quotes, with each two of them as one.
static struct field without_doubles(const struct reading *reading, struct field field) {
    char *bytes = arena_allocate(reading->arena, field.length);
    size_t length = 0;
    for (size_t i = 0; i < field.length; i++) {
        bytes[length++] = field.bytes[i];
        if (field.bytes[i] == '"') i++;
    }
    return (struct field){field.start, bytes, length};
}

struct field take_quoted(struct reading *reading) {
    const char *at = reading->next++, *bytes = reading->next;
    bool has_doubles = false;
    for (;;) {
        const char *quote = memchr(reading->next, '"', (size_t)(reading->end - reading->next));
        if (quote == NULL) fail_at(reading, at, "a quote opens here and is never closed");
        reading->next = quote + 1;
        if (reading->next == reading->end || *reading->next != '"') break;
        reading->next++;
        has_doubles = true;
    }
    const struct field field = {at, bytes, (size_t)(reading->next - 1 - bytes)};
    return has_doubles ? without_doubles(reading, field) : field;
}

bool is_called(struct field field, const char *name) {
    return field.length == strlen(name) && memcmp(field.bytes, name, field.length) == 0;
}

struct reading inside_of(const struct reading *reading, struct field field) {
    struct reading inside = *reading;
    inside.next = field.bytes;
    inside.end = field.bytes + field.length;
    inside.shown_at = field.start;
    return inside;
}
