#pragma once
// A RequestFile writes requests.csv: a row for each measured request of the servers of a run, when it has
// ended.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "models/machine/machines.h"
#include "platforms/run/output.h"
#include "platforms/run/run_files.h"

namespace heddle {

class RequestFile final : public RunFile {
 public:
  RequestFile(const std::string& path, Machines& machines);  // called before machines.run()
  void finish() override;

 private:
  void write(std::size_t machine, const RequestRecord& record);
  void write_header();
  struct PartColumn {
    RequestPart part;
    std::size_t process;  // the cause, in `spec_`, if the part has one
    std::string title;
  };
  std::optional<std::uint32_t> cause_of(const PartColumn& column, std::size_t machine) const;
  void write_account(std::size_t machine, const RequestAccount& account);

  const MachineSpec& spec_;
  const Machines& machines_;
  OutputFile file_;
  // The columns of parameters: each name once, and by process for each column the parameter, or kNone.
  static constexpr std::size_t kNone = SIZE_MAX;
  std::vector<std::string> names_;
  std::vector<std::vector<std::size_t>> parameters_;
  std::vector<std::string> applications_;  // by process, each with its own name
  std::vector<PartColumn> columns_;
  bool has_tokens_ = false;  // a server generates tokens
  fmt::memory_buffer row_;
};

}  // namespace heddle
