#ifndef ONESTEP_APP_COMMAND_PARAMETERS_JSON_H
#define ONESTEP_APP_COMMAND_PARAMETERS_JSON_H

#include "show/json.h"
#include "trace/run/run.h"

// Adds the member "parameters": an object with every parameter that the run's lesson takes, under its
// option's name (d_out for --d-out). "seed" is a list where the lesson sets several different ones; what
// was not given and has no value of its own is null.
void json_add_parameters(struct json *json, const struct run *run);

#endif
