#include "trace/tape/training.h"

#include <math.h>
#include <string.h>

#include "tensor/ops/ops.h"
#include "tensor/ops/programs/choice.h"
#include "trace/run/schedule.h"
#include "trace/tape/gradient.h"

// What one update hands on to the next.
struct training_state {
    struct tensor grads[MOST_TRAINED];
    struct adamw_state trained[MOST_TRAINED];
};

static bool has(const struct training_state *state, int i) {
    return is_tensor(&state->trained[i].parameter);
}

static void begin(const struct training *training, const struct tensor *parameters,
                  struct training_state *state) {
    struct arena *arena = training->run->memory;
    memset(state, 0, sizeof *state);
    for (int i = 0; i < training->count; i++) {
        if (!is_tensor(&parameters[i])) continue;
        const struct tensor zeros =
            with_axes_of(full(arena, shape_of(&parameters[i]), 0), &parameters[i]);
        state->grads[i] = zeros;
        state->trained[i] = (struct adamw_state){parameters[i], zeros, zeros};
    }
}

// The state in other memory, cut off from the update that made it.
static void keep(struct training_state *state, int count, struct arena *arena, int64_t update) {
    for (int i = 0; i < count; i++) {
        if (!has(state, i)) continue;
        struct adamw_state *trained = &state->trained[i];
        state->grads[i] = kept(arena, state->grads[i], update, false);
        trained->parameter = kept(arena, trained->parameter, update, false);
        trained->first = kept(arena, trained->first, update, false);
        trained->second = kept(arena, trained->second, update, false);
    }
}

static struct tensor loss_of(const struct training *training, const struct training_state *state) {
    struct tensor parameters[MOST_TRAINED];
    for (int i = 0; i < training->count; i++) parameters[i] = state->trained[i].parameter;
    return training->loss(training->model, parameters);
}

static struct adamw_state step(const struct training *training, const struct adamw_state *trained,
                               struct tensor grad, int64_t update) {
    const struct parameters *p = &training->run->parameters;
    const double decay = weight_decay_of(p), lr = learning_rate(p, update);
    if (p->optimizer == ADAMW) return adamw(*trained, grad, lr, decay, update);
    if (p->optimizer == ADAM) return adam(*trained, grad, lr, decay, update);
    if (p->optimizer == MOMENTUM) return sgd_with_momentum(*trained, grad, lr, decay);
    return (struct adamw_state){sgd(trained->parameter, grad, lr, decay), trained->first,
                                trained->second};
}

struct tensor norms_of(int count, const struct tensor *grads) {
    struct tensor norms[MOST_TRAINED];
    int found = 0;
    for (int i = 0; i < count; i++) {
        if (!is_tensor(&grads[i])) continue;
        const int64_t numbers = count_of(shape_of(&grads[i]));
        norms[found++] = norm(view(grads[i], SHAPE(numbers)), 0, false);
    }
    return stack(found, norms, 0);
}

struct tensor factor_to_clip(struct tensor norm, double most) {
    struct arena *arena = norm.storage->arena;
    const struct tensor larger = add(norm, full(arena, NO_DIMS, 1e-6));
    return clamp(multiply_by(reciprocal(larger), most), -INFINITY, 1);
}

// The gradients of an update, smaller where they are clipped.
static void clip(const struct training *training, struct tensor *grads, int64_t update) {
    const struct parameters *p = &training->run->parameters;
    if (!is_clipped(p, update)) return;
    const struct tensor all = norm(norms_of(training->count, grads), 0, false);
    const struct tensor factor = factor_to_clip(all, p->clip);
    for (int i = 0; i < training->count; i++)
        if (is_tensor(&grads[i])) grads[i] = multiply(grads[i], factor);
}

// One update. A parameter that the loss does not depend on has no gradient (None), and stays as it is.
static void go_on(const struct training *training, struct training_state *state, struct tensor loss,
                  int64_t update) {
    struct tensor of[MOST_TRAINED] = {0}, grads[MOST_TRAINED];
    int places[MOST_TRAINED], count = 0;
    for (int i = 0; i < training->count; i++) {
        if (has(state, i)) places[count] = i;
        if (has(state, i)) of[count++] = state->trained[i].parameter;
    }
    gradients(loss, count, of, grads);
    struct tensor added[MOST_TRAINED] = {0};
    for (int i = 0; i < count; i++)
        if (is_tensor(&grads[i]))
            added[places[i]] = add(zero_grad(state->grads[places[i]]), grads[i]);
    clip(training, added, update);
    for (int i = 0; i < training->count; i++) {
        if (!is_tensor(&added[i])) continue;
        state->grads[i] = added[i];
        state->trained[i] = step(training, &state->trained[i], added[i], update);
    }
}

