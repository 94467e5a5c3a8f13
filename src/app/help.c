#include "app/help.h"

#include "lessons.h"
#include "show/sheet.h"

enum { HELP_WIDTH = 80 };

static const char program_help[] =
    "onestep: a debugger for attention. It runs the attention of a well-known course\n"
    "on the six vectors of \"Your journey starts with one step\", one step at a time,\n"
    "and shows every number, where it came from, and the C code that computed it.\n"
    "\n"
    "  onestep [walk] [LESSON] [--step S] [parameters]    walk through lessons\n"
    "  onestep list   [--what-ifs] [--format plain|json]  lessons and their steps, or\n"
    "                                                     the classic mistakes\n"
    "  onestep print  LESSON|all [--step S] [--format F]  print steps and numbers\n"
    "                 [-o PATH] [parameters]\n"
    "  onestep screen LESSON [--step S] [--keys KEYS]     a screen of the walker\n"
    "                 [--size 80x24] [--format F]\n"
    "  onestep check  LESSON --step S FILE [parameters]   your numbers against a step\n"
    "  onestep practice [LESSON] [-o FOLDER]              exercises in PyTorch, one\n"
    "                                                     line each\n"
    "  onestep verify                                     this machine's numbers\n"
    "                                                     against PyTorch's\n"
    "  onestep gpt2   [small|medium|large|xl]             the sizes of GPT-2; one\n"
    "                 [--batch N] [--tokens N] [...]      layer at full size\n"
    "  onestep bench  [--threads N]                       the fast attention against\n"
    "                                                     the readable one\n"
    "  onestep help formulas [parameters]                 a cheat sheet: formulas,\n"
    "                                                     shapes, PyTorch's errors\n"
    "  onestep --help, --version, COMMAND --help\n"
    "\n"
    "LESSON is a name or a number:\n";

static const char walk_help[] =
    "onestep [walk] [LESSON|LINK] [--step S] [parameters]\n"
    "\n"
    "Walks through lessons in the terminal, forwards and backwards. Without LESSON\n"
    "it opens where you left off. Press ? for the keys, q to leave.\n"
    "LINK is '#LESSON/STEP?seed=5'; the page's address may stand before it.\n"
    "\n"
    "  --step S         start at a step: its number, its name, or 'GROUP: NAME'\n"
    "  --cell R,C       put the cursor on a cell, counted from 0\n"
    "  --what-if NAME   a classic mistake, made on purpose; give it again for two\n"
    "                   (onestep list --what-ifs)\n"
    "  --digits N       digits after the point, 0 ... 17 (4)\n"
    "  --color WHEN     auto, always or never\n"
    "\n";

static const char list_help[] =
    "onestep list [--what-ifs] [--format plain|json]\n"
    "\n"
    "Lists the lessons, the parameters that each one uses, and the names of its\n"
    "steps, as --step takes them.\n"
    "\n"
    "  --what-ifs       the classic mistakes instead: what goes wrong, how it looks\n"
    "                   in PyTorch, and the steps of each lesson that it changes\n"
    "  --format F       plain or json (plain)\n";

