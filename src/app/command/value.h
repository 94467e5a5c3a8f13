#ifndef ONESTEP_APP_COMMAND_VALUE_H
#define ONESTEP_APP_COMMAND_VALUE_H

// Options that are no parameters of a lesson: what a row of their table (option.h) says, and how their values are read.

#include "app/command/reader.h"

enum { MOST_DECIMALS = 9 }; // that a float's print may ask for

struct option {
    const char *name;   // "--output"
    const char *letter; // "-o", or NULL
    const char *value;  // what help calls its value; NULL: it has none
    unsigned verbs;     // IN() of the commands that take it
    // Reads the value ("" if it has none) into the command; NULL: it is a parameter, which this command explains in
    // words of its own. Fails with FAIL_USAGE, and says what the option takes, on anything else.
    void (*read)(struct reader *reader, const struct option *option, const char *value);
    size_t offset, size; // of the field in struct command that is read into
    int64_t
        number; // read_flag: what is stored, 1 if it is 0; read_whole_number, read_range: the most
    int64_t least; // read_whole_number: the least
    // read_choice: what number `i` is called, "" if this command does not take it; NULL behind the last.
    const char *(*choice)(enum verb verb, int i);
    bool again;       // given again, it adds to what was given before
    const char *help; // lines without a newline at the end
};

// What was typed, harmless to print.
const char *as_typed(const struct reader *reader, const char *string);

// Each reads a kind of value. A flag, a choice and a number are stored in an integer of the field's size.
void read_flag(struct reader *reader, const struct option *option, const char *value);
void read_choice(struct reader *reader, const struct option *option, const char *value);
void read_whole_number(struct reader *reader, const struct option *option, const char *value);
void read_words(struct reader *reader, const struct option *option, const char *value);
void read_range(struct reader *reader, const struct option *option, const char *value); // "3-7"

// Each reads the value of one option.
void read_step(struct reader *reader, const struct option *option, const char *value);
void read_seeds(struct reader *reader, const struct option *option, const char *value);
void read_what_if(struct reader *reader, const struct option *option, const char *value);
void read_line(struct reader *reader, const struct option *option, const char *value);
void read_screen_size(struct reader *reader, const struct option *option, const char *value);
void read_cell(struct reader *reader, const struct option *option, const char *value);
void read_any_stream(struct reader *reader, const struct option *option, const char *value);
void ask_for_help(struct reader *reader, const struct option *option, const char *value);
void ask_for_version(struct reader *reader, const struct option *option, const char *value);

// Reads a parameter of a lesson.
void read_parameter(struct reader *reader, const struct parameter *parameter, const char *value);

// --step may be given several times to print.
void add_step(struct reader *reader, const char *value);

// The names of a choice, for the options of that name.
const char *format_choice(enum verb verb, int i);
const char *picture_choice(enum verb verb, int i);
const char *dtype_choice(enum verb verb, int i);
const char *model_choice(enum verb verb, int i);
const char *color_choice(enum verb verb, int i);
const char *code_choice(enum verb verb, int i);

#endif
