#ifndef ONESTEP_TRACE_RUN_DATA_H
#define ONESTEP_TRACE_RUN_DATA_H

// Files of data/, embedded when the program is built, so that it runs from any folder.

#include <stddef.h> // defines: size_t

// data/journey.csv: the six vectors of "Your journey starts with one step".
extern const char data_journey[];
extern const size_t data_journey_length;

// data/six.csv: three tokens of six numbers, the input of a lesson in the course.
extern const char data_six[];
extern const size_t data_six_length;

// data/agreement.txt: the words and the weights of the model of the lesson `why`. A NUL is behind its last byte.
extern const char data_agreement[];
extern const size_t data_agreement_length;

// data/expectations.txt: what PyTorch computes for the lessons. A NUL is behind its last byte.
extern const char data_expectations[];
extern const size_t data_expectations_length;

// data/gpt.txt, which only a program that runs models at full size has.
extern const char data_gpt[];
extern const size_t data_gpt_length;

#endif
