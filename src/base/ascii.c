// The same text for a terminal without UTF-8.

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { ROOT = 0x221A }; // √: its operand gets parentheses

// How a substitute goes with its neighbours.
enum kind { NOTHING, SIGN, LETTER, NAME, ABOVE, BELOW };

// What stands for a character.
struct substitute {
    enum kind kind;
    bool is_operand; // may stand under a root
    char string[24];
};

// All characters of `characters` become `string`.
struct row {
    const char *characters, *string;
};

static const struct row LETTERS[] = {
    {"ÀÁÂÃÄÅĀĂĄǍǞǠǺȀȂȦḀẠẢẤẦẨẪẬẮẰẲẴẶ", "A"},
    {"àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặª", "a"},
    {"ḂḄḆℬ", "B"},
    {"ḃḅḇ", "b"},
    {"ÇĆĈĊČḈℂℭ", "C"},
    {"çćĉċčḉ", "c"},
    {"ĎḊḌḎḐḒĐÐⅅ", "D"},
    {"ďḋḍḏḑḓđðⅆ", "d"},
    {"ÈÉÊËĒĔĖĘĚȄȆȨḔḖḘḚḜẸẺẼẾỀỂỄỆℰ", "E"},
    {"èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệℯⅇ", "e"},
    {"Ḟℱ", "F"},
    {"ḟƒ", "f"},
    {"ĜĞĠĢǦǴḠ", "G"},
    {"ĝğġģǧǵḡℊ", "g"},
    {"ĤȞḢḤḦḨḪĦℋℌℍ", "H"},
    {"ĥȟḣḥḧḩḫẖħℎℏ", "h"},
    {"ÌÍÎÏĨĪĬĮİǏȈȊḬḮỈỊℐℑ", "I"},
    {"ìíîïĩīĭįǐȉȋḭḯỉịıⅈ", "i"},
    {"Ĵ", "J"},
    {"ĵǰⅉ", "j"},
    {"ĶǨḰḲḴ", "K"},
    {"ķǩḱḳḵ", "k"},
    {"ĹĻĽḶḸḺḼŁℒ", "L"},
    {"ĺļľḷḹḻḽłℓ", "l"},
    {"ḾṀṂℳ", "M"},
    {"ḿṁṃ", "m"},
    {"ÑŃŅŇǸṄṆṈṊℕ", "N"},
    {"ñńņňǹṅṇṉṋ", "n"},
    {"ÒÓÔÕÖŌŎŐƠǑǪǬȌȎȪȬȮȰṌṎṐṒỌỎỐỒỔỖỘỚỜỞỠỢØǾ", "O"},
    {"òóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợøǿℴº", "o"},
    {"ṔṖ℘ℙ", "P"},
    {"ṕṗ", "p"},
    {"ℚ", "Q"},
    {"ŔŖŘȐȒṘṚṜṞℛℜℝ", "R"},
    {"ŕŗřȑȓṙṛṝṟ", "r"},
    {"ŚŜŞŠȘṠṢṤṦṨ", "S"},
    {"śŝşšſșṡṣṥṧṩẛ", "s"},
    {"ŢŤȚṪṬṮṰŦ", "T"},
    {"ţťțṫṭṯṱẗŧ", "t"},
    {"ÙÚÛÜŨŪŬŮŰŲƯǓǕǗǙǛȔȖṲṴṶṸṺỤỦỨỪỬỮỰ", "U"},
    {"ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự", "u"},
    {"ṼṾ", "V"},
    {"ṽṿ", "v"},
    {"ŴẀẂẄẆẈ", "W"},
    {"ŵẁẃẅẇẉẘ", "w"},
    {"ẊẌ", "X"},
    {"ẋẍ", "x"},
    {"ÝŶŸȲẎỲỴỶỸ", "Y"},
    {"ýÿŷȳẏẙỳỵỷỹ", "y"},
    {"ŹŻŽẐẒẔℤℨ", "Z"},
    {"źżžẑẓẕ", "z"},
    {"ÆǢǼ", "AE"},
    {"æǣǽ", "ae"},
    {"Œ", "OE"},
    {"œ", "oe"},
    {"Ĳ", "IJ"},
    {"ĳ", "ij"},
    {"Þ", "TH"},
    {"þ", "th"},
    {"ẞ", "SS"},
    {"ß", "ss"},
    {"ﬀ", "ff"},
    {"ﬁ", "fi"},
    {"ﬂ", "fl"},
};

