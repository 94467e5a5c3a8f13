#ifndef ONESTEP_TENSOR_OPS_OPS_H
#define ONESTEP_TENSOR_OPS_OPS_H

// The operations, under PyTorch's names. The result of an operation is allocated in the arena of its youngest
// operand. Operations without operands take the arena; those that draw take the generator as well. A view
// reads the same numbers in another order; every other result is new memory. No operation changes a tensor in
// place, so a recorded step never changes. If shapes do not fit, an operation fails with FAIL_USAGE and a
// message that names the operation and the shapes. Results keep the meanings and labels of the operands'
// axes.
//
// Letters in shapes: n rows, k summed over, m columns, ... any leading dimensions.

#include "tensor/cell.h"
#include "tensor/number/generator.h"
#include "tensor/origin.h"
#include "tensor/tensor.h"

// ---- Tensors from nothing -----------------------------------------------------------------------

// A tensor of zeros that the caller fills with given numbers.
struct tensor tensor_given(struct arena *arena, enum dtype dtype, struct shape shape);
// The given floats, row by row. torch.tensor
struct tensor tensor_of(struct arena *arena, struct shape shape, const float *values);
// Integers first, first + 1, ..., one row of `count` (INT64). torch.arange
struct tensor arange(struct arena *arena, int64_t first, int64_t count);
// One number as a tensor of no dimensions, rounded to float. torch.tensor(number)
struct tensor scalar(struct arena *arena, double number);
// The same number everywhere. torch.full; torch.ones is full(arena, shape, 1)
struct tensor full(struct arena *arena, struct shape shape, double number);
// The same in another dtype.
struct tensor full_of(struct arena *arena, enum dtype dtype, struct shape shape, double number);

// ---- Views: the same numbers in another order or shape -------------------------------------------

// Repeats x along its dimensions of size 1, and along new dimensions in front (stride 0). Fails if the shape
// does not end in the sizes of x or has fewer dimensions. Tensor.expand
struct tensor expand(struct tensor x, struct shape shape);

// Exchanges two dimensions: sizes, strides, meanings. Tensor.transpose
struct tensor transpose(struct tensor x, int dim0, int dim1);
// Another shape with as many elements. Fails like PyTorch where no strides can express it, because two
// dimensions of `x` that are not adjacent in memory would have to be merged: call contiguous() first. A size
// that stays keeps its axis; of an axis that is split, the last part keeps the meaning. Tensor.view
struct tensor view(struct tensor x, struct shape shape);
// view(x, shape) where strides can express it, else that of contiguous(x); `x` itself if it has the shape.
// Tensor.reshape
struct tensor reshape(struct tensor x, struct shape shape);
// Indices start ... start + length - 1 of one dimension: x[:, start:start+length]. Tensor.narrow
struct tensor narrow(struct tensor x, int dim, int64_t start, int64_t length);
// One index of one dimension, which disappears: x[index] for dim 0. Tensor.select
struct tensor select_index(struct tensor x, int dim, int64_t index);
// Indices start, start + step, ... of one dimension, to its end: x[..., start::step].
struct tensor slice(struct tensor x, int dim, int64_t start, int64_t step);

// ---- Copies -------------------------------------------------------------------------------------

