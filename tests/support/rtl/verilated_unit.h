#pragma once
// A block in SystemVerilog that a test makes into a library of models/rtl/heddle_rtl.h. The libraries are
// kept between tests.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/rtl/rtl_library.h"

namespace heddle::test {

struct UnitSources {
  std::string top;
  std::vector<std::string> files;  // in stimuli/rtl; the file of the top module is the last one
  std::map<std::string, std::string> parameters;
};

bool verilator_is_installed();

// Returns the library of the unit.
std::shared_ptr<const RtlLibrary> library_of(const UnitSources& unit);

// Makes a library of the unit from other sources, such as those of a mutant, and returns the file of the
// library. `texts` has the text of each source file, in the order of the unit's files. Each set of texts has
// a `name` of its own. The function throws what the tool says if a tool refuses the texts.
std::string make_library(const UnitSources& unit, const std::string& name,
                         const std::vector<std::string>& texts);

// Returns the text of each source file of the unit in stimuli/rtl.
std::vector<std::string> texts_of(const UnitSources& unit);

// What a tool, with its options, prints about the sources of the unit, and how it fails.
std::string said_by(std::vector<std::string> tool, const UnitSources& unit);

}  // namespace heddle::test