static const struct row SIGNS[] = {
    {"\u00A0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u202F\u205F\u3000",
     " "},
    {"\u2010\u2011\u2012–—―−⁃\u00AD", "-"},
    {"‘’‚‛′‵ʹʼ", "'"},
    {"“”„‟″", "\""},
    {"‹⟨〈≺", "<"},
    {"›⟩〉≻", ">"},
    {"«≪", "<<"},
    {"»≫", ">>"},
    {"…⋯⋱", "..."},
    {"⋮∶", ":"},
    {"·∙⋅⊙∗•‧●★☆", "*"},
    {"×✕", "x"},
    {"°", "deg"},
    {"√", "sqrt"},
    {"∛", "cbrt"},
    {"∞", "inf"},
    {"∑", "sum"},
    {"∏", "prod"},
    {"∫", "integral"},
    {"∂", "d"},
    {"∇", "nabla"},
    {"∆", "Delta"},
    {"±", "+-"},
    {"∓", "-+"},
    {"÷∕⁄⊘", "/"},
    {"\u0338", "/"}, // strikes out the sign before it
    {"∖", "\\"},
    {"≤≦⩽", "<="},
    {"≥≧⩾", ">="},
    {"≠", "!="},
    {"≈≃≅≊", "~="},
    {"∼∝˜", "~"},
    {"≡", "=="},
    {"≢", "!=="},
    {"≔≜≝", ":="},
    {"∈∊", "in"},
    {"∉", "not in"},
    {"∋∍", "contains"},
    {"∀", "for all"},
    {"∃", "exists"},
    {"∄", "not exists"},
    {"∅⌀", "{}"},
    {"∧", "and"},
    {"∨", "or"},
    {"¬", "not"},
    {"⊻", "xor"},
    {"∩", "intersection"},
    {"∪", "union"},
    {"⊂⊊", "subset of"},
    {"⊆", "subset or equal"},
    {"⊃⊋", "superset of"},
    {"⊇", "superset or equal"},
    {"∴", "therefore"},
    {"∵", "because"},
    {"⊕", "(+)"},
    {"⊖", "(-)"},
    {"⊗", "(x)"},
    {"⊤", "T"},
    {"⊥", "_|_"},
    {"∣", "|"},
    {"∥‖", "||"},
    {"⌊⌈", "["},
    {"⌋⌉", "]"},
    {"∘○◦◯", "o"},
    {"→⟶⇾", "->"},
    {"←⟵⇽", "<-"},
    {"↔⟷", "<->"},
    {"⇒⟹", "=>"},
    {"⇐⟸", "<="},
    {"⇔⟺", "<=>"},
    {"↦⟼", "|->"},
    {"↑⇑▲△▴˄", "^"},
    {"↓⇓▼▽▾˅", "v"},
    {"↗↘", "->"},
    {"↖↙", "<-"},
    {"↵⏎↩", "<-'"},
    {"▶▷►▸‣❯", ">"},
    {"◀◁◄◂❮", "<"},
    {"✓✔", "ok"},
    {"✗✘", "x"},
    {"─━┄┅┈┉╌╍═╴╶╸╺╼╾", "-"},
    {"│┃┆┇┊┋╎╏║╵╷╹╻╽╿", "|"},
    {"╱", "/"},
    {"╲", "\\"},
    {"╳", "X"},
    {"░▁", "."},
    {"▒▂▃▄▖▗▘▝", ":"},
    {"▓▅▆", "*"},
    {"█▇▀▉▊▋▌▐▙▚▛▜▞▟■◆", "#"},
    {"▏▎▍▕", "|"},
    {"□◇◻▢", "o"},
    {"¼", "1/4"},
    {"½", "1/2"},
    {"¾", "3/4"},
    {"⅓", "1/3"},
    {"⅔", "2/3"},
    {"‰", "0/00"},
    {"№", "No."},
    {"©", "(c)"},
    {"®", "(R)"},
    {"™", "(TM)"},
    {"§", "S"},
    {"¡", "!"},
    {"¿", "?"},
    {"€", "EUR"},
    {"£", "GBP"},
    {"¥", "JPY"},
    {"¢", "c"},
    {"µ", "u"},
    {"�", "?"},
};

