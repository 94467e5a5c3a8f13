#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 // for posix_openpt
#endif

#include "process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

enum { MOST_ARGUMENTS = 32, PATIENCE = 200 }; // seconds

static _Noreturn void stop(const char *what) {
    perror(what);
    _exit(127);
}

static void set_environment(const char *const *environment) {
    for (; environment != NULL && *environment != NULL; environment++) {
        const char *equals = strchr(*environment, '=');
        char name[64];
        const size_t length =
            equals != NULL ? (size_t)(equals - *environment) : strlen(*environment);
        snprintf(name, sizeof name, "%.*s", (int)length, *environment);
        if (equals != NULL)
            setenv(name, equals + 1, 1);
        else
            unsetenv(name);
    }
}

static void open_as(const char *path, int flags, int file) {
    const int opened = open(path, flags);
    if (opened < 0) stop(path);
    if (opened == file) return;
    dup2(opened, file);
    close(opened);
}

static _Noreturn void become(const struct start *start, int output, int error) {
    if (start->on_terminal)
        dup2(output, STDIN_FILENO);
    else
        open_as(start->input != NULL ? start->input : "/dev/null", O_RDONLY, STDIN_FILENO);
    dup2(error, STDERR_FILENO);
    if (start->output != NULL)
        open_as(start->output, O_WRONLY, STDOUT_FILENO);
    else
        dup2(output, STDOUT_FILENO);
    if (start->closed_output) close(STDOUT_FILENO);
    if (start->folder != NULL && chdir(start->folder) != 0) stop(start->folder);
    set_environment(start->environment);
    signal(SIGPIPE, SIG_DFL);
    const char *program = getenv("ONESTEP") != NULL ? getenv("ONESTEP") : ONESTEP;
    char *arguments[MOST_ARGUMENTS + 2] = {strdup("onestep")};
    for (int i = 0; i < MOST_ARGUMENTS && start->arguments[i] != NULL; i++)
        arguments[i + 1] = strdup(start->arguments[i]);
    execv(program, arguments);
    stop(program);
}

// A pair of files: what is written to ends[1] is read from ends[0].
static void make_pipe(int ends[2]) {
    if (pipe(ends) != 0) stop("pipe");
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
}

static bool try_terminal(int ends[2]) {
    ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (ends[0] < 0 || grantpt(ends[0]) != 0 || unlockpt(ends[0]) != 0) return false;
    const char *name = ptsname(ends[0]);
    ends[1] = name != NULL ? open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
    return ends[1] >= 0;
}

static void make_terminal(int ends[2]) {
    if (!try_terminal(ends)) stop("a pseudo-terminal");
}

bool has_terminals(void) {
    int ends[2] = {-1, -1};
    const bool has = try_terminal(ends);
    for (int i = 0; i < 2; i++) {
        if (ends[i] >= 0) close(ends[i]);
    }
    return has;
}

// Adds what there is to read; closes the file and returns false at its end.
static bool read_some(int *file, struct text *text) {
    char bytes[65536];
    const ssize_t got = read(*file, bytes, sizeof bytes);
    if (got > 0) {
        text_add_bytes(text, bytes, (size_t)got);
        return true;
    }
    close(*file);
    *file = -1; // poll leaves it alone
    return false;
}

// Reads both files to their ends. Returns false if that takes too long.
static bool read_all(int output, int error, struct text *output_text, struct text *error_text) {
    struct pollfd files[] = {{output, POLLIN, 0}, {error, POLLIN, 0}};
    const time_t last = time(NULL) + PATIENCE;
    for (int open_files = 1 + (output >= 0); open_files > 0;) {
        if (time(NULL) > last) return false;
        if (poll(files, 2, 1000) <= 0) continue;
        if (files[0].revents != 0 && !read_some(&files[0].fd, output_text)) open_files--;
        if (files[1].revents != 0 && !read_some(&files[1].fd, error_text)) open_files--;
    }
    return true;
}

static int wait_for(pid_t process) {
    int status;
    waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct end run_process(struct arena *arena, const struct start *start) {
    int output[2], error[2];
    if (start->on_terminal)
        make_terminal(output);
    else
        make_pipe(output);
    make_pipe(error);
    if (start->deaf_output) {
        close(output[0]);
        output[0] = -1;
    }
    const pid_t process = fork();
    if (process == 0) become(start, output[1], error[1]);
    close(output[1]);
    close(error[1]);
    struct text output_text = text_new(arena), error_text = text_new(arena);
    text_add(&output_text, "");
    text_add(&error_text, "");
    const bool ended = read_all(output[0], error[0], &output_text, &error_text);
    if (!ended) kill(process, SIGKILL);
    const int status = wait_for(process);
    return (struct end){
        .status = ended ? status : -1,
        .output = output_text.bytes,
        .error = error_text.bytes,
        .output_length = output_text.length,
        .error_length = error_text.length,
    };
}