static const char print_help[] =
    "onestep print LESSON|all [--step S] [--format F] [-o PATH] [parameters]\n"
    "\n"
    "Prints a lesson, all lessons, or one step. One step in the torch format is\n"
    "exactly what PyTorch's print(tensor) shows.\n"
    "\n"
    "  --step S         one step: its number, its name, or 'GROUP: NAME'\n"
    "                   or a part: 'NAME[1, 2]', 'NAME[:, ::2]', 'NAME.T',\n"
    "                   'NAME.sum(-1)', 'NAME.mean()', 'NAME.shape[0]'\n"
    "  --format F       torch: as PyTorch prints (the default)\n"
    "                   plain: one fact a line, for screen readers and grep\n"
    "                   json:  every number with nine digits, which keep its bits\n"
    "                   csv, npy, svg: one step for a spreadsheet, for NumPy, or as\n"
    "                   a figure; with -o FOLDER, one file for each step.\n"
    "                   A lesson as svg is its map\n"
    "                   markdown, html: a handout\n"
    "                   py, ipynb: a script or a notebook that needs only PyTorch,\n"
    "                   computes every step and compares it with onestep's\n"
    "                   gift: a step as a question for Moodle, with the classic\n"
    "                   mistakes as wrong answers; --seeds A-B: one for each seed\n"
    "                   latex: a step as a matrix\n"
    "  --steps A-B      a part of the lesson; --step may also be given several times\n"
    "  --code CODE      markdown, html: pytorch, c, both or none\n"
    "  --blank-values   markdown, html, latex: leaves numbers to fill in by hand\n"
    "  --blanks         py, ipynb: as exercises, with hints; --solution: the key\n"
    "  --picture P      draw it, as text, svg, or in words with --format plain:\n"
    "                   map: what each step was computed from\n"
    "                   plane: rows of two numbers as points\n"
    "                   strips: weights, who attends to whom\n"
    "                   curve: a list of numbers\n"
    "  --summary        the end of a lesson: what it showed, the class in PyTorch,\n"
    "                   what is new in it, three questions; with --format py a\n"
    "                   program that runs the class\n"
    "  -o, --output PATH  write to a file instead of standard output\n"
    "  --what-if NAME   a classic mistake, made on purpose; give it again for two\n"
    "                   (onestep list --what-ifs)\n"
    "  --requires-grad  torch: with what autograd adds: grad_fn=<MmBackward0>\n"
    "  --digits N       digits after the point in printed tensors, 0 ... 17 (4)\n"
    "  --color WHEN     auto, always or never\n"
    "\n";

static const char screen_help[] =
    "onestep screen LESSON|LINK [--step S] [--keys KEYS] [--size 80x24] [--format F]\n"
    "               [-o PATH] [parameters]\n"
    "\n"
    "Prints a screen of the walker, as a terminal of that size would show it.\n"
    "\n"
    "  --step S         the step: its number, its name, or 'GROUP: NAME' (1)\n"
    "  --keys KEYS      keys to press first: characters, and <Up> <Down> <Left>\n"
    "                   <Right> <Home> <End> <PgUp> <PgDn> <Enter> <Esc> <Tab>\n"
    "                   <Shift-Tab> <Space> <Backspace>, as in 'ii<Right>'\n"
    "  --cell R,C       the cell under the cursor, counted from 0\n"
    "  --size CxR       columns and rows (80x24)\n"
    "  --format F       text (the default), ansi: text with colours for a terminal,\n"
    "                   svg, html, or link: what to add to the address onestep.html\n"
    "                   to open this step in a browser, and as LINK here\n"
    "  -o, --output PATH  write to a file instead of standard output\n"
    "  --what-if NAME   a classic mistake, made on purpose\n"
    "  --digits N       digits after the point, 0 ... 17 (4)\n"
    "  --color never    as on a terminal without colours\n"
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
    "\n"
    "  -o, --output FOLDER  where the scripts are\n";

static const char gpt2_help[] =
    "onestep gpt2 [small|medium|large|xl] [--batch N] [--tokens N] [--seed N]\n"
    "             [--bias] [--dropout P] [--bernoulli S] [--eval] [--randn]\n"
    "             [--layers-first] [--threads N] [-o PATH.npy]\n"
    "\n"
    "Without --batch and --tokens: a table of the sizes of GPT-2, and how their\n"
    "parameters are counted. With them: draws rand(batch, tokens, width), then the\n"
    "weights, runs one causal multi-head attention layer, and prints its output as\n"
    "PyTorch does. Time, rate and memory go to standard error.\n"
    "\n"
    "  --batch N        sentences (1)\n"
    "  --tokens N       tokens of each (1024)\n"
    "  --seed N         set once, before anything is drawn (123)\n"
    "  --bias           bias in the query, key and value projections\n"
    "  --dropout P      drops weights, 0 ... 1; the mask is drawn last (0)\n"
    "  --bernoulli S    stream of its mask: mt19937 (the default) or mcg31m1\n"
    "  --eval           evaluation mode: dropout does nothing\n"
    "  --randn          the input from randn, not rand\n"
    "  --layers-first   the layer is made before the input is drawn\n"
    "  --threads N      1 ... 256 (as many as there are processors)\n"
    "  -o, --output PATH  keep the whole output, in NumPy's format .npy\n"
    "\n"
    "Every number has the bits of the readable attention, whatever the processor.\n"
    "ONESTEP_KERNEL=generic, avx2 or avx512 in the environment sets which vectors to\n"
    "use; without it, gpt2 uses the widest that the processor has.\n";

