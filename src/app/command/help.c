#include "app/command/help.h"

#include "app/command/option.h"
#include "lessons.h"
#include "show/sheet.h"

enum { HELP_WIDTH = 80 };

static const char program_help[] =
    "onestep: a debugger for attention. It runs the attention of a well-known course\n"
    "on the six vectors of \"Your journey starts with one step\", one step at a time,\n"
    "and shows every number, where it came from, and the C code that computed it.\n"
    "\n"
    "  onestep [walk] [LESSON] [--step S] [parameters]    walk through lessons\n"
    "  onestep list   [LESSON] [--what-ifs] [--format F]  lessons and their steps, or\n"
    "                                                     the classic mistakes\n"
    "  onestep print  LESSON|all [--step S] [--format F]  print steps and numbers\n"
    "                 [-o PATH] [parameters]\n"
    "  onestep screen LESSON [--step S] [--keys KEYS]     a screen of the walker\n"
    "                 [--size 80x24] [--format F]\n"
    "  onestep check  LESSON --step S FILE [parameters]   your numbers against a step\n"
    "  onestep check  LESSON DUMP [--names MAP]           all your tensors: the first\n"
    "                                                     wrong step\n"
    "  onestep check  LESSON FILE.py                      a program's wrong line\n"
    "  onestep compare A B                                where two runs part\n"
    "  onestep run    FILE [--memory MB]                  a program in PyTorch\n"
    "  onestep walk   FILE.py                             the same, line by line\n"
    "  onestep walk   RUN.onestep                         a recorded run of PyTorch\n"
    "  onestep practice [LESSON] [-o FOLDER]              exercises in PyTorch, one\n"
    "                                                     line each\n"
    "  onestep verify [--gpt]                             this machine's numbers\n"
    "                                                     against PyTorch's\n"
    "  onestep gpt2   [small|medium|large|xl]             the sizes of GPT-2; one\n"
    "                 [--batch N] [--tokens N] [...]      layer at full size\n"
    "  onestep bench  [--threads N]                       the fast attention against\n"
    "                                                     the readable one\n"
    "  onestep help formulas [parameters]                 a cheat sheet: formulas,\n"
    "                                                     shapes, PyTorch's errors\n"
    "  onestep help memory [--tokens N] [...]             what a cache of keys and\n"
    "                                                     values takes\n"
    "  onestep --help, --version, COMMAND --help\n"
    "\n"
    "LESSON is a name or a number:\n";

static const char walk_help[] =
    "onestep [walk] [LESSON|LINK|FILE.py] [--step S] [parameters]\n"
    "\n"
    "Walks through lessons in the terminal, forwards and backwards. Without LESSON\n"
    "it opens where you left off. Press ? for the keys, q to leave.\n"
    "LINK is '#LESSON/STEP?seed=5'; the page's address may stand before it.\n"
    "\n"
    "FILE.py, a program in PyTorch, is taken where a lesson is, also by print,\n"
    "screen and list. Each line that binds or changes a tensor is a step; the comment\n"
    "above it explains it. An error is the last step, and the exit status is 1.\n"
    "RUN.onestep, a run of any model that the Python module onestep recorded, is\n"
    "taken there too: each operation is a step, with its line and its module.\n"
    "\n";

static const char list_help[] =
    "onestep list [LESSON|--what-ifs|--options] [--format F]\n"
    "\n"
    "Lists the lessons, the parameters that each one uses, and the names of its\n"
    "steps, as --step takes them. With LESSON, that one alone. The steps of gpt are\n"
    "listed only by `list gpt`: it draws the model, which takes a second and 650 MB.\n"
    "\n";

static const char print_help[] =
    "onestep print LESSON|all [--step S] [--format F] [-o PATH] [parameters]\n"
    "\n"
    "Prints a lesson, all lessons, or one step. One step in the torch format is\n"
    "exactly what PyTorch's print(tensor) shows.\n"
    "\n";

static const char screen_help[] =
    "onestep screen LESSON|LINK [--step S] [--keys KEYS] [--size 80x24] [--format F]\n"
    "               [-o PATH] [parameters]\n"
    "\n"
    "Prints a screen of the walker, as a terminal of that size would show it.\n"
    "\n";

