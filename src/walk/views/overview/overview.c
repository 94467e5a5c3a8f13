// All heads of all layers at once: each as the weights of one query, darker where it attends more. Above them stand the
// tokens, below them the words that the model finds most likely to follow.

#include "walk/views/overview/overview.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "trace/run/step.h"
#include "walk/kit/lines.h"
#include "walk/step/screen.h"
#include "walk/walker.h"

// Have the weights of two steps the same tokens as their queries? In a cache a later step has later tokens.
static bool ask_alike(const struct tensor *a, const struct tensor *b) {
    const int dim = find_axis(a, AXIS_QUERY), other = find_axis(b, AXIS_QUERY);
    const char *const *one = a->axis[dim].labels, *const *two = b->axis[other].labels;
    return a->shape[dim] == b->shape[other] &&
           (one == NULL || two == NULL || strcmp(one[0], two[0]) == 0);
}

static struct survey survey_of(const struct run *run) {
    struct survey survey = {.run = run, .heads = 1, .sentences = 1};
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        const struct tensor *tensor = &step->tensor;
        const bool is_of_words =
            find_axis(tensor, AXIS_WORD) >= 0 && find_axis(tensor, AXIS_TOKEN) >= 0;
        if (role_of(tensor) == ROLE_LOGITS && is_of_words) survey.logits = step;
        const bool is_attention = role_of(tensor) == ROLE_WEIGHTS &&
                                  find_axis(tensor, AXIS_QUERY) >= 0 &&
                                  find_axis(tensor, AXIS_KEY) >= 0;
        if (!is_attention || survey.layer_count == MOST_LAYERS) continue;
        if (survey.layer_count > 0 && !ask_alike(&survey.layers[0]->tensor, tensor)) continue;
        survey.layers[survey.layer_count++] = step;
        const int64_t heads = size_along(tensor, AXIS_HEAD);
        if (heads > survey.heads) survey.heads = heads;
        survey.tokens = size_along(tensor, AXIS_QUERY);
        const int64_t keys = size_along(tensor, AXIS_KEY);
        if (keys > survey.keys) survey.keys = keys;
        survey.sentences = size_along(tensor, AXIS_BATCH);
    }
    return survey;
}

static void set_index(const struct tensor *tensor, int64_t *index, enum meaning meaning,
                      int64_t to) {
    const int dim = find_axis(tensor, meaning);
    if (dim >= 0) index[dim] = to < tensor->shape[dim] ? to : tensor->shape[dim] - 1;
}

enum { PLACES = 1 << 12 }; // in a row

int place_number(int row, int64_t at) {
    return row * PLACES + (int)at;
}

int cursor_place(const struct survey *survey, const struct overview *overview) {
    const int row = overview->layer;
    return place_number(row, row < 0                      ? survey->tokens - 1 - overview->back
                             : row == survey->layer_count ? overview->word
                                                          : overview->head);
}

static int64_t within(int64_t value, int64_t least, int64_t most) {
    return value < least ? least : value > most ? most : value;
}

// Goes to the place that a click has chosen.
static void follow_click(const struct survey *survey, struct overview *overview) {
    if (overview->chosen == cursor_place(survey, overview)) return;
    const int last = survey->layer_count - 1 + (survey->logits != NULL);
    const int row = (overview->chosen + 1 + PLACES) / PLACES - 1;
    const int at = overview->chosen - row * PLACES;
    overview->layer = (int)within(row, -1, last);
    if (overview->layer < 0)
        overview->back = within(survey->tokens - 1 - at, 0, survey->tokens - 1);
    else if (overview->layer == survey->layer_count)
        overview->word = (int)within(at, 0, NEXT_WORDS - 1);
    else
        overview->head = within(at, -1, survey->heads - 1);
}

int64_t chosen_query(const struct survey *survey, const struct overview *overview) {
    const int64_t query = survey->tokens - 1 - overview->back;
    return query < 0 ? 0 : query;
}

