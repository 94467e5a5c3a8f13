#include "routes.h"

#include "lessons.h"
#include "walking.h"

// ---- Numbers at random ----------------------------------------------------------------------------

// Splitmix64 (Steele, Lea, Flood 2014).
uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

int64_t random_below(uint64_t *state, int64_t count) {
    return (int64_t)(next_random(state) % (uint64_t)count);
}

// ---- Keys ----------------------------------------------------------------------------------------

// Every key of the table but the mouse's.
struct keys {
    int count;
    uint32_t all[256];
};

static void add_once(struct keys *keys, uint32_t key) {
    if (key == KEY_NOTHING || key == PRESS_CLICK) return;
    for (int i = 0; i < keys->count; i++) {
        if (keys->all[i] == key) return;
    }
    keys->all[keys->count++] = key;
}

static const struct keys *all_keys(void) {
    static struct keys keys;
    if (keys.count > 0) return &keys;
    for (int i = 0; i < binding_count; i++) {
        for (int k = 0; k < KEYS_PER_ACTION; k++) add_once(&keys, bindings[i].keys[k]);
    }
    return &keys;
}

static int step_count(void) {
    return walker.trial.run.step_count;
}

// ---- In order ------------------------------------------------------------------------------------

static void begin_again(struct events *events) {
    if (events->count > 0) add_event(events, (struct press){AGAIN, events->step, 0});
}

static void add_many(struct events *events, uint32_t key, int64_t count) {
    for (int64_t i = 0; i < count; i++) add_key(events, key);
}

// Every step after a change: one of these, or a mistake, or another value of a setting, or two mistakes that the seed draws.
// With mistakes at three sizes.
static const char *const changes[] = {
    "a", "A", "A z", "s → Esc", "s → Esc u", "s → Esc c", "= - 2 Enter Esc", "x Enter Esc",
};

enum { CHANGES = sizeof changes / sizeof *changes };
enum { SETTINGS = 12 }; // lines of the list at the most
enum { PAIRS_OF_MISTAKES = 24 };

// Lines of the list of mistakes: those that change something here, and one below which lie the others.
static int mistake_lines(void) {
    int count = 1;
    for (int i = 0; i < mistake_total; i++)
        count += effect_in(&walker.trial, i)->why == NULL ? 1 : 0;
    return count;
}

static int64_t count_changes(void) {
    return CHANGES + mistake_lines() + SETTINGS + PAIRS_OF_MISTAKES;
}

// There and back again, smaller, and there once more, larger.
static void see_all_steps(struct events *events) {
    add_many(events, 'n', step_count());
    add_event(events, (struct press){RESIZE, 12, 40});
    add_many(events, 'b', step_count());
    add_event(events, (struct press){RESIZE, 60, 200});
    add_many(events, 'n', step_count());
}

static void make_two_mistakes(struct events *events, uint64_t seed) {
    const int lines = mistake_lines() - 1;
    add_key(events, 'x');
    add_many(events, PRESS_DOWN, random_below(&seed, lines));
    add_key(events, PRESS_ENTER);
    add_many(events, random_below(&seed, 2) ? PRESS_DOWN : PRESS_UP,
             1 + random_below(&seed, lines));
    (void)add_events(events, "Enter Esc");
    see_all_steps(events);
}

static void make_changes(struct events *events, int64_t number, uint64_t seed) {
    const int64_t mistake = number - CHANGES, setting = mistake - mistake_lines();
    if (setting >= SETTINGS) {
        make_two_mistakes(events, seed + (uint64_t)number);
        return;
    }
    if (mistake < 0) {
        (void)add_events(events, changes[number]);
    } else {
        add_key(events, setting < 0 ? 'x' : 's');
        add_many(events, PRESS_DOWN, setting < 0 ? mistake : setting);
        if (setting == -1) (void)add_events(events, "Enter ↓");
        (void)add_events(events, setting < 0 ? "Enter Esc" : "→ Esc");
    }
    if (mistake >= 0 && setting < 0)
        see_all_steps(events);
    else
        add_many(events, 'n', step_count());
}

// Each key at a step, at three sizes.
static const struct {
    int rows, columns;
} sizes[] = {{24, 80}, {60, 200}, {5, 20}}; // the last shows nothing

enum { SIZES = sizeof sizes / sizeof *sizes };

static int64_t count_keys(void) {
    return (int64_t)SIZES * step_count();
}

static void make_keys(struct events *events, int64_t number, uint64_t seed) {
    (void)seed;
    events->step = (int)(number / SIZES);
    events->rows = sizes[number % SIZES].rows;
    events->columns = sizes[number % SIZES].columns;
    for (int i = 0; i < all_keys()->count; i++) {
        begin_again(events);
        add_key(events, all_keys()->all[i]);
    }
}

// A key and each other one behind it, at a step of its own.
static int64_t count_pairs(void) {
    return all_keys()->count;
}

static void make_pairs(struct events *events, int64_t number, uint64_t seed) {
    events->step = (int)((seed % 1000 + (uint64_t)number) % (uint64_t)step_count());
    for (int i = 0; i < all_keys()->count; i++) {
        begin_again(events);
        add_key(events, all_keys()->all[number]);
        add_key(events, all_keys()->all[i]);
    }
}

