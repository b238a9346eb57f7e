#pragma once
// A block in SystemVerilog that a test makes into a library of models/rtl/heddle_rtl.h.

#include <filesystem>
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

// Makes libraries in a folder of its own, which is removed at the end.
class UnitBuilder {
 public:
  UnitBuilder();
  ~UnitBuilder();
  UnitBuilder(const UnitBuilder&) = delete;
  UnitBuilder& operator=(const UnitBuilder&) = delete;

  // `texts` holds the text of each of the files. Throws if a tool refuses it, with what the tool says.
  std::shared_ptr<const RtlLibrary> build(const UnitSources& unit, const std::vector<std::string>& texts);

 private:
  std::filesystem::path folder_;
  int built_ = 0;
};

// The text of each file of the unit, as stimuli/rtl has it.
std::vector<std::string> texts_of(const UnitSources& unit);

// What Verilator with all its warnings, and Icarus Verilog where it is installed, say about the sources.
std::string warnings_of(const UnitSources& unit);

}  // namespace heddle::test
