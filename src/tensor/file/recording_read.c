#include "tensor/file/recording_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "tensor/file/json_read.h"

enum { MOST_NODES = 1 << 20, MOST_RESULTS = 1 << 10 };
#define MOST_NUMBERS (INT64_C(1) << 40)

#define FORMAT "onestep recording 1"

// ---- Objects of JSON ------------------------------------------------------------------------------

// A member of an object: where its value goes. null leaves it as it is.
struct field_row {
    const char *name;
    enum { A_STRING, A_NUMBER, NUMBERS, A_SHAPE } kind;
    void *place;
    int *count; // of NUMBERS
};

// A whole number that is not below -1.
static int64_t take_number(struct reading *json) {
    const char *start = (json_next(json), json->next);
    const bool is_negative = start < json->end && *start == '-';
    uint64_t number = 0;
    if (is_negative) json->next++;
    const char *digits = json->next;
    for (; json->next < json->end && *json->next >= '0' && *json->next <= '9'; json->next++)
        number = number < MOST_NUMBERS ? number * 10 + (uint64_t)(*json->next - '0') : number;
    if (json->next == digits || (is_negative && number > 1) || number >= MOST_NUMBERS)
        fail_whole(json, "the recording has \"%s\" where a whole number should be",
                   word_at(json, start));
    return is_negative ? -(int64_t)number : (int64_t)number;
}

static int64_t *take_numbers(struct reading *json, int *count) {
    int64_t *numbers = NULL;
    *count = 0;
    json_take(json, '[');
    while (json_item(json, ']', NULL)) {
        if (*count == MOST_RESULTS)
            fail_whole(json, "the recording has a list of more than %d numbers", MOST_RESULTS);
        numbers =
            arena_grow(json->arena, numbers, (size_t)*count * sizeof *numbers, sizeof *numbers);
        numbers[(*count)++] = take_number(json);
    }
    return numbers;
}

static struct shape take_sizes(struct reading *json) {
    int count;
    const int64_t *sizes = take_numbers(json, &count);
    struct shape shape = {.ndim = count};
    if (count > MAX_DIMS)
        fail_whole(json, "the recording has a tensor of more than %d dimensions", MAX_DIMS);
    for (int dim = 0; dim < count; dim++) shape.size[dim] = sizes[dim];
    return shape;
}

static void take_field(struct reading *json, const struct field_row *row) {
    if (json_next(json) == 'n') {
        json_skip(json);
    } else if (row->kind == A_STRING) {
        *(const char **)row->place = json_string(json);
    } else if (row->kind == A_NUMBER) {
        *(int64_t *)row->place = take_number(json);
    } else if (row->kind == A_SHAPE) {
        *(struct shape *)row->place = take_sizes(json);
    } else {
        *(int64_t **)row->place = take_numbers(json, row->count);
    }
}

// Members that no row names are skipped: a later version may have more.
static void take_object(struct reading *json, const struct field_row *rows, int count) {
    const char *name;
    json_take(json, '{');
    while (json_item(json, '}', &name)) {
        int i = 0;
        while (i < count && strcmp(rows[i].name, name) != 0) i++;
        if (i < count)
            take_field(json, &rows[i]);
        else
            json_skip(json);
    }
}
#define TAKE(json, rows) take_object(json, rows, (int)(sizeof(rows) / sizeof *(rows)))

// Room for one row more in a list of the recording.
static void *row_of(struct reading *json, void **rows, int *count, size_t size) {
    if (*count == MOST_NODES)
        fail_whole(json, "the recording has a list of more than %d rows", MOST_NODES);
    *rows = arena_grow(json->arena, *rows, (size_t)*count * size, size);
    return (char *)*rows + (size_t)(*count)++ * size;
}

// ---- Values ---------------------------------------------------------------------------------------

struct reader {
    struct recording *recording;
    const struct dump *dump;
    const struct beside *beside;
    struct dump *others; // files of weights that were read
    const char **paths;
    int other_count;
};

static const struct member *member_named(const struct reading *json, const struct dump *dump,
                                         const char *name) {
    for (int i = 0; i < dump->count; i++)
        if (strcmp(dump->members[i].name, name) == 0) return &dump->members[i];
    fail_whole(json, "the recording names a tensor %s, which is not in %s",
               text_cut(json->arena, text_safe(json->arena, name), 60), dump->reading.name);
}