// ---- The loop ------------------------------------------------------------------------------------

static void take_parameters(const struct training *training, const struct training_state *state,
                            struct tensor *parameters) {
    for (int i = 0; i < training->count; i++) parameters[i] = state->trained[i].parameter;
}

// The first and the last know where they came from, those in between after which update they were so.
static struct tensor row_of(struct arena *arena, struct tensor first, struct tensor last,
                            const float *losses, int64_t updates) {
    const struct tensor ends[] = {view(first, SHAPE(1)), view(last, SHAPE(1))};
    if (updates == 0) return ends[0];
    if (updates == 1) return cat(2, ends, 0);
    const struct tensor between = tensor_of(arena, SHAPE(updates - 1), losses + 1);
    return cat(3, (const struct tensor[]){ends[0], kept(arena, between, 1, true), ends[1]}, 0);
}

static void note_training(struct run *run, struct trained *trained) {
    const size_t used = (size_t)run->training_count * sizeof *run->trainings;
    run->trainings = arena_grow(run->memory, run->trainings, used, sizeof *run->trainings);
    struct trained *noted = arena_allocate(run->memory, sizeof *noted);
    *noted = *trained;
    run->trainings[run->training_count++] = noted;
}

// What the run before would go on with. Names and labels of axes go with that run: this run has its own.
static void take_over(struct training_state *state, const struct training_state *past, int count) {
    const struct training_state named = *state;
    *state = *past;
    for (int i = 0; i < count; i++) {
        if (!has(state, i)) continue;
        struct adamw_state *trained = &state->trained[i];
        const struct adamw_state *same = &named.trained[i];
        state->grads[i] = with_axes_of(state->grads[i], &named.grads[i]);
        trained->parameter = with_axes_of(trained->parameter, &same->parameter);
        trained->first = with_axes_of(trained->first, &same->first);
        trained->second = with_axes_of(trained->second, &same->second);
    }
}

// Behind its first update, the training goes on where that of the run before has ended: with how many updates
// made, or 1.
static int64_t go_on_from(const struct run *run, struct training_state *state, float *losses) {
    if (run->before == NULL || run->before->parameters.updates < 2) return 1;
    const struct trained *past = run->before->trainings[run->training_count];
    const int64_t made = run->before->parameters.updates;
    for (int64_t i = 0; i < made; i++) losses[i] = (float)element_at(&past->losses, i);
    take_over(state, past->state, MOST_TRAINED);
    return made;
}

void train(const struct training *training, const struct tensor *parameters,
           struct trained *trained) {
    struct arena *arena = training->run->memory;
    const int64_t updates = training->run->parameters.updates;
    struct arena *turns[2] = {arena_child(arena), arena_child(arena)};
    float *losses = arena_array(arena, (size_t)updates + 1, sizeof *losses);
    struct training_state *state = arena_allocate(arena, sizeof *state);
    begin(training, parameters, state);
    *trained = (struct trained){.losses = NO_TENSOR, .state = state};
    struct tensor loss = loss_of(training, state), first = loss;
    for (int64_t update = 1; update <= updates; update++) {
        if (update > 1) {
            struct arena *kept_in = turns[update % 2];
            arena_free(kept_in);
            keep(state, training->count, kept_in, update - 1);
            loss = loss_of(training, state);
        }
        go_on(training, state, loss, update);
        losses[update - 1] = (float)element_at(&loss, 0);
        if (update > 1) continue;
        take_parameters(training, state, trained->after_one);
        update = go_on_from(training->run, state, losses);
    }
    take_parameters(training, state, trained->parameters);
    if (updates > 0) loss = loss_of(training, state);
    trained->losses = set_axis(row_of(arena, first, loss, losses, updates), 0, AXIS_UPDATE);
    note_training(training->run, trained);
}
