// Decompresses LZMA, after Igor Pavlov's specification (LzmaSpec.cpp of the LZMA SDK, public domain). It is a module of
// its own, which the script runs to get at the program: browsers can inflate, but that leaves the page a sixth larger,
// and what expands in script takes four times as long. There is no C library here.

#include <stdbool.h>
#include <stdint.h>

enum {
    LC = 3,
    STATES = 12,
    LENGTHS = 2 + 8 + 8 + 256,
    EVEN = 1024
}; // lp and pb are 0, as build.py has it

typedef uint16_t odds; // of a 0, in 2048

// What is known of the bits to come.
static struct {
    odds literal[0x300 << LC];
    odds is_match[STATES], is_repeat[STATES], is_repeat0[STATES], is_long[STATES];
    odds is_repeat1[STATES], is_repeat2[STATES];
    odds of_match[LENGTHS], of_repeat[LENGTHS];
    odds slots[4 << 6], near[128], aligned[16];
} model;

struct decoder {
    const uint8_t *next;
    uint32_t range, code;
};

// Into one function: then a decoder's numbers need no memory, which saves a quarter of the time.
#define INLINE static inline __attribute__((always_inline))

INLINE void shift(struct decoder *d) {
    if (d->range >= 1U << 24) return;
    d->range <<= 8;
    d->code = d->code << 8 | *d->next++;
}

INLINE unsigned bit(struct decoder *d, odds *of) {
    const uint32_t bound = (d->range >> 11) * *of;
    const bool is_one = d->code >= bound;
    if (is_one) {
        d->range -= bound;
        d->code -= bound;
        *of = (odds)(*of - (*of >> 5));
    } else {
        d->range = bound;
        *of = (odds)(*of + ((2048 - *of) >> 5));
    }
    shift(d);
    return is_one;
}

INLINE unsigned even_bits(struct decoder *d, unsigned count) {
    unsigned value = 0;
    for (; count > 0; count--) {
        d->range >>= 1;
        const bool is_one = d->code >= d->range;
        if (is_one) d->code -= d->range;
        value = value << 1 | is_one;
        shift(d);
    }
    return value;
}

INLINE unsigned number(struct decoder *d, odds *tree, unsigned count) {
    unsigned node = 1;
    for (unsigned i = 0; i < count; i++) node = node << 1 | bit(d, &tree[node]);
    return node - (1U << count);
}

INLINE unsigned reversed(struct decoder *d, odds *tree, unsigned count) {
    unsigned node = 1, value = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned one = bit(d, &tree[node]);
        node = node << 1 | one;
        value |= one << i;
    }
    return value;
}

INLINE unsigned length(struct decoder *d, odds *of) {
    if (!bit(d, &of[0])) return number(d, of + 2, 3);
    if (!bit(d, &of[1])) return 8 + number(d, of + 10, 3);
    return 16 + number(d, of + 18, 8);
}

INLINE unsigned distance(struct decoder *d, unsigned length) {
    const unsigned slot = number(d, model.slots + ((length < 3 ? length : 3) << 6), 6);
    if (slot < 4) return slot;
    const unsigned bits = (slot >> 1) - 1, base = (2 | (slot & 1)) << bits;
    if (slot < 14) return base + reversed(d, model.near + base - slot, bits);
    const unsigned high = even_bits(d, bits - 4);
    return base + (high << 4) + reversed(d, model.aligned, 4);
}

// A byte; after a match, the one that would have continued it is a hint.
INLINE uint8_t literal(struct decoder *d, unsigned before, bool is_after_match, unsigned hint) {
    odds *tree = model.literal + 0x300 * (before >> (8 - LC));
    unsigned symbol = 1;
    while (is_after_match && symbol < 0x100) {
        const unsigned expected = hint >> 7 & 1,
                       one = bit(d, &tree[((1 + expected) << 8) + symbol]);
        hint <<= 1;
        symbol = symbol << 1 | one;
        if (expected != one) break;
    }
    while (symbol < 0x100) symbol = symbol << 1 | bit(d, &tree[symbol]);
    return (uint8_t)symbol;
}

// A repeated distance, which becomes the last one. Returns how many bytes it is for.
INLINE unsigned repeated(struct decoder *d, unsigned *state, unsigned *back) {
    const unsigned before = *state;
    *state = before < 7 ? 8 : 11;
    if (!bit(d, &model.is_repeat0[before])) {
        if (bit(d, &model.is_long[before])) return 2 + length(d, model.of_repeat);
        *state = before < 7 ? 9 : 11;
        return 1;
    }
    const unsigned chosen =
        !bit(d, &model.is_repeat1[before]) ? 1 : 2 + bit(d, &model.is_repeat2[before]);
    const unsigned again = back[chosen];
    for (unsigned i = chosen; i > 0; i--) back[i] = back[i - 1];
    back[0] = again;
    return 2 + length(d, model.of_repeat);
}

// A distance of its own. Returns the same.
INLINE unsigned matched(struct decoder *d, unsigned *state, unsigned *back) {
    for (unsigned i = 3; i > 0; i--) back[i] = back[i - 1];
    const unsigned count = length(d, model.of_match);
    back[0] = distance(d, count);
    *state = *state < 7 ? 7 : 10;
    return 2 + count;
}

// Expands what begins at `in`, without a header, into `size` bytes at `out`.
__attribute__((export_name("expand"))) void expand(const uint8_t *in, uint8_t *out, uint32_t size) {
    struct decoder d;
    for (odds *of = (odds *)&model; of < (odds *)(&model + 1); of++) *of = EVEN;
    d.range = UINT32_MAX;
    d.code = (uint32_t)in[1] << 24 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 8 | in[4];
    d.next = in + 5;
    unsigned state = 0, back[4] = {0};
    for (uint32_t at = 0; at < size;) {
        if (!bit(&d, &model.is_match[state])) {
            const unsigned before = at > 0 ? out[at - 1] : 0;
            const bool is_after_match = state >= 7;
            out[at] =
                literal(&d, before, is_after_match, is_after_match ? out[at - back[0] - 1] : 0);
            at++;
            state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
            continue;
        }
        unsigned count = bit(&d, &model.is_repeat[state]) ? repeated(&d, &state, back)
                                                          : matched(&d, &state, back);
        for (; count > 0 && at < size; count--, at++) out[at] = out[at - back[0] - 1];
    }
}
