#include "tensor/file/numbers_read.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "tensor/file/dump_read.h"
#include "tensor/file/notebook.h"
#include "tensor/file/npy_read.h"
#include "tensor/text/numeral.h"
#include "tensor/text/printed.h"

// ---- Files that are something else --------------------------------------------------------------

static bool starts_with(const struct reading *reading, const char *bytes, size_t length) {
    const size_t most = (size_t)(reading->end - reading->start);
    return most >= length && memcmp(reading->start, bytes, length) == 0;
}

// Formats that students have and nobody wants here, with what to do.
static void refuse_known_formats(const struct reading *reading) {
    static const struct {
        const char *bytes;
        size_t length;
        const char *what;
    } formats[] = {
        {"\x80\x02", 2, "a pickle of Python's: save with numpy.save, or print the tensor"},
        {"\x80\x04", 2, "a pickle of Python's: save with numpy.save, or print the tensor"},
        {"\x1F\x8B", 2, "compressed by gzip: unpack it first"},
        {"\x89HDF", 4, "an HDF5 file: save one array with numpy.save"},
        {"\xFF\xFE", 2, "text in UTF-16, as PowerShell's > writes it: save it as UTF-8"},
        {"\xFE\xFF", 2, "text in UTF-16: save it as UTF-8"},
        {"\x93NUM", 4, "a .npy file that is damaged at its start"},
    };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (starts_with(reading, formats[i].bytes, formats[i].length))
            fail_whole(reading, "%s", formats[i].what);
    }
}

static void refuse_binary(const struct reading *reading) {
    for (const char *byte = reading->start; byte < reading->end; byte++) {
        if ((unsigned char)*byte >= 0x20 || is_blank(*byte) || *byte == '\f') continue;
        fail_whole(reading, "neither text nor a .npy file: byte %zu is 0x%02x",
                   (size_t)(byte - reading->start) + 1, (unsigned)(unsigned char)*byte);
    }
    const size_t length = (size_t)(reading->end - reading->start);
    if (!utf8_is_valid(reading->start, length))
        fail_whole(reading, "neither a .npy file nor text in UTF-8");
}

// What pages and PDFs have in the place of a minus and a blank: each becomes one character, so places stay.
static void take_as_typed(struct reading *reading) {
    static const struct {
        const char *bytes;
        char typed;
    } others[] = {
        {"\xE2\x88\x92", '-'}, {"\xC2\xA0", ' '}, {"\xE2\x80\xAF", ' '}, {"\xE2\x80\x89", ' '}};
    char *typed = NULL, *end = NULL;
    for (const char *byte = reading->start; byte < reading->end;) {
        size_t length = 0;
        for (size_t i = 0; i < sizeof others / sizeof *others && length == 0; i++) {
            const size_t most = (size_t)(reading->end - byte), size = strlen(others[i].bytes);
            if (size > most || memcmp(byte, others[i].bytes, size) != 0) continue;
            length = size;
            if (typed == NULL) {
                typed = arena_allocate(reading->arena, (size_t)(reading->end - reading->start));
                end = typed + (byte - reading->start);
                memcpy(typed, reading->start, (size_t)(byte - reading->start));
            }
            *end++ = others[i].typed;
        }
        if (length == 0 && typed != NULL) *end++ = *byte;
        byte += length > 0 ? length : 1;
    }
    if (typed != NULL)
        *reading = reading_new(reading->arena, reading->name, typed, (size_t)(end - typed));
}

// ---- Which form it is ---------------------------------------------------------------------------

enum { MAX_CAPTION = 4096 }; // bytes before "tensor(" or "array(", which are skipped

// The first place where `tensor(` or `array(` stands, not too far from the start; NULL if nowhere.
static const char *find_call(const struct reading *reading) {
    struct reading ahead = *reading;
    for (int i = 0; i < MAX_CAPTION && ahead.next < ahead.end; i++) {
        const char *at = ahead.next;
        if (skip_word(&ahead, "tensor(") || skip_word(&ahead, "array(")) return at;
        ahead.next = at + 1;
    }
    return NULL;
}

