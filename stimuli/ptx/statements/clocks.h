#pragma once
// The special registers whose values change while a thread runs.

#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

bool is_clock(Special special);
// Returns whether an operand of the statement is a clock or a timer.
bool reads_clock(const Function& function, const Statement& statement);

}  // namespace heddle::ptx
