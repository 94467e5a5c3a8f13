#ifndef ONESTEP_TRACE_TAPE_LOST_ROLE_H
#define ONESTEP_TRACE_TAPE_LOST_ROLE_H

// Roles (tensor/role.h) that a lesson has lost: it turns them into something that no operation can tell, and does not say
// what. Then whoever reads its run by roles finds no attention in it. A lesson with a lost role is not built
// (app/complete.c).

#include "trace/run/run.h"

// The first role that was lost, and what to write in the lesson; NULL if none was. Softmax over keys reads scores, and a
// product of what a softmax over keys made with values reads weights; but not where the numbers come neither from the
// input nor from a layer.
const char *lost_role(struct arena *arena, const struct run *run);

#endif
