#include "walk/views/views.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h> // defines: strncasecmp

#include "base/text.h"
#include "walk/step/screen.h"

bool types(struct typing *typing, uint32_t key) {
    char bytes[5];
    size_t used = strlen(typing->text);
    if (key == PRESS_BACKSPACE) {
        while (used > 0 && (typing->text[used - 1] & 0xC0) == 0x80) used--;
        if (used > 0) typing->text[used - 1] = '\0';
        return true;
    }
    if (key >= PRESS_UP || character_width(key) <= 0) return false;
    const size_t length = utf8_encode(key, bytes);
    if (used + length < TYPED_ROOM) memcpy(typing->text + used, bytes, length + 1);
    return true;
}

bool read_number(struct walker *walker, const char *text, double *number) {
    char *end;
    *number = strtod(text, &end);
    if (*text != '\0' && *end == '\0' && isfinite(*number) && fabs(*number) < 1e30) return true;
    tell(&walker->state, "That is not a number. Type one like 0.5 or -2.");
    return false;
}

bool read_infinite(struct walker *walker, const char *text, double *number) {
    char *end;
    *number = strtod(text, &end);
    return (*end == '\0' && isinf(*number)) || read_number(walker, text, number);
}

// ---- Over another view --------------------------------------------------------------------------

void begin_typing(struct walker *walker, uint32_t first) {
    open_view(walker, &typing_view);
    walker->asks_turn = false;
    if (first != KEY_NOTHING) types(top_view(walker)->view_state, first);
}

static bool takes(struct walker *walker, void *view_state, uint32_t key) {
    (void)walker;
    return types(view_state, key);
}

static void press(struct walker *walker, void *view_state, const struct pressed *pressed) {
    if (pressed->action != ACT_CHOOSE) return;
    const struct typing typing = *(const struct typing *)view_state;
    close_view(walker);
    const struct open_view *top = top_view(walker);
    if (*typing.text != '\0') top->view->typed(walker, top->view_state, typing.text);
}

static void draw(struct walker *walker, void *view_state, struct canvas *canvas) {
    (void)view_state;
    const struct open_view *below = view_below(walker);
    below->view->draw(walker, below->view_state, canvas);
}

const struct walk_view typing_view = {
    .bit = VIEW_TYPING,
    .name = "While you type a value",
    .size = sizeof(struct typing),
    .takes = takes,
    .press = press,
    .draw = draw,
};

// ---- On the step's screen -----------------------------------------------------------------------

// As many rows as the line that it replaces, so that nothing moves.
static int want_prompt(struct screen *screen, struct slot *slot) {
    return cell_block.wants(screen, slot);
}

// "inputs[Your, d1] = 0.5", without the name where that is too long.
static void draw_named_prompt(struct screen *screen, const struct slot *slot, const char *name) {
    const char *prompt = arena_format(screen->canvas->arena, "%s = %s", name, screen->scene->typed);
    if (shown_width(screen->canvas, prompt) >= screen->width) prompt += strlen(name) + 1;
    const int used = put_text(screen->canvas, slot->row, 1, screen->width, prompt, BOLD);
    put_cursor(screen->canvas, slot->row, 1 + used);
}

static void draw_prompt(struct screen *screen, const struct slot *slot) {
    draw_named_prompt(screen, slot, focus_name(screen));
}

static void draw_turn_prompt(struct screen *screen, const struct slot *slot) {
    draw_named_prompt(screen, slot, "turn");
}

static const struct block prompt_block = {
    .wants = want_prompt, .draw = draw_prompt, .has_cursor = true};
static const struct block turn_prompt_block = {
    .wants = want_prompt, .draw = draw_turn_prompt, .has_cursor = true};

void show_typing(struct walker *walker, struct scene *scene, struct arrangement *arrangement) {
    const struct open_view *top = top_view(walker);
    if (top->view != &typing_view) return;
    scene->typed = ((const struct typing *)top->view_state)->text;
    if (arrangement != NULL)
        arrangement->blocks[SLOT_CELL] = walker->asks_turn ? &turn_prompt_block : &prompt_block;
}

bool holds_word(const char *text, const char *wanted) {
    const size_t length = strlen(wanted);
    const char first[] = {(char)tolower((unsigned char)*wanted),
                          (char)toupper((unsigned char)*wanted), '\0'};
    for (text += strcspn(text, first); *text != '\0'; text += 1 + strcspn(text + 1, first)) {
        if (strncasecmp(text, wanted, length) == 0) return true;
    }
    return length == 0;
}