static const struct dump *file_beside(struct reader *reader, const char *path) {
    struct arena *arena = reader->recording->reading.arena;
    for (int i = 0; i < reader->other_count; i++)
        if (strcmp(reader->paths[i], path) == 0) return &reader->others[i];
    size_t length;
    const char *bytes = reader->beside->read(reader->beside->context, path, &length);
    const struct reading reading = reading_new(arena, text_safe(arena, path), bytes, length);
    if (!has_members(&reading)) fail_whole(&reading, "no safetensors file");
    const size_t count = (size_t)reader->other_count++;
    reader->others =
        arena_grow(arena, reader->others, count * sizeof *reader->others, sizeof *reader->others);
    reader->paths =
        arena_grow(arena, reader->paths, count * sizeof *reader->paths, sizeof *reader->paths);
    reader->others[count] = dump_read(&reading);
    reader->paths[count] = path;
    if (reader->others[count].elements == NULL) fail_whole(&reading, "no safetensors file");
    return &reader->others[count];
}

// A view of as many numbers lies within what it shows.
static void check_view(const struct reading *json, const struct recording *recording,
                       const struct recorded_value *value) {
    if (value->view_of < 0 || value->view_of >= recording->value_count - 1)
        fail_whole(json, "v%d is a view of a value that is not there before it",
                   recording->value_count - 1);
    const struct recorded_value *whole = &recording->values[value->view_of];
    int64_t last = value->offset;
    if (whole->view_of >= 0)
        fail_whole(json, "v%d is a view of v%" PRId64 ", which is a view itself",
                   recording->value_count - 1, value->view_of);
    for (int dim = 0; dim < value->shape.ndim; dim++) {
        const int64_t size = value->shape.size[dim], stride = value->stride[dim];
        if (size == 0) return;
        if (stride > 0 && size - 1 > (MOST_NUMBERS - last) / stride) last = MOST_NUMBERS;
        if (last < MOST_NUMBERS) last += (size - 1) * stride;
    }
    if (value->offset < 0 || last >= count_of(whole->shape))
        fail_whole(json, "v%d is a view that goes on behind the end of v%" PRId64,
                   recording->value_count - 1, value->view_of);
}

static void check_shape(const struct reading *json, struct shape shape) {
    int64_t count = 1;
    for (int dim = 0; dim < shape.ndim; dim++) {
        const int64_t size = shape.size[dim];
        if (size < 0 || size > MOST_NUMBERS / count)
            fail_whole(json, "the recording has a tensor of too many numbers");
        if (size > 0) count *= size;
    }
}

static void take_value(struct reader *reader, struct reading *json) {
    struct recording *recording = reader->recording;
    void *rows = recording->values;
    struct recorded_value *value = row_of(json, &rows, &recording->value_count, sizeof *value);
    recording->values = rows;
    const char *tensor = NULL, *file = NULL, *dtype = NULL;
    int64_t *stride = NULL;
    int strides = 0;
    value->view_of = -1;
    value->shape.ndim = -1;
    const struct field_row fields[] = {
        {"tensor", A_STRING, &tensor, NULL},        {"file", A_STRING, &file, NULL},
        {"dtype", A_STRING, &dtype, NULL},          {"name", A_STRING, &value->name, NULL},
        {"shape", A_SHAPE, &value->shape, NULL},    {"stride", NUMBERS, &stride, &strides},
        {"offset", A_NUMBER, &value->offset, NULL}, {"view_of", A_NUMBER, &value->view_of, NULL},
    };
    TAKE(json, fields);
    if (dtype != NULL) value->type = element_type(dtype);
    if (dtype != NULL && value->type == NULL)
        fail_whole(json, "the recording has numbers of a type %s, which onestep does not know",
                   text_cut(json->arena, text_safe(json->arena, dtype), 16));
    if (tensor != NULL) {
        const struct dump *dump = file != NULL ? file_beside(reader, file) : reader->dump;
        value->elements = member_elements(dump, member_named(json, dump, tensor), MOST_NUMBERS);
        value->shape = value->elements.shape;
        if (value->type == NULL) value->type = value->elements.type;
        value->view_of = -1;
        return;
    }
    if (value->shape.ndim < 0) fail_whole(json, "v%d has no shape", recording->value_count - 1);
    check_shape(json, value->shape);
    if (value->view_of < 0 && value->type == NULL)
        fail_whole(json, "v%d has no type", recording->value_count - 1);
    if (value->view_of < 0) return;
    if (strides != value->shape.ndim)
        fail_whole(json, "v%d has another number of strides than of dimensions",
                   recording->value_count - 1);
    for (int dim = 0; dim < strides; dim++) {
        if (stride[dim] < 0)
            fail_whole(json, "v%d has a stride below 0", recording->value_count - 1);
        value->stride[dim] = stride[dim];
    }
    check_view(json, recording, value);
    value->type = recording->values[value->view_of].type;
}

// ---- Calls and nodes --------------------------------------------------------------------------------

