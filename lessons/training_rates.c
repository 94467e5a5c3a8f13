#include "training_model.h"

static const char *const names_of_parameters[COUNT] = {
    [EMBEDDING] = "E",      [W_QUERY] = "W_q",    [W_QUERY_BIAS] = "b_q",
    [W_KEY] = "W_k",        [W_KEY_BIAS] = "b_k", [W_VALUE] = "W_v",
    [W_VALUE_BIAS] = "b_v", [W_OUT] = "W_o",      [W_OUT_BIAS] = "b_o",
    [W_FFN1] = "W₁",        [W_FFN1_BIAS] = "b₁", [W_FFN2] = "W₂",
    [W_FFN2_BIAS] = "b₂",   [W_LOGITS] = "W_l",   [W_LOGITS_BIAS] = "b_l",
};

// The names of those that have a gradient.
static const char *const *names_of(struct run *run, tensor *grads) {
    const char **names = arena_array(run->memory, COUNT, sizeof *names);
    int count = 0;
    for (int i = 0; i < COUNT; i++)
        if (is_tensor(&grads[i])) names[count++] = names_of_parameters[i];
    return names;
}

static void show_rates(struct run *run) {
    const struct parameters *chosen = &run->parameters;

    // The learning rate of each update. With a warmup it grows evenly from a
    // hundredth of lr to lr, so the first updates, of random parameters, are
    // small. With cosine it falls after the warmup towards a thousandth of
    // lr: slowly, faster, and slowly again. In appendix D of the book, 27 of
    // 135 updates are the warmup. The updates by hand took the whole lr.
    float rates[MOST_UPDATES];
    for (int64_t i = 0; i < chosen->updates; i++)
        rates[i] = (float)learning_rate(chosen, i + 1);
    tensor learning_rates =
        axes(numbers_of(run, chosen->updates, rates), AXIS_UPDATE);
    STEP(learning_rates, "lr₁, lr₂, ...",
         "import math\n"
         "def lr_of(update):\n"
         "    initial_lr, min_lr = lr / 100, lr / 1000\n"
         "    if update < warmup:\n"
         "        return initial_lr + update * ((lr - initial_lr) / warmup)\n"
         "    if not cosine:\n"
         "        return lr\n"
         "    progress = (update - warmup) / (updates - warmup)\n"
         "    return min_lr + (lr - min_lr) * 0.5 * (1 + math.cos(math.pi * progress))\n"
         "learning_rates = torch.tensor([lr_of(update) for update in range(updates)])");
}

static void show_clipping(struct run *run, const struct task *task,
                          tensor *p) {
    double clip = run->parameters.clip;

    // How long are the gradients? The norm of a gradient is its length: the
    // root of the sum of its squares. The norm of these norms is the length
    // of all gradients together, as if they were one long row.
    struct tensor grads[COUNT];
    gradients(loss_of(task, p), COUNT, p, grads);
    tensor gradient_norms =
        label_columns(norms_of(COUNT, grads), names_of(run, grads));
    STEP(gradient_norms, "‖g‖ = √(sum of g²)",
         "grads = [p.grad for p in layers.parameters() if p.grad is not None]\n"
         "gradient_norms = torch.stack([grad.norm() for grad in grads])");
    tensor gradient_norm = norm(gradient_norms, 0, false);
    STEP(gradient_norm, "√(sum of ‖g‖²)",
         "gradient_norm = gradient_norms.norm()");

    // Clipping makes long gradients shorter. Where the norm is larger than
    // clip, all gradients are multiplied by clip / norm: their direction
    // stays, and their norm becomes clip. Otherwise the factor is 1. Updates
    // of the warmup are not clipped. In the notebook of appendix D the
    // largest number of all gradients is 0.0446 before, and 0.0201 after.
    tensor clip_factor = factor_to_clip(gradient_norm, clip);
    STEP(clip_factor, "c = min(1, clip / (norm + 10⁻⁶))",
         "clip_factor = (clip / (gradient_norm + 1e-6)).clamp(max=1.0)");
    tensor W_query_grad_clipped = multiply(grads[W_QUERY], clip_factor);
    STEP(W_query_grad_clipped, "c · ∂W_q",
         "W_query_grad_clipped = W_query_grad * clip_factor");
}

void rates_and_clipping(struct run *run, const struct task *task,
                        tensor *p) {
    if (has_rates(&run->parameters) && run->parameters.updates > 0)
        show_rates(run);
    if (has_clipping(&run->parameters)) show_clipping(run, task, p);
}
