#include "tensor/operation/rows.h"

#define ADDRESS_OF_ROW(name) &name##_row,

const struct operation *const operation_list[] = {OPERATIONS(ADDRESS_OF_ROW)};
const int operation_count = sizeof operation_list / sizeof *operation_list;
