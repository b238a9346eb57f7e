#pragma once
// A RequestFile writes requests.csv: a row for each measured request of the servers of a run, when it has
// ended.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "models/machine/machines.h"
#include "platforms/run/output.h"

namespace heddle {

class RequestFile {
 public:
  RequestFile(const std::string& path, Machines& machines);  // called before machines.run()
  void finish();                                             // throws OutputError if the file is not complete

 private:
  void write(std::size_t process, const RequestRecord& record);

  const MachineSpec& spec_;
  OutputFile file_;
  // The columns of parameters: each name once, and by process for each column the parameter, or kNone.
  static constexpr std::size_t kNone = SIZE_MAX;
  std::vector<std::string> names_;
  std::vector<std::vector<std::size_t>> parameters_;
  fmt::memory_buffer row_;
};

}  // namespace heddle
