#include "show/sheet.h"

#include "tensor/operation/rows.h"
#include "trace/run/step.h"

// ---- The tables that are the same for every run -------------------------------------------------

static const struct sheet_row formula_rows[] = {
    {{"Q = X W_q, K = X W_k, V = X W_v", "three versions of each token's row"}},
    {{"S = Q Kᵀ", "scores: each query against each key"}},
    {{"S / √d_k", "scaled; d_k is the width of a head's keys"}},
    {{"S[i,j] = -∞ if j > i", "masked: the future is hidden"}},
    {{"W = softmax(S)", "weights: each row adds up to 1"}},
    {{"W · keep / (1 - p)", "dropout, in training only"}},
    {{"Z = W V", "context: each row mixes the values"}},
    {{"Y = [Z₁, Z₂, ...] W_oᵀ + b_o", "heads side by side, then projected"}},
    {{"softmax(Q Kᵀ / √d_k) V", "attention in one line"}},
};

static const struct sheet_row slip_rows[] = {
    {{"heads that do not divide d_out", "shape '[2, 6, 2, 3]' is invalid for input of size 84",
      "choose d_out = heads · head_dim; here 7 is not 2 · 3"}},
    {{"the same in a class that checks it", "AssertionError: d_out must be divisible by num_heads",
      "the class checks it before it computes anything; choose d_out = heads · head_dim"}},
    {{"a class that forgets super().__init__()",
      "AttributeError: cannot assign module before Module.__init__() call",
      "super().__init__() is the first line of __init__, before any layer is made"}},
    {{"inputs of the wrong width", "mat1 and mat2 shapes cannot be multiplied (12x3 and 4x2)",
      "d_in of the layer must be the last size of its input: 3, not 4"}},
    {{"scores without transposing the keys",
      "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2, 6].",
      "queries @ keys.transpose(-2, -1)"}},
    {{"keys.T on a batch",
      "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0",
      ".T reverses all dimensions: swap only two, keys.transpose(1, 2)"}},
    {{"view after transpose",
      "view size is not compatible with input tensor's size and stride (at least one dimension "
      "spans across two contiguous subspaces). Use .reshape(...) instead.",
      "x.transpose(1, 2).contiguous().view(...)"}},
    {{"more tokens than context_length",
      "The size of tensor a (6) must match the size of tensor b (4) at non-singleton dimension 2",
      "make the mask for at least as many tokens: raise context_length"}},
    {{"row sums without keepdim",
      "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 1",
      "x / x.sum(dim=-1, keepdim=True); with as many rows as columns there is no error, but the "
      "result is wrong"}},
    {{"an id outside of the vocabulary", "index out of range in self",
      "ids count from 0 to vocabulary - 1"}},
    {{"view(b, h, t, d) at once", "no error: the sizes are right, the heads are scrambled",
      "x.view(b, t, h, d).transpose(1, 2)"}},
    {{"softmax along the wrong dim", "no error: columns add up to 1 instead of rows",
      "torch.softmax(scores, dim=-1)"}},
};

static const struct sheet_row type_rows[] = {
    {{"numbers of two types",
      "expected scalar type Float but found Double; in 2.6: expected m1 and m2 to have the same "
      "dtype, but got: float != double",
      "x.float(); arrays of NumPy are double"}},
    {{"a mask of 0 and 1 in masked_fill",
      "masked_fill_ only supports boolean masks, but got mask with dtype float",
      "mask.bool(), or mask == 0; 1.13 takes it without an error"}},
    {{"a mask of integers in scaled_dot_product_attention",
      "Expected attn_mask dtype to be bool or float or to match query dtype",
      "mask.bool(), where True keeps; numbers would be added to the scores"}},
    {{"ids that are no integers",
      "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, "
      "Int; but got torch.FloatTensor instead",
      "ids.long()"}},
    {{"targets that are int32", "expected scalar type Long but found Int", "targets.long()"}},
    {{"tensors on two devices",
      "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and "
      "cpu!",
      "x.to(device); a mask of a class with register_buffer moves with the model"}},
    {{"backward a second time",
      "Trying to backward through the graph a second time (or directly access saved tensors after "
      "they have already been freed).",
      "compute the loss again before each backward; detach() what stays from the update before"}},
    {{"numpy() of a result with a gradient",
      "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
      "x.detach().numpy()"}},
    {{"temperature 0", "probability tensor contains either `inf`, `nan` or element < 0",
      "the most likely word needs no draw: logits.argmax(dim=-1)"}},
};

