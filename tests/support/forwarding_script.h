#pragma once
// A host script that hands every call on to another one. Tests derive from it to look at what a script does.

#include <memory>
#include <string>
#include <utility>

#include "models/host/host_script.h"

namespace heddle {

class ForwardingScript : public HostScript {
 public:
  explicit ForwardingScript(std::unique_ptr<HostScript> script) : script_(std::move(script)) {}

  void start(HostMemory& memory) override { script_->start(memory); }
  void perform(std::uint32_t action, HostMemory& memory) override { script_->perform(action, memory); }
  bool again(std::uint32_t action, HostMemory& memory) override { return script_->again(action, memory); }
  Launch launch(const ApiCall& call, HostMemory& memory) override { return script_->launch(call, memory); }
  std::string restart_problem(std::uint64_t arguments, const DeviceMemory& memory) const override {
    return script_->restart_problem(arguments, memory);
  }
  std::unique_ptr<KernelProgram> open(std::uint64_t arguments, DeviceMemory& memory,
                                      const CodeOptions& options) override {
    return script_->open(arguments, memory, options);
  }
  void finish(HostMemory& memory) override { script_->finish(memory); }

 private:
  const std::unique_ptr<HostScript> script_;
};

}  // namespace heddle
