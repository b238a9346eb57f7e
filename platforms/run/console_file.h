#pragma once
// A ConsoleFile writes console.txt: what the kernels of a run print. A run that prints nothing has no file.

#include <string>

#include "models/machine/machine_spec.h"
#include "platforms/run/output.h"
#include "platforms/run/run_files.h"

namespace heddle {

class ConsoleFile final : public RunFile {
 public:
  static bool has_output(const MachineSpec& spec);  // whether a kernel of the machine can print

  ConsoleFile(std::string path, const MachineSpec& spec);
  void finish() override;

 private:
  const std::string path_;
  OutputFile file_;
};

}  // namespace heddle
