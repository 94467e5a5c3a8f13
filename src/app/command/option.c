#include "app/command/option.h"

#include <string.h>

#include "base/text.h"
#include "tensor/fast/parallel.h"

#define ALL (~0U)
enum { MOST_SCREEN = 500, MOST_STEP = 999, MOST_DIGITS = 17 };

#define FIELD(field)                                                                               \
    .offset = offsetof(struct command, field), .size = sizeof((struct command *)NULL)->field

// In the order in which each command's help explains them.
static const struct option option_table[] = {
    // clang-format off
    {"--help", "-h", NULL, ALL, .read = ask_for_help},
    {"--version", NULL, NULL, ALL, .read = ask_for_version},
    {"--step", NULL, "S", IN(VERB_WALK), .read = read_step,
     .help = "start at a step: its number, its name, or 'GROUP: NAME'"},
    {"--step", NULL, "S", IN(VERB_PRINT), .read = read_step, .again = true,
     .help = "one step: its number, its name, or 'GROUP: NAME'\n"
             "or a part: 'NAME[1, 2]', 'NAME[:, ::2]', 'NAME.T',\n"
             "'NAME.sum(-1)', 'NAME.mean()', 'NAME.shape[0]';\n"
             "give it again for several steps"},
    {"--step", NULL, "S", IN(VERB_SCREEN), .read = read_step,
     .help = "the step: its number, its name, or 'GROUP: NAME' (1)"},
    {"--step", NULL, "S", IN(VERB_CHECK), .read = read_step,
     .help = "the step: its number, its name, or 'GROUP: NAME';\n"
             "or a part: 'NAME[1, 2]', 'NAME.T'"},
    {"--beside", NULL, "A", IN(VERB_WALK) | IN(VERB_SCREEN), .read = read_words, FIELD(beside),
     .help = "walk with another run beside this one: a lesson, a program,\n"
             "a recording or a dump, as compare takes; n goes to the next\n"
             "difference"},
    {"--keys", NULL, "KEYS", IN(VERB_SCREEN), .read = read_words, FIELD(screen.keys),
     .help = "keys to press first: characters, and <Up> <Down> <Left>\n"
             "<Right> <Home> <End> <PgUp> <PgDn> <Enter> <Esc> <Tab>\n"
             "<Shift-Tab> <Space> <Backspace>, as in 'ii<Right>'"},
    {"--moving", NULL, NULL, IN(VERB_SCREEN), .read = read_flag, FIELD(screen.moves),
     .help = "for --format svg: a figure that shows the screen before the\n"
             "keys and after each key, for two seconds each"},
    {"--cell", NULL, "R,C", IN(VERB_WALK), .read = read_cell,
     .help = "put the cursor on a cell, counted from 0"},
    {"--cell", NULL, "R,C", IN(VERB_SCREEN), .read = read_cell,
     .help = "the cell under the cursor, counted from 0"},
    {"--size", NULL, "CxR", IN(VERB_SCREEN), .read = read_screen_size, .number = MOST_SCREEN,
     .help = "columns and rows (80x24)"},
    {"--what-ifs", NULL, NULL, IN(VERB_LIST), .read = read_flag, FIELD(list.what_ifs),
     .help = "the classic mistakes instead: what goes wrong, how it looks\n"
             "in PyTorch, and the steps of each lesson that it changes"},
    {"--options", NULL, NULL, IN(VERB_LIST), .read = read_flag, FIELD(list.options),
     .help = "the commands and their options instead"},
    {"--format", NULL, "F", IN(VERB_LIST) | IN(VERB_PRINT) | IN(VERB_SCREEN) | IN(VERB_CHECK) | IN(VERB_COMPARE),
     .read = read_choice, .choice = format_choice, FIELD(format)},
    {"--steps", NULL, "A-B", IN(VERB_PRINT), .read = read_range, .number = MOST_STEP, FIELD(print.steps),
     .help = "a part of the lesson"},
    {"--seeds", NULL, "A-B", IN(VERB_PRINT), .read = read_seeds, .number = UINT32_MAX, FIELD(print.seeds),
     .help = "gift: a question for each seed"},
    {"--code", NULL, "CODE", IN(VERB_PRINT), .read = read_choice, .choice = code_choice, FIELD(print.code),
     .help = "markdown, html: pytorch, c, both or none"},
    {"--blank-values", NULL, NULL, IN(VERB_PRINT), .read = read_flag, FIELD(print.has_blank_values),
     .help = "markdown, html, latex: leaves numbers to fill in by hand"},
    {"--blanks", NULL, NULL, IN(VERB_PRINT), .read = read_flag, .number = BLANKS, FIELD(print.exercises),
     .help = "py, ipynb: as exercises, with hints"},
    {"--solution", NULL, NULL, IN(VERB_PRINT), .read = read_flag, .number = SOLVED, FIELD(print.exercises),
     .help = "py, ipynb: the exercises with their key"},
    {"--picture", NULL, "P", IN(VERB_PRINT), .read = read_choice, .choice = picture_choice, FIELD(print.picture),
     .help = "a picture: as text, svg, or in words with --format plain:\n"
             "map: what each step was computed from\n"
             "plane: rows of two numbers as points\n"
             "strips: weights, who attends to whom\n"
             "curve: a list of numbers"},
    {"--summary", NULL, NULL, IN(VERB_PRINT), .read = read_flag, FIELD(print.shows_recap),
     .help = "the end of a lesson: what it showed, the class in PyTorch,\n"
             "what is new in it, three questions; with --format py a\n"
             "program that runs the class"},
    {"--watch", NULL, NULL, IN(VERB_CHECK), .read = read_flag, FIELD(check.watches),
     .help = "check again whenever FILE changes, until it is equal"},
    {"--bernoulli", NULL, "any", IN(VERB_CHECK), .read = read_any_stream, FIELD(check.any_stream),
     .help = "accept the dropout masks of either stream"},
    {"--dtype", NULL, "T", IN(VERB_CHECK), .read = read_choice, .choice = dtype_choice, FIELD(check.dtype),
     .help = "accept numbers computed with fewer bits: bfloat16, float16\n"
             "or tf32"},
    {"--quiet", NULL, NULL, IN(VERB_CHECK), .read = read_flag, FIELD(check.is_quiet),
     .help = "verdict and diagnosis without the right numbers"},
    {"--thorough", NULL, NULL, IN(VERB_CHECK), .read = read_flag, FIELD(check.is_thorough),
     .help = "let the search for mistakes take ten times as long"},
    {"--memory", NULL, "MB", IN(VERB_RUN), .read = read_whole_number, .least = 16, .number = 1048576, FIELD(run.megabytes),
     .help = "that the program may take, in MiB (2048)"},
    {"--bernoulli", NULL, "S", IN(VERB_RUN), .help = "dropout's masks: mt19937 (the default) or mcg31m1"},
    {"--names", NULL, "MAP", IN(VERB_CHECK), .read = read_words, FIELD(check.names),
     .help = "for DUMP: a file of lines MINE = STEP, as in\n"
             "mine = scores, or h.{n}.q = block {n+1}: queries"},
    {"--thorough", NULL, NULL, IN(VERB_COMPARE), .read = read_flag, FIELD(compare.is_thorough),
     .help = "try ten times as many edits"},
    {"--names", NULL, "a=b,...", IN(VERB_COMPARE), .read = read_words, FIELD(compare.names),
     .help = "what A calls a tensor, and what B does, as in\n"
             "scores=att,weights=probs"},
    {"--all", NULL, NULL, IN(VERB_CHECK), .read = read_flag, FIELD(check.has_all),
     .help = "list all explanations; for DUMP, also the steps that were\n"
             "not handed in"},
    {"--min-decimals", NULL, "N", IN(VERB_CHECK), .read = read_whole_number, .least = 1, .number = MOST_DECIMALS,
     FIELD(check.min_decimals), .help = "reject numbers with fewer decimals: exit status 1"},
    {"--roster", NULL, "CSV", IN(VERB_CHECK), .read = read_words, FIELD(check.roster),
     .help = "a class: one line for each student, with the columns name,\n"
             "file (in FOLDER), lesson, step, and any parameters, such as\n"
             "seed or heads. Without a step, files are DUMPs. The answer\n"
             "has one row for each student: verdict, fraction that is\n"
             "right, diagnosis, and the student with equal numbers; a\n"
             "summary goes to standard error. Numbers need 4 decimals,\n"
             "unless --min-decimals says otherwise"},
    {"--batch", NULL, "N", IN(VERB_GPT2), .read = read_whole_number, .least = 1, .number = GPT2_MOST, FIELD(gpt2.batch),
     .help = "sentences (1)"},
    {"--tokens", NULL, "N", IN(VERB_GPT2), .read = read_whole_number, .least = 1, .number = GPT2_MOST, FIELD(gpt2.tokens),
     .help = "tokens of each (1024)"},
    {"--seed", NULL, "N", IN(VERB_GPT2), .help = "set once, before anything is drawn (123)"},
    {"--bias", NULL, NULL, IN(VERB_GPT2), .help = "bias in the query, key and value projections"},
    {"--dropout", NULL, "P", IN(VERB_GPT2), .help = "drops weights, 0 ... 1; the mask is drawn last (0)"},
    {"--bernoulli", NULL, "S", IN(VERB_GPT2), .help = "stream of its mask: mt19937 (the default) or mcg31m1"},
    {"--eval", NULL, NULL, IN(VERB_GPT2), .help = "evaluation mode: dropout does nothing"},
    {"--randn", NULL, NULL, IN(VERB_GPT2), .read = read_flag, FIELD(gpt2.is_normal),
     .help = "draw the input from randn, not rand"},
    {"--layers-first", NULL, NULL, IN(VERB_GPT2), .read = read_flag, FIELD(gpt2.layers_first),
     .help = "create the layer before the input is drawn"},
    {"--threads", NULL, "N", IN(VERB_GPT2), .read = read_whole_number, .least = 1, .number = MAX_THREADS, FIELD(gpt2.threads),
     .help = "1 ... 256 (as many as there are processors)"},
    {"--threads", NULL, "N", IN(VERB_BENCH), .read = read_whole_number, .least = 1, .number = MAX_THREADS, FIELD(gpt2.threads),
     .help = "for the fast one, 1 ... 256 (as many as there are processors)"},
    {"--d-model", NULL, "N", IN(VERB_MEMORY), .read = read_whole_number, .least = 1, .number = CACHE_MOST_WIDTH, FIELD(memory.width),
     .help = "width of the model: all heads of a layer together (4096)"},
    {"--heads", NULL, "N", IN(VERB_MEMORY), .read = read_whole_number, .least = 1, .number = CACHE_MOST_WIDTH, FIELD(memory.heads),
     .help = "query heads of a layer (32)"},
    {"--layers", NULL, "N", IN(VERB_MEMORY), .read = read_whole_number, .least = 1, .number = CACHE_MOST_LAYERS, FIELD(memory.layers),
     .help = "layers of the model (32)"},
    {"--tokens", NULL, "N", IN(VERB_MEMORY), .read = read_whole_number, .least = 1, .number = CACHE_MOST_TOKENS, FIELD(memory.tokens),
     .help = "tokens that are kept (32768)"},
    {"--groups", NULL, "N", IN(VERB_MEMORY), .read = read_whole_number, .least = 1, .number = CACHE_MOST_WIDTH, FIELD(memory.groups),
     .help = "grouped queries: key-value heads, which divide --heads.\n"
             "A text that says \"4 groups\" may mean that 4 queries share\n"
             "a key: of 32 heads, those are 8 key-value heads"},
    {"--window", NULL, "N", IN(VERB_MEMORY), .read = read_whole_number, .least = 1, .number = CACHE_MOST_TOKENS, FIELD(memory.window),
     .help = "a sliding window: tokens that a layer keeps"},
    {"--full-layers", NULL, "N", IN(VERB_MEMORY), .read = read_whole_number, .least = 1, .number = CACHE_MOST_LAYERS, FIELD(memory.full_layers),
     .help = "layers that keep all tokens in spite of --window (0)"},
    {"--latent", NULL, "N", IN(VERB_MEMORY), .read = read_whole_number, .least = 1, .number = CACHE_MOST_WIDTH, FIELD(memory.latent),
     .help = "latent attention: numbers that a layer keeps of a token,\n"
             "instead of its keys and values"},
    {"--gpt", NULL, NULL, IN(VERB_VERIFY), .read = read_flag, FIELD(verify.models),
     .help = "GPT-2 small from its seed instead of the lessons; it takes\n"
             "some ten seconds and 1.2 GB of memory"},
    {"--output", "-o", "PATH", IN(VERB_PRINT) | IN(VERB_SCREEN), .read = read_words, FIELD(output),
     .help = "write to a file instead of standard output"},
    {"--output", "-o", "PATH", IN(VERB_CHECK), .read = read_words, FIELD(output),
     .help = "of a roster: write a page for a browser, with the summary\n"
             "and a row for each student, to this file"},
    {"--output", "-o", "FOLDER", IN(VERB_PRACTICE), .read = read_words, FIELD(practice.folder),
     .help = "where the scripts are"},
    {"--output", "-o", "PATH", IN(VERB_GPT2), .read = read_words, FIELD(output),
     .help = "keep the whole output, in NumPy's format .npy"},
    {"--what-if", NULL, "NAME", IN(VERB_WALK) | IN(VERB_PRINT), .read = read_what_if, .again = true,
     .help = "a classic mistake, made on purpose; give it again for two\n"
             "(onestep list --what-ifs)"},
    {"--what-if", NULL, "NAME", IN(VERB_SCREEN), .read = read_what_if, .again = true,
     .help = "a classic mistake, made on purpose"},
    {"--line", NULL, "S=CODE", IN(VERB_WALK) | IN(VERB_PRINT) | IN(VERB_SCREEN), .read = read_line, .again = true,
     .help = "another line of PyTorch for a step, as in\n"
             "'weights=weights = torch.softmax(scores, dim=0)'"},
    {"--model", NULL, "M", IN(VERB_WALK) | IN(VERB_PRINT) | IN(VERB_SCREEN) | IN(VERB_CHECK), .read = read_choice, .choice = model_choice,
     FIELD(model), .help = "of gpt: gpt2, or agreement, a small one that has learned"},
    {"--requires-grad", NULL, NULL, IN(VERB_PRINT), .read = read_flag, FIELD(print.requires_grad),
     .help = "torch: with what autograd adds: grad_fn=<MmBackward0>"},
    {"--digits", NULL, "N", IN(VERB_WALK) | IN(VERB_SCREEN), .read = read_whole_number, .number = MOST_DIGITS, FIELD(digits),
     .help = "digits after the point, 0 ... 17 (4)"},
    {"--digits", NULL, "N", IN(VERB_PRINT), .read = read_whole_number, .number = MOST_DIGITS, FIELD(digits),
     .help = "digits after the point in printed tensors, 0 ... 17 (4)"},
    {"--color", NULL, "WHEN", IN(VERB_WALK) | IN(VERB_PRINT) | IN(VERB_LIST), .read = read_choice, .choice = color_choice,
     FIELD(color), .help = "auto, always or never"},
    {"--color", NULL, "never", IN(VERB_SCREEN), .read = read_choice, .choice = color_choice, FIELD(color),
     .help = "as on a terminal without colours"},
    // clang-format on
};
enum { OPTIONS = sizeof option_table / sizeof *option_table };

