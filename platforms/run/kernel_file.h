#pragma once
// A KernelFile writes a table of the launches of a run, with a row for each when nothing of it is left in the
// machine. Launches of which something is left at the end of the run follow.

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/machine/machines.h"
#include "platforms/run/output.h"
#include "platforms/run/run_files.h"

namespace heddle {

class KernelFile final : public RunFile {
 public:
  KernelFile(const std::string& path, Machines& machines);  // called before machines.run()

  // Writes the launches that are left. Throws OutputError if the file is not complete.
  void finish() override;

 private:
  // What has not happened yet has no value.
  using Cell = std::variant<std::monostate, std::uint64_t, double, std::string_view>;
  struct Column {
    std::string name;
    std::function<Cell(const LaunchRecord&)> value;
  };

  void add(std::string name, std::function<Cell(const LaunchRecord&)> value) {
    columns_.push_back({std::move(name), std::move(value)});
  }
  void add_launch();  // in a split GPU with the instance, whose launches, contexts and KSRs these are
  void add_times();
  void add_work();
  void add_memory();                                  // with cycle SMs
  void add_stalls(const std::vector<Bucket>& order);  // if the SMs count them
  void add_energy();                                  // if the platform has energies
  void write(std::size_t instance, const LaunchRecord& record);

  Machines& machines_;
  Machine& first_;  // of which all are built alike
  OutputFile file_;
  std::vector<Column> columns_;
  std::size_t instance_ = 0;  // of the row that is written
  fmt::memory_buffer row_;
};

}  // namespace heddle
