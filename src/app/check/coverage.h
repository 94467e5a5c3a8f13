#ifndef ONESTEP_APP_CHECK_COVERAGE_H
#define ONESTEP_APP_CHECK_COVERAGE_H

// How much of a lesson a student's file covers.
struct coverage {
    int right, wrong; // steps that were handed in
    int unjudged;     // tensors that may be steps, and that nobody can judge
    int all;          // steps of the lesson
};

#endif
