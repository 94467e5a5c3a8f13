#ifndef ONESTEP_TENSOR_NUMBER_SINE_H
#define ONESTEP_TENSOR_NUMBER_SINE_H

// The sine and the cosine of floats, with the bits that PyTorch 2.6 computes on a processor with AVX2: those
// of Sleef_sinf8_u35 and Sleef_cosf8_u35 [1 of elementary.h], within 3.5 units in the last place. PyTorch
// 1.13 asks for 1.0 units, and its last bits differ.
//
// SLEEF computes eight numbers at a time. It has three ways to bring an angle near 0, and takes the one that
// the largest of the eight needs. So the bits of an element may depend on its seven neighbours.

// How many numbers share a way.
enum { SINE_LANES = 8 };

// Angles of up to this many radians either way; beyond, and of NAN, the result is NAN.
#define SINE_LIMIT 0x1p26F

// `largest` is the largest |angle| of the eight, NAN if one of them is NAN. The sine of -0 is -0.
float sine_float(float angle, float largest);
float cosine_float(float angle, float largest);

#endif
