#ifndef ONESTEP_APP_CHECK_ANSWER_H
#define ONESTEP_APP_CHECK_ANSWER_H

// The answer of `check`, in each of its formats.

#include "app/check/checked.h"
#include "base/text.h"

// For people: a verdict, where the numbers differ first, what explains them, a fact a line.
void add_check_plain(struct text *text, const struct checked *checked);

// For graders: an object that has the same members whatever the verdict; json.c says what they are.
void add_check_json(struct text *text, const struct checked *checked);

#endif
