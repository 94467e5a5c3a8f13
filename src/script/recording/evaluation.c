#include "script/recording/recorded.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "script/machine.h"
#include "script/torch/tensor_object.h"
#include "tensor/operation/derivation.h"
#include "tensor/operation/operation.h"
#include "tensor/operation/rows.h"
#include "tensor/operation/tolerance.h"
#include "tensor/ops/ops.h"

enum {
    MOST_WALKED = 1 << 16,     // storages looked at behind a result
    MOST_STATEMENTS = 20000000 // that all lines take together: a file may hold any line
};

static void watch_nothing(void *context, const struct event *event) {
    (void)context;
    (void)event;
}

static void print_nothing(void *context, const char *bytes, size_t length) {
    (void)context;
    (void)bytes;
    (void)length;
}

static void run_text(struct machine *machine, struct arena *arena, const char *text) {
    struct syntax_error error;
    const struct program program = parse_program(arena, "recording", text, &error);
    if (error.message == NULL) (void)machine_run(machine, &program);
}

struct machine *machine_for(struct arena *arena) {
    const struct machine_options options = {
        .steps = MOST_STATEMENTS, .observe = watch_nothing, .print = print_nothing};
    struct machine *machine = machine_new(arena, &options);
    run_text(machine, arena,
             "import torch\nimport math\ntorch.preserve_format = torch.contiguous_format = "
             "None\ninf = float('inf')\nnan = float('nan')\n");
    return machine;
}

// Value number k is the variable "vk" of the machine. What is computed lies where the operands do: beside what else the step
// needs, so that it goes with it.
static void bind_operands(struct recorded_run *recorded, int count, const int64_t *operands,
                          struct arena *arena) {
    struct module *main = machine_module(recorded->machine, "__main__");
    recorded->is_lent = true;
    for (int i = 0; i < count; i++) {
        recorded->tensors[operands[i]].storage->arena = arena;
        module_set(recorded->machine, main, arena_format(arena, "v%" PRId64, operands[i]),
                   tensor_value(recorded->machine, recorded->tensors[operands[i]], false));
    }
}

// What the machine kept with a tensor's storage goes with the machine.
static void forget_keepers(struct recorded_run *recorded, int count, const int64_t *operands) {
    for (int i = 0; i < count; i++) {
        struct storage *storage = recorded->tensors[operands[i]].storage;
        storage->keeper = NULL;
        storage->arena = recorded->memory;
    }
    recorded->is_lent = false;
}

void end_lending(struct recorded_run *recorded, const struct recording *recording) {
    for (int i = 0; i < recording->value_count && recorded->is_lent; i++) {
        recorded->tensors[i].storage->keeper = NULL;
        recorded->tensors[i].storage->arena = recorded->memory;
    }
    recorded->is_lent = false;
}

// Is a number behind the result drawn, among what was computed just now?
static bool draws(const struct tensor *result, uint64_t age) {
    const struct tensor *at = result;
    for (int i = 0; i < MOST_WALKED && at->storage->age > age; i++) {
        const struct origin *origin = at->storage->origin;
        if (origin == NULL) return false;
        if (origin->operation->draws) return true;
        if (origin->operand_count == 0) return false;
        for (int j = 1; j < origin->operand_count; j++) {
            const struct origin *other = origin->operands[j].storage->origin;
            if (other != NULL && origin->operands[j].storage->age > age && other->operation->draws)
                return true;
        }
        at = &origin->operands[0];
    }
    return false;
}

// How far numbers of the type may lie apart by rounding, as a part of the largest of them.
static double rounding_of(const struct storage *storage) {
    enum { TIMES = 4 };
    if (!is_floating(storage->dtype)) return 0;
    if (storage->dtype == FLOAT64) return TIMES * ROUNDING * ROUNDING;
    if (storage->narrow == BFLOAT16) return TIMES * 0x1p-9;
    return storage->narrow == FLOAT16 ? TIMES * 0x1p-12 : TIMES * ROUNDING;
}

