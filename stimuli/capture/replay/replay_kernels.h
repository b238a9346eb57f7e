#pragma once
// The modules of a captured program, and the kernels of the application that executes their entries.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/application/application.h"
#include "stimuli/application/names.h"
#include "stimuli/capture/format/capture.h"
#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/execute/launch.h"

namespace heddle::capture {

using RegisterCounts = std::map<std::string, std::uint32_t>;  // of a thread, by kernel

// Its functions throw ImpossibleCall where a call names no module, or no kernel of its module.
class ReplayKernels {
 public:
  // The kernels become those of the application. `stated` and `most_registers`: see capture_application().
  // Both references outlive the object.
  ReplayKernels(Application& application, const RegisterCounts& stated, std::uint32_t most_registers)
      : application_(application), stated_(stated), most_registers_(most_registers) {}

  // Returns the next module from its PTX, whose registers spill above the limit. Throws config::Error for bad
  // PTX.
  std::shared_ptr<ptx::Module> read_module(const std::vector<std::byte>& text) const;
  void add_module(ptx::Image image);  // the last module that was read, at its place in memory

  // Returns the module of a call that names an entry of it.
  const std::shared_ptr<const ptx::Executable>& module_of(const CapturedCall& call) const;
  // Performs a call that states the registers of a kernel in the machine code that the program held.
  void count_registers(const CapturedCall& call);

  // Returns the number in the application of the kernel that a launch executes, and sets the registers of the
  // launch. The first launch of a kernel gives it its shape.
  std::uint32_t kernel_of(const CapturedCall& call, ptx::Launch& launch);
  // Returns the number of the kernel of the launches that are skipped.
  std::uint32_t skipped_kernel();

  // Throws config::Error, "FILE: ...", if registers are stated of a kernel that the application does not
  // have.
  void check_stated(const std::string& file) const;

 private:
  struct LoadedModule {
    std::shared_ptr<const ptx::Executable> code;
    std::map<std::uint32_t, std::uint32_t> kernels;    // number in the application, by entry
    std::map<std::uint32_t, std::uint32_t> registers;  // of a thread in machine code, by entry
  };

  const ptx::Function& entry_of(const CapturedCall& call) const;
  // Returns 0 for a kernel whose registers are estimated.
  std::uint32_t registers_of(const CapturedCall& call, const std::string& kernel) const;

  Application& application_;
  const RegisterCounts& stated_;
  const std::uint32_t most_registers_;
  std::vector<LoadedModule> modules_;
  UniqueNames names_;
  std::optional<std::uint32_t> skipped_;
};

}  // namespace heddle::capture
