#include "tensor/number/tile.h"

// A tile has up to 12 rows and 8 columns. It lies in a block of columns.
enum { BLOCK = 320, ROWS = 12, ROWS_LEFT = 4, COLUMNS = 8, TURNS = 8 };

bool is_large_product(int64_t rows, int64_t inner, int64_t columns) {
    return rows * inner * columns >= LARGE_PRODUCT;
}

static bool has_tiles(const struct entry *entry) {
    return !is_large_product(entry->rows, entry->inner, entry->columns);
}

// Columns and terms are cut alike. What is more than one block and less than two becomes two halves.
static int64_t block_of(int64_t left) {
    if (left >= 2 * BLOCK) return BLOCK;
    return left > BLOCK ? (left / 2 + COLUMNS - 1) / COLUMNS * COLUMNS : left;
}

int64_t end_of_block(const struct entry *entry, int64_t from) {
    return has_tiles(entry) ? from + block_of(entry->inner - from) : entry->inner;
}

// In twelve rows, tiles of six rows and sixteen columns have one sum. What they leave of eight columns has two: the upper
// six rows begin with eight columns, and either half may end with eight.
static bool is_left_over(int64_t row, int64_t tile, int64_t last) {
    const bool is_upper = row % ROWS < ROWS / 2, ends_upper = last % 2 == 1;
    if (last == 0) return false;
    return (is_upper && tile == 0) || (tile == last && is_upper == ends_upper);
}

static bool has_two_sums(const struct entry *entry) {
    int64_t first = 0, width = block_of(entry->columns);
    for (; entry->column >= first + width; width = block_of(entry->columns - first)) first += width;
    const int64_t tile = (entry->column - first) / COLUMNS, last = width / COLUMNS - 1;
    const int64_t left = entry->rows % ROWS; // rows below the last twelve
    if (tile > last) return false;
    if (entry->row < entry->rows - left) return is_left_over(entry->row, tile, last);
    const bool is_in_fours = entry->row < entry->rows - left % ROWS_LEFT;
    return is_in_fours && (first == 0 || left < 2 * ROWS_LEFT);
}

int64_t terms_by_turns(const struct entry *entry, int64_t terms) {
    return has_tiles(entry) && has_two_sums(entry) ? terms - terms % TURNS : 0;
}
