#ifndef ONESTEP_WALK_VIEWS_OVERVIEW_OVERVIEW_H
#define ONESTEP_WALK_VIEWS_OVERVIEW_OVERVIEW_H

// What the overview's screen (overview.c) and its figure (figure.c) share.

#include "walk/views/views.h"

enum { NEXT_WORDS = 5, MOST_LAYERS = 64 };

// What there is to be shown of a run.
struct survey {
    const struct run *run;
    int layer_count;
    const struct step *layers[MOST_LAYERS]; // attention weights of the same tokens, in their order
    int64_t heads, tokens, keys, sentences; // most of each; tokens are those that ask
    const struct step *logits;              // of every token, or NULL
};

// Where the cursor is. Above the layers it is on a token, below them on a word that may follow.
struct overview {
    int chosen;   // the place as one number, which a click changes
    int layer;    // -1: the tokens; the number of layers: the words
    int64_t head; // -1: the whole layer
    int64_t back; // tokens from the chosen query to the last one
    int word;
    int64_t sentence;
};

// What is being drawn, and where.
struct drawing {
    struct walker *walker;
    struct canvas *canvas;
    const struct scene *scene;
    const struct survey *survey;
    const struct overview *overview;
    int names;     // columns of the layers' names
    int width;     // columns of a head
    int64_t first; // head in the first column
    int64_t shown; // heads that there is room for
};

// A place as one number: a row, which is a layer or has the tokens (-1) or the words, and what is there in it; the head -1 is the
// whole layer. The first head of the first layer is 0.
int place_number(int row, int64_t at);
// The place of the cursor.
int cursor_place(const struct survey *survey, const struct overview *overview);

// The token that asks, from 0; what a token and a layer are called.
int64_t chosen_query(const struct survey *survey, const struct overview *overview);
const char *token_name(const struct drawing *drawing, int64_t token);
const char *name_of_layer(const struct step *step);

// What a query pays to the keys that share one of so many columns; and how dark that is, below SEQUENTIAL_LEVELS.
double share_of(const struct drawing *drawing, const struct tensor *weights, int64_t head,
                int64_t query, int column, int columns);
int share_level(double share);
// Is a share of 0 that of a token behind the one that asks? Without a mask a share is seldom 0.
bool is_future(const struct drawing *drawing, int64_t keys, int64_t key, int64_t query,
               double share);

// All layers below each other as SVG, with the heads side by side and the tokens before them. What can be chosen is a link to
// "#pick:" and its place. `title` and `words` are for who does not see it.
const char *overview_figure(const struct drawing *drawing, const char *title, const char *words);

#endif