// Where the weight of a head for a query and a key stands.
static void weight_index(const struct tensor *weights, int64_t sentence, int64_t head,
                         int64_t query, int64_t key, int64_t *index) {
    set_index(weights, index, AXIS_BATCH, sentence);
    set_index(weights, index, AXIS_HEAD, head);
    set_index(weights, index, AXIS_QUERY, query);
    set_index(weights, index, AXIS_KEY, key);
}

// ---- Keys ---------------------------------------------------------------------------------------

static void move(const struct survey *survey, struct overview *overview, enum action action) {
    const int down = action == ACT_DOWN ? 1 : action == ACT_UP ? -1 : 0;
    const int right = action == ACT_RIGHT ? 1 : action == ACT_LEFT ? -1 : 0;
    const int last = survey->layer_count - 1 + (survey->logits != NULL);
    overview->layer = (int)within(overview->layer + down, -1, last);
    if (overview->layer < 0)
        overview->back = within(overview->back - right, 0, survey->tokens - 1);
    else if (overview->layer == survey->layer_count)
        overview->word = (int)within(overview->word + right, 0, NEXT_WORDS - 1);
    else
        overview->head = within(overview->head + right, -1, survey->heads - 1);
    if (action == ACT_NEXT) overview->back = within(overview->back - 1, 0, survey->tokens - 1);
    if (action == ACT_BACK) overview->back = within(overview->back + 1, 0, survey->tokens - 1);
    const int pages = action == ACT_NEXT_PAGE ? 1 : action == ACT_PREVIOUS_PAGE ? -1 : 0;
    overview->sentence = within(overview->sentence + pages, 0, survey->sentences - 1);
}

// The first step of the layer's group that computes something of tokens; the layer's own if there is no group.
static const struct step *first_of_layer(const struct survey *survey, const struct step *layer) {
    for (int i = 0; layer->group != NULL && i < survey->run->step_count; i++) {
        const struct step *step = &survey->run->steps[i];
        const enum role role = role_of(&step->tensor);
        if (step->group == NULL || strcmp(step->group, layer->group) != 0) continue;
        if (role != ROLE_LAYER_WEIGHT && role != ROLE_LAYER_BIAS) return step;
    }
    return layer;
}

// The step that holds the tokens' own rows, or the first of the lesson.
static const struct step *embedding_of(const struct survey *survey) {
    for (int i = 0; i < survey->run->step_count; i++) {
        if (role_of(&survey->run->steps[i].tensor) == ROLE_TOKENS) return &survey->run->steps[i];
    }
    return &survey->run->steps[0];
}

struct next_words {
    int count;
    int64_t words[NEXT_WORDS];
    double probabilities[NEXT_WORDS];
};

// gcc 12 for aarch64 breaks at fmax() in a loop over floats.
static double larger(double a, double b) {
    return b > a ? b : a;
}

// The largest of softmax(logits) in the row that stands at `index`, whose word is 0.
static struct next_words next_words_at(const struct tensor *logits, const int64_t *index) {
    const int dim = find_axis(logits, AXIS_WORD);
    const float *row = floats_of(logits) + flat_index(logits, index) - logits->offset;
    const int64_t step = logits->stride[dim], words = logits->shape[dim];
    struct next_words next = {.count = words < NEXT_WORDS ? (int)words : NEXT_WORDS};
    double largest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < words; i++) largest = larger(largest, (double)row[i * step]);
    for (int64_t i = 0; i < words; i++) sum += exp((double)row[i * step] - largest);
    for (int rank = 0; rank < next.count; rank++) {
        int64_t best = -1;
        for (int64_t i = 0; i < words; i++) {
            bool is_taken = false;
            for (int before = 0; before < rank; before++)
                is_taken = is_taken || next.words[before] == i;
            if (!is_taken && (best < 0 || row[i * step] > row[best * step])) best = i;
        }
        next.words[rank] = best;
        next.probabilities[rank] = exp((double)row[best * step] - largest) / sum;
    }
    return next;
}

