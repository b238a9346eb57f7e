#pragma once
// What launch files have in common, each loaded once: code of PTX files, and structures. The points of a
// campaign state other sizes of the same kernels on the same data.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/core/base/memo.h"
#include "stimuli/launch/generated_structure.h"
#include "stimuli/ptx/execute/launch.h"

namespace heddle {

// The files must stay as they are. Several threads may use it.
class LoadedParts {
 public:
  // Returns the module of a PTX file, whose functions spill what needs more than `most_registers`.
  std::shared_ptr<const ptx::Module> module(const std::string& file, std::uint32_t most_registers);
  // Returns the registers that its threads need, by function: see ptx::register_estimates().
  std::vector<std::uint32_t> registers(const std::string& file, std::uint32_t most_registers);
  // Returns its code, with its image at `address`.
  std::shared_ptr<const ptx::Executable> code(const std::string& file, std::uint32_t most_registers,
                                              Address address);

  // Returns the structure that `make` generates. Equal keys stand for equal structures.
  std::shared_ptr<const GeneratedStructure> structure(const std::string& key,
                                                      const std::function<Structure()>& make);

 private:
  // Numbers of parts in memory. Modules and code take up to 1 MB each, structures some MB.
  static constexpr std::size_t kMostCode = 64;
  static constexpr std::size_t kMostStructures = 4;

  using Limited = std::pair<std::string, std::uint32_t>;  // file, most registers

  Memo<Limited, ptx::Module> modules_{kMostCode};
  Memo<Limited, std::vector<std::uint32_t>> registers_{kMostCode};
  Memo<std::tuple<std::string, std::uint32_t, Address>, std::shared_ptr<const ptx::Executable>> code_{
      kMostCode};
  Memo<std::string, std::shared_ptr<const GeneratedStructure>> structures_{kMostStructures};
};

}  // namespace heddle
