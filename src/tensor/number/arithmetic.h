#ifndef ONESTEP_TENSOR_NUMBER_ARITHMETIC_H
#define ONESTEP_TENSOR_NUMBER_ARITHMETIC_H

// What every number here stands on: floats that are added, multiplied and compared one by one, as IEEE 754
// says and in the order that the code says. Compilers have flags that give this up for speed (-ffast-math and
// its kin). The build refuses those that it sees; this finds the others by what they do.

// What is wrong with the arithmetic of this program on this machine, as the end of "this program ..."; NULL if
// nothing is.
const char *wrong_arithmetic(void);

#endif
