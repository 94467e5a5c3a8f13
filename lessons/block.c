#include "block.h"
#include "variants.h"

enum { CURVE = 49, DEEP = 5 };

static void normalize_rows(struct run *run) {
    SECTION("LayerNorm");
    GROUP("norm");

    // Two rows of five numbers, and six features of each. The rows stand
    // for two tokens on their way through a model. A layer and a ReLU make
    // the features. The numbers of one row can be larger than those of
    // another, and each further layer can make them larger still. If
    // numbers grow or shrink from layer to layer, a model is hard to
    // train.
    reseed(run, 123);
    tensor batch_example =
        axes(normal(run, 2, 5), AXIS_TOKEN, AXIS_FEATURE);
    STEP(batch_example, "X ~ normal(0, 1)",
         "batch_example = torch.randn(2, 5)");
    layer wide = draw_layer(run, ROLE_NONE, 5, 6, true);
    tensor out = relu(apply(wide, batch_example));
    STEP(out, "Y = max(0, X Wᵀ + b)",
         "wide = torch.nn.Linear(5, 6)\n"
         "out = torch.relu(wide(batch_example))");

    // Subtract the mean, then divide by the root of the variance. LayerNorm
    // works on each row alone: it does not look at other tokens, nor at other
    // sentences. torch.var divides the sum of the squared distances from the
    // mean by n - 1, here by 5. That is the unbiased variance of statistics.
    // Every row of the result has mean 0 and variance 1, unless all of its
    // numbers were equal.
    tensor row_mean = mean(out, -1, true);
    STEP(row_mean, "μ, one a row",
         "row_mean = out.mean(dim=-1, keepdim=True)");
    tensor row_variance = var(out, -1, true, true);
    STEP(row_variance, "σ² = sum of (y - μ)² / (n - 1)",
         "row_variance = out.var(dim=-1, keepdim=True)");
    tensor out_norm =
        divide(subtract(out, row_mean), square_root(row_variance));
    STEP(out_norm, "(Y - μ) / σ",
         "out_norm = (out - row_mean) / torch.sqrt(row_variance)");

    // What LayerNorm computes differs in two points. It divides by n, not
    // by n - 1: this variance is called biased. And it adds ε = 0.00001 to
    // the variance, so that a row of equal numbers is not divided by 0. So
    // the variance of each row is now below 1. Its mean is 0, but for
    // rounding. Then LayerNorm multiplies by a scale and adds a shift,
    // which are trained. They begin as 1 and 0 and change nothing here.
    tensor biased = add(var(out, -1, false, true), number(run, 1e-5));
    tensor out_ln = divide(subtract(out, row_mean), square_root(biased));
    STEP(out_ln, "(Y - μ) / √(σ² + ε), σ² divided by n",
         "biased = out.var(dim=-1, keepdim=True, unbiased=False)\n"
         "out_ln = (out - row_mean) / torch.sqrt(biased + 1e-5)");
    tensor ln_mean = mean(out_ln, -1, true);
    STEP(ln_mean, "mean of each row",
         "ln_mean = out_ln.mean(dim=-1, keepdim=True)");
    tensor ln_variance = var(out_ln, -1, false, true);
    STEP(ln_variance, "variance of each row, divided by n",
         "ln_variance = out_ln.var(dim=-1, keepdim=True, unbiased=False)");

    END_GROUP;
}

// "-3", "-2.875", ...
static const char *const *labels_of(struct run *run, tensor x) {
    const char **labels = arena_array(run->memory, CURVE, sizeof *labels);
    for (int64_t i = 0; i < CURVE; i++)
        labels[i] = arena_format(run->memory, "%g", element_at(&x, i));
    return labels;
}