static const char practice_help[] =
    "onestep practice [LESSON] [-o FOLDER]\n"
    "\n"
    "Exercises for all lessons, one line of PyTorch each. They begin with the first\n"
    "lesson, or with LESSON. Each is a script in a folder (practice) with one\n"
    "expression left out. Fill it in and run the script as often as you like.\n"
    "practice reads the script's output and says whether it is right, or names the\n"
    "mistake. The folder keeps your place.\n"
    "\n"
    "Keys, each followed by Enter: h a hint (three, the last one nearly the answer),\n"
    "s the solution, n the next exercise, b the one before, q leave. If you know a\n"
    "lesson, begin with another, or skip exercises with n.\n"
    "\n";

static const char gpt2_help[] =
    "onestep gpt2 [small|medium|large|xl] [--batch N] [--tokens N] [--seed N]\n"
    "             [--bias] [--dropout P] [--bernoulli S] [--eval] [--randn]\n"
    "             [--layers-first] [--threads N] [-o PATH.npy]\n"
    "\n"
    "Without --batch and --tokens: a table of the sizes of GPT-2, and how their\n"
    "parameters are counted. With them: draws rand(batch, tokens, width), then the\n"
    "weights, runs one causal multi-head attention layer, and prints its output as\n"
    "PyTorch does. Time, rate and memory go to standard error.\n"
    "A whole GPT-2 small from its seed is `gpt`, which is taken where a lesson is:\n"
    "onestep gpt, onestep print gpt --step logits.\n"
    "\n";
static const char gpt2_end[] =
    "\n"
    "Every number has the bits of the readable attention, whatever the processor.\n"
    "ONESTEP_KERNEL=generic, avx2 or avx512 in the environment sets which vectors to\n"
    "use; without it, gpt2 uses the widest that the processor has.\n";

static const char gpt_help[] =
    "onestep gpt | print gpt --step S | screen gpt --step S | check gpt --step S FILE\n"
    "        [parameters]\n"
    "\n"
    "GPT-2 small as the course's GPTModel draws it from its seed: 163,009,536\n"
    "parameters, 621.83 MiB, no file needed. gpt is taken where a lesson is, but it\n"
    "is not in `print all` and `verify`. Steps: logits, most_likely,\n"
    "target_probabilities, loss, perplexity, said; what is drawn (token_table,\n"
    "'block 1: W_query', W_head); and, up to 64 tokens, every tensor of every block\n"
    "('block 12: weights', one matrix for each head). `onestep list gpt` names them\n"
    "all. Parts are chosen as in 'logits[:, :, :8]'.\n"
    "\n";
static const char gpt_end[] =
    "\n"
    "The ids are 15496,11,314,716 (\"Hello, I am\") unless --ids gives others. --seed\n"
    "is set once, before anything is drawn (123). Without --dropout the model is in\n"
    "evaluation mode. The book prints its first batch in training mode, because\n"
    "eval() was not called: --dropout 0.1 and its two sentences\n"
    "(--ids 6109,3626,6100,345 --ids 6109,1110,6622,257) give its numbers. Masks of\n"
    "dropout are drawn from mt19937 unless --bernoulli names the other stream.\n"
    "\n"
    "--model agreement takes the model of the lesson why, which has learned, with\n"
    "words in the place of ids: onestep help agreement.\n"
    "\n"
    "Logits are within 5e-6 of PyTorch's: see `onestep verify --gpt`. The sizes of\n"
    "GPT-2, and one of its attention layers alone, are another command:\n"
    "onestep gpt2 --help.\n";

static const char learned_help[] =
    "onestep gpt --model agreement [parameters]\n"
    "onestep print | screen | check agreement --step S ...\n"
    "\n"
    "The GPT of the lesson why, whole: 5,792 learned parameters, two blocks of two\n"
    "heads, 35 words. Every tensor is a step ('block 2: weights', probabilities,\n"
    "said). `onestep list agreement` names them all. It is not in `print all`.\n"
    "\n";
static const char learned_end[] =
    "\n"
    "The sentence is \"the cat near the dogs\" unless --sentence gives another.\n"
    "--new-tokens says how many words are put behind it (4). --off 2.1 switches off\n"
    "the head that finds the subject.\n";

static const char run_help[] =
    "onestep run FILE [--memory MB] [--bernoulli S]\n"
    "\n"
    "Runs a program in Python with PyTorch's tensors, and prints what Python would\n"
    "print. FILE may be -, standard input. Neither Python nor PyTorch is needed. A\n"
    "program reaches no files, no network and no other packages. The first line\n"
    "about an error is FILE:LINE: Type: message; the exit status is 1.\n"
    "\n";

