#ifndef ONESTEP_SHOW_TABLE_H
#define ONESTEP_SHOW_TABLE_H

// A tensor as pages of a table: the last two dimensions are its rows and columns; a vector is one row;
// all dimensions before are pages, counted row by row. Without pages it is one that has no rows and no columns.

#include "tensor/tensor.h"

struct table {
    int64_t pages, rows, columns;
};
struct table table_of(const struct tensor *tensor);

// Has it a dimension of rows, and one of pages, however many there are of them?
bool has_rows(const struct tensor *tensor);
bool has_pages(const struct tensor *tensor);

// The index of a place on a page; `index` has room for MAX_DIMS. And the place of an index.
void table_index(const struct tensor *tensor, int64_t page, int64_t row, int64_t column,
                 int64_t *index);
void table_place(const struct tensor *tensor, const int64_t *index, int64_t *page, int64_t *row,
                 int64_t *column);

// What a page is called, by the index of any place on it: "batch 1, head 2"; "" if there is only one.
const char *page_title(struct arena *arena, const struct tensor *tensor, const int64_t *index);

// The same tensor with the labels of a page: in a batch of different sentences, those of its sentence; numbers where
// the page has several such sentences.
struct tensor labelled_page(const struct tensor *tensor, int64_t page);

// What a single row of ids says, "Your journey starts"; NULL of anything else, such as a single id.
const char *sentence_of(struct arena *arena, const struct tensor *tensor);

#endif
