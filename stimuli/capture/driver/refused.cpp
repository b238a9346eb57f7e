// This file defines every function of the driver's interface that has no other definition. A call of one ends
// the program.

#include "stimuli/capture/cudart/runtime.h"

#define HEDDLE_NAME(name)                                                 \
  extern "C" __attribute__((weak, noreturn)) void name() {                \
    heddle::capture::stop("a call of " #name ", which is not supported"); \
  }
#include "stimuli/capture/driver/names.inc"