static double probability_of(const struct tensor *logits, const int64_t *index, int64_t word) {
    const int dim = find_axis(logits, AXIS_WORD);
    const float *row = floats_of(logits) + flat_index(logits, index) - logits->offset;
    const int64_t step = logits->stride[dim];
    double largest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < logits->shape[dim]; i++)
        largest = larger(largest, (double)row[i * step]);
    for (int64_t i = 0; i < logits->shape[dim]; i++) sum += exp((double)row[i * step] - largest);
    return exp((double)row[word * step] - largest) / sum;
}

static void logits_index(const struct survey *survey, const struct overview *overview,
                         int64_t *index) {
    const struct tensor *logits = &survey->logits->tensor;
    set_index(logits, index, AXIS_BATCH, overview->sentence);
    set_index(logits, index, AXIS_TOKEN, chosen_query(survey, overview));
}

static void go_there(struct walker *walker, const struct survey *survey,
                     const struct overview *overview) {
    const int64_t query = chosen_query(survey, overview);
    int64_t index[MAX_DIMS] = {0};
    const struct step *step;
    if (overview->layer < 0) {
        step = embedding_of(survey);
        set_index(&step->tensor, index, AXIS_BATCH, overview->sentence);
        set_index(&step->tensor, index, AXIS_TOKEN, query);
    } else if (overview->layer == survey->layer_count) {
        step = survey->logits;
        logits_index(survey, overview, index);
        const struct next_words next = next_words_at(&step->tensor, index);
        set_index(&step->tensor, index, AXIS_WORD, next.words[overview->word]);
    } else if (overview->head < 0) {
        step = first_of_layer(survey, survey->layers[overview->layer]);
        set_index(&step->tensor, index, AXIS_BATCH, overview->sentence);
        set_index(&step->tensor, index, AXIS_TOKEN, query);
    } else {
        step = survey->layers[overview->layer];
        weight_index(&step->tensor, overview->sentence, overview->head, query, 0, index);
    }
    close_views(walker);
    go_to_cell(&walker->state, &walker->trial.run, step, index);
}

// ---- What if ------------------------------------------------------------------------------------

// Runs the lesson with another value of a parameter, beside the course's own run.
static void run_changed(struct walker *walker, uint64_t bit, const char *value) {
    struct parameters chosen = walker->chosen;
    const struct parameter walked = parameter_walked(parameter_by_bit(bit));
    if (*value == '\0')
        chosen.given &= ~bit;
    else if (!set_parameter(&chosen, &walked, arena_copy(&walker->words, value))) {
        tell_at_foot(&walker->state, "%s: '%s' is not possible.", walked.name, value);
        return;
    }
    if (!run_again(walker, &chosen, &walker->what_ifs))
        tell_at_foot(&walker->state, "%s", walker->failure.message);
    walker->state.compares = walker->chosen.given != 0;
}

// The list without a place if it has it, else with it.
static const char *toggled(struct arena *arena, const char *list, const char *at) {
    struct text text = text_new(arena);
    bool was_there = false;
    text_add(&text, "");
    for (const char *next = list; *next != '\0'; next += *next == ',') {
        const size_t length = strcspn(next, ",");
        const bool is_place = length == strlen(at) && strncmp(next, at, length) == 0;
        was_there = was_there || is_place;
        if (!is_place)
            text_add_format(&text, "%s%.*s", text.length > 0 ? "," : "", (int)length, next);
        next += length;
    }
    if (!was_there) text_add_format(&text, "%s%s", text.length > 0 ? "," : "", at);
    return text.bytes;
}

static void switch_here(struct walker *walker, const struct survey *survey,
                        const struct overview *overview) {
    const struct run *run = survey->run;
    const bool is_on_layer = overview->layer >= 0 && overview->layer < survey->layer_count;
    if (!(run->lesson->uses & USES_OFF) || !is_on_layer) {
        tell_at_foot(&walker->state, "Only layers and heads of gpt can be switched off.");
        return;
    }
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    const char *list = run->parameters.off != NULL ? run->parameters.off : "";
    const char *at = overview->head < 0 ? arena_format(m, "%d", overview->layer + 1)
                                        : arena_format(m, "%d.%lld", overview->layer + 1,
                                                       (long long)overview->head + 1);
    run_changed(walker, USES_OFF, toggled(m, list, at));
    scratch_close(&scratch);
}

