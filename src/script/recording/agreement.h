#ifndef ONESTEP_SCRIPT_RECORDING_AGREEMENT_H
#define ONESTEP_SCRIPT_RECORDING_AGREEMENT_H

// What came of evaluating a step's line.
enum agreement {
    NOT_COMPARED, // not yet; or there is nothing to evaluate: a call's end, a view, a gradient
    NOT_KNOWN,    // onestep does not run this operation, or it draws random numbers
    SAME_BITS,    // its own arithmetic gives the recorded numbers
    WITHIN_TYPE,  // it does but for rounding, as far as the type's numbers lie apart
    DIFFERENT
};

struct recorded_result {
    enum agreement agreement;
    double difference; // the largest between two numbers
    const char *why;   // of NOT_KNOWN: what the machine says; or NULL
};

#endif
