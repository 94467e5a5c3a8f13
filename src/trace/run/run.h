#ifndef ONESTEP_TRACE_RUN_RUN_H
#define ONESTEP_TRACE_RUN_RUN_H

// A run of a lesson records a trace: an array of steps, each with its tensor. Every number of a tensor can be
// traced back to the numbers that it was computed from. The rest of the program reads this trace.

#include "tensor/number/generator.h"
#include "tensor/tensor.h"
#include "trace/run/parameters.h"
#include "trace/run/source.h"

struct run;

// The book whose course the lessons follow.
#define THE_BOOK "Sebastian Raschka, Build a Large Language Model (From Scratch)"

// The parts of the course, in order: each lesson belongs to the part of the lesson before it or to a later one.
// A reader's own program stands behind them all.
enum lesson_part { PART_OF_COURSE, PART_OF_LEARNING, PART_OF_GPT, PART_OF_TODAY, PART_OF_READER };
// "learning", and "Part 2: learning"; of a reader's program both are "your program", the second with a capital.
const char *part_title(enum lesson_part part);
const char *part_heading(struct arena *arena, enum lesson_part part);

struct lesson {
    const char *name;      // "split_head"
    enum lesson_part part; // where lists of lessons show it
    const char *title;     // "Split heads"
    const char *summary;   // one or two sentences
    const char *book;  // where THE_BOOK treats it: "section 3.3, Attending to ..."; NULL: nowhere
    uint64_t uses;     // USES_ bits: the parameters that it reads
    bool splits_heads; // d_out is the width of all heads together: heads must divide it
    bool is_before_first; // it has the number 0, and stands at the head of the list
    bool trains;          // by train() (training.h)
    int64_t most_numbers; // of its model's weights; where it trains, times the updates, 10 at least
    struct parameters defaults;
    double
        within; // how far programs that add in another order may differ, times max(1, |x|); 0: 2e-6
    const char
        *learned; // a file of weights; the lines of `setup` find it under this name; or NULL. Such
                  // a lesson shows what was learned: none of the mistakes is made in it
    const char *setup; // lines of PyTorch that the statements need beside the parameters; or NULL
    void (*teach)(struct run *run); // computes, STEP by STEP
    const struct source *source;
    // Of a program: the same with other code in the place of lines of its file, counted from 1. Fails with FAIL_INPUT if that
    // is no Python. NULL: a lesson in C.
    const struct lesson *(*with_lines)(struct arena *arena, const struct lesson *lesson, int first,
                                       int last, const char *code);
    // Of a recording: finds out how the numbers of a step (from 0) came about, before they are shown. NULL: all is known.
    void (*explain)(struct run *run, int step);
    // The same of numbers that any step shows.
    void (*explain_numbers)(struct run *run, const struct storage *numbers);
    bool is_explained_at_once; // of a recording: all of it is known when it has run
    // Drops what it found out first, if that takes much memory: it is found out again. Returns whether there was something.
    bool (*forget_some)(struct run *run);
};

// Finds out how a step's numbers came about, if that is not known yet: of a lesson's `explain`.
void explain_step(struct run *run, int step);
void explain_numbers(struct run *run, const struct storage *numbers);
bool forget_some_steps(struct run *run);
// Is it known of all steps what their numbers were computed from?
bool knows_all_origins(const struct run *run);

// The number of the first lesson of a list: 0 if it stands before the first, else 1. The others follow.
int first_number(const struct lesson *const *lessons);

// Is it a reader's own: a program, or a recording?
static inline bool is_of_reader(const struct lesson *lesson) {
    return lesson != NULL && lesson->part == PART_OF_READER;
}

// What a change of this lesson is compared with, as in "the course's numbers": "course", of a reader's program "file".
const char *standard_of(const struct lesson *lesson);

// Where a step opens: a cell of its table; page -1: on the page that is open.
struct opening {
    bool is_given;
    int64_t page, row, column;
};

struct step {
    int number; // from 1
    const char *name;
    const char *group;   // NULL if none
    const char *section; // NULL if none
    const char *formula;
    const char *statement;  // in PyTorch, of one line or several; "" if an earlier one did it all
    const char *expression; // whose value is the step, once the statement has run
    const struct paragraph *paragraph; // in the words of this run; several steps may share one
    const struct excerpt *excerpt;     // of the paragraph: the step's own lines
    struct tensor tensor;
    const char
        *beside; // label of an earlier step that it is to be seen beside, number by number; or NULL
    struct opening opening; // as the lesson gives it
    bool has_plane;         // its points are to be seen beside its numbers
    bool is_unnamed;        // its line gives it no name: it has that of the operation
    const char *printed;    // what a program printed behind it, before the next step; or NULL
    int within; // the number of the later step that shows the result of the call in which it was computed; 0: in no call
    const struct step *
        part_of; // of a part, context[1], that took a step's place (expression.h): that step; else NULL
};

enum { MAX_SEEDS = 8 };

struct trained; // the result of a training (training.h)
struct recorded_run;

enum { MOST_TARGETS = 64 };