static const struct sheet_row attention_rows[] = {
    {{"is_causal=True with one new query and a cache",
      "the query sees only the first key: the corner of the mask is at the first key. One new "
      "token may see all keys, so leave is_causal out"}},
    {{"a finite number in place of -∞",
      "e^-10 is 0.00005 and not 0: a little of the future comes through. Use -torch.inf"}},
    {{"whether rows are divided again after dropout",
      "no: what is kept was multiplied by 1/(1-p), so the sums are right on average"}},
    {{"the weights that nn.MultiheadAttention returns",
      "the mean of all heads; average_attn_weights=False gives those of each head"}},
    {{"one Linear for queries, keys and values",
      "the same seed draws one large matrix, so the numbers are others. Copy the weights to "
      "compare"}},
    {{"torch.nn.GELU() and GPT-2", "it is the exact one, with erf; GPT-2 has the form with tanh: "
                                   "torch.nn.GELU(approximate='tanh')"}},
    {{"rows of padding as queries",
      "they are 0, nan or a mean, by the function. Nobody reads them if the loss leaves them out "
      "and no nan is among them"}},
    {{"padding in front of a sentence",
      "learned positions have to be counted from its first token. Rotary positions give the same "
      "scores: only the distance counts"}},
    {{"ignore_index",
      "cross_entropy leaves targets of -100 out and divides by the number of the others; if all "
      "are left out, the loss is nan"}},
    {{"the loss of several small batches", "a mean of means is the mean only if all have as many "
                                           "targets. Add up sums, and divide once"}},
    {{"other last digits with bfloat16, TF32 or on a GPU",
      "bfloat16 keeps two to three digits, TF32 three to four, and each device adds in its own "
      "order. Compare with a tolerance"}},
};

// Measured by tests/pytorch_padding.py.
static const struct sheet_row mask_rows[] = {
    {{"True in masks of MultiheadAttention", "1.13: hides", "2.6: hides"}},
    {{"True in that of scaled_dot_product_attention", "1.13: keeps", "2.6: keeps"}},
    {{"hidden rows of scaled_dot_product_attention", "1.13: nan", "2.6: 0"}},
    {{"hidden rows of MultiheadAttention", "1.13: nan", "2.6: nan"}},
    {{"the same with need_weights=False", "1.13: nan", "2.6: 0"}},
    {{"the same in the fast path", "1.13: nan", "2.6: nan"}},
};

static const struct sheet_row question_rows[] = {
    {{"why the way back runs in the reverse order",
      "a tensor's gradient is complete only after everything that used the tensor has added its "
      "part"}},
    {{"why += and not =",
      "a tensor that is used twice changes the loss in two ways, and both count"}},
    {{"whether each summand of a + b gets half",
      "no: the sum changes as much as either summand, so both get the whole gradient"}},
    {{"where 1/n lives", "once, at the start of the way back: the loss is a mean over n places. A "
                         "bias adds up its places and does not divide again"}},
    {{"loss or perplexity", "perplexity is e^loss: the model is as uncertain as if it guessed "
                            "among that many words. Guessing among six: e^1.7918 = 6"}},
    {{"why .grad of an intermediate tensor is None",
      "PyTorch keeps gradients only of leaves, such as parameters; x.retain_grad() before backward "
      "keeps that of x"}},
    {{"why numbers may not be changed in place",
      "the way back needs the numbers of the way forward. PyTorch says: one of the variables "
      "needed for gradient computation has been modified by an inplace operation"}},
    {{"step before backward",
      "with zero_grad before both, PyTorch 2.6 changes no parameter and reports no error; 1.13 "
      "reports at the second update the same error as for a change in place"}},
};

#define TABLE(array, ...)                                                                          \
    { .rows = (array), .row_count = sizeof(array) / sizeof *(array), __VA_ARGS__ }

static const struct sheet_table fixed_tables[] = {
    TABLE(formula_rows, .title = "Attention", .column_count = 2,
          .introduction = "X has one row for each token. With several heads, every head computes "
                          "all lines but the last.",
          .heads = {"formula", "what it is"}),
    TABLE(slip_rows, .title = "Mistakes, and what PyTorch says of them", .column_count = 3,
          .heads = {"the mistake", "what PyTorch says", "what to do"}),
    TABLE(type_rows, .title = "Types, devices and gradients", .column_count = 3,
          .heads = {"the mistake", "what PyTorch says", "what to do"}),
    TABLE(attention_rows, .title = "Asked about attention", .column_count = 2,
          .heads = {"the question", "the answer"}),
    TABLE(mask_rows, .title = "Masks in PyTorch's functions", .column_count = 3,
          .introduction =
              "A row is hidden if every key is hidden from it. MultiheadAttention has "
              "need_weights=True by default; its fast path is eval() without gradients. "
              "scaled_dot_product_attention is private in 1.13 (_ stands before its "
              "name).",
          .heads = {"what", "in PyTorch 1.13", "in PyTorch 2.6"}),
    TABLE(question_rows, .title = "Asked about gradients", .column_count = 2,
          .heads = {"the question", "the answer"}),
};
enum { FIXED_TABLES = sizeof fixed_tables / sizeof *fixed_tables };

// ---- The operations -----------------------------------------------------------------------------

static struct sheet_table operations_table(struct arena *arena) {
    struct sheet_row *rows = arena_array(arena, (size_t)operation_count, sizeof *rows);
    int count = 0;
    for (int i = 0; i < operation_count; i++) {
        const struct operation_help *help = &operation_list[i]->help;
        if (help->here != NULL)
            rows[count++] = (struct sheet_row){{help->here, help->pytorch, help->sizes}};
    }
    return (struct sheet_table){
        .title = "Operations",
        .introduction = "They have PyTorch's names. A stride says how many places in memory lie "
                        "between neighbours along a dimension.",
        .column_count = 3,
        .heads = {"here", "in PyTorch", "sizes and strides"},
        .row_count = count,
        .rows = rows,
    };
}