// The same elements laid out row by row; `x` itself if it is so already. Tensor.contiguous
struct tensor contiguous(struct tensor x);
// `count` tensors of equal shape along a new dimension `dim`. torch.stack
struct tensor stack(int64_t count, const struct tensor *x, int dim);
// `count` tensors joined along `dim`; the other sizes agree. torch.cat
struct tensor cat(int64_t count, const struct tensor *x, int dim);
// Each part along `dim`, `times` times side by side: 0 0 1 1; all of it, `times` times: 0 1 0 1; all of it
// backwards: 1 0. Tensor.repeat_interleave, Tensor.repeat, Tensor.flip
struct tensor repeat_interleave(struct tensor x, int64_t times, int dim);
struct tensor repeat(struct tensor x, int64_t times, int dim);
struct tensor flip(struct tensor x, int dim);
// Row ids[...] of the weight (vocabulary, d) for every id: the shape of ids, then d. Fails if an id is not in
// the vocabulary. torch.nn.functional.embedding
struct tensor embed(struct tensor ids, struct tensor weight);
// 1 at the place of each id, 0 elsewhere: the shape of ids, then `classes` (INT64). Fails if an id is no
// class. torch.nn.functional.one_hot
struct tensor one_hot(struct tensor ids, int64_t classes);
// `rows` rows of zeros, and row ids[...] of them + x[...] for every id, in order. x has the shape of ids,
// then d; the result is (rows, d). This is embed() backwards. torch.zeros(rows, d).index_add(0, ids, x)
struct tensor index_add(int64_t rows, struct tensor ids, struct tensor x);
// Does the view show a number twice, as expand() and unfold() do?
bool shows_twice(const struct tensor *x);
// Zeros in the shape of the storage that x is a view of; each number of `grad` is put at the place of the number of x with the
// same index, or added there, if x shows numbers twice. grad has x's shape. This is the gradient of any view. Tensor.as_strided's
// gradient, Tensor.scatter_add
struct tensor scatter_add(struct tensor grad, struct tensor x);

// ---- Element by element; shapes broadcast as in PyTorch (sizes agree or are 1, from the right) --

// Of integers (INT64, below 2^24) sums, differences and products are integers.
struct tensor add(struct tensor a, struct tensor b);       // a + b
struct tensor subtract(struct tensor a, struct tensor b);  // a - b
struct tensor multiply(struct tensor a, struct tensor b);  // a · b
struct tensor divide(struct tensor a, struct tensor b);    // a / b
struct tensor maximum(struct tensor a, struct tensor b);   // the larger of a and b
struct tensor multiply_by(struct tensor x, double number); // x · number, rounded to float
struct tensor divide_by(struct tensor x, double number);   // x / number, rounded to float
struct tensor absolute(struct tensor x);                   // |x|
struct tensor sign(struct tensor x);                       // 1, 0 or -1
struct tensor square_root(struct tensor x);                // √x. torch.sqrt
struct tensor relu(struct tensor x);                       // max(0, x)
struct tensor natural_log(struct tensor x);                // log x. torch.log
struct tensor exponential(struct tensor x);                // e^x. torch.exp
struct tensor negative(struct tensor x);                   // -x
struct tensor hyperbolic_tangent(struct tensor x);         // torch.tanh
struct tensor silu(struct tensor x);                       // x / (1 + e^-x)
// Of angles in radians, up to 2^26 either way. torch.sin, torch.cos
struct tensor sine(struct tensor x);
struct tensor cosine(struct tensor x);
// base^exponent, pair by pair. torch.pow(base, exponent) of two tensors; of a number and a tensor the number
// is a scalar().
struct tensor power(struct tensor base, struct tensor exponent);
// x ** 1.7: of the last numbers, where fewer than sixteen are left, PyTorch takes the exponent in double.
struct tensor power_of(struct tensor base, double exponent);
// x · x · x for 3: with exponents from 0 to 3, which PyTorch computes as products. x ** 3
struct tensor raise_to(struct tensor x, int exponent);

// ---- Products -----------------------------------------------------------------------------------

// c[..., i, j] = sum over k of a[..., i, k] · b[..., k, j]. (..., n, k) and (..., k, m) give
// (..., n, m); leading dimensions broadcast. A vector (k) on the left gives (m), on the right (n), on
// both sides a single number. How each sum is added up depends on the operands' dimensions and sizes, as in
// PyTorch (number/product.h); most are one chain acc = fmaf(a, b, acc), k upwards from 0. torch.matmul
struct tensor matmul(struct tensor a, struct tensor b);
// y[..., o] = sum over i of x[..., i] · weight[o, i], then + bias[o] unless it is NO_TENSOR. The sum is
// matmul's; the bias is added to its rounded result. torch.nn.functional.linear
struct tensor linear(struct tensor x, struct tensor weight, struct tensor bias);

// ---- Along a dimension --------------------------------------------------------------------------