// Another id in the place of the chosen token's.
static void typed(struct walker *walker, void *view_state, const char *text) {
    const struct survey survey = survey_of(&walker->trial.run);
    const struct overview *overview = view_state;
    const char *ids = survey.run->parameters.ids;
    struct scratch scratch;
    struct arena *m = scratch_open(&scratch, walker->memory_failure);
    struct text list = text_new(m);
    int64_t token = 0, sentence = 0;
    while (*ids != '\0') {
        const size_t length = strcspn(ids, ",;");
        const bool is_chosen =
            sentence == overview->sentence && token == chosen_query(&survey, overview);
        text_add_format(&list, "%.*s", is_chosen ? (int)strlen(text) : (int)length,
                        is_chosen ? text : ids);
        ids += length;
        token = *ids == ';' ? 0 : token + 1;
        sentence += *ids == ';';
        if (*ids != '\0') text_add_format(&list, "%c", *ids++);
    }
    run_changed(walker, USES_IDS, list.bytes);
    scratch_close(&scratch);
}

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    struct overview *overview = view_state;
    const struct survey survey = survey_of(&walker->trial.run);
    if (survey.layer_count == 0) return;
    follow_click(&survey, overview);
    const bool has_ids = survey.run->lesson->uses & USES_IDS;
    if (pressed->action == ACT_CHOOSE)
        go_there(walker, &survey, overview);
    else if (pressed->action == ACT_SWITCH)
        switch_here(walker, &survey, overview);
    else if (pressed->action == ACT_EDIT && has_ids)
        begin_typing(walker, KEY_NOTHING);
    else if (pressed->action == ACT_EDIT)
        tell_at_foot(&walker->state, "The tokens of this lesson are words; s changes them.");
    else {
        const int64_t before = overview->back;
        move(&survey, overview, pressed->action);
        const bool walks = pressed->action == ACT_NEXT || pressed->action == ACT_BACK;
        if (walks && overview->back == before)
            tell_at_foot(&walker->state, "This is the %s token.",
                         pressed->action == ACT_NEXT ? "last" : "first");
    }
    if (top_view(walker)->view == &overview_view)
        overview->chosen = cursor_place(&survey, overview);
}

// ---- The screen ---------------------------------------------------------------------------------

const char *name_of_layer(const struct step *step) {
    return step->group != NULL ? step->group : step->name;
}

const char *token_name(const struct drawing *drawing, int64_t token) {
    const struct tensor *weights = &drawing->survey->layers[0]->tensor;
    int64_t index[MAX_DIMS] = {0};
    weight_index(weights, drawing->overview->sentence, 0, token, 0, index);
    return label_at(drawing->canvas->arena, weights, find_axis(weights, AXIS_QUERY), index);
}

static const char *key_name(const struct drawing *drawing, const struct tensor *weights,
                            int64_t query, int64_t key) {
    int64_t index[MAX_DIMS] = {0};
    weight_index(weights, drawing->overview->sentence, 0, query, key, index);
    return label_at(drawing->canvas->arena, weights, find_axis(weights, AXIS_KEY), index);
}

// The tokens, from the first one with which the chosen one is in sight.
static void draw_tokens(const struct drawing *drawing, int row) {
    struct canvas *canvas = drawing->canvas;
    const int64_t chosen = chosen_query(drawing->survey, drawing->overview);
    const int room = canvas->columns - drawing->names - 1;
    int64_t first = chosen;
    for (int used = shown_width(canvas, token_name(drawing, chosen)); first > 0; first--) {
        used += 2 + shown_width(canvas, token_name(drawing, first - 1));
        if (used > room - 8) break;
    }
    put_text(canvas, row, 1, drawing->names, "tokens", DIM);
    int column = drawing->names + 1;
    for (int64_t i = first; i < drawing->survey->tokens && column < canvas->columns; i++) {
        const bool has_cursor = i == chosen && drawing->overview->layer < 0;
        const struct style style = has_cursor ? REVERSE : i == chosen ? BOLD : PLAIN;
        if (has_cursor) put_cursor(canvas, row, column);
        const int used =
            put_text(canvas, row, column, canvas->columns - column, token_name(drawing, i), style);
        const struct area here = {row, column, 1, used};
        put_line_spot(canvas, &here, place_number(-1, i), has_cursor);
        column += used + 2;
    }
}

