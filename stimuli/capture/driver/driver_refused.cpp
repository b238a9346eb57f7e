// This file defines every function of the driver's interface that has no other definition. A call of one ends
// the program.

#include "stimuli/capture/cudart/runtime.h"

#define HEDDLE_NAME(name)                                  \
  extern "C" __attribute__((weak, noreturn)) void name() { \
    heddle::capture::refuse_call(#name);                   \
  }
#include "stimuli/capture/driver/names.inc"
