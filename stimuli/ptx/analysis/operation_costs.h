#pragma once
// What the operations of machine code cost the assembler's schedule. Latencies are those of compute
// capability 3.5, rounded; temporaries are ptxas 11.8's for a kernel of one such operation, less those for
// one of an addition.

#include <cstdint>

#include "stimuli/ptx/statements/statement.h"

namespace heddle::ptx {

struct OperationCosts {
  std::uint32_t latency = 10;     // cycles until the result can be read
  std::uint32_t temporaries = 0;  // registers of 32 bits beside the operands
  bool calls = false;             // a routine, or parts of one
};

OperationCosts costs_of(const Statement& statement);

}  // namespace heddle::ptx