const struct option *option_of(enum verb verb, const char *name) {
    for (int i = 0; i < OPTIONS; i++) {
        const struct option *option = &option_table[i];
        const bool is_letter = option->letter != NULL && strcmp(option->letter, name) == 0;
        if (option->verbs & IN(verb) && (is_letter || strcmp(option->name, name) == 0))
            return option;
    }
    return NULL;
}

const char *option_near(enum verb verb, const char *name) {
    const char *names[OPTIONS];
    int count = 0;
    for (int i = 0; i < OPTIONS; i++) {
        if (option_table[i].verbs & IN(verb)) names[count++] = option_table[i].name;
    }
    return word_meant(name, names, count);
}

bool takes_parameter(enum verb verb, const struct parameter *parameter) {
    return takes_parameters(verb) || option_of(verb, parameter->option) != NULL;
}

// ---- Help ---------------------------------------------------------------------------------------

enum { HELP_WIDTH = 80, NAME_WIDTH = 16, HELP_COLUMN = 19 };

// "torch: as PyTorch prints (the default)", a line or more for each format.
static const char *formats_help(struct arena *arena, enum verb verb) {
    struct text text = text_new(arena), folders = text_new(arena);
    for (int i = 0; i < FORMAT_COUNT; i++) {
        const enum format format = (enum format)i;
        if (!writes_format(verb, format)) continue;
        const char *name = format_name(format);
        char **lines;
        const int count =
            text_wrap(arena, arena_format(arena, "%s: %s", name, format_help(verb, format)),
                      HELP_WIDTH - HELP_COLUMN, &lines);
        for (int line = 0; line < count; line++) text_add_format(&text, "%s\n", lines[line]);
        if (verb == VERB_PRINT && holds_one_step(format))
            text_add_format(&folders, "%s%s", folders.length > 0 ? ", " : "", name);
    }
    if (folders.length > 0)
        text_add_format(&text, "%s: with -o FOLDER, a file a step\n", folders.bytes);
    text.bytes[text.length - 1] = '\0'; // the last newline
    return text.bytes;
}

