#ifndef ONESTEP_SCRIPT_STEPS_MODULES_H
#define ONESTEP_SCRIPT_STEPS_MODULES_H

// Modules of torch.nn, as a program calls them and their parts: "model.heads[1].W_query".

#include "script/torch/tensor_object.h"

// Is it a torch.nn.Module that has been set up?
bool is_module(struct value value);

// What a module is called as a part of another, whose own name is `path`; NULL if it is none.
const char *path_inside(struct arena *arena, struct value module, const char *path,
                        struct value wanted);

// The same among variables, in modules and lists that they hold.
const char *path_by_names(struct arena *arena, const struct dict *names, struct value wanted);

// Tells of each parameter and buffer of a module, in the order in which they were made.
void visit_members(struct arena *arena, struct value module, const char *path,
                   void (*visit)(void *context, const char *path,
                                 const struct tensor_object *object),
                   void *context);

// The value of a name or an attribute that can be read without running anything: a variable, an instance's attribute, a
// module's parameter. NO_VALUE otherwise.
struct value value_in_sight(const struct node *node, const struct dict *names,
                            const struct dict *globals);
struct value attribute_in_sight(struct value of, const char *name);

#endif