static void take_call(struct reader *reader, struct reading *json) {
    struct recording *recording = reader->recording;
    void *rows = recording->calls;
    struct recorded_call *call = row_of(json, &rows, &recording->call_count, sizeof *call);
    recording->calls = rows;
    *call = (struct recorded_call){"", "", -1};
    const struct field_row fields[] = {
        {"module", A_STRING, &call->module, NULL},
        {"class", A_STRING, &call->class, NULL},
        {"outer", A_NUMBER, &call->outer, NULL},
    };
    TAKE(json, fields);
    if (call->outer >= recording->call_count - 1)
        fail_whole(json, "call %d of the recording runs in a call that is not there before it",
                   recording->call_count - 1);
}

static void take_node(struct reader *reader, struct reading *json) {
    struct recording *recording = reader->recording;
    void *rows = recording->nodes;
    struct recorded_node *node = row_of(json, &rows, &recording->node_count, sizeof *node);
    recording->nodes = rows;
    *node = (struct recorded_node){
        .in = -1, .file = -1, .writes = -1, .ends = -1, .changed_by = -1, .gradient_of = -1};
    const struct field_row fields[] = {
        {"call", A_STRING, &node->call, NULL},
        {"results", NUMBERS, &node->results, &node->result_count},
        {"in", A_NUMBER, &node->in, NULL},
        {"module", A_STRING, &node->module, NULL},
        {"file", A_NUMBER, &node->file, NULL},
        {"line", A_NUMBER, &node->line, NULL},
        {"variable", A_STRING, &node->variable, NULL},
        {"expression", A_STRING, &node->expression, NULL},
        {"writes", A_NUMBER, &node->writes, NULL},
        {"ends", A_NUMBER, &node->ends, NULL},
        {"changed_by", A_NUMBER, &node->changed_by, NULL},
        {"gradient_of", A_NUMBER, &node->gradient_of, NULL},
        {"raised", A_STRING, &node->raised, NULL},
        {"autocast", A_STRING, &node->autocast, NULL},
    };
    TAKE(json, fields);
}

static void take_file(struct reader *reader, struct reading *json) {
    struct recording *recording = reader->recording;
    void *rows = recording->files;
    struct recorded_file *file = row_of(json, &rows, &recording->file_count, sizeof *file);
    recording->files = rows;
    *file = (struct recorded_file){"", ""};
    const struct field_row fields[] = {
        {"name", A_STRING, &file->name, NULL},
        {"text", A_STRING, &file->text, NULL},
    };
    TAKE(json, fields);
}

static void add_token(struct reading *json, struct recording *recording) {
    void *rows = recording->tokens;
    const char **token = row_of(json, &rows, &recording->token_count, sizeof *token);
    recording->tokens = rows;
    *token = text_safe(json->arena, json_string(json));
}

// A list of words, or a list of such lists, all of the same length.
static void take_tokens(struct reader *reader, struct reading *json) {
    struct recording *recording = reader->recording;
    json_take(json, '[');
    while (json_item(json, ']', NULL)) {
        if (json_next(json) == '"') {
            add_token(json, recording);
            recording->sentence_count = 1;
            continue;
        }
        const int before = recording->token_count;
        json_take(json, '[');
        while (json_item(json, ']', NULL)) add_token(json, recording);
        recording->sentence_count++;
        if ((recording->token_count - before) * recording->sentence_count != recording->token_count)
            fail_whole(json, "the sentences in the recording have different numbers of tokens");
    }
}

// ---- Is it true? -------------------------------------------------------------------------------------

static void check_below(const struct reading *json, int node, const char *what, int64_t number,
                        int64_t count) {
    if (number >= count)
        fail_whole(json, "node %d of the recording names %s %" PRId64 ", and there are %" PRId64,
                   node, what, number, count);
}

// The number of the node that makes each value; -1: none does.
static int64_t *makers_of(const struct reading *json, const struct recording *recording) {
    int64_t *makers = arena_array(json->arena, (size_t)recording->value_count, sizeof *makers);
    for (int i = 0; i < recording->value_count; i++) makers[i] = -1;
    for (int i = 0; i < recording->node_count; i++) {
        const struct recorded_node *node = &recording->nodes[i];
        for (int j = 0; j < node->result_count; j++) {
            const int64_t value = node->results[j];
            check_below(json, i, "value", value, recording->value_count);
            if (value < 0) fail_whole(json, "node %d of the recording names value -1", i);
            if (node->ends < 0 && makers[value] < 0) makers[value] = i;
        }
    }
    return makers;
}

static void check_node(const struct reading *json, const struct recording *recording,
                       const int64_t *makers, int number) {
    enum { MOST_OPERANDS = 64 };
    const struct recorded_node *node = &recording->nodes[number];
    int64_t operands[MOST_OPERANDS];
    const int count = node->call != NULL ? operands_of_call(node->call, recording->value_count,
                                                            operands, MOST_OPERANDS)
                                         : 0;
    check_below(json, number, "call", node->in, recording->call_count);
    check_below(json, number, "call", node->ends, recording->call_count);
    check_below(json, number, "file", node->file, recording->file_count);
    check_below(json, number, "value", node->writes, recording->value_count);
    check_below(json, number, "value", node->gradient_of, recording->value_count);
    check_below(json, number, "node", node->changed_by, number);
    for (int i = 0; i < count; i++)
        if (makers[operands[i]] >= number)
            fail_whole(json,
                       "node %d of the recording reads v%" PRId64 ", which a later node makes",
                       number, operands[i]);
}

