#pragma once
// A LibraryMaker makes one library in a folder of drafts.

#include <string>
#include <vector>

#include "models/rtl/rtl_spec.h"
#include "platforms/rtl/class_header.h"
#include "platforms/rtl/library_cache.h"
#include "platforms/rtl/rtl_tools.h"

namespace heddle {

// Returns the hash of all that is known about a library before Verilator has run.
std::string recipe_of(const RtlSpec& spec, const RtlTools& tools);

// The steps are called in the order in which they stand. Each throws config::Error, and then the log is kept
// in the cache.
class LibraryMaker {
 public:
  // All arguments must outlive the maker.
  LibraryMaker(const RtlSpec& spec, const RtlTools& tools, const LibraryCache& cache);

  RtlInputs verilate();
  void compile();
  void check_counters();  // every counter's signal exists in the library
  std::string library() const { return draft_.path("block.so"); }
  std::string log() const;  // file with all that the tools have printed

 private:
  [[noreturn]] void refuse(const std::string& message) const;
  // Runs a tool in the directory of the block. Throws with the first problem that it prints if it fails.
  void run(const std::vector<std::string>& arguments);
  std::vector<std::string> compiler_arguments() const;
  // Returns the object of a source of Verilator's run-time, which the cache has once for all blocks.
  std::string runtime_object(const std::string& source);
  std::string block_text(const std::vector<ClassPin>& pins) const;
  std::vector<std::string> all_variables();

  const RtlSpec& spec_;
  const RtlTools& tools_;
  const LibraryCache& cache_;
  const DraftFolder draft_;
  std::string printed_;   // by the tools so far, with their command lines
  std::string makefile_;  // states what the class needs of Verilator's run-time
  std::string runtime_;   // folder of its sources
};

}  // namespace heddle
