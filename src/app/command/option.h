#ifndef ONESTEP_APP_COMMAND_OPTION_H
#define ONESTEP_APP_COMMAND_OPTION_H

// The table of options that are no parameters of a lesson. The command line, help and catalog.h read it.

#include "app/command/value.h"
#include "show/json.h"

// The row of an option ("--output" or "-o") for a command; NULL if the command does not take it.
const struct option *option_of(enum verb verb, const char *name);

// The name of an option that the command takes and that `name` may have been meant to be; NULL if there is none.
const char *option_near(enum verb verb, const char *name);

// Does a command take a parameter of lessons? Those that run lessons take all.
bool takes_parameter(enum verb verb, const struct parameter *parameter);

// Adds the part of a command's help that explains its options, a paragraph each.
void add_option_help(struct text *text, enum verb verb);

// Adds the list "options" of a command that explains them, and the list "parameters".
void add_json_options(struct json *json, enum verb verb);
void add_json_parameters(struct json *json);

#endif
