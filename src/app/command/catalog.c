#include "app/command/catalog.h"

#include "app/command/help.h"
#include "app/command/json.h"
#include "app/command/option.h"
#include "trace/what_if/mistake.h"

// What may stand behind a command, besides the lessons where it takes one.
static void add_json_names(struct json *json, enum verb verb) {
    json_open_list(json, "names");
    if (verb == VERB_PRINT) json_add_string(json, NULL, "all");
    for (int i = 0; verb == VERB_GPT2 && i < GPT2_SIZES && gpt2_sizes[i].name != NULL; i++)
        json_add_string(json, NULL, gpt2_sizes[i].name);
    const char **topics;
    const int count = verb == VERB_HELP ? help_topics(json->text->arena, &topics) : 0;
    for (int i = 0; i < count; i++) json_add_string(json, NULL, topics[i]);
    json_close(json);
}

static void add_json_command(struct json *json, enum verb verb) {
    json_line(json);
    json_open_object(json, NULL);
    json_add_string(json, "name", verb_name(verb));
    json_add_string(json, "summary", verb_summary(verb));
    add_json_help(json, verb);
    json_add_bool(json, "takes_lesson", takes_lesson(verb));
    add_json_names(json, verb);
    json_add_bool(json, "takes_parameters", takes_parameters(verb) && verb != VERB_HELP);
    add_json_options(json, verb);
    json_close(json);
}

static void add_json(struct text *text) {
    struct json json = json_answer(text);
    json_open_list(&json, "commands");
    for (int i = VERB_WALK; i <= VERB_HELP; i++) add_json_command(&json, (enum verb)i);
    json_close(&json);
    add_json_parameters(&json);
    add_json_models(&json);
    json_open_list(&json, "what_ifs");
    for (int i = 0; i < mistake_total; i++) json_add_string(&json, NULL, mistake_table[i].name);
    json_close(&json);
    json_close(&json);
}

void add_options(struct text *text, enum format format) {
    if (format == FORMAT_JSON) {
        add_json(text);
        return;
    }
    for (int i = VERB_WALK; i < VERB_HELP; i++) {
        text_add_format(text, "%s%s: %s\n", i > 0 ? "\n" : "", verb_name((enum verb)i),
                        verb_summary((enum verb)i));
        add_option_help(text, (enum verb)i);
        if (takes_parameters((enum verb)i)) text_add(text, "  and the parameters of lessons\n");
    }
}
