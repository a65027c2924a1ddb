#include "harness/derive.h"

const struct derivation derivations_mem[] = { { 0 } };