static void draw_head_numbers(const struct drawing *drawing, int row) {
    struct canvas *canvas = drawing->canvas;
    put_text(canvas, row, 1, drawing->names, "head", DIM);
    for (int64_t i = 0; i < drawing->shown; i++) {
        const char *number =
            arena_format(canvas->arena, "%lld", (long long)(drawing->first + i + 1));
        put_text(canvas, row, drawing->names + 1 + (int)i * (drawing->width + 1), drawing->width,
                 number, DIM);
    }
}

double share_of(const struct drawing *drawing, const struct tensor *weights, int64_t head,
                int64_t query, int column, int columns) {
    const int64_t keys = size_along(weights, AXIS_KEY);
    double share = 0;
    for (int64_t key = keys * column / columns; key < keys * (column + 1) / columns; key++) {
        int64_t index[MAX_DIMS] = {0};
        weight_index(weights, drawing->overview->sentence, head, query, key, index);
        share += (double)float_at(weights, index);
    }
    return share;
}

int share_level(double share) {
    return (int)within((int64_t)(share * SEQUENTIAL_LEVELS), 0, SEQUENTIAL_LEVELS - 1);
}

bool is_future(const struct drawing *drawing, int64_t keys, int64_t key, int64_t query,
               double share) {
    return keys == drawing->survey->tokens && key > query && share == 0;
}

// One head: a row for the chosen query and, if there is room, rows for those before it.
static void draw_head(const struct drawing *drawing, int row, int rows, int layer, int64_t head) {
    static const char *const shades[] = {" ", "░", "▒", "▓", "█"};
    struct canvas *canvas = drawing->canvas;
    const struct tensor *weights = &drawing->survey->layers[layer]->tensor;
    if (head >= size_along(weights, AXIS_HEAD)) return;
    const int64_t keys = size_along(weights, AXIS_KEY);
    const int columns = keys < drawing->width ? (int)keys : drawing->width;
    const int left = drawing->names + 1 + (int)(head - drawing->first) * (drawing->width + 1);
    const int64_t query = chosen_query(drawing->survey, drawing->overview);
    for (int i = 0; i < rows; i++) {
        const int64_t asking = query - (rows - 1 - i);
        for (int column = 0; asking >= 0 && column < columns; column++) {
            const double share = share_of(drawing, weights, head, asking, column, columns);
            const int shade = share <= 0.02 ? 0 : (int)within((int64_t)(share * 4) + 1, 1, 4);
            struct style style = PLAIN;
            if (canvas->look.has_heat) {
                style.ramp = shown_ramp(canvas, RAMP_SEQUENTIAL);
                style.level = share_level(share);
            }
            const bool is_hidden = is_future(drawing, keys, keys * column / columns, asking, share);
            put_text(canvas, row + i, left + column, 1, is_hidden ? "·" : shades[shade],
                     is_hidden ? DIM : style);
        }
    }
    const bool has_cursor = drawing->overview->layer == layer && drawing->overview->head == head;
    for (int i = 0; i < rows; i++) {
        const struct area here = {row + i, left, 1, columns};
        put_line_spot(canvas, &here, place_number(layer, head), has_cursor);
    }
    if (!has_cursor) return;
    put_text(canvas, row, left - 1, 1, "▸", BOLD);
    put_cursor(canvas, row, left - 1);
}

