#ifndef ONESTEP_APP_COMMAND_COMMAND_H
#define ONESTEP_APP_COMMAND_COMMAND_H

// What a command line asks for, in one struct. arguments.h reads it.

#include "app/cache.h"
#include "app/gpt2.h"
#include "app/print/options.h"
#include "trace/run/exercise.h"
#include "trace/what_if/trial.h"

enum verb {
    VERB_WALK,
    VERB_LIST,
    VERB_PRINT,
    VERB_RUN,
    VERB_CHECK,
    VERB_COMPARE,
    VERB_VERIFY,
    VERB_GPT2,
    VERB_BENCH,
    VERB_SCREEN,
    VERB_PRACTICE,
    VERB_MEMORY,
    VERB_HELP,
    VERB_VERSION,
};
#define ROW(FORMAT, ...) FORMAT_##FORMAT,
enum format {
#include "app/command/format_rows.h"
    FORMAT_COUNT,
};
#undef ROW
struct selection; // formats.h

enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

enum { MOST_STEPS = 64, MOST_SEEDS_AT_ONCE = 1000 };

// Two numbers, "3-7"; both 0 if they were not given.
struct range {
    int64_t first, last;
};

// What each command has for itself.
struct help_options {
    enum verb about; // VERB_HELP for the program
    bool formulas;   // the cheat sheet instead
};
struct list_options {
    bool what_ifs; // the classic mistakes, not the lessons
    bool options;  // the commands and their options, not the lessons
};
struct print_options {
    struct range steps, seeds;
    enum programs code;
    bool has_blank_values;
    enum picture picture;     // NO_PICTURE if none was asked for
    enum exercises exercises; // --blanks, --solution
    bool shows_recap;         // --summary
    bool requires_grad;       // as where nothing is detached
};
struct check_options {
    const char *file;   // "-" for standard input
    const char *roster; // CSV, a student a line; `file` is the folder of their files
    int min_decimals;   // that the file has to have
    bool watches;       // again whenever the file changes
    bool any_stream;    // --bernoulli any
    int dtype;          // of --dtype: 1 for the first of `precisions`; 0 if it was not given
    bool is_quiet;      // the right numbers are not told
    bool is_thorough;   // the search for mistakes goes on until all is tried
    const char *names;  // of a dump without --step: lines MINE = STEP; NULL if not given
    bool has_all;       // the answer lists steps that were not handed in as well
};
struct compare_options {
    const char *a, *b; // lessons, programs, dumps
    const char *names; // "a=b,c=d": what A calls a tensor, and what B does; NULL if not given
    bool is_thorough;  // the search for an edit goes on until all is tried
};
struct verify_options {
    bool models; // --gpt
};
struct run_options {
    const char *file;  // "-" for standard input
    int64_t megabytes; // that the program may have at once; 0: 2048
};
struct practice_options {
    const char *folder; // of the scripts; NULL if not given
};
struct screen_options {
    int rows, columns;
    const char *keys; // pressed before it is shown
    bool moves;       // a figure with a frame for each key
};

// --model: which of the models that stand behind the name `gpt`. Each is also taken by its own name.
enum gpt_model { MODEL_OF_LESSON, MODEL_GPT2, MODEL_AGREEMENT };

struct command {
    enum verb verb;
    const struct lesson *lesson; // NULL: all lessons, or for walk the one last seen
    enum gpt_model model;        // of `gpt`
    const char *beside;          // --beside: the run that stands beside the lesson's; NULL: none
    const char *step;            // as typed, NULL if not given; the last of several
    int step_count;              // how often --step was given
    const char *steps[MOST_STEPS];
    int cell_dims; // of --cell; 0 if it was not given
    int64_t cell[MAX_DIMS];
    enum format format;
    const char *output; // -o, NULL for standard output
    int digits;
    enum color_choice color;
    struct parameters parameters;
    struct what_ifs what_ifs; // mistakes to be made on purpose
    struct help_options help;
    struct list_options list;
    struct print_options print;
    struct check_options check;
    struct compare_options compare;
    struct run_options run;
    struct verify_options verify;
    struct practice_options practice;
    struct screen_options screen;
    struct cache_options memory;
    struct gpt2_options gpt2; // bench has its threads
};

// The type of --dtype; NULL if it was not given.
const struct precision *precision_of(const struct check_options *options);

// A bit for each command.
#define IN(verb) (1U << (verb))

// What a format is called, what it is for a command (NULL: the command does not write it), and does it hold one step
// only (so that several steps need a folder)? Does a command write it?
const char *format_name(enum format format);
const char *format_help(enum verb verb, enum format format);
bool holds_one_step(enum format format);
bool writes_format(enum verb verb, enum format format);

// Adds what is selected, in a format of VERB_PRINT.
void add_format(struct text *text, enum format format, const struct selection *selection);

// Adds a lesson as a program, with its changed lines. Fails with FAIL_USAGE if mistakes are made in it: no line says these.
void add_program(struct text *text, const struct trial *trial, int digits);

// The lesson, or model, of that name or number; a - may stand for a _. NULL if there is none.
const struct lesson *lesson_by_name(const char *name);
// Is it a model at full size, which stands in no list of all lessons?
bool is_model(const struct lesson *lesson);
// Is it walked alone: a model, or a program?
bool stands_alone(const struct lesson *lesson);

// The name of a command: "print", "list", ...; "onestep" for VERB_HELP.
const char *verb_name(enum verb verb);

// What a command does, in a line.
const char *verb_summary(enum verb verb);

// The command of that name; returns false, and leaves *verb, if there is none.
bool find_verb(const char *name, enum verb *verb);

// Does this command run lessons, so that it takes their parameters?
bool takes_parameters(enum verb verb);

// Is a name or a link that is given to it a lesson? And may a program be in its place?
bool takes_lesson(enum verb verb);
bool takes_program(enum verb verb);

// "simplified, trainable, ...": the lessons that use all these USES_ bits.
const char *names_of_lessons(struct arena *arena, uint64_t uses);

// Should standard output be coloured? The option decides first, then NO_COLOR (not empty), CLICOLOR_FORCE and
// CLICOLOR=0, then whether standard output is a terminal.
bool wants_color(enum color_choice choice);

// Does COLORTERM say that the terminal shows all colours, not only 256? Inside GNU screen (STY) the variable
// describes the outer terminal, and GNU screen does not pass such colours on.
bool wants_all_colors(void);

#endif
