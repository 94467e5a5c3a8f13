#ifndef ONESTEP_TESTS_TREE_TEXT_H
#define ONESTEP_TESTS_TREE_TEXT_H

#include "base/arena.h"
#include "script/syntax/tree.h"

// A tree as text, one node a line: its depth, its kind, its place and what it holds (text as hexadecimal bytes).
// tests/script_trees.py writes the tree of Python's `ast` in the same form.
const char *tree_text(struct arena *arena, const struct node *tree);

#endif
