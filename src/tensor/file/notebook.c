#include "tensor/file/notebook.h"

#include <string.h>

#include "base/text.h"
#include "tensor/file/json_read.h"

// Text of a notebook: a string, or a list of strings.
static void add_lines(struct reading *json, struct text *text) {
    if (json_next(json) == '"') {
        json_add_text(json, text);
    } else if (json_next(json) != '[') {
        json_skip(json);
    } else {
        json->next++;
        while (json_item(json, ']', NULL)) {
            if (json_next(json) == '"')
                json_add_text(json, text);
            else
                json_skip(json);
        }
    }
}

// ---- Cells --------------------------------------------------------------------------------------

struct cell_read {
    const char *number, *id; // as they are written; NULL without
    struct text shown;
};

// "data": {"text/plain": ...}.
static void take_data(struct reading *json, struct cell_read *cell) {
    const char *name;
    if (json_next(json) != '{') {
        json_skip(json);
        return;
    }
    json->next++;
    while (json_item(json, '}', &name)) {
        if (strcmp(name, "text/plain") == 0)
            add_lines(json, &cell->shown);
        else
            json_skip(json);
    }
    text_add(&cell->shown, "\n");
}

static void take_outputs(struct reading *json, struct cell_read *cell) {
    const char *name;
    json_take(json, '[');
    while (json_item(json, ']', NULL)) {
        json_take(json, '{');
        while (json_item(json, '}', &name)) {
            if (strcmp(name, "text") == 0)
                add_lines(json, &cell->shown);
            else if (strcmp(name, "data") == 0)
                take_data(json, cell);
            else
                json_skip(json);
        }
    }
}

static struct cell_read take_cell(struct reading *json) {
    struct cell_read cell = {.shown = text_new(json->arena)};
    const char *name;
    text_add(&cell.shown, "");
    json_take(json, '{');
    while (json_item(json, '}', &name)) {
        if (strcmp(name, "outputs") == 0) {
            take_outputs(json, &cell);
        } else if (strcmp(name, "id") == 0 && json_next(json) == '"') {
            cell.id = json_string(json);
        } else if (strcmp(name, "execution_count") == 0) {
            (void)json_next(json);
            const char *start = json->next;
            json_skip(json);
            if (*start >= '0' && *start <= '9')
                cell.number = arena_copy_bytes(json->arena, start, (size_t)(json->next - start));
        } else {
            json_skip(json);
        }
    }
    return cell;
}

// ---- Code ---------------------------------------------------------------------------------------

static void add_code(struct text *text, const char *code) {
    while (*code != '\0') {
        const size_t length = strcspn(code, "\n"), indent = strspn(code, " \t");
        const bool is_order = indent < length && strchr("%!", code[indent]) != NULL;
        if (is_order) text_add(text, "# %");
        text_add_bytes(text, code, length);
        text_add(text, "\n");
        code += length + (code[length] != '\0');
    }
}

// Adds the next cell; returns its number, or that of the cell before it if it has no code.
static int add_code_cell(struct reading *json, struct text *text, int number) {
    struct text code = text_new(json->arena);
    bool is_code = false;
    const char *name;
    text_add(&code, "");
    json_take(json, '{');
    while (json_item(json, '}', &name)) {
        if (strcmp(name, "source") == 0)
            add_lines(json, &code);
        else if (strcmp(name, "cell_type") == 0 && json_next(json) == '"')
            is_code = strcmp(json_string(json), "code") == 0;
        else
            json_skip(json);
    }
    if (!is_code) return number;
    text_add_format(text, "# %%%% code cell %d\n", number + 1);
    add_code(text, code.bytes);
    return number + 1;
}

const char *notebook_code(const struct reading *reading) {
    struct reading json = *reading;
    struct text text = text_new(json.arena);
    const char *name;
    int count = 0;
    text_add(&text, "");
    if (!is_notebook(reading)) fail_whole(reading, "is no notebook of Jupyter");
    json_take(&json, '{');
    while (json_item(&json, '}', &name) && strcmp(name, "cells") != 0) json_skip(&json);
    json_take(&json, '[');
    while (json_item(&json, ']', NULL)) count = add_code_cell(&json, &text, count);
    return text.bytes;
}

// ---- What was printed ---------------------------------------------------------------------------

// Numbers in brackets?
static bool shows_numbers(const struct cell_read *cell) {
    const char *bracket = cell->shown.bytes;
    while ((bracket = strchr(bracket, '[')) != NULL) {
        bracket += 1 + strspn(bracket + 1, "[ \n");
        if (strchr("0123456789-+.inTF", *bracket) != NULL && *bracket != '\0') return true;
    }
    return strstr(cell->shown.bytes, "tensor(") != NULL;
}

static bool is_called_so(const struct cell_read *cell, const char *wanted) {
    return (cell->number != NULL && strcmp(cell->number, wanted) == 0) ||
           (cell->id != NULL && strcmp(cell->id, wanted) == 0);
}

bool is_notebook(const struct reading *reading) {
    static const char mark[] = "\"nbformat\"";
    struct reading json = *reading;
    if (json_next(&json) != '{') return false;
    for (const char *at = json.next; at < json.end; at++) {
        at = memchr(at, '"', (size_t)(json.end - at));
        if (at == NULL) return false;
        const bool has_room = (size_t)(json.end - at) >= sizeof mark - 1;
        if (has_room && memcmp(at, mark, sizeof mark - 1) == 0) return true;
    }
    return false;
}

// "3, 5": the cells that show numbers, by their number or id.
static void add_name(struct text *names, const struct cell_read *cell) {
    const char *name = cell->number != NULL ? cell->number : cell->id;
    if (names->length > 0) text_add(names, ", ");
    text_add(names, name != NULL ? text_safe(names->arena, name) : "?");
}

const char *notebook_output(const struct reading *reading, const char *wanted) {
    struct reading json = *reading;
    struct text names = text_new(json.arena);
    const char *name, *shown = NULL;
    int count = 0;
    text_add(&names, "");
    json_take(&json, '{');
    while (json_item(&json, '}', &name) && strcmp(name, "cells") != 0) json_skip(&json);
    json_take(&json, '[');
    while (json_item(&json, ']', NULL)) {
        const struct cell_read cell = take_cell(&json);
        if (wanted != NULL && is_called_so(&cell, wanted)) return cell.shown.bytes;
        if (!shows_numbers(&cell)) continue;
        add_name(&names, &cell);
        count++;
        shown = cell.shown.bytes;
    }
    if (count == 0)
        fail_whole(reading, "no cell of this notebook shows numbers: run it, and save it");
    if (wanted != NULL)
        fail_whole(reading, "no cell %s; cells that show numbers: %s",
                   text_safe(json.arena, wanted), names.bytes);
    if (count > 1)
        fail_whole(reading, "several cells show numbers: choose one of %s, as in FILE#%.*s",
                   names.bytes, (int)strcspn(names.bytes, ","), names.bytes);
    return shown;
}
