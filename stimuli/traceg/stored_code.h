#pragma once
// The code of a traced kernel in the stored form of its trace. It has the text of each instruction, which is
// parsed again. So an instruction is always what this program makes of its text.

#include <string>

#include "stimuli/traceg/code_table.h"

namespace heddle {

std::string stored_code_of(const CodeTable& codes);

// Fills the table, which is empty, so that each Instruction has the index that it had. Returns false, and
// leaves the table empty, if `stored` is no such code, or if this program reads a text in another way than
// the program that stored it: with other addresses. `source` is that of the trace.
bool restore_code(const TextSource& source, const std::string& stored, CodeTable& codes);

}  // namespace heddle
