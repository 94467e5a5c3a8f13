#ifndef ONESTEP_APP_COMMAND_JSON_H
#define ONESTEP_APP_COMMAND_JSON_H

// What the JSON of several commands has in common.

#include "show/json.h"
#include "trace/run/run.h"

// Begins an answer: an object that names the program's version. json_close ends it.
struct json json_answer(struct text *text);

// Adds the member "parameters": an object with every parameter that the run's lesson takes, under its
// option's name (d_out for --d-out). "seed" is a list where the lesson sets several different ones; what
// was not given and has no value of its own is null.
void json_add_parameters(struct json *json, const struct run *run);

#endif
