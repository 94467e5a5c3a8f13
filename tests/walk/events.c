#include "events.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "lessons.h"

enum { MOST_WORD = 32 };

void add_event(struct events *events, struct press event) {
    if (events->count < MOST_EVENTS) events->all[events->count++] = event;
}

void add_key(struct events *events, uint32_t key) {
    add_event(events, (struct press){.key = key});
}

// ---- As text -------------------------------------------------------------------------------------

// What the program calls the key, as one word: "wheel-down".
static const char *word_of(uint32_t key, char word[MOST_WORD]) {
    char buffer[5];
    (void)snprintf(word, MOST_WORD, "%s", key_text(key, buffer));
    for (char *blank; (blank = strchr(word, ' ')) != NULL;) *blank = '-';
    return word;
}

const char *events_text(struct arena *arena, const struct events *events) {
    struct text text = text_new(arena);
    text_add_format(&text, "%s %d %dx%d", lesson_table[events->lesson]->name, events->step + 1,
                    events->columns, events->rows);
    for (int i = 0; i < events->count; i++) {
        const struct press *event = &events->all[i];
        char word[MOST_WORD];
        if (event->key == PRESS_CLICK)
            text_add_format(&text, " click:%d,%d", event->row, event->column);
        else if (event->key == RESIZE)
            text_add_format(&text, " resize:%dx%d", event->column, event->row);
        else if (event->key == AGAIN)
            text_add_format(&text, " again:%d", event->row + 1);
        else if (event->key == TO)
            text_add_format(&text, " to:%d", event->row + 1);
        else
            text_add_format(&text, " %s", word_of(event->key, word));
    }
    return text.bytes;
}

static uint32_t key_called(const char *word) {
    char other[MOST_WORD];
    for (uint32_t key = PRESS_UP; key < RESIZE; key++) {
        if (strcmp(word, word_of(key, other)) == 0) return key;
    }
    if (strcmp(word, "Space") == 0) return ' ';
    const uint32_t key = utf8_next(&word);
    return *word == '\0' ? key : KEY_NOTHING;
}

static struct press event_called(const char *word) {
    struct press event = {0};
    if (sscanf(word, "click:%d,%d", &event.row, &event.column) == 2)
        event.key = PRESS_CLICK;
    else if (sscanf(word, "resize:%dx%d", &event.column, &event.row) == 2)
        event.key = RESIZE;
    else if (sscanf(word, "again:%d", &event.row) == 1)
        event.row--, event.key = AGAIN;
    else if (sscanf(word, "to:%d", &event.row) == 1)
        event.row--, event.key = TO;
    else
        event.key = key_called(word);
    return event;
}

bool add_events(struct events *events, const char *text) {
    char word[MOST_WORD];
    for (int used; sscanf(text, "%31s%n", word, &used) == 1; text += used) {
        const struct press event = event_called(word);
        if (event.key == KEY_NOTHING) return false;
        add_event(events, event);
    }
    return true;
}

bool read_events(struct events *events, const char *text) {
    char name[MOST_WORD];
    int used;
    *events = (struct events){0};
    if (sscanf(text, "%31s %d %dx%d%n", name, &events->step, &events->columns, &events->rows,
               &used) != 4)
        return false;
    while (events->lesson < lesson_count && strcmp(lesson_table[events->lesson]->name, name) != 0)
        events->lesson++;
    events->step--;
    return events->lesson < lesson_count && events->step >= 0 && add_events(events, text + used);
}