static void draw_layer_row(const struct drawing *drawing, int row, int rows, int layer) {
    struct canvas *canvas = drawing->canvas;
    const bool is_chosen = drawing->overview->layer == layer;
    const bool has_cursor = is_chosen && drawing->overview->head < 0;
    const struct style style = has_cursor ? REVERSE : is_chosen ? BOLD : PLAIN;
    put_text(canvas, row, 1, drawing->names - 1, name_of_layer(drawing->survey->layers[layer]),
             style);
    if (has_cursor) put_cursor(canvas, row, 1);
    const struct area here = {row, 1, 1, drawing->names - 1};
    put_line_spot(canvas, &here, place_number(layer, -1), has_cursor);
    for (int64_t i = 0; i < drawing->shown; i++)
        draw_head(drawing, row, rows, layer, drawing->first + i);
}

// "716 attends to: 11 0.3163, ...": the largest weights of the head under the cursor.
static const char *readout(const struct drawing *drawing) {
    const struct overview *overview = drawing->overview;
    struct canvas *canvas = drawing->canvas;
    struct arena *arena = canvas->arena;
    struct text text = text_new(arena);
    const int64_t query = chosen_query(drawing->survey, overview);
    const bool is_clicked = canvas->look.has_buttons;
    const char *enter = is_clicked ? "Click again" : "Enter";
    struct scene scene = {0};
    show_typing(drawing->walker, &scene, NULL);
    if (scene.typed != NULL)
        return arena_format(arena, "%s becomes %s_", token_name(drawing, query), scene.typed);
    if (overview->layer < 0)
        return arena_format(arena, "%s: this token's row of the embedding.%s", enter,
                            is_clicked ? "" : " Left, right: another token.");
    if (overview->layer == drawing->survey->layer_count)
        return arena_format(arena, "%s: this word's logit.%s", enter,
                            is_clicked ? "" : " Left, right: another word.");
    if (overview->head < 0)
        return arena_format(arena, "%s: the steps of %s.", enter,
                            name_of_layer(drawing->survey->layers[overview->layer]));
    const struct step *step = drawing->survey->layers[overview->layer];
    text_add_format(&text, "%s, head %lld: %s attends to", name_of_layer(step),
                    (long long)overview->head + 1, token_name(drawing, query));
    const int64_t keys = size_along(&step->tensor, AXIS_KEY);
    double below = INFINITY;
    for (int rank = 0; rank < 4 && rank < keys; rank++) {
        int64_t best = -1;
        double most = -1;
        for (int64_t key = 0; key < keys; key++) {
            const double share =
                share_of(drawing, &step->tensor, overview->head, query, (int)key, (int)keys);
            if (share < below && share > most && !is_future(drawing, keys, key, query, share))
                most = share, best = key;
        }
        if (best < 0) break;
        text_add_format(&text, "%s %s %.4f", rank > 0 ? "," : "",
                        key_name(drawing, &step->tensor, query, best), most);
        below = most;
    }
    return text.bytes;
}

// The logits of the same step in the run that is compared with; NULL: there are none.
static const struct tensor *other_logits(const struct drawing *drawing) {
    if (drawing->scene->other == NULL || drawing->scene->companion != NULL) return NULL;
    const struct step *logits = drawing->survey->logits;
    const struct survey other = survey_of(drawing->scene->other);
    if (other.logits == NULL) return NULL;
    const struct tensor *tensor = &other.logits->tensor;
    return shapes_equal(shape_of(tensor), shape_of(&logits->tensor)) ? tensor : NULL;
}