static const char *help_of(struct arena *arena, const struct option *option, enum verb verb) {
    return option->help != NULL ? option->help : formats_help(arena, verb);
}

// "-o, --output PATH".
static const char *usage_of(struct arena *arena, const struct option *option) {
    const bool has_letter = option->letter != NULL, has_value = option->value != NULL;
    return arena_format(arena, "%s%s%s%s%s", has_letter ? option->letter : "",
                        has_letter ? ", " : "", option->name, has_value ? " " : "",
                        has_value ? option->value : "");
}

static bool is_explained(const struct option *option, enum verb verb) {
    const bool is_of_all = option->verbs == ALL;
    return option->verbs & IN(verb) && !is_of_all;
}

void add_option_help(struct text *text, enum verb verb) {
    for (int i = 0; i < OPTIONS; i++) {
        const struct option *option = &option_table[i];
        if (!is_explained(option, verb)) continue;
        const char *usage = usage_of(text->arena, option),
                   *help = help_of(text->arena, option, verb);
        text_add(text, "  ");
        text_add_padded(text, usage, NAME_WIDTH, false);
        text_add(text, strlen(usage) > NAME_WIDTH ? "  " : " ");
        for (; help != NULL; help = strchr(help, '\n') != NULL ? strchr(help, '\n') + 1 : NULL) {
            const int length = (int)strcspn(help, "\n");
            text_add_format(text, "%.*s\n", length, help);
            if (help[length] != '\0') text_add_repeated(text, " ", HELP_COLUMN);
        }
    }
}

