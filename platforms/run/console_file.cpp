#include "platforms/run/console_file.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace heddle {

bool ConsoleFile::has_output(const MachineSpec& spec) {
  return std::any_of(spec.processes.begin(), spec.processes.end(),
                     [](const HostProcessSpec& process) { return bool{process.program.print_to}; });
}

ConsoleFile::ConsoleFile(std::string path, const MachineSpec& spec) : path_(std::move(path)), file_(path_) {
  for (const HostProcessSpec& process : spec.processes)
    if (process.program.print_to) process.program.print_to(&file_);
}

void ConsoleFile::finish() {
  const bool is_empty = file_.tellp() == 0;
  file_.finish();
  if (is_empty) std::filesystem::remove(path_);
}

}  // namespace heddle