static const char bench_help[] =
    "onestep bench [--threads N]\n"
    "\n"
    "Runs one attention layer of GPT-2 small on 128 ... 8192 tokens, fast and, up to\n"
    "512 tokens, as the lessons compute it; prints times, rates and the memory that\n"
    "each takes, and whether their bits are the same. Takes some twenty seconds.\n"
    "\n";
static const char bench_end[] = "\n"
                                "ONESTEP_KERNEL: see onestep gpt2 --help.\n";

static const char check_help[] =
    "onestep check LESSON --step S FILE [--format F] [parameters]\n"
    "onestep check LESSON DUMP [--names MAP] [--all] [--format F] [parameters]\n"
    "onestep check LESSON FILE.py [--format F] [parameters]\n"
    "onestep check [LESSON] [--step S] --roster CSV FOLDER [-o PAGE.html]\n"
    "onestep check RUN.onestep [--format F]\n"
    "\n"
    "Does FILE hold the numbers of that step? If not, says where they differ first,\n"
    "and which classic mistake, or which two, would give exactly these numbers.\n"
    "FILE is a printed PyTorch tensor or NumPy array (with its shape below or not),\n"
    "a list, JSON, CSV, .npy, or a notebook (x.ipynb, or x.ipynb#5 for its cell 5);\n"
    "- is standard input. Numbers are compared with as many digits as they have.\n"
    "Some numbers of a training come from rounding alone: if rounding changes a\n"
    "number by as much as its own size, check says that it cannot be judged.\n"
    "DUMP holds all tensors of your program, by the names of the steps: a\n"
    "safetensors file, an .npz file of numpy.savez, or a folder of such FILEs. The\n"
    "answer has a line for each step, names the first wrong step and its mistake, and\n"
    "says which steps follow from it.\n"
    "FILE.py is your program; so are the code cells of FILE.ipynb, without --step.\n"
    "check runs it, says which of its tensors are steps of the lesson, whatever their\n"
    "names are, and looks for one line, or several, that make the others right when\n"
    "they are written otherwise. --thorough tries ten times as many.\n"
    "RUN.onestep is a run of PyTorch that onestep.py recorded: check computes each\n"
    "operation again from its recorded operands, and names those that differ.\n"
    "The exit status is 0 if no number is wrong, 1 if one is, 2 if the file can't be\n"
    "read.\n"
    "\n";

static const char compare_help[] =
    "onestep compare A B [--names a=b,...] [--format F] [parameters]\n"
    "\n"
    "Where do two runs part? Each of A and B is a lesson, a program (FILE.py, or the\n"
    "code cells of FILE.ipynb), a recording (FILE.onestep), or a dump of tensors: a\n"
    "safetensors file, an .npz file of numpy.savez, or a folder of .npy files. A is\n"
    "what B should be.\n"
    "Tensors are matched by their numbers. Names, order and layout may differ:\n"
    "transposed weights, heads split or merged, one tensor for several, a batch of\n"
    "one. What A has no counterpart of is no difference by itself.\n"
    "compare names the first tensor of B that is computed from what A has too, and\n"
    "has other numbers than rounding explains. It shows the lines of both, the largest\n"
    "difference, and the edit that removes it, if it finds one. A dump has no\n"
    "operations: the order of its tensors is that of the file.\n"
    "onestep walk B --beside A walks through B with A beside it.\n"
    "Parameters are those of the lessons among A and B.\n"
    "The exit status is 0 if the runs are the same, 1 if they part, 2 if one of them\n"
    "can't be read.\n"
    "\n";

static const char memory_help[] =
    "onestep help memory [--d-model N] [--heads N] [--layers N] [--tokens N]\n"
    "                    [--groups N] [--window N] [--full-layers N] [--latent N]\n"
    "\n"
    "What a cache of keys and values takes at real sizes, in bytes: plain, with grouped\n"
    "queries, with a sliding window, with a latent. Without options: two examples.\n"
    "Where the heads do not divide the width, the table comes twice: with the width of\n"
    "a head rounded up, as the course counts, and without rounding.\n"
    "\n";

static const char verify_help[] =
    "onestep verify [--gpt]\n"
    "\n"
    "Computes again every number for which PyTorch's is known, and compares. Runs the\n"
    "lessons' lines of PyTorch, too, and compares them with the lessons. Prints a\n"
    "table, a verdict, and what a bug report should say about this machine. The exit\n"
    "status is 0 if all numbers are equal, 1 if not.\n"
    "\n";

static void add_models(struct text *text, enum lesson_part part) {
    for (int i = 0; i < model_count; i++) {
        const struct lesson *model = model_table[i];
        if (model->part == part)
            text_add_format(text, "       %-14s %s\n", model->name, model->title);
    }
}