// ---- The list -----------------------------------------------------------------------------------

static void add_json_choices(struct json *json, const struct parameter *parameter) {
    for (int i = 0; i < PARAMETER_CHOICES && parameter->choices[i] != NULL; i++)
        json_add_string(json, NULL, parameter->choices[i]);
}

static void add_json_values(struct json *json, const struct option *option, enum verb verb) {
    json_open_list(json, "choices");
    const char *name;
    for (int i = 0; option->choice != NULL && (name = option->choice(verb, i)) != NULL; i++) {
        if (*name != '\0') json_add_string(json, NULL, name);
    }
    const struct parameter *parameter = parameter_by_option(option->name);
    if (parameter != NULL && option->choice == NULL) add_json_choices(json, parameter);
    if (option->read == read_any_stream) json_add_string(json, NULL, option->value);
    json_close(json);
}

static void add_json_option(struct json *json, const struct option *option, enum verb verb) {
    json_line(json);
    json_open_object(json, NULL);
    json_add_string(json, "name", option->name);
    json_add_string(json, "letter", option->letter);
    json_add_string(json, "value", option->value);
    add_json_values(json, option, verb);
    json_add_bool(json, "again", option->again);
    json_add_string(json, "help", help_of(json->text->arena, option, verb));
    json_close(json);
}

void add_json_options(struct json *json, enum verb verb) {
    json_open_list(json, "options");
    for (int i = 0; i < OPTIONS; i++) {
        if (is_explained(&option_table[i], verb)) add_json_option(json, &option_table[i], verb);
    }
    json_close(json);
}

static void add_json_parameter(struct json *json, const struct parameter *parameter) {
    json_line(json);
    json_open_object(json, NULL);
    json_add_string(json, "name", parameter->option);
    json_add_string(json, "value", parameter->value);
    json_open_list(json, "choices");
    add_json_choices(json, parameter);
    json_close(json);
    json_add_bool(json, "again", is_file(parameter) || parameter->kind->separator != NULL);
    json_add_string(json, "help", parameter->help);
    json_add_string(json, "more", parameter->more);
    json_add_string(
        json, "values",
        parameter->kind->possible != NULL ? possible_values(json->text->arena, parameter) : NULL);
    if (parameter->walked > 0) json_add_integer(json, "walked", parameter->walked);
    json_close(json);
}

void add_json_parameters(struct json *json) {
    json_open_list(json, "parameters");
    for (int i = 0; i < PARAMETER_COUNT; i++) add_json_parameter(json, &parameter_table[i]);
    json_close(json);
}
