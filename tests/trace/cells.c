#include "cells.h"

#include <string.h>

#include "base/text.h"
#include "tensor/ops/ops.h"

#include <check.h> // last: defines a macro fail

const char *const tokens[6] = {"Your", "journey", "starts", "with", "one", "step"};

struct tensor journey(struct arena *arena) {
    static const float values[] = {0.43F, 0.15F, 0.89F, 0.55F, 0.87F, 0.66F, 0.57F, 0.85F, 0.64F,
                                   0.22F, 0.58F, 0.33F, 0.77F, 0.25F, 0.10F, 0.05F, 0.80F, 0.55F};
    const struct tensor inputs = tensor_of(arena, SHAPE(6, 3), values);
    return label_axis(set_matrix(inputs, AXIS_TOKEN, AXIS_FEATURE), 0, tokens);
}

struct cell cell_number_of(const struct tensor *tensor, int64_t position) {
    struct cell cell = {.tensor = *tensor};
    index_at(shape_of(tensor), position, cell.index);
    return cell;
}

int64_t elements_of(const struct tensor *tensor) {
    return count_of(shape_of(tensor));
}

void check_line(struct arena *arena, const char *line) {
    ck_assert(utf8_is_valid(line, strlen(line)));
    const char *plain = text_to_ascii(arena, line);
    ck_assert_msg(strstr(plain, "U+") == NULL && strchr(plain, '?') == NULL, "%s", line);
}