static void bend(struct run *run) {
    SECTION("GELU");

    // ReLU of the numbers from -3 to 3. It has a corner at 0. Left of it
    // the curve is level. If the input of a feature is negative for every
    // token, the feature gets no gradient and cannot learn.
    tensor eighths = divide_by(to_float(numbers_from_0(run, CURVE)), 8);
    tensor from_minus_3 = subtract(eighths, number(run, 3));
    tensor curve_inputs = label_columns(named(from_minus_3, "x"),
                                        labels_of(run, from_minus_3));
    STEP(curve_inputs, "x = -3, -2.875, ..., 3",
         "curve_inputs = torch.arange(49) / 8 - 3");
    tensor relu_curve = relu(curve_inputs);
    STEP(relu_curve, "max(0, x)", "relu_curve = torch.relu(curve_inputs)");

    // GELU, which GPT-2 uses in place of ReLU. The dots are ReLU. GELU has no
    // corner, and where x is a little below 0 it has a slope. So a feature that
    // ReLU would switch off still learns. GELU is x times the probability that
    // a normal random number is below x: torch.nn.GELU(). This formula with
    // tanh, which GPT-2 was trained with, differs from it by less than a
    // thousandth. At x = 1 the formula with tanh gives 1.5 ten-thousandths less.
    tensor slope = square_root(number(run, 2 / 3.14159265358979323846));
    tensor cubed = multiply_by(raise_to(curve_inputs, 3), 0.044715);
    tensor inner = multiply(slope, add(curve_inputs, cubed));
    tensor share = add(number(run, 1), hyperbolic_tangent(inner));
    BESIDE("relu_curve");
    tensor gelu_curve = multiply(multiply_by(curve_inputs, 0.5), share);
    STEP(gelu_curve, "0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³)))",
         "def gelu(x):\n"
         "    inner = torch.sqrt(torch.tensor(2.0 / torch.pi)) * (x + 0.044715 * x**3)\n"
         "    return 0.5 * x * (1 + torch.tanh(inner))\n"
         "gelu_curve = gelu(curve_inputs)");
}

// ---- Shortcuts ------------------------------------------------------------

// Five layers, the last of which has one feature, and a GELU behind each. A
// shortcut adds what a layer read to what it made, where both are equally wide.
static struct tensor go_deep(struct run *run, const struct layer *layers,
                             tensor example, bool has_shortcuts) {
    struct tensor x = example;
    for (int i = 0; i < DEEP; i++) {
        tensor made = gelu(run, apply(layers[i], x));
        bool fits = made.shape[1] == x.shape[1];
        x = has_shortcuts && fits ? add(x, made) : made;
    }
    return x;
}

static void draw_layers(struct run *run, struct layer *layers) {
    for (int i = 0; i < DEEP; i++)
        layers[i] =
            draw_layer(run, ROLE_NONE, 3, i < DEEP - 1 ? 3 : 1, true);
}

// Leaves the mean size of each layer's gradient in means.
static void record_gradients(struct run *run, const struct layer *layers,
                             tensor output, struct tensor *means) {
    struct tensor weights[DEEP], grads[DEEP];

    // How the loss changes with each weight. The five layers are asked to give
    // 0, and the loss is the square of what they give. Layer i computes Aᵢ =
    // Xᵢ Wᵢᵀ + bᵢ from what it reads, Xᵢ. backward computes the gradients of
    // all five weights, once without shortcuts and once with them. Below, the
    // first factor is a number of ∂Aᵢ. The way back begins at the last layer,
    // and each layer multiplies by its weights.
    tensor missed = subtract(output, number(run, 0));
    tensor loss = mean(view(raise_to(missed, 2), 1), 0, false);
    for (int i = 0; i < DEEP; i++) weights[i] = layers[i].weight;
    gradients(loss, DEEP, weights, grads);
    tensor W1_grad = grads[0];
    STEP(W1_grad, "∂W₁ = ∂A₁ᵀ X₁",
         "loss = torch.nn.functional.mse_loss(output, torch.tensor([[0.]]))\n"
         "loss.backward()\n"
         "W1_grad = layers[0].weight.grad");
    tensor W2_grad = grads[1];
    STEP(W2_grad, "∂W₂ = ∂A₂ᵀ X₂", "W2_grad = layers[1].weight.grad");
    tensor W3_grad = grads[2];
    STEP(W3_grad, "∂W₃ = ∂A₃ᵀ X₃", "W3_grad = layers[2].weight.grad");
    tensor W4_grad = grads[3];
    STEP(W4_grad, "∂W₄ = ∂A₄ᵀ X₄", "W4_grad = layers[3].weight.grad");
    tensor W5_grad = grads[4];
    STEP(W5_grad, "∂W₅ = ∂A₅ᵀ X₅", "W5_grad = layers[4].weight.grad");

    for (int i = 0; i < DEEP; i++) {
        int64_t count = grads[i].shape[0] * grads[i].shape[1];
        means[i] = mean(view(absolute(grads[i]), count), 0, false);
    }
}

struct deep {
    struct tensor example; // [1, 3]
    struct layer layers[DEEP];
};

// The mean sizes of the five gradients.
static struct tensor sizes_of(struct tensor *means) {
    static const char *const names[] = {"W1", "W2", "W3", "W4", "W5"};
    return label_columns(named(stack(DEEP, means, 0), "layer"), names);
}