// The most likely next words, beside what they were before a change.
static void draw_next_words(const struct drawing *drawing, int row) {
    struct canvas *canvas = drawing->canvas;
    const struct overview *overview = drawing->overview;
    if (drawing->survey->logits == NULL) return;
    const struct tensor *logits = &drawing->survey->logits->tensor;
    int64_t index[MAX_DIMS] = {0};
    logits_index(drawing->survey, overview, index);
    const struct next_words next = next_words_at(logits, index);
    const struct tensor *other = other_logits(drawing);
    const char *beside =
        other != NULL ? arena_format(canvas->arena, "   (%s)", drawing->scene->other_word) : "";
    const char *heading = arena_format(canvas->arena, "Most likely after %s, of %lld:%s",
                                       token_name(drawing, chosen_query(drawing->survey, overview)),
                                       (long long)size_along(logits, AXIS_WORD), beside);
    put_text(canvas, row, 1, canvas->columns - 2, heading, PLAIN);
    note_words(canvas, heading, PLAIN);
    const int width = (canvas->columns - 2) / NEXT_WORDS;
    for (int i = 0; i < next.count; i++) {
        const bool has_cursor =
            overview->layer == drawing->survey->layer_count && overview->word == i;
        set_index(logits, index, AXIS_WORD, next.words[i]);
        const char *word = label_at(canvas->arena, logits, find_axis(logits, AXIS_WORD), index);
        set_index(logits, index, AXIS_WORD, 0);
        const int column = 1 + i * width;
        put_text(canvas, row + 1, column, width - 1, word, has_cursor ? REVERSE : BOLD);
        if (has_cursor) put_cursor(canvas, row + 1, column);
        const char *number = arena_format(canvas->arena, "%.7f", next.probabilities[i]);
        const char *before =
            other != NULL
                ? arena_format(canvas->arena, "(%.7f)", probability_of(other, index, next.words[i]))
                : "";
        put_text(canvas, row + 2, column, width - 1, number, PLAIN);
        put_text(canvas, row + 3, column, width - 1, before, DIM);
        const int place = place_number(drawing->survey->layer_count, i);
        const struct area here = {row + 1, column, 1, width - 1};
        put_line_spot(canvas, &here, place, has_cursor);
        note_line(canvas,
                  (struct noted_line){.text = word,
                                      .more = arena_format(canvas->arena, "%s %s", number, before),
                                      .is_choice = true,
                                      .is_chosen = has_cursor,
                                      .number = place});
    }
}

static void place_heads(struct drawing *drawing) {
    const struct survey *survey = drawing->survey;
    const int room = drawing->canvas->columns;
    for (int i = 0; i < survey->layer_count; i++) {
        const int width = shown_width(drawing->canvas, name_of_layer(survey->layers[i])) + 2;
        if (width > drawing->names) drawing->names = width;
    }
    if (drawing->names < 8) drawing->names = 8;
    if (drawing->names > room / 3) drawing->names = room / 3;
    const int64_t each = (room - drawing->names) / survey->heads - 1;
    drawing->width = (int)within(each, 2, within(survey->keys, 3, 24));
    drawing->shown = within((room - drawing->names) / (drawing->width + 1), 1, survey->heads);
    drawing->first =
        within(drawing->overview->head - drawing->shown + 1, 0, survey->heads - drawing->shown);
}

// What the marks are, and of a whole model whether it has learned; in the rows above the keys, as far as they are free.
static void draw_legend(const struct drawing *drawing, int row) {
    struct canvas *canvas = drawing->canvas;
    struct arena *arena = canvas->arena;
    const char *query = token_name(drawing, chosen_query(drawing->survey, drawing->overview));
    const char *legend = arena_format(
        arena,
        canvas->noted != NULL
            ? "A row is a layer of the model, a block in it is a head. Each line of a block has "
              "the "
              "weights that a token gives to the tokens: the larger one is, the more its square "
              "stands out. The line with the frame is of \"%s\". A click chooses, a second one "
              "goes there."
            : "A row is a layer of the model, a group of marks is a head. Each mark is the weight "
              "that \"%s\" gives to a token: the darker, the more.",
        query);
    const struct lesson *lesson = drawing->scene->run->lesson;
    if (lesson->learned != NULL)
        legend = arena_format(arena,
                              "%s This model has learned. Switch a head off%s: what becomes more "
                              "likely?",
                              legend, canvas->noted != NULL ? "" : " with o");
    else if (lesson->source->recap == NULL && !is_of_reader(lesson))
        legend =
            arena_format(arena,
                         "%s The weights of this model are drawn and not learned: 'onestep gpt "
                         "--model agreement' has learned.",
                         legend);
    note_words(canvas, legend, DIM);
    char **lines;
    const int count = wrap_shown(canvas, legend, canvas->columns - 2, &lines);
    const int last = canvas->rows - 1;
    for (int i = 0; i < count && row + count <= last; i++)
        put_text(canvas, last - count + i, 1, canvas->columns - 2, lines[i], DIM);
}

