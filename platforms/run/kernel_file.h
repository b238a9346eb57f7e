#pragma once
// A KernelFile writes a table of the launches of a run, with a row for each as it ends. Launches that are on
// the execution engine at the end of the run follow, without an end.

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <string>

#include "models/machine/machine.h"

namespace heddle {

class KernelFile {
 public:
  KernelFile(const std::string& path, Machine& machine);  // called before machine.run()

  // Writes the launches that have not ended. Throws OutputError if the file is not complete.
  void finish();

 private:
  void write(const LaunchRecord& record);
  // Append a cell to the row.
  template <class T>
  void cell(const T& value);
  template <class T>
  void cell(const std::optional<T>& value);
  void cell(const std::optional<Cycle>& cycle);

  std::string path_;
  Machine& machine_;
  std::ofstream file_;
  fmt::memory_buffer row_;
};

}  // namespace heddle
