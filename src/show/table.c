#include "show/table.h"

#include "base/text.h"

struct table table_of(const struct tensor *tensor) {
    struct table table = {.pages = 1, .rows = 1, .columns = 1};
    const int ndim = tensor->ndim;
    if (ndim > 0) table.columns = tensor->shape[ndim - 1];
    if (has_rows(tensor)) table.rows = tensor->shape[ndim - 2];
    for (int dim = 0; dim < ndim - 2; dim++) table.pages *= tensor->shape[dim];
    if (table.pages == 0) return (struct table){.pages = 1};
    return table;
}

bool has_rows(const struct tensor *tensor) {
    return tensor->ndim >= 2;
}

bool has_pages(const struct tensor *tensor) {
    return tensor->ndim > 2;
}

void table_index(const struct tensor *tensor, int64_t page, int64_t row, int64_t column,
                 int64_t *index) {
    const int ndim = tensor->ndim;
    if (ndim > 0) index[ndim - 1] = column;
    if (has_rows(tensor)) index[ndim - 2] = row;
    for (int dim = ndim - 3; dim >= 0 && tensor->shape[dim] > 0; dim--) {
        index[dim] = page % tensor->shape[dim];
        page /= tensor->shape[dim];
    }
}

void table_place(const struct tensor *tensor, const int64_t *index, int64_t *page, int64_t *row,
                 int64_t *column) {
    const int ndim = tensor->ndim;
    *column = ndim > 0 ? index[ndim - 1] : 0;
    *row = has_rows(tensor) ? index[ndim - 2] : 0;
    *page = 0;
    for (int dim = 0; dim < ndim - 2; dim++) *page = *page * tensor->shape[dim] + index[dim];
}

const char *page_title(struct arena *arena, const struct tensor *tensor, const int64_t *index) {
    struct text text = text_new(arena);
    text_add(&text, "");
    for (int dim = 0; dim < tensor->ndim - 2; dim++) {
        const char *name = axis_name(tensor, dim);
        const bool is_named = name != NULL && !has_labels(tensor, dim);
        text_add_format(&text, "%s%s%s%s", dim > 0 ? ", " : "", is_named ? name : "",
                        is_named ? " " : "", label_at(arena, tensor, dim, index));
    }
    return text.bytes;
}

struct tensor labelled_page(const struct tensor *tensor, int64_t page) {
    int64_t index[MAX_DIMS] = {0};
    if (tensor->ndim > 0) table_index(tensor, page, 0, 0, index);
    struct tensor labelled = labelled_at(*tensor, index);
    const int batch = find_axis(tensor, AXIS_BATCH), ndim = tensor->ndim;
    if (batch < 0 || batch < ndim - 2 || tensor->shape[batch] == 1) return labelled;
    for (int dim = 0; dim < ndim; dim++)
        if (tensor->axis[dim].apart > 0) labelled.axis[dim].labels = NULL;
    return labelled;
}

const char *sentence_of(struct arena *arena, const struct tensor *tensor) {
    const int last = tensor->ndim - 1;
    if (last < 0 || tensor->storage->words == NULL || table_of(tensor).rows != 1) return NULL;
    struct text text = text_new(arena);
    for (int64_t i = 0; i < tensor->shape[last]; i++)
        text_add_format(&text, "%s%s", i > 0 ? " " : "", label_of(arena, tensor, last, i));
    return text.bytes;
}
