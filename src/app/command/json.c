#include "app/command/json.h"

#include <inttypes.h>
#include <string.h>

#include "trace/run/list.h"

// The seed of the run; a list if the lesson set several different ones.
static void add_seeds(struct json *json, const char *name, const struct run *run) {
    struct arena *arena = json->text->arena;
    bool is_one = true;
    for (int i = 1; i < run->seed_count; i++) is_one = is_one && run->seeds[i] == run->seeds[0];
    if (!is_one) json_open_list(json, name);
    for (int i = 0; i < (is_one ? 1 : run->seed_count); i++)
        json_add_raw(json, is_one ? name : NULL, arena_format(arena, "%" PRIu64, run->seeds[i]));
    if (!is_one) json_close(json);
}

// The files of a batch of different sentences.
static void add_files(struct json *json, const char *name, const struct parameters *parameters) {
    json_open_list(json, name);
    json_add_string(json, NULL, text_safe(json->text->arena, parameters->input));
    for (int i = 0; i < parameters->other_count; i++)
        json_add_string(json, NULL, text_safe(json->text->arena, parameters->other_input[i]));
    json_close(json);
}

static void add_parameter(struct json *json, const struct run *run,
                          const struct parameter *parameter) {
    const struct parameters *parameters = &run->parameters;
    const bool is_given = parameters->given & parameter->bit;
    const bool is_number = parameter->kind->form == FORM_NUMBER;
    const char *name = parameter->name;
    const char *value = parameter_text(json->text->arena, parameters, parameter);
    if (is_switch(parameter))
        json_add_bool(json, name, value[0] == 'y');
    else if (is_file(parameter) && parameters->other_count > 0)
        add_files(json, name, parameters);
    else if (is_file(parameter))
        json_add_string(json, name, is_given ? text_safe(json->text->arena, value) : NULL);
    else if (parameter->bit == USES_QUERY)
        json_add_string(json, name,
                        label_of(json->text->arena, &run->inputs,
                                 find_axis(&run->inputs, AXIS_TOKEN), run->query));
    else if (parameter->bit == USES_SEED && !is_given)
        add_seeds(json, name, run);
    else if (parameter->kind->form == FORM_NUMBERS)
        json_add_raw(json, name, list_json(json->text->arena, value));
    else if (is_number && parameter->unset != NULL && !is_given)
        json_add_raw(json, name, "null");
    else if (is_number && strcmp(value, "none") != 0)
        json_add_raw(json, name, value);
    else
        json_add_string(json, name, value);
}

struct json json_answer(struct text *text) {
    struct json json = json_new(text);
    json_open_object(&json, NULL);
    json_add_string(&json, "onestep", VERSION);
    return json;
}

void json_add_parameters(struct json *json, const struct run *run) {
    json_open_object(json, "parameters");
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        if (run->lesson->uses & parameter_table[i].bit)
            add_parameter(json, run, &parameter_table[i]);
    }
    json_close(json);
}