static void add_lessons(struct text *text) {
    for (int i = 0; i < lesson_count; i++) {
        const struct lesson *lesson = lesson_table[i];
        if (i == 0 || lesson->part != lesson_table[i - 1]->part)
            text_add_format(text, "  %s\n", part_heading(text->arena, lesson->part));
        text_add_format(text, "  %3d  %-14s %s\n", first_number(lesson_table) + i, lesson->name,
                        lesson->title);
        if (i + 1 == lesson_count || lesson_table[i + 1]->part != lesson->part)
            add_models(text, lesson->part);
    }
}

// Those of the USES_ bits.
static void add_parameters(struct text *text, uint64_t uses) {
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
        if (!(uses & parameter->bit)) continue;
        const char *option =
            parameter->value == NULL
                ? parameter->option
                : arena_format(text->arena, "%s %s", parameter->option, parameter->value);
        text_add(text, "  ");
        text_add_padded(text, option, 18, false);
        text_add_format(text, " %s\n", parameter->help);
    }
}

static void add_formulas(struct text *text, const struct parameters *parameters) {
    struct arena *arena = text->arena;
    const struct what_ifs no_mistakes = {0};
    struct trial *trials = arena_array(arena, (size_t)lesson_count, sizeof *trials);
    for (int i = 0; i < lesson_count; i++) {
        run_trial(&trials[i], arena, lesson_table[i], parameters, &no_mistakes);
    }
    const struct sheet_table *tables;
    const int count = sheet_tables(arena, lesson_count, trials, &tables);
    add_sheet(text, count, tables, HELP_WIDTH);
}

// What stands before the options of a command, and behind them.
static const struct {
    const char *before, *after;
} helps[] = {
    [VERB_WALK] = {walk_help, NULL},         [VERB_LIST] = {list_help, NULL},
    [VERB_PRINT] = {print_help, NULL},       [VERB_SCREEN] = {screen_help, NULL},
    [VERB_PRACTICE] = {practice_help, NULL}, [VERB_CHECK] = {check_help, NULL},
    [VERB_VERIFY] = {verify_help, NULL},     [VERB_GPT2] = {gpt2_help, gpt2_end},
    [VERB_RUN] = {run_help, NULL},           [VERB_BENCH] = {bench_help, bench_end},
    [VERB_HELP] = {program_help, NULL},      [VERB_MEMORY] = {memory_help, NULL},
    [VERB_COMPARE] = {compare_help, NULL},
};

int help_topics(struct arena *arena, const char ***topics) {
    const char **names = arena_array(arena, (size_t)(VERB_HELP + model_count + 1), sizeof *names);
    int count = 0;
    for (int i = VERB_WALK; i < VERB_HELP; i++) names[count++] = verb_name((enum verb)i);
    for (int i = 0; i < model_count; i++) names[count++] = model_table[i]->name;
    names[count++] = "formulas";
    *topics = names;
    return count;
}

void add_json_help(struct json *json, enum verb verb) {
    json_add_string(json, "help", helps[verb].before);
    json_add_string(json, "more", helps[verb].after);
}

void add_json_models(struct json *json) {
    json_open_list(json, "models");
    for (int i = 0; i < model_count; i++) {
        json_line(json);
        json_open_object(json, NULL);
        json_add_string(json, "name", model_table[i]->name);
        const bool is_learned = model_table[i]->learned != NULL;
        json_add_string(json, "help", is_learned ? learned_help : gpt_help);
        json_add_string(json, "more", is_learned ? learned_end : gpt_end);
        json_close(json);
    }
    json_close(json);
}

void add_help(struct text *text, const struct command *command) {
    const enum verb about = command->help.about;
    if (command->help.formulas) {
        add_formulas(text, &command->parameters);
        return;
    }
    if (command->lesson != NULL && is_model(command->lesson)) {
        const bool is_learned = command->lesson->learned != NULL;
        text_add(text, is_learned ? learned_help : gpt_help);
        add_parameters(text, command->lesson->uses);
        text_add(text, is_learned ? learned_end : gpt_end);
        return;
    }
    text_add(text, helps[about].before);
    if (about == VERB_HELP) add_lessons(text);
    add_option_help(text, about);
    if (helps[about].after != NULL) text_add(text, helps[about].after);
    if (!takes_parameters(about)) return;
    text_add(text, "\nParameters (onestep list says which lesson uses which):\n");
    add_parameters(text, ~UINT64_C(0));
}
