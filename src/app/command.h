#ifndef ONESTEP_APP_COMMAND_H
#define ONESTEP_APP_COMMAND_H

// What a command line asks for, in one struct. arguments.h reads it.

#include "app/gpt2.h"
#include "app/print/code.h"
#include "app/print/picture.h"
#include "trace/exercise.h"
#include "trace/what_if/trial.h"

enum verb {
    VERB_WALK,
    VERB_LIST,
    VERB_PRINT,
    VERB_CHECK,
    VERB_VERIFY,
    VERB_GPT2,
    VERB_BENCH,
    VERB_SCREEN,
    VERB_PRACTICE,
    VERB_HELP,
    VERB_VERSION,
};
enum format {
    FORMAT_TORCH,
    FORMAT_PLAIN,
    FORMAT_JSON,
    FORMAT_CSV,
    FORMAT_NPY,
    FORMAT_SVG,
    FORMAT_MARKDOWN,
    FORMAT_HTML,
    FORMAT_PY,
    FORMAT_IPYNB,
    FORMAT_GIFT,
    FORMAT_LATEX,
    FORMAT_TEXT, // this one and those behind it are of screens only
    FORMAT_ANSI,
    FORMAT_LINK,
    FORMAT_COUNT,
};
enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

enum { MOST_STEPS = 64, MOST_SEEDS_AT_ONCE = 1000 };

struct command {
    enum verb verb;
    enum verb help_about;        // VERB_HELP: which command's help, VERB_HELP for the program's
    bool help_formulas;          // VERB_HELP: the cheat sheet instead
    const struct lesson *lesson; // NULL: all of them, or for walk the one last seen
    const char *step;            // as typed, NULL if not given; the last of several
    int step_count;              // VERB_PRINT: how often --step was given
    const char *steps[MOST_STEPS];
    int first_step, last_step;     // VERB_PRINT: --steps A-B; 0 if not given
    int64_t first_seed, last_seed; // VERB_PRINT: --seeds A-B; none if last_seed is 0
    enum programs code;            // --code
    bool has_blank_values;         // --blank-values
    const char *file;              // VERB_CHECK: the file to check, "-" for standard input
    const char *roster; // VERB_CHECK: CSV, a student a line; `file` is the folder of their files
    int min_decimals;   // VERB_CHECK: that the file has to have
    bool watches;       // VERB_CHECK: again whenever the file changes
    bool any_stream;    // VERB_CHECK: --bernoulli any
    bool is_quiet;      // VERB_CHECK: the right numbers are not told
    bool is_thorough;   // VERB_CHECK: the search for mistakes goes on until all is tried
    enum format format;
    enum picture picture;     // VERB_PRINT; NO_PICTURE if none was asked for
    enum exercises exercises; // --blanks, --solution
    bool shows_recap;         // --summary
    const char *output;       // -o, NULL for standard output
    int digits;
    bool requires_grad; // VERB_PRINT: as where nothing is detached
    int rows, columns;  // VERB_SCREEN: its size
    const char *keys;   // and the keys pressed before it is shown
    int cell_dims;      // VERB_WALK, VERB_SCREEN: of --cell; 0 if it was not given
    int64_t cell[MAX_DIMS];
    enum color_choice color;
    struct parameters parameters;
    struct what_ifs what_ifs; // mistakes to be made on purpose
    bool lists_what_ifs;      // VERB_LIST: the classic mistakes, not the lessons
    struct gpt2_options gpt2; // VERB_GPT2; VERB_BENCH has threads
};

// What a format is called, and does it hold one step only (so that several steps need a folder)?
const char *format_name(enum format format);
bool holds_one_step(enum format format);

// What "print", "list", ... is called; "onestep" for VERB_HELP.
const char *verb_name(enum verb verb);

// The command of that name; returns false, and leaves *verb, if there is none.
bool find_verb(const char *name, enum verb *verb);

// Are lessons run by this command, so that parameters mean something to it?
bool takes_parameters(enum verb verb);

// "simplified, trainable, ...".
const char *lesson_names(struct arena *arena);

// Shall standard output be coloured? The option, then NO_COLOR (not empty), CLICOLOR_FORCE,
// CLICOLOR=0, then whether it is a terminal.
bool wants_color(enum color_choice choice);

// Does COLORTERM say that the terminal shows all colours, not only 256? Inside GNU screen (STY) it speaks of the
// terminal around that, which does not get them.
bool wants_all_colors(void);

#endif
