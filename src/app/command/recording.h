#ifndef ONESTEP_APP_COMMAND_RECORDING_H
#define ONESTEP_APP_COMMAND_RECORDING_H

// A recording (python/RECORDING.md) in the place of a lesson: walk, print, screen, check and compare take its file. Its bytes are
// mapped, so that a large one opens at once.

#include "trace/run/run.h"

// Does the name of a file end in .onestep?
bool is_recording_name(const char *argument);

// The lesson of the recording in the file, in the arena; the file stays mapped until the program ends. Fails with FAIL_INPUT if it
// can't be read, or is no recording. A file that becomes shorter meanwhile ends the program in one line, with exit status 2.
const struct lesson *read_recording(struct arena *arena, const char *path);

// Called before that, from a signal's handler: to leave the terminal as it was.
void when_recording_is_lost(void (*restore)(void));

#endif
