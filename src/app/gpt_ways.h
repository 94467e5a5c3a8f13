#ifndef ONESTEP_APP_GPT_WAYS_H
#define ONESTEP_APP_GPT_WAYS_H

// The fast ways of `gpt` (lessons/whole_gpt.h), for this program from now on: the kernels that draw and multiply, passes
// without steps, generating with a cache. Uses all processors.
void use_gpt_ways(void);

#endif