// Of a sum whose addends cancel, rounding moves more than a part of the sum: as much as the operation says of this element. A
// long sum in another order is further away, by the root of the number of addends (N. J. Higham and T. Mary, A New Approach to
// Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput. 41, 2019).
static bool is_rounded_so(const struct tensor *own, const int64_t *index, double apart) {
    enum { SURE = 4 }; // times the standard deviation
    struct scratch scratch;
    struct arena *arena = scratch_open(&scratch, own->storage->arena->failure);
    struct cell cell = {.tensor = *own};
    memcpy(cell.index, index, sizeof cell.index);
    struct derivation derivation = find_operands(arena, &cell);
    while (derivation.origin->operation->error == NULL && derivation.operand_count == 1)
        derivation = find_operands(arena, &derivation.operands[0].cell); // of what was copied
    const struct operation *operation = derivation.origin->operation;
    const size_t count = (size_t)derivation.operand_count;
    const double *errors = arena_array(arena, count + 1, sizeof *errors);
    const int factors = operation->factors > 0 ? operation->factors : 1;
    const double addends = (double)derivation.operand_count / factors;
    const double unit = fmax(ROUNDING, SURE * sqrt(addends) * 0x1p-24);
    const bool is_so =
        operation->error != NULL && apart <= unit * operation->error(&derivation, errors);
    scratch_close(&scratch);
    return is_so;
}

// Are all numbers that lie further apart than `most` so by rounding? Of too many it is not said.
static bool are_rounded_so(const struct tensor *own, const struct tensor *recorded, double most) {
    enum { MOST_ASKED = 4096 };
    const struct shape shape = shape_of(recorded);
    const int64_t count = count_of(shape);
    int64_t index[MAX_DIMS] = {0};
    int asked = 0;
    for (int64_t i = 0; i < count; i++, next_index(&shape, index)) {
        const double apart = fabs(element(own, index) - element(recorded, index));
        if (apart > most && (++asked > MOST_ASKED || !is_rounded_so(own, index, apart)))
            return false;
    }
    return true;
}

// What two numbers beside each other tell.
struct apart {
    double largest, difference;
    bool is_same, is_finite; // is_finite: those that differ are
};

static inline void add_apart(struct apart *apart, double a, double b) {
    if (isfinite(b) && fabs(b) > apart->largest) apart->largest = fabs(b);
    if (a == b || (isnan(a) && isnan(b))) return;
    apart->is_same = false;
    if (!isfinite(a) || !isfinite(b)) apart->is_finite = false;
    if (!(fabs(a - b) <= apart->difference)) apart->difference = fabs(a - b);
}

static const char *first_byte(const struct tensor *x) {
    return (const char *)x->storage->data + (size_t)x->offset * bytes_of_number(x->storage->dtype);
}

static struct apart apart_of(const struct tensor *own, const struct tensor *recorded) {
    const struct shape shape = shape_of(recorded);
    const int64_t count = count_of(shape);
    int64_t index[MAX_DIMS] = {0};
    struct apart apart = {.is_same = true, .is_finite = true};
    const bool is_plain = is_contiguous(own) && is_contiguous(recorded);
    if (is_plain && memcmp(first_byte(own), first_byte(recorded),
                           (size_t)count * bytes_of_number(own->storage->dtype)) == 0)
        return apart;
    if (is_plain && own->storage->dtype == FLOAT32) {
        const float *a = floats_of(own), *b = floats_of(recorded);
        for (int64_t i = 0; i < count; i++) add_apart(&apart, (double)a[i], (double)b[i]);
        return apart;
    }
    for (int64_t i = 0; i < count; i++, next_index(&shape, index))
        add_apart(&apart, element(own, index), element(recorded, index));
    return apart;
}

static void compare(struct recorded_result *result, const struct tensor *own,
                    const struct tensor *recorded) {
    const struct storage *storage = recorded->storage;
    const struct apart apart = apart_of(own, recorded);
    const double most = rounding_of(storage) * apart.largest;
    const bool is_float = storage->dtype == FLOAT32 && storage->narrow == ALL_BITS;
    const bool is_near = apart.is_finite && (apart.difference <= most ||
                                             (is_float && are_rounded_so(own, recorded, most)));
    const enum agreement agreement = apart.is_same ? SAME_BITS : is_near ? WITHIN_TYPE : DIFFERENT;
    result->difference = apart.difference;
    if (agreement > result->agreement) result->agreement = agreement;
}

// The recorded numbers get the origin of those that were computed.
static void take_origin(struct recorded_run *run, int node, struct tensor *recorded,
                        const struct tensor *own) {
    struct tensor whole = *own;
    const bool is_whole =
        is_contiguous(own) && own->offset == 0 && own->storage->count == count_of(shape_of(own));
    if (!is_whole) whole = perform_on(ONE(*own), (struct origin){.operation = &copy_row});
    if (whole.storage->origin == NULL || whole.storage == recorded->storage) return;
    struct origin *origin = (struct origin *)(uintptr_t)recorded->storage->origin;
    struct explained *explained = run->newest;
    struct found_origin *found = arena_allocate(explained->arena, sizeof *found);
    *found = (struct found_origin){explained->origins, node, recorded->storage, *origin};
    explained->origins = found;
    *origin = *whole.storage->origin;
    if (role_of(recorded) == ROLE_NONE) recorded->storage->purpose = whole.storage->purpose;
}