// e^(x - max) / sum of e^(x - max), along `dim`. torch.softmax
struct tensor softmax(struct tensor x, int dim);
// (x - max) - log(sum of e^(x - max)), along `dim`. torch.log_softmax
struct tensor log_softmax(struct tensor x, int dim);
// The gradient of the input of softmax, or of log_softmax, from the gradient `grad` of the result y: along
// `dim`, (grad - sum of grad · y) · y, and grad - e^y · sum of grad. Products, sums and differences are
// rounded and fused as in the kernels of PyTorch 2.6, or of 1.13, which fuses the products of a row from the
// ninth on. torch._softmax_backward_data, torch._log_softmax_backward_data
struct tensor softmax_backward(struct tensor grad, struct tensor y, int dim, bool is_of_1_13);
struct tensor log_softmax_backward(struct tensor grad, struct tensor y, int dim);
// Adds up in PyTorch's order (number/sum.h); the dimension disappears, or stays with size 1 if keepdim.
// torch.sum
struct tensor sum(struct tensor x, int dim, bool keepdim);
// sum / n. torch.mean
struct tensor mean(struct tensor x, int dim, bool keepdim);
// Sum of squared distances from the mean / (n - 1), or / n if it is not unbiased, in double, rounded once.
// torch.var
struct tensor var(struct tensor x, int dim, bool unbiased, bool keepdim);
// torch.std and torch.norm of floats, for programs.
struct tensor deviation(struct tensor x, int dim, bool unbiased, bool keepdim);
struct tensor norm(struct tensor x, int dim, bool keepdim);
// The mean over all places of -log softmax(logits)[target]; logits (..., classes), targets (...) of
// INT64. A place whose target is -100 does not count. torch.nn.functional.cross_entropy
struct tensor cross_entropy(struct tensor logits, struct tensor targets);
// The largest of all elements, as a tensor of no dimensions. torch.amax
struct tensor amax(struct tensor x);

// The largest along a dimension, which disappears. torch.amax(dim)
struct tensor amax_along(struct tensor x, int dim);

// The place of the largest number of a row (INT64, no dimensions); the first of several. torch.argmax
struct tensor argmax(struct tensor x);

// The `count` largest numbers of each row, along the last dimension, the largest first, and their places
// (INT64). Tensor.topk
struct top {
    struct tensor values, positions;
};
struct top topk(struct tensor x, int64_t count);
// The numbers at these places of each row: (..., n) and positions (..., k) give (..., k). Fails if there is
// no such place. x.gather(-1, positions)
struct tensor gather(struct tensor x, struct tensor positions);
// How often each of `classes` ids is among the ids (INT64). torch.bincount(ids, minlength=classes)
struct tensor bincount(struct tensor ids, int64_t classes);

// ---- Training -----------------------------------------------------------------------------------

// Zeros in place of a gradient, for the next one to be added to. Optimizer.zero_grad
struct tensor zero_grad(struct tensor grad);

// x - lr · (grad + decay · x), rounded once for each product and sum. torch.optim.SGD with weight_decay
struct tensor sgd(struct tensor parameter, struct tensor grad, double lr, double decay);

// torch.optim.AdamW's defaults.
#define ADAMW_BETA1 0.9
#define ADAMW_BETA2 0.999
#define ADAMW_EPS 1e-8
#define ADAMW_DECAY 0.01

// A parameter, and the running means of its gradient and of the square of it, all of one shape.
struct adamw_state {
    struct tensor parameter, first, second;
};

// Update number `update` (from 1) of a parameter, as one operation:
//     first  = first + 0.1 · (grad - first)        second = 0.999 · second + 0.001 · grad²
//     parameter · (1 - lr · decay) - (lr / c₁) · first / (√second / √c₂ + 1e-8), c = 1 - beta^update
// rounded and fused as by torch.optim.AdamW of PyTorch 2.6. (A rule can change it, in its origin: is_of_1_13
// makes the first moment 0.9 · first + 0.1 · grad, is_uncorrected leaves out c₁ and c₂.)
struct adamw_state adamw(struct adamw_state before, struct tensor grad, double lr, double decay,
                         int64_t update);
// The same as torch.optim.Adam makes it: the parameter does not decay by itself; decay · parameter is added to the
// gradient, unless decay is 0.
struct adamw_state adam(struct adamw_state before, struct tensor grad, double lr, double decay,
                        int64_t update);
