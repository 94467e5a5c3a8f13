// The answer about a class, a row for each student.

#include <string.h>

#include "app/check/class/class.h"
#include "show/json.h"

// A field of CSV; one that a spreadsheet would compute has an apostrophe before it.
static void add_field(struct text *text, const char *field, bool is_first) {
    const char *safe = field != NULL ? text_safe(text->arena, field) : "";
    if (!is_first) text_add(text, ",");
    text_add(text, "\"");
    if (*safe != '\0' && strchr("=+-@", *safe) != NULL) text_add(text, "'");
    for (; *safe != '\0'; safe++) {
        if (*safe == '"') text_add(text, "\"");
        text_add_bytes(text, safe, 1);
    }
    text_add(text, "\"");
}

static const char *lesson_of(const struct student *student) {
    return student->lesson != NULL ? student->lesson->name : NULL;
}

static const char *step_of(const struct student *student) {
    return student->step != NULL ? student->step : student->first_wrong;
}

void add_table_csv(struct text *text, const struct class *class) {
    text_add(text, "name,file,verdict,right,code,same_as,text,lesson,step,"
                   "handed_in,steps_right,steps_wrong,not_judged,steps\n");
    for (int i = 0; i < class->count; i++) {
        const struct student *student = &class->students[i];
        add_field(text, student->name, true);
        add_field(text, student->file, false);
        text_add_format(text, ",%s,%.4g", student->verdict, student->fraction);
        add_field(text, student->code, false);
        add_field(text, student->same_as != NULL ? student->same_as->name : NULL, false);
        add_field(text, student->words, false);
        add_field(text, lesson_of(student), false);
        add_field(text, step_of(student), false);
        const struct coverage *coverage = &student->coverage;
        text_add_format(text, ",%d,%d,%d,%d,%d", coverage->right + coverage->wrong, coverage->right,
                        coverage->wrong, coverage->unjudged, coverage->all);
        text_add(text, "\n");
    }
}

static void add_coverage_json(struct json *json, const struct coverage *coverage) {
    json_add_integer(json, "handed_in", coverage->right + coverage->wrong);
    json_add_integer(json, "steps_right", coverage->right);
    json_add_integer(json, "steps_wrong", coverage->wrong);
    json_add_integer(json, "not_judged", coverage->unjudged);
    json_add_integer(json, "steps", coverage->all);
}

void add_table_json(struct text *text, const struct class *class) {
    struct json json = json_new(text);
    json_open_list(&json, NULL);
    for (int i = 0; i < class->count; i++) {
        const struct student *student = &class->students[i];
        json_line(&json);
        json_open_object(&json, NULL);
        json_add_string(&json, "name", text_safe(text->arena, student->name));
        json_add_string(&json, "file", text_safe(text->arena, student->file));
        json_add_string(&json, "verdict", student->verdict);
        json_add_number(&json, "right", student->fraction);
        json_add_string(&json, "code", student->code);
        json_add_string(&json, "same_as",
                        student->same_as != NULL ? text_safe(text->arena, student->same_as->name)
                                                 : NULL);
        json_add_string(&json, "text", student->words);
        json_add_string(&json, "lesson", lesson_of(student));
        json_add_string(&json, "step",
                        step_of(student) != NULL ? text_safe(text->arena, step_of(student)) : NULL);
        add_coverage_json(&json, &student->coverage);
        json_close(&json);
    }
    json_close(&json);
}
