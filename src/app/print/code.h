#ifndef ONESTEP_APP_PRINT_CODE_H
#define ONESTEP_APP_PRINT_CODE_H

// Which programs stand beside the numbers of a handout.
enum programs { CODE_OF_FORMAT, CODE_PYTORCH, CODE_C, CODE_BOTH, CODE_NONE };

#endif