// Is what stands before `end` one line, with a letter and no number with a point?
static bool is_wording(const struct reading *reading, const char *end) {
    bool has_letter = false;
    for (const char *byte = reading->next; byte < end; byte++) {
        if (*byte == '\n' || (*byte == '.' && byte + 1 < end && isdigit((unsigned char)byte[1])))
            return false;
        has_letter = has_letter || isalpha((unsigned char)*byte);
    }
    return has_letter;
}

// The bracket behind a caption ("Weights: [[...", "w = [[..."), or in a line below one; NULL if there is none.
static const char *find_captioned(const struct reading *reading) {
    const size_t length = (size_t)(reading->end - reading->next);
    const char *bracket = memchr(reading->next, '[', length < MAX_CAPTION ? length : MAX_CAPTION);
    if (bracket == NULL) return NULL;
    const char *before = bracket;
    while (before > reading->next && is_blank(before[-1])) before--;
    const char *line = bracket;
    while (line > before && line[-1] != '\n') line--;
    const bool is_caption =
        before > reading->next &&
        (before[-1] == ':' || before[-1] == '=' || (line > before && is_wording(reading, before)));
    return is_caption ? bracket : NULL;
}

// One number and nothing else?
static bool is_alone(const struct reading *reading) {
    const size_t length = (size_t)(reading->end - reading->next);
    return is_numeral(reading, (struct field){reading->next, reading->next, length}, NULL);
}

static struct numbers read_some(struct reading *reading) {
    if (skip_word(reading, "Tensor {")) return read_record(reading);
    if (*reading->next == '{') return read_object(reading);
    if (*reading->next == '[' || is_alone(reading)) return read_brackets(reading, FORM_LIST);
    const char *call = find_call(reading);
    const char *captioned = call == NULL ? find_captioned(reading) : NULL;
    if (call == NULL && captioned == NULL) return read_table(reading);
    reading->next = call != NULL ? call : captioned;
    return call != NULL ? read_call(reading) : read_brackets(reading, FORM_LIST);
}

static struct numbers read_text(struct reading *reading) {
    take_as_typed(reading);
    skip_byte_order_mark(reading);
    skip_blanks(reading);
    skip_what_is_said_before(reading);
    struct numbers numbers = read_some(reading);
    skip_what_is_said(reading, &numbers);
    return numbers;
}

// The only array of an .npz file, or the only tensor of safetensors, whatever its name is.
static struct numbers read_only_member(const struct reading *reading) {
    const struct dump dump = dump_read(reading);
    if (dump.count != 1)
        fail_whole(reading,
                   "%d tensors in one file: check them all, without --step, or save one with "
                   "numpy.save(\"x.npy\", x.detach().numpy())",
                   dump.count);
    return member_numbers(&dump, &dump.members[0]);
}

// The output of a cell is a text like any other.
static struct numbers read_notebook(const struct reading *reading) {
    const char *cell = strrchr(reading->name, '#');
    const char *text = notebook_output(reading, cell != NULL ? cell + 1 : NULL);
    struct reading output = reading_new(reading->arena, reading->name, text, strlen(text));
    skip_blanks(&output);
    if (output.next == output.end) fail_whole(reading, "this cell shows nothing");
    return read_text(&output);
}

struct numbers numbers_read(struct arena *arena, const char *name, const char *bytes,
                            size_t length) {
    struct reading reading = reading_new(arena, name, bytes, length);
    if (length > NUMBERS_MAX_BYTES)
        fail_whole(&reading, "larger than %d MB, which no step's numbers are",
                   NUMBERS_MAX_BYTES >> 20);
    if (is_npy(&reading)) return read_npy(&reading);
    if (has_members(&reading)) return read_only_member(&reading);
    refuse_known_formats(&reading);
    refuse_binary(&reading);
    skip_byte_order_mark(&reading);
    skip_blanks(&reading);
    if (reading.next == reading.end) fail_whole(&reading, "nothing in it");
    if (is_notebook(&reading)) return read_notebook(&reading);
    return read_text(&reading);
}
