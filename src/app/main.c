#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/bench.h"
#include "app/cache.h"
#include "app/check/check.h"
#include "app/check/watch.h"
#include "app/command/arguments.h"
#include "app/command/catalog.h"
#include "app/command/help.h"
#include "app/command/list.h"
#include "app/command/option.h"
#include "app/command/output.h"
#include "app/command/program.h"
#include "app/command/what_if.h"
#include "app/compare/companion.h"
#include "app/compare/compare.h"
#include "app/gpt2.h"
#include "app/gpt_ways.h"
#include "app/memory.h"
#include "app/practice.h"
#include "app/print/print.h"
#include "app/run.h"
#include "app/session/session.h"
#include "app/verify.h"
#include "base/text.h"

// The work of the program: read the command line, do the command.
struct work {
    struct arena *arena;
    int argc;
    char **argv;
    struct command command;
    struct text result;
    struct text notes;    // for standard error, once the result is written
    struct folder folder; // instead of the result, if there are files in it
    bool differs;         // check or verify found a difference
};

static void read_and_do(void *context) {
    struct work *work = context;
    work->command = read_command(work->arena, work->argc, work->argv);
    const struct command *command = &work->command;
    work->result = text_new(work->arena);
    work->notes = text_new(work->arena);
    switch (command->verb) {
    case VERB_HELP:
        add_help(&work->result, command);
        break;
    case VERB_VERSION:
        text_add(&work->result, "onestep " VERSION "\nnumbers " NUMBERS "\n");
        break;
    case VERB_LIST:
        if (command->list.what_ifs)
            add_mistakes(&work->result, command->format);
        else if (command->list.options)
            add_options(&work->result, command->format);
        else
            add_list(&work->result, command->lesson, command->format);
        break;
    case VERB_PRINT:
        if (prints_folder(command))
            work->folder = print_folder(work->arena, &work->notes, command);
        else
            add_print(&work->result, &work->notes, command);
        break;
    case VERB_SCREEN:
        add_screen(&work->result, command, companion_of(work->arena, command));
        break;
    case VERB_GPT2:
        add_gpt2(&work->result, &command->gpt2);
        break;
    case VERB_BENCH:
        add_bench(&work->result, command->gpt2.threads);
        break;
    case VERB_CHECK:
        if (command->check.watches)
            watch_file(command, work->arena->failure);
        else
            work->differs = !add_check(&work->result, &work->notes, command);
        break;
    case VERB_COMPARE:
        work->differs = !add_comparison(&work->result, command);
        break;
    case VERB_RUN:
        work->differs =
            !run_program(work->arena, command->run.file, command->run.megabytes * 1024 * 1024,
                         command->parameters.stream);
        break;
    case VERB_MEMORY:
        add_cache_sizes(&work->result, &command->memory);
        break;
    case VERB_PRACTICE:
        practise(command, work->arena->failure);
        break;
    case VERB_VERIFY:
        work->differs =
            command->verify.models ? !add_verify_models(&work->result) : !add_verify(&work->result);
        break;
    case VERB_WALK:
        walk_command(command, companion_of(work->arena, command), work->arena->failure);
        return;
    }
    work->differs |= !program_ended_well(command->lesson, &work->notes);
}

enum { MOST_SHOWN = 50000000 }; // bytes that a terminal gets unasked

static void write_result(void *context) {
    const struct work *work = context;
    struct failure *failure = work->arena->failure;
    const char *path = work->command.output, *bytes = work->result.bytes;
    if (path == NULL && work->result.length > MOST_SHOWN && isatty(STDOUT_FILENO) == 1)
        fail(failure, FAIL_USAGE, "this is %.0f MB, too much for a terminal: write a file with -o",
             (double)work->result.length / 1e6);
    if (work->folder.count > 0)
        write_folder(path, &work->folder, failure);
    else if (path == NULL)
        write_output(bytes, work->result.length, failure);
    else
        write_file(path, ANY_FILE, bytes, work->result.length, failure);
}

int main(int argc, char **argv) {
    setlocale(LC_CTYPE, "");  // for the walker's characters; numbers stay as in C
    signal(SIGXFSZ, SIG_IGN); // let a write beyond a limit fail, rather than us die of it
    keep_freed_memory();
    use_gpt_ways();
    struct failure failure = {0};
    struct arena arena = arena_new(&failure);
    struct work work = {.arena = &arena, .argc = argc, .argv = argv};
    enum exit_status status = EXIT_DONE;
    if (!attempt(&failure, read_and_do, &work) || !attempt(&failure, write_result, &work))
        status = report(&failure);
    else if (work.notes.length > 0)
        fputs(work.notes.bytes, stderr);
    if (work.differs && status == EXIT_DONE) status = EXIT_RUNTIME;
    arena_free(&arena);
    return (int)status;
}