static void draw_survey(struct drawing *drawing) {
    enum { ABOVE = 3, BELOW = 6 }; // title, tokens, heads; readout, words in four lines, keys
    struct canvas *canvas = drawing->canvas;
    const int layers = drawing->survey->layer_count, chosen = drawing->overview->layer;
    const int words = drawing->survey->logits != NULL ? 4 : 0;
    const int room = canvas->rows - ABOVE - (BELOW - 4 + words);
    const int most = (int)drawing->survey->tokens + 1;
    const int rows = (int)within(room / layers, 1, most);
    const int shown = (int)within(room / rows, 1, layers);
    const int first = (int)within(chosen - shown + 1, 0, layers - shown);
    place_heads(drawing);
    draw_tokens(drawing, 1);
    draw_head_numbers(drawing, 2);
    for (int i = 0; i < shown; i++) {
        const int filled = rows > 1 && rows == most ? rows - 1 : rows; // a blank row between them
        draw_layer_row(drawing, ABOVE + i * rows, filled, first + i);
    }
    const int below = ABOVE + shown * rows;
    put_text(canvas, below, 1, canvas->columns - 2, readout(drawing), PLAIN);
    draw_next_words(drawing, below + 1);
    const bool is_compared = words > 0 && other_logits(drawing) != NULL;
    draw_legend(drawing, below + words + (is_compared ? 1 : 0) + (words > 0 ? 0 : 1));
}

// The figure and what there is to read with it, for a page.
static void note_figure(const struct drawing *drawing, const char *title) {
    struct canvas *canvas = drawing->canvas;
    if (canvas->noted == NULL) return;
    const struct survey *survey = drawing->survey;
    const char *words = readout(drawing);
    canvas->noted->svg = overview_figure(drawing, title, words);
    note_words(canvas, words, BOLD);
    const bool has_next = drawing->overview->sentence + 1 < survey->sentences;
    if (survey->sentences > 1)
        note_line(canvas,
                  (struct noted_line){
                      .text = arena_format(canvas->arena, "%s [1: the %s]", canvas->noted->right,
                                           has_next ? "next sentence" : "sentence before"),
                      .key = has_next ? '.' : ',',
                      .is_words = true});
}

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    const struct scene scene = scene_for(walker, canvas);
    const struct survey survey = survey_of(scene.run);
    follow_click(&survey, view_state);
    struct drawing drawing = {.walker = walker,
                              .canvas = canvas,
                              .scene = &scene,
                              .survey = &survey,
                              .overview = view_state};
    const char *sentence =
        survey.sentences > 1
            ? arena_format(canvas->arena, "sentence %lld of %lld%s",
                           (long long)drawing.overview->sentence + 1, (long long)survey.sentences,
                           canvas->look.has_buttons ? "" : " (press .)")
            : "";
    const char *title =
        arena_format(canvas->arena, "Overview: attention in %d %s, heads %lld, tokens %lld",
                     survey.layer_count, survey.layer_count == 1 ? "step" : "steps",
                     (long long)survey.heads, (long long)survey.tokens);
    const char *nothing = "This lesson has no attention weights of queries and keys.";
    draw_title(canvas, title, sentence);
    if (survey.layer_count > 0) {
        note_figure(&drawing, title);
        draw_survey(&drawing);
    } else {
        note_words(canvas, nothing, PLAIN);
        put_text(canvas, 2, 1, canvas->columns - 2, nothing, PLAIN);
    }
    draw_key_bar(canvas, VIEW_OVERVIEW);
}

const struct walk_view overview_view = {
    .bit = VIEW_OVERVIEW,
    .name = "All layers and heads",
    .opened_by = ACT_OVERVIEW,
    .size = sizeof(struct overview),
    .has_lines = true,
    .chosen_at = offsetof(struct overview, chosen),
    .press = press,
    .typed = typed,
    .draw = draw,
};
