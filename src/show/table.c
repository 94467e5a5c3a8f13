#include "show/table.h"

struct table table_of(const struct tensor *tensor) {
    struct table table = {.pages = 1, .rows = 1, .columns = 1};
    const int ndim = tensor->ndim;
    if (ndim >= 1) table.columns = tensor->shape[ndim - 1];
    if (ndim >= 2) table.rows = tensor->shape[ndim - 2];
    for (int dim = 0; dim < ndim - 2; dim++) table.pages *= tensor->shape[dim];
    return table;
}

void table_index(const struct tensor *tensor, int64_t page, int64_t row, int64_t column,
                 int64_t *index) {
    const int ndim = tensor->ndim;
    if (ndim >= 1) index[ndim - 1] = column;
    if (ndim >= 2) index[ndim - 2] = row;
    for (int dim = ndim - 3; dim >= 0; dim--) {
        index[dim] = page % tensor->shape[dim];
        page /= tensor->shape[dim];
    }
}

void table_place(const struct tensor *tensor, const int64_t *index, int64_t *page, int64_t *row,
                 int64_t *column) {
    const int ndim = tensor->ndim;
    *column = ndim >= 1 ? index[ndim - 1] : 0;
    *row = ndim >= 2 ? index[ndim - 2] : 0;
    *page = 0;
    for (int dim = 0; dim < ndim - 2; dim++) *page = *page * tensor->shape[dim] + index[dim];
}