// torch.optim.SGD with momentum 0.9: `first` is its buffer, which is 0 before the first update; `second` stays.
//     first = 0.9 · first + (grad + decay · parameter)        parameter - lr · first
#define SGD_MOMENTUM 0.9
struct adamw_state sgd_with_momentum(struct adamw_state before, struct tensor grad, double lr,
                                     double decay);
// 1 - beta^update, in double.
double adamw_correction(double beta, int64_t update);

// A copy of x in `arena`. Its origin says only after which update of a training x had these values; for a row
// of losses, `update` is that of the first.
struct tensor kept(struct arena *arena, struct tensor x, int64_t update, bool is_row);
// The update after which a cell had this number, if its tensor is such a copy; else -1.
int64_t update_of_kept(const struct cell *cell);

// ---- Masks --------------------------------------------------------------------------------------

// Keeps the numbers on and below (tril) or on and above (triu) the diagonal j - i = diagonal of the last two
// dimensions and puts 0 elsewhere. torch.tril, torch.triu
struct tensor tril(struct tensor x, int diagonal);
struct tensor triu(struct tensor x, int diagonal);
// True where an element is not 0 (BOOL). Tensor.bool
struct tensor to_bool(struct tensor x);
// True where a < b, a <= b, a = b, or one of them is not 0 (BOOL); shapes broadcast. torch.lt, torch.le,
// torch.eq, torch.logical_or
struct tensor less(struct tensor a, struct tensor b);
struct tensor at_most(struct tensor a, struct tensor b);
struct tensor equal(struct tensor a, struct tensor b);
struct tensor logical_or(struct tensor a, struct tensor b);
// True where an element is 0 (BOOL). torch.logical_not
struct tensor logical_not(struct tensor x);
// The same numbers as floats, True as 1; `x` itself if they are floats. Tensor.float
struct tensor to_float(struct tensor x);
// `value` where the mask (BOOL, broadcast to x) is true, else x. Tensor.masked_fill
struct tensor masked_fill(struct tensor x, struct tensor mask, double value);

// ---- Random -------------------------------------------------------------------------------------

// Drawn row by row, one 32-bit draw an element: fmaf(u, most - least, least). Tensor.uniform_;
// torch.rand is uniform(arena, generator, shape, 0, 1)
struct tensor uniform(struct arena *arena, struct generator *generator, struct shape shape,
                      double least, double most);
// Drawn from the normal distribution with mean 0 and variance 1, in PyTorch's order of draws.
// torch.randn
struct tensor normal(struct arena *arena, struct generator *generator, struct shape shape);
// The weight [d_out, d_in] and the bias [d_out] of a linear layer, uniform in ±1/sqrt(d_in): what
// torch.nn.Linear(d_in, d_out) draws, weight first.
struct tensor uniform_weight(struct arena *arena, struct generator *generator, int64_t d_out,
                             int64_t d_in);
struct tensor uniform_bias(struct arena *arena, struct generator *generator, int64_t d_out,
                           int64_t d_in);
// x · keep / (1 - p) with keep drawn per element, row by row; `x` itself, without a draw, if p is 0.
// A p of 1 draws nothing either and gives x · 0. Fails unless 0 <= p <= 1.
// torch.nn.functional.dropout(x, p, training=True)
struct tensor drop(struct generator *generator, struct tensor x, double p, enum bernoulli stream);

// `count` places in a row of probabilities (INT64), each drawn with the chance that stands there, which need
// not add up to 1. Each takes two draws a probability, as a call of its own does. Fails if a probability is
// negative or none is above 0. A nan is drawn, where PyTorch fails. torch.multinomial(probabilities, 1), `count` times
struct tensor multinomial(struct generator *generator, struct tensor probabilities, int64_t count);

// The two parts of dropout. draw_kept draws one bit for each of `count` elements, whether it is kept; the
// lowest bit of a byte comes first. p = 1 keeps nothing and draws nothing. kept_factor is the factor of the
// kept elements, 1/(1 - p).
void draw_kept(struct generator *generator, double p, enum bernoulli stream, unsigned char *bits,
               int64_t count);
float kept_factor(double p);
static inline bool keeps_bit(const unsigned char *bits, int64_t i) {
    return bits[i / 8] >> i % 8 & 1;
}

#endif
