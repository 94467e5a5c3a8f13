#include "gpt.h"

struct tensor flat(tensor x) {
    return view(x, x.shape[0] * x.shape[1], x.shape[2]);
}