static const char bench_help[] =
    "onestep bench [--threads N]\n"
    "\n"
    "Runs one attention layer of GPT-2 small on 128 ... 8192 tokens, fast and, up to\n"
    "512 tokens, as the lessons compute it; prints times, rates and the memory that\n"
    "each takes, and whether their bits are the same. Takes some twenty seconds.\n"
    "\n"
    "  --threads N      for the fast one, 1 ... 256 (as many as there are processors)\n"
    "\n"
    "ONESTEP_KERNEL: see onestep gpt2 --help.\n";

static const char check_help[] =
    "onestep check LESSON --step S FILE [--format plain|json] [parameters]\n"
    "onestep check LESSON --step S --roster CSV FOLDER [--format csv|json]\n"
    "\n"
    "Does FILE hold the numbers of that step? If not, says where they differ first,\n"
    "and which classic mistake, or which two, would give exactly these numbers.\n"
    "FILE is a printed PyTorch tensor or NumPy array (with its shape below or not),\n"
    "a list, JSON, CSV, .npy, or a notebook (x.ipynb, or x.ipynb#5 for its cell 5);\n"
    "- is standard input. Numbers are compared with as many digits as they have.\n"
    "Some numbers of a training come from rounding alone: if rounding changes a\n"
    "number by as much as its own size, check says that it cannot be judged.\n"
    "The exit status is 0 if no number is wrong, 1 if one is, 2 if the file can't be\n"
    "read.\n"
    "\n"
    "  --step S         the step: its number, its name, or 'GROUP: NAME'\n"
    "  --format F       plain or json (plain); of a roster csv or json (csv)\n"
    "  --watch          check again whenever FILE changes, until it is equal\n"
    "  --bernoulli any  accept the dropout masks of either stream\n"
    "  --quiet          verdict and diagnosis without the right numbers\n"
    "  --thorough       try all mistakes, even if it takes more than 5 seconds\n"
    "  --min-decimals N reject numbers with fewer decimals: exit status 1\n"
    "  --roster CSV     a class: one line for each student, with the columns name,\n"
    "                   file (in FOLDER) and any parameters, such as seed or heads.\n"
    "                   The answer has one row for each student: verdict, fraction\n"
    "                   that is right, diagnosis, and the student with equal numbers\n"
    "\n";

static const char verify_help[] =
    "onestep verify\n"
    "\n"
    "Computes again every number for which PyTorch's is known, and compares. Prints a\n"
    "table, a verdict, and what a bug report should say about this machine. The exit\n"
    "status is 0 if all numbers are equal, 1 if not.\n";

static void add_lessons(struct text *text) {
    for (int i = 0; i < lesson_count; i++) {
        text_add_format(text, "  %d  %-12s %s\n", i + 1, lesson_table[i]->name,
                        lesson_table[i]->title);
    }
}

static void add_parameters(struct text *text) {
    text_add(text, "Parameters (onestep list says which lesson uses which):\n");
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter *parameter = &parameter_table[i];
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
    const struct what_ifs none = {0};
    struct trial *trials = arena_array(arena, (size_t)lesson_count, sizeof *trials);
    for (int i = 0; i < lesson_count; i++) {
        run_trial(&trials[i], arena, lesson_table[i], parameters, &none);
    }
    const struct sheet_table *tables;
    const int count = sheet_tables(arena, lesson_count, trials, &tables);
    add_sheet(text, count, tables, HELP_WIDTH);
}

void add_help(struct text *text, const struct command *command) {
    if (command->help_formulas) {
        add_formulas(text, &command->parameters);
        return;
    }
    switch (command->help_about) {
    case VERB_LIST:
        text_add(text, list_help);
        return;
    case VERB_GPT2:
        text_add(text, gpt2_help);
        return;
    case VERB_BENCH:
        text_add(text, bench_help);
        return;
    case VERB_WALK:
        text_add(text, walk_help);
        break;
    case VERB_PRINT:
        text_add(text, print_help);
        break;
    case VERB_SCREEN:
        text_add(text, screen_help);
        break;
    case VERB_PRACTICE:
        text_add(text, practice_help);
        break;
    case VERB_CHECK:
        text_add(text, check_help);
        break;
    case VERB_VERIFY:
        text_add(text, verify_help);
        return;
    default:
        text_add(text, program_help);
        add_lessons(text);
        text_add(text, "\n");
        break;
    }
    add_parameters(text);
}