// A click in each column, in the row below that of the column before, each after the same keys, which have a step of their
// own. So the walks of a sample cross all that is on the screen, and all walks click on each cell. Of a wide screen on one
// of three columns: no number is narrower. What runs the lesson again is done once for all clicks of a walk.
struct clicked {
    const char *change, *events;
    int rows, columns, apart;
};

static const char *const narrow[] = {"",  "i i i", "e", "w",   "s", "x",
                                     "=", "v",     "P", "Tab", ":", "T"};
static const struct clicked wide[] = {
    {"", "", 60, 200, 3},
    {"s → Esc", "c", 40, 200, 3},        // compared with the course
    {"x ↓ ↓ Enter Esc", "", 40, 120, 3}, // with a mistake
};

enum { NARROW = sizeof narrow / sizeof *narrow, CLICKED = NARROW + sizeof wide / sizeof *wide };

static struct clicked clicked_as(int i) {
    return i < NARROW ? (struct clicked){"", narrow[i], 24, 80, 1} : wide[i - NARROW];
}

static int64_t count_clicks(void) {
    int64_t rows = 0;
    for (int i = 0; i < CLICKED; i++) rows += clicked_as(i).rows;
    return rows;
}

static void make_clicks(struct events *events, int64_t number, uint64_t seed) {
    int i = 0;
    for (; number >= clicked_as(i).rows; i++) number -= clicked_as(i).rows;
    const struct clicked clicked = clicked_as(i);
    events->step = (int)((seed + (uint64_t)i * 7) % (uint64_t)step_count());
    events->rows = clicked.rows;
    events->columns = clicked.columns;
    (void)add_events(events, clicked.change);
    const bool is_changed = events->count > 0;
    for (int column = 0; column < events->columns; column += clicked.apart) {
        if (is_changed)
            add_event(events, (struct press){TO, events->step, 0});
        else
            begin_again(events);
        (void)add_events(events, clicked.events);
        const int row = ((int)number + column / clicked.apart) % events->rows;
        add_event(events, (struct press){PRESS_CLICK, row, column});
    }
}

// ---- At random -----------------------------------------------------------------------------------

// Of a parameter, by a mistake, of the input, by training, or none; and perhaps it is compared with the course.
static void add_change(struct events *events, uint64_t *seed) {
    switch (random_below(seed, 6)) {
    case 0:
        add_key(events, 's');
        add_many(events, PRESS_DOWN, random_below(seed, SETTINGS));
        add_many(events, PRESS_RIGHT, 1 + random_below(seed, 3));
        add_many(events, PRESS_LEFT, random_below(seed, 3));
        break;
    case 1:
        add_key(events, 'x');
        add_many(events, PRESS_DOWN, random_below(seed, mistake_total));
        add_key(events, PRESS_ENTER);
        break;
    case 2:
        (void)add_events(events, "= - 2 Enter");
        break;
    case 3:
        add_many(events, 'a', 1 + random_below(seed, 3));
        break;
    case 4:
        add_key(events, random_below(seed, 2) ? 'A' : 'z');
        break;
    default:
        break;
    }
    add_key(events, PRESS_ESCAPE);
    if (random_below(seed, 3) == 0) add_key(events, 'c');
}

static int64_t count_random(void) {
    enum { IN_ALL = 10000 };
    return IN_ALL / lesson_count + 1;
}

// Keys, clicks and resizes after a change. Half of the keys walk on.
static void make_random(struct events *events, int64_t number, uint64_t seed) {
    enum { EVENTS = 40, MOST_ROWS = 80, MOST_COLUMNS = 240 };
    static const uint32_t walking[] = {'n', 'n', 'b', ';', PRESS_ESCAPE};
    const struct keys *keys = all_keys();
    uint64_t state = seed + (uint64_t)number * 1000003 + (uint64_t)events->lesson;
    const int64_t size = random_below(&state, SIZES - 1);
    int rows = sizes[size].rows, columns = sizes[size].columns;
    events->rows = rows, events->columns = columns;
    events->step = (int)random_below(&state, step_count());
    add_change(events, &state);
    for (int i = 0; i < EVENTS; i++) {
        const int64_t kind = random_below(&state, 20);
        if (kind == 0) {
            rows = 1 + (int)random_below(&state, MOST_ROWS);
            columns = 1 + (int)random_below(&state, MOST_COLUMNS);
            add_event(events, (struct press){RESIZE, rows, columns});
        } else if (kind < 5) {
            const int row = (int)random_below(&state, rows);
            add_event(events, (struct press){PRESS_CLICK, row, (int)random_below(&state, columns)});
        } else if (kind < 10) {
            add_key(events, walking[random_below(&state, sizeof walking / sizeof *walking)]);
        } else {
            add_key(events, keys->all[random_below(&state, keys->count)]);
        }
    }
}

// clang-format off
const struct sort sorts[SORTS] = {
    {"changes", count_changes, make_changes},
    {"keys", count_keys, make_keys},
    {"pairs of keys", count_pairs, make_pairs},
    {"clicks", count_clicks, make_clicks},
    {"walks at random", count_random, make_random},
};
// clang-format on