static void go_without(struct run *run, struct deep *deep) {
    struct tensor means[DEEP];

    SECTION("Shortcuts");
    GROUP("without");

    // Five small layers, one behind the other. The first four make three
    // features each, the last makes one. A GELU follows every layer. The input
    // is 1, 0, -1.
    tensor three = view(numbers(run, 1, 0, -1), 1, 3);
    deep->example = as(ROLE_HIDDEN, set_axis(three, 1, AXIS_FEATURE));
    reseed(run, 123);
    draw_layers(run, deep->layers);
    tensor output = go_deep(run, deep->layers, deep->example, false);
    STEP(output, "xᵢ₊₁ = GELU(xᵢ Wᵢᵀ + bᵢ)",
         "example = torch.tensor([[1., 0., -1.]])\n"
         "layers = [torch.nn.Linear(3, width) for width in [3, 3, 3, 3, 1]]\n"
         "output = example\n"
         "for layer in layers:\n"
         "    output = gelu(layer(output))",
         "output");

    record_gradients(run, deep->layers, output, means);

    // The mean size of each layer's gradient. With the course's seed it is
    // 0.0050 in the last layer and only 0.0002 in the first. On the way back
    // each layer multiplies by its small weights and by the slope of GELU. So
    // the first layers of a deep model would hardly learn. This is called the
    // vanishing gradient.
    tensor gradient_means = sizes_of(means);
    AT(0, 4);
    STEP(gradient_means, "mean of |∂Wᵢ|, for each layer",
         "grads = [layer.weight.grad for layer in layers]\n"
         "gradient_means = torch.stack([grad.abs().mean() for grad in grads])");
}

static void go_with(struct run *run, struct deep *deep) {
    struct tensor means[DEEP];

    GROUP("with");

    // The same five layers, now with shortcuts. The input of a layer is added
    // to its result. So a layer does not make new features: it changes those
    // that are there. The last layer has no shortcut, because its result is
    // narrower than its input and cannot be added to it. A shortcut is also
    // called a residual connection or a skip connection.
    reseed(run, 123);
    draw_layers(run, deep->layers);
    tensor output = go_deep(run, deep->layers, deep->example, true);
    STEP(output, "xᵢ₊₁ = xᵢ + GELU(xᵢ Wᵢᵀ + bᵢ)",
         "layers = [torch.nn.Linear(3, width) for width in [3, 3, 3, 3, 1]]\n"
         "output = example\n"
         "for layer in layers:\n"
         "    made = gelu(layer(output))\n"
         "    output = output + made if made.shape == output.shape else made",
         "output");

    record_gradients(run, deep->layers, output, means);

    // The first layer's gradient is no longer near 0. A sum passes its
    // gradient on to both terms unchanged. So a shortcut carries the gradient
    // back past its layer. With the course's seed the mean of the first layer
    // is 0.2217. Without shortcuts it was about a thousandth of that.
    tensor gradient_means = sizes_of(means);
    STEP(gradient_means, "mean of |∂Wᵢ|, for each layer",
         "grads = [layer.weight.grad for layer in layers]\n"
         "gradient_means = torch.stack([grad.abs().mean() for grad in grads])");

    END_GROUP;
}

static void block(struct run *run) {
    struct deep deep;
    normalize_rows(run);
    bend(run);
    go_without(run, &deep);
    go_with(run, &deep);
    build_gpt(run);
}

// One block of a GPT. Each half reads normalized numbers, and a shortcut
// goes past it. x is [batch, tokens, d_model].
struct tensor gpt_block_of(struct run *run, tensor x,
                           const struct block *block, int64_t heads) {
    tensor attention =
        multi_head_attention(run, layer_norm(x), block->W_query,
                             block->W_key, block->W_value, block->W_out,
                             heads, 0);
    tensor after_attention = add(rows(attention, AXIS_TOKEN), x);
    tensor hidden = apply(block->W_ffn1, layer_norm(after_attention));
    tensor feed_forward = apply(block->W_ffn2, gelu(run, hidden));
    return add(feed_forward, after_attention);
}

LESSON(block) = {
    .name = "block",
    .part = PART_OF_GPT,
    .title = "The block of a GPT",
    .summary =
        "LayerNorm, GELU, a feed-forward block four times as wide, and shortcuts make the block that a GPT repeats; then a whole GPT that is small enough to read.",
    .book =
        "chapter 4, Implementing a GPT model from scratch to generate text",
    .uses = USES_SEED | USES_D_MODEL | USES_VOCABULARY | USES_HEADS |
            USES_CONTEXT_LENGTH | USES_LAYERS | USES_IDS | USES_BIAS,
    .splits_heads = true,
    .most_numbers = 100000000,
    .defaults = {.d_model = 4,
                 .heads = 2,
                 .layers = 2,
                 .ids = "0,1,2,3,4,5",
                 .text = SIX_WORDS},
    .teach = block,
    .source = &block_source,
};