// What was copied as it is, just now: a watched gradient is.
static struct tensor uncopied(struct tensor own, uint64_t age) {
    const struct origin *origin = own.storage->origin;
    while (origin != NULL && origin->operation == &copy_row && own.storage->age > age &&
           origin->operands[0].storage->age > age && is_contiguous(&origin->operands[0]) &&
           is_contiguous(&own) && own.storage->count == count_of(shape_of(&own)) &&
           shapes_equal(shape_of(&own), shape_of(&origin->operands[0]))) {
        own = origin->operands[0];
        origin = own.storage->origin;
    }
    return own;
}

static void take_result(struct recorded_run *recorded, const struct recording *recording,
                        int number, int position, struct value value, uint64_t age) {
    struct recorded_result *result = &recorded->results[number];
    const int64_t place = recording->nodes[number].results[position];
    struct tensor *tensor = &recorded->tensors[place];
    if (!is_tensor_value(value)) {
        result->agreement = NOT_KNOWN;
        return;
    }
    const struct tensor own =
        uncopied(tensor_of_object((const struct tensor_object *)value.object), age);
    if (own.storage->dtype != tensor->storage->dtype) {
        result->why = "its result has another type here";
        result->agreement = NOT_KNOWN;
        return;
    }
    if (!shapes_equal(shape_of(&own), shape_of(tensor)) || draws(&own, age)) {
        result->why = draws(&own, age) ? "the operation draws random numbers"
                                       : "its result has another shape here";
        result->agreement = NOT_KNOWN;
        return;
    }
    if (own.storage == tensor->storage) { // a view
        tensor->view = own.view;
        return;
    }
    if (recording->values[place].elements.bytes == NULL && recording->values[place].view_of < 0)
        return; // its numbers were left out
    compare(result, &own, tensor);
    if (recording->values[place].view_of < 0) take_origin(recorded, number, tensor, &own);
}

// Where the line fails, that is what is known.
static void note_failure(struct arena *arena, struct recorded_result *result,
                         struct machine *machine) {
    const char *message = machine_error_message(machine, arena);
    result->agreement = NOT_KNOWN;
    result->why = text_cut(arena, text_safe_bytes(arena, message, strcspn(message, "\n")), 80);
}

// Under autocast PyTorch casts floating operands to the type that the operation computes in, which its result has.
static void cast_operands(struct recorded_run *recorded, const struct recording *recording,
                          const struct recorded_node *node, int count, const int64_t *operands,
                          struct arena *arena) {
    const char *type = recording->values[node->results[0]].type->dtype;
    for (int i = 0; i < count && node->autocast != NULL; i++) {
        if (!is_floating(recorded->tensors[operands[i]].storage->dtype)) continue;
        run_text(recorded->machine, arena,
                 arena_format(arena, "v%" PRId64 " = v%" PRId64 ".to(torch.%s)\n", operands[i],
                              operands[i], type));
    }
}

// The value of a line: of an expression its own, of a statement that writes in place that of what it wrote. False: it failed.
static bool value_of_line(struct recorded_run *recorded, const struct recorded_node *node,
                          struct arena *arena, struct value *value) {
    struct syntax_error error;
    struct program line = parse_program(arena, "recording", node->call, &error);
    const struct node *tree = error.message == NULL ? line.tree : NULL;
    const bool is_expression =
        tree != NULL && tree->part_count == 1 && tree->parts[0]->kind == NODE_EXPRESSION;
    if (tree == NULL) return false;
    if (is_expression) return machine_evaluate(recorded->machine, &line, value);
    if (node->writes < 0 || !machine_run(recorded->machine, &line)) return false;
    line =
        parse_program(arena, "recording", arena_format(arena, "v%" PRId64, node->writes), &error);
    return machine_evaluate(recorded->machine, &line, value);
}

static bool are_numbers_there(const struct recording *recording, int count,
                              const int64_t *operands) {
    for (int i = 0; i < count; i++) {
        const struct recorded_value *value = &recording->values[operands[i]];
        if (value->view_of >= 0) value = &recording->values[value->view_of];
        if (value->elements.bytes == NULL) return false;
    }
    return true;
}