// Raised and lowered characters, and what they are at the same place of the string behind.
static const struct row RAISED = {"⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ",
                                  "0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVW"};
static const struct row LOWERED = {"₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ",
                                   "0123456789+-=()aehijklmnoprstuvx"};

// In the order of Unicode's mathematical alphabets, which have 58 each: 17 is the theta that a capital
// may also look like, 25 nabla, 51 the partial d, and 52 ... 57 the other shapes of letters before. A
// capital sigma is a sum wherever this program writes one.
static const char *const GREEK[] = {
    "Alpha",   "Beta", "Gamma",   "Delta", "Epsilon", "Zeta",  "Eta",     "Theta", "Iota",  "Kappa",
    "Lambda",  "Mu",   "Nu",      "Xi",    "Omicron", "Pi",    "Rho",     "Theta", "sum",   "Tau",
    "Upsilon", "Phi",  "Chi",     "Psi",   "Omega",   "nabla", "alpha",   "beta",  "gamma", "delta",
    "epsilon", "zeta", "eta",     "theta", "iota",    "kappa", "lambda",  "mu",    "nu",    "xi",
    "omicron", "pi",   "rho",     "sigma", "sigma",   "tau",   "upsilon", "phi",   "chi",   "psi",
    "omega",   "d",    "epsilon", "theta", "kappa",   "phi",   "rho",     "pi"};

