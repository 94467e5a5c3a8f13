#ifndef ONESTEP_TENSOR_OPERATION_ADDENDS_H
#define ONESTEP_TENSOR_OPERATION_ADDENDS_H

// A sum in words: its addends, written out in the order in which they are added up.

#include "tensor/number/sum.h"
#include "tensor/operation/account.h"

// "0.1000 + (-0.2000) + (0.3000 + 0.4000)", with brackets where the order asks for them; "0" of nothing.
const char *sum_text(struct account *account, struct line addends, enum sum_order order);

// Says a line about the order of `count` addends where it is not simply from the first to the last.
void say_order(struct account *account, int64_t count, enum sum_order order);

#endif
