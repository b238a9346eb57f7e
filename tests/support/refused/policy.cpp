// A policy that reaches for SystemC: it must not compile as part of heddle_logic. Without HEDDLE_REFUSED it
// does.

#include "policies/dma_arbiter/i_dma_arbiter.h"
#include "policies/registry.h"

#ifdef HEDDLE_REFUSED
#include HEDDLE_REFUSED
#endif