static void take_results(struct recorded_run *recorded, const struct recording *recording,
                         int number, struct value value, uint64_t age) {
    const struct recorded_node *node = &recording->nodes[number];
    struct list *list;
    if (node->result_count == 1 && is_tensor_value(value)) {
        take_result(recorded, recording, number, 0, value, age);
        return;
    }
    const bool has_items = machine_list_of(recorded->machine, value, &list);
    for (int i = 0; i < node->result_count; i++)
        take_result(recorded, recording, number, i,
                    has_items && i < list->count ? list->items[i] : NO_VALUE, age);
}

static bool value_named(struct recorded_run *recorded, struct arena *arena, const char *name,
                        struct value *value) {
    struct syntax_error error;
    const struct program line = parse_program(arena, "recording", name, &error);
    return machine_evaluate(recorded->machine, &line, value);
}

// Does one of the lines that the gradient goes back through draw random numbers?
static bool has_drawn(struct recorded_run *recorded, struct arena *arena, int uses, uint64_t age) {
    struct value value;
    struct list *list;
    for (int i = 0; i < uses; i++) {
        if (!value_named(recorded, arena, arena_format(arena, "y%d", i), &value)) return false;
        if (!is_tensor_value(value) && machine_list_of(recorded->machine, value, &list) &&
            list->count > 0)
            value = list->items[0];
        if (!is_tensor_value(value)) continue;
        const struct tensor y = tensor_of_object((const struct tensor_object *)value.object);
        if (draws(&y, age)) return true;
    }
    return false;
}

// backward() may be given what it begins with. Of several ways back it is not recorded which gradient belongs to which.
static void doubt_difference(struct recorded_run *recorded, const struct recording *recording,
                             int uses, struct recorded_result *result) {
    if (result->agreement != DIFFERENT || (uses > 0 && has_one_way_back(recorded, recording)))
        return;
    *result = (struct recorded_result){
        .agreement = NOT_KNOWN,
        .why = uses == 0 ? "backward() was given these numbers"
                         : "the run goes back several times, and this may be a sum of them"};
}

static void evaluate_gradient(struct recorded_run *recorded, const struct recording *recording,
                              int number) {
    struct arena *arena = recorded->newest->arena;
    struct recorded_result *result = &recorded->results[number];
    struct gradient_way way;
    struct syntax_error error;
    struct value value;
    const char *text = gradient_program(recorded, recording, number, &way);
    result->agreement = NOT_KNOWN;
    result->why = way.why;
    if (way.why == NULL && !are_numbers_there(recording, way.operand_count, way.operands))
        result->why = "numbers that it is computed from were left out";
    if (result->why != NULL) return;
    bind_operands(recorded, way.operand_count, way.operands, arena);
    const uint64_t age = tensor_new(arena, FLOAT32, NO_DIMS).storage->age;
    const struct program program = parse_program(arena, "recording", text, &error);
    if (error.message != NULL)
        result->why = "a line that reads it is no Python here";
    else if (!machine_run(recorded->machine, &program))
        note_failure(arena, result, recorded->machine);
    else if (has_drawn(recorded, arena, way.uses, age))
        result->why = "a line that it goes back through draws random numbers";
    else if (value_named(recorded, arena, "g", &value)) {
        result->agreement = NOT_COMPARED;
        take_result(recorded, recording, number, 0, value, age);
        doubt_difference(recorded, recording, way.uses, result);
    }
    forget_keepers(recorded, way.operand_count, way.operands);
}

void evaluate_node(struct recorded_run *recorded, const struct recording *recording, int number) {
    if (recording->nodes[number].gradient_of >= 0) {
        evaluate_gradient(recorded, recording, number);
        return;
    }
    struct arena *arena = recorded->newest->arena;
    const struct recorded_node *node = &recording->nodes[number];
    struct recorded_result *result = &recorded->results[number];
    int64_t operands[MOST_OPERANDS];
    const int count = operands_of_call(node->call, recording->value_count, operands, MOST_OPERANDS);
    struct value value = NO_VALUE;
    if (!are_numbers_there(recording, count, operands)) {
        *result = (struct recorded_result){.agreement = NOT_KNOWN,
                                           .why = "numbers that it read were left out"};
        return;
    }
    bind_operands(recorded, count, operands, arena);
    cast_operands(recorded, recording, node, count, operands, arena);
    const uint64_t age = tensor_new(arena, FLOAT32, NO_DIMS).storage->age;
    if (value_of_line(recorded, node, arena, &value))
        take_results(recorded, recording, number, value, age);
    else
        note_failure(arena, result, recorded->machine);
    forget_keepers(recorded, count, operands);
}