static bool is_letter(char byte) {
    return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

static bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

// The string of the row that has the character, or NULL. UTF-8 of one character is never found inside
// another's.
static const char *find_string(const struct row *rows, size_t count, const char *character) {
    for (size_t i = 0; i < count; i++) {
        if (strstr(rows[i].characters, character) != NULL) return rows[i].string;
    }
    return NULL;
}

// The byte of row->string that stands at the character's place, or 0.
static char in_place(const struct row *row, const char *character) {
    const char *found = strstr(row->characters, character);
    if (found == NULL) return '\0';
    size_t position = 0;
    for (const char *next = row->characters; next < found; position++) utf8_next(&next);
    return row->string[position];
}

static struct substitute substitute_new(enum kind kind, bool is_operand, const char *string) {
    struct substitute substitute = {.kind = kind, .is_operand = is_operand};
    snprintf(substitute.string, sizeof substitute.string, "%s", string);
    return substitute;
}

static struct substitute one_letter(enum kind kind, char letter) {
    return substitute_new(kind, kind != ABOVE, (char[]){letter, '\0'});
}

// Greek letters, and the letters and digits of the mathematical alphabets (𝐱, 𝑥, 𝛼, 𝟏), which follow
// each other by rule; and what follows a rule elsewhere. What has no rule becomes its code.
static struct substitute substitute_by_rule(uint32_t character) {
    static const char ALPHABET[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const uint32_t c = character;
    if (c >= 0x0391 && c <= 0x03A9) return substitute_new(NAME, true, GREEK[c - 0x0391]);
    if (c >= 0x03B1 && c <= 0x03C9) return substitute_new(NAME, true, GREEK[c - 0x03B1 + 26]);
    if (c >= 0x1D400 && c <= 0x1D6A3) return one_letter(LETTER, ALPHABET[(c - 0x1D400) % 52]);
    if (c >= 0x1D6A8 && c <= 0x1D7C9) return substitute_new(NAME, true, GREEK[(c - 0x1D6A8) % 58]);
    if (c >= 0x1D7CE && c <= 0x1D7FF) return one_letter(LETTER, (char)('0' + (c - 0x1D7CE) % 10));
    if (c >= 0x2500 && c <= 0x257F) return substitute_new(SIGN, false, "+"); // corners, crossings
    if (c >= 0xFF01 && c <= 0xFF5E) return one_letter(LETTER, (char)(c - 0xFEE0)); // fullwidth
    if (character_width(c) == 0) return substitute_new(NOTHING, true, "");
    struct substitute code = substitute_new(SIGN, false, "");
    snprintf(code.string, sizeof code.string, "U+%04X", (unsigned)c);
    return code;
}

static struct substitute substitute_of(uint32_t character) {
    char bytes[5];
    utf8_encode(character, bytes);
    if (character < 0x80) {
        const bool is_operand = is_letter(bytes[0]) || is_digit(bytes[0]) || bytes[0] == '_';
        return substitute_new(is_letter(bytes[0]) ? LETTER : SIGN, is_operand, bytes);
    }
    const char above = in_place(&RAISED, bytes), below = in_place(&LOWERED, bytes);
    if (above != '\0') return one_letter(ABOVE, above);
    if (below != '\0') return one_letter(BELOW, below);
    const char *string = find_string(LETTERS, sizeof LETTERS / sizeof LETTERS[0], bytes);
    if (string != NULL) return substitute_new(LETTER, true, string);
    string = find_string(SIGNS, sizeof SIGNS / sizeof SIGNS[0], bytes);
    if (string == NULL) return substitute_by_rule(character);
    return substitute_new(is_letter(string[0]) ? NAME : SIGN, false, string);
}

struct transcript {
    struct text text;
    enum kind kind; // of the substitute added last
    int open_roots; // their operands end before the first character that is not part of one
};

// Names keep a blank from letters beside them (αx is alpha x); a raised or lowered run has one mark
// (x₁₂ is x_12).
static void add_substitute(struct transcript *transcript, struct substitute substitute) {
    struct text *text = &transcript->text;
    if (substitute.kind == NOTHING) return;
    const bool is_script = substitute.kind == ABOVE || substitute.kind == BELOW;
    const bool follows_letter = text->length > 0 && is_letter(text->bytes[text->length - 1]);
    const bool has_name = substitute.kind == NAME || transcript->kind == NAME;
    if (is_script) {
        if (substitute.kind != transcript->kind)
            text_add(text, substitute.kind == ABOVE ? "^" : "_");
    } else if (has_name && follows_letter && is_letter(substitute.string[0])) {
        text_add(text, " ");
    }
    text_add(text, substitute.string);
    transcript->kind = substitute.kind;
}

// Does what follows belong under a root? A point does if a digit follows: √0.5 but "by √d."
static bool begins_operand(const char *string) {
    if (string[0] == '.') return is_digit(string[1]);
    const char *next = string;
    const uint32_t character = utf8_next(&next);
    return character == ROOT || substitute_of(character).is_operand;
}

char *text_to_ascii(struct arena *arena, const char *string) {
    struct transcript transcript = {.text = text_new(arena)};
    text_add(&transcript.text, "");
    while (*string != '\0') {
        if (transcript.open_roots > 0 && !begins_operand(string)) {
            text_add_repeated(&transcript.text, ")", transcript.open_roots);
            transcript.open_roots = 0;
        }
        const uint32_t character = utf8_next(&string);
        add_substitute(&transcript, substitute_of(character));
        if (character == ROOT && *string != '\0' && begins_operand(string)) {
            text_add(&transcript.text, "(");
            transcript.open_roots++;
        }
    }
    text_add_repeated(&transcript.text, ")", transcript.open_roots);
    return transcript.text.bytes;
}
