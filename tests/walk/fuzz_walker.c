// libFuzzer: any keys, clicks and resizes, into the walker's pure state and drawing. Every input is a
// walk: a byte chooses a key, some bytes a size of the screen; after each a frame is drawn. The cursor
// must lie on the canvas, and the walk must come to no harm.

#include <stdio.h>
#include <stdlib.h>

#include "lessons.h"
#include "script/lesson/interpreter.h"
#include "walk/walker.h"

enum { SIZE_COMMAND = 0xFF, CLICK_COMMAND = 0xFE, FIRST_SPECIAL = 0x80 };

// Keys, clicks and resizes of all walks, said at the end: walks are of very different length.
static unsigned long events;

static void say_events(void) {
    printf("%lu keys, clicks and resizes\n", events);
}

struct input {
    const uint8_t *next, *end;
};

static int take(struct input *input) {
    return input->next < input->end ? *input->next++ : 0;
}

static struct press take_press(struct input *input, int byte) {
    struct press press = {0};
    if (byte == CLICK_COMMAND) {
        press.key = PRESS_CLICK;
        press.row = take(input) - 4;
        press.column = take(input) - 4;
    } else if (byte >= FIRST_SPECIAL) {
        press.key = PRESS_UP + (uint32_t)(byte - FIRST_SPECIAL) % 17;
    } else {
        press.key = (uint32_t)byte;
    }
    return press;
}

static void draw(struct walker *walker, struct arena *frame, int rows, int columns) {
    struct canvas canvas =
        canvas_new(frame, rows, columns,
                   (struct look){.has_heat = columns % 2 == 0, .is_ascii = rows % 2 == 0});
    walker_draw(walker, &canvas);
    const bool is_on_canvas = canvas.cursor_row >= 0 && canvas.cursor_row < rows &&
                              canvas.cursor_column >= 0 && canvas.cursor_column < columns;
    if (!is_on_canvas) abort();
    arena_free(frame);
}

struct walk {
    struct walker *walker;
    struct arena *frame;
    struct input input;
};

static void walk(void *context) {
    struct walk *walk = context;
    int rows = 24, columns = 80;
    while (walk->input.next < walk->input.end && !walk->walker->state.has_quit) {
        const int byte = take(&walk->input);
        if (byte == SIZE_COMMAND) {
            rows = 1 + take(&walk->input) % 80;
            columns = 1 + take(&walk->input);
        } else {
            walker_press(walk->walker, take_press(&walk->input, byte), rows);
        }
        draw(walk->walker, walk->frame, rows, columns);
        events++;
    }
}

int LLVMFuzzerInitialize(int *count, char ***arguments);

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count, (void)arguments;
    return atexit(say_events);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    struct failure failure = {0};
    struct arena frame = arena_new(&failure);
    const struct parameters none = {0};
    static struct walker walker; // too large for a stack
    const int lesson = size > 0 ? bytes[0] % lesson_count : 0;
    const struct what_ifs none_made = {0};
    const struct walk_start start = {
        .lessons = lesson_table,
        .lesson_count = lesson_count,
        .lesson = lesson,
        .chosen = &none,
        .what_ifs = &none_made,
        .interpreter = &python_interpreter,
        .digits = 4,
    };
    walker_start(&walker, &start, &failure);
    struct walk context = {&walker, &frame, {bytes, bytes + size}};
    if (!attempt(&failure, walk, &context)) abort();
    arena_free(&frame);
    walker_free(&walker);
    return 0;
}
