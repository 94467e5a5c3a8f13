#ifndef ONESTEP_SHOW_RAMP_H
#define ONESTEP_SHOW_RAMP_H

// A heat ramp gives a number's cell its background. Levels of RAMP_SEQUENTIAL run from 0 (least) to
// 7, of RAMP_DIVERGING from 0 (most negative) over 4 (zero) to 8. The other two are the same for a light
// screen: there the most is the darkest.

enum ramp {
    RAMP_NONE,
    RAMP_SEQUENTIAL,
    RAMP_DIVERGING,
    RAMP_SEQUENTIAL_LIGHT,
    RAMP_DIVERGING_LIGHT,
    RAMP_COUNT,
};
enum { SEQUENTIAL_LEVELS = 8, DIVERGING_LEVELS = 9 };

#endif