static void check_recording(const struct reading *json, const struct recording *recording) {
    if (recording->node_count == 0) fail_whole(json, "the recording has no operation");
    const int64_t *makers = makers_of(json, recording);
    for (int i = 0; i < recording->node_count; i++) check_node(json, recording, makers, i);
}

int64_t value_named_at(const char *text, size_t *length) {
    int64_t number = 0;
    *length = 1 + strspn(text + (text[0] == 'v'), "0123456789");
    if (text[0] != 'v' || *length < 2 || *length > 9) return -1;
    for (size_t i = 1; i < *length; i++) number = number * 10 + (text[i] - '0');
    return number;
}

static bool continues_name(char byte) {
    return byte == '_' || byte == '.' || (byte >= '0' && byte <= '9') ||
           (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

int operands_of_call(const char *call, int64_t value_count, int64_t *values, int most) {
    int count = 0;
    char before = ' ';
    for (const char *at = call; *at != '\0' && count < most; before = *at++) {
        size_t length;
        const int64_t value = continues_name(before) ? -1 : value_named_at(at, &length);
        if (value < 0 || value >= value_count) continue;
        if (continues_name(at[length]) && at[length] != '.') continue;
        bool is_known = false;
        for (int i = 0; i < count; i++) is_known |= values[i] == value;
        if (!is_known) values[count++] = value;
        at += length - 1;
    }
    return count;
}

// ---- The file ----------------------------------------------------------------------------------------

// The strings in the header's metadata.
static void take_metadata(const struct dump *dump, const char **format, const char **recording) {
    struct reading json = dump->reading;
    json.next = dump->metadata.bytes;
    json.end = json.next + dump->metadata.length;
    const struct field_row fields[] = {
        {"format", A_STRING, format, NULL},
        {"recording", A_STRING, recording, NULL},
    };
    TAKE(&json, fields);
}

bool is_recording(const struct reading *reading) {
    // The header's first entry, as the format asks for: a file of other numbers is not read for this.
    enum { WITHIN = 4096 };
    const size_t length = (size_t)(reading->end - reading->start);
    const size_t most = length < WITHIN ? length : WITHIN, size = sizeof FORMAT - 1;
    if (!is_dump(reading) || length < 16 || reading->start[8] != '{') return false;
    for (size_t at = 8; at + size <= most; at++)
        if (memcmp(reading->start + at, FORMAT, size) == 0) return true;
    return false;
}

static void take_list(struct reader *reader, struct reading *json,
                      void (*take)(struct reader *reader, struct reading *json)) {
    json_take(json, '[');
    while (json_item(json, ']', NULL)) take(reader, json);
}

static void take_all(struct reader *reader, struct reading *json) {
    static const struct {
        const char *name;
        void (*take)(struct reader *reader, struct reading *json);
    } lists[] = {
        {"values", take_value}, {"calls", take_call}, {"nodes", take_node}, {"files", take_file}};
    enum { LIST_COUNT = sizeof lists / sizeof *lists };
    const char *name;
    json_take(json, '{');
    while (json_item(json, '}', &name)) {
        int i = 0;
        while (i < LIST_COUNT && strcmp(lists[i].name, name) != 0) i++;
        if (i < LIST_COUNT)
            take_list(reader, json, lists[i].take);
        else if (strcmp(name, "tokens") == 0 && json_next(json) == '[')
            take_tokens(reader, json);
        else if (strcmp(name, "made_by") == 0 && json_next(json) == '"')
            reader->recording->made_by = json_string(json);
        else
            json_skip(json);
    }
}

struct recording recording_read(const struct reading *reading, const struct beside *beside) {
    struct recording recording = {.reading = *reading, .made_by = "", .rest = beside->rest};
    const struct dump dump = dump_read(reading);
    const char *format = "", *text = NULL;
    if (dump.metadata.length > 0) take_metadata(&dump, &format, &text);
    if (strcmp(format, FORMAT) != 0 || text == NULL)
        fail_whole(reading, "no recording: its header lacks \"format\": \"" FORMAT "\", or "
                            "\"recording\"");
    struct reading json = reading_new(reading->arena, reading->name, text, strlen(text));
    struct reader reader = {.recording = &recording, .dump = &dump, .beside = beside};
    take_all(&reader, &json);
    check_recording(&json, &recording);
    return recording;
}
