// A policy that includes SystemC if HEDDLE_REFUSED names its header. It then must not compile as part of
// heddle_logic; without HEDDLE_REFUSED it compiles.

#include "policies/dma_arbiter/i_dma_arbiter.h"
#include "policies/registry.h"

#ifdef HEDDLE_REFUSED
#include HEDDLE_REFUSED
#endif