static struct sheet_table gradients_table(struct arena *arena) {
    struct sheet_row *rows = arena_array(arena, (size_t)operation_count, sizeof *rows);
    int count = 0;
    for (int i = 0; i < operation_count; i++) {
        const struct operation_help *help = &operation_list[i]->help;
        const char *name = help->here != NULL ? help->here : operation_list[i]->name;
        if (help->back != NULL) rows[count++] = (struct sheet_row){{name, help->back}};
    }
    return (struct sheet_table){
        .title = "The way back",
        .introduction =
            "The gradient of the loss for each operand of an operation; dy is its gradient for the "
            "result y. The gradients of several uses of one tensor add up.",
        .column_count = 2,
        .heads = {"operation", "its gradient"},
        .row_count = count,
        .rows = rows,
    };
}

// ---- The shapes of the runs ---------------------------------------------------------------------

static struct sheet_table shapes_table(struct arena *arena, const struct trial *trial) {
    const struct run *run = &trial->run;
    struct sheet_row *rows = arena_array(arena, (size_t)run->step_count, sizeof *rows);
    for (int i = 0; i < run->step_count; i++) {
        const struct step *step = &run->steps[i];
        rows[i].cells[0] = step_label(arena, step);
        rows[i].cells[1] = shape_text(arena, shape_of(&step->tensor));
        rows[i].cells[2] = axes_text(arena, &step->tensor);
    }
    const char *differences = differences_text(arena, trial);
    return (struct sheet_table){
        .title = arena_format(arena, "Shapes: %s", run->lesson->name),
        .introduction = differences == NULL ? NULL : arena_format(arena, "With %s.", differences),
        .column_count = 3,
        .heads = {"step", "shape", "axes"},
        .row_count = run->step_count,
        .rows = rows,
    };
}

int sheet_tables(struct arena *arena, int trial_count, const struct trial *trials,
                 const struct sheet_table **tables) {
    const int count = FIXED_TABLES + 2 + trial_count;
    struct sheet_table *all = arena_array(arena, (size_t)count, sizeof *all);
    struct sheet_table *next = all;
    *next++ = fixed_tables[0];
    for (int i = 0; i < trial_count; i++) *next++ = shapes_table(arena, &trials[i]);
    *next++ = operations_table(arena);
    *next++ = gradients_table(arena);
    for (int i = 1; i < FIXED_TABLES; i++) *next++ = fixed_tables[i];
    *tables = all;
    return count;
}

// ---- As text ------------------------------------------------------------------------------------

static void add_lines(struct text *text, const char *paragraph, int indent, int width) {
    char **lines;
    const int count = text_wrap(text->arena, paragraph, width - indent, &lines);
    for (int i = 0; i < count; i++) {
        text_add_repeated(text, " ", indent);
        text_add_format(text, "%s\n", lines[i]);
    }
}

static int widest_cell(const struct sheet_table *table, int column) {
    int widest = 0;
    for (int i = 0; i < table->row_count; i++) {
        const int width = text_width(table->rows[i].cells[column]);
        if (width > widest) widest = width;
    }
    return widest;
}

// Do all rows fit on lines of their own, their cells side by side?
static bool fits_side_by_side(const struct sheet_table *table, int width) {
    int needed = 2;
    for (int column = 0; column < table->column_count; column++) {
        needed += widest_cell(table, column) + (column > 0 ? 2 : 0);
    }
    return needed <= width;
}

static void add_side_by_side(struct text *text, const struct sheet_table *table) {
    for (int i = 0; i < table->row_count; i++) {
        text_add(text, "  ");
        for (int column = 0; column < table->column_count; column++) {
            const bool is_last = column == table->column_count - 1;
            const char *cell = table->rows[i].cells[column];
            text_add_padded(text, cell, is_last ? 0 : widest_cell(table, column) + 2, false);
        }
        text_add(text, "\n");
    }
}

// Each row as a small paragraph: the first cell, the others below it.
static void add_stacked(struct text *text, const struct sheet_table *table, int width) {
    for (int i = 0; i < table->row_count; i++) {
        const struct sheet_row *row = &table->rows[i];
        add_lines(text, row->cells[0], 2, width);
        for (int column = 1; column < table->column_count; column++) {
            add_lines(text, row->cells[column], 6, width);
        }
    }
}

void add_sheet(struct text *text, int table_count, const struct sheet_table *tables, int width) {
    for (int i = 0; i < table_count; i++) {
        const struct sheet_table *table = &tables[i];
        text_add_format(text, "%s%s\n", i > 0 ? "\n" : "", table->title);
        if (table->introduction != NULL) add_lines(text, table->introduction, 0, width);
        if (fits_side_by_side(table, width))
            add_side_by_side(text, table);
        else
            add_stacked(text, table, width);
    }
}