struct run {
    struct arena *memory; // all that the run computes
    struct generator generator;
    const struct lesson *lesson;
    struct parameters parameters; // the lesson's defaults, replaced by what the user chose
    const struct precision
        *precision;                // in which other numbers than these were computed; NULL: float32
    struct tensor inputs;          // (tokens, features), AXIS_TOKEN and AXIS_FEATURE
    int64_t query;                 // row of the query that the lesson follows
    int64_t targets[MOST_TARGETS]; // rows of the tokens that --target names
    int target_count;
    int64_t batch_size; // of a batch, each sentence with the shape of `inputs`; 0: none
    struct tensor sentences[MOST_SENTENCES];
    enum bernoulli stream; // of dropout masks
    bool shows_streams;    // asked shows_stream()

    struct step *steps;
    int step_count;
    const char *setup; // in the place of what run_setup() would make; NULL: nothing

    int layers[ROLE_COUNT]; // so far, by what they make

    uint64_t seeds[MAX_SEEDS]; // every seed set so far, in order
    int seed_count;
    uint64_t sequences;   // how many seeds were set, also beyond MAX_SEEDS
    uint64_t other_seeds; // USES_ bits of the seeds that were given and are not the lesson's own

    // where the next step goes
    const char *group;
    int group_number; // of the group's name, or 0
    const char *section;
    const char *beside;
    struct opening opening;
    bool has_plane;
    const char *begins; // PyTorch before the next step's statement: a seed set; or NULL
    struct generator
        behind_layers; // the generator's state after the layers: masks without a seed begin there
    bool has_masks;    // they did

    const struct trained **trainings; // so far
    int training_count;
    const struct run *
        before; // with the same parameters but fewer updates, whose trainings are continued; or NULL

    struct recorded_run *recorded; // of a recording (script/recording/recorded.h); else NULL

    // By step: its numbers are somebody else's, not what its statement computes. NULL: none is.
    const bool *is_handed;

    const struct step
        *last; // run_until's: the run ends behind the step that is named like this one; or NULL
};

// Runs a lesson with the parameters that the user chose (those that the lesson does not use are
// ignored). Fills *run, all in `arena`. Fails with FAIL_USAGE if the parameters do not fit the lesson or
// each other; the arena is then to be freed as well.
void run_lesson(struct run *run, struct arena *arena, const struct lesson *lesson,
                const struct parameters *chosen);
// The same. If `before` is a right run that differs only in having fewer updates, its trainings are
// continued: the numbers are the same, in less time. `before` is not needed afterwards.
void continue_lesson(struct run *run, struct arena *arena, const struct run *before,
                     const struct lesson *lesson, const struct parameters *chosen);

// Have two steps, of one run or two, the same group, and the same name as well?
bool are_in_one_group(const struct step *a, const struct step *b);
bool is_named_alike(const struct step *a, const struct step *b);

// Does the run end in a group, because a step of it was asked for? See run_until().
bool ends_in_group(const struct run *run);

// Runs a lesson as far as the step that is named like `last`, a step of another run. For whoever asks for the numbers of one
// step many times: the steps have no statements. Returns the step; NULL if the parameters do not fit, or if the lesson
// has no such step with them.
const struct step *run_until(struct run *run, struct arena *arena, const struct lesson *lesson,
                             const struct parameters *chosen, const struct step *last);

// "seed 5, d_out 4", for a run whose parameters differ from the lesson's defaults; NULL if none differ.
const char *parameters_text(struct arena *arena, const struct run *run);

// The PyTorch code that the statements of the steps need before them: the import, the inputs, and the
// parameters under the names that the statements use. Each line ends in \n.
const char *run_setup(struct arena *arena, const struct run *run);

// What stands for a parameter's value that was not given, where the lesson has several of its own ("both" streams);
// NULL where it has one.
const char *unset_value(const struct run *run, const struct parameter *parameter);

// The statement, or expression, as it is for this run: {h} is the number of the step's group; {sentences}, the list of a batch's
// sentences, is `sentences` if they differ, else copies of `inputs`; lines that end in a mark of some runs (schedule.h;
// `# {qk}` and `# {plain}`, with and without --qk-norm) are gone in others.
const char *run_statement(struct arena *arena, const struct run *run, const char *statement);

// ---- Called by lessons --------------------------------------------------------------------------

// torch.manual_seed: starts the generator at `seed`, or at the seed that the user gave. (For reseed_dropout,
// --dropout-seed takes precedence over --seed; with "none", each mask begins where the layers ended.)
void reseed(struct run *run, uint64_t seed);
void reseed_dropout(struct run *run, uint64_t seed);

// Does the run show this dropout stream? It shows both unless the user chose one. choose_stream: draws the
// following masks from it.
bool shows_stream(struct run *run, enum bernoulli stream);
void choose_stream(struct run *run, enum bernoulli stream);

// Behind STEP, GROUP, SECTION, BESIDE, AT and PICTURE: see lesson.h.
void record_step(struct run *run, struct tensor tensor, const char *name, const char *formula,
                 const char *const *pytorch, const char *file, int line);
// The same for a program, which has no STEPs: all of it as it is, but for its number.
void record_as(struct run *run, const struct step *step);
void begin_group(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void begin_section(struct run *run, const char *title);
void stand_beside(struct run *run, const char *step);
void open_at(struct run *run, int count,
             const int64_t *position); // page if count is 3, row, column
void draw_on_plane(struct run *run);

#endif
