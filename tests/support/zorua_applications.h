#pragma once
// The eight applications of Zorua, with the ranges of its Table 3. watch() keeps a copy of what the buffers
// of an application contain when the application has ended.

#include <fmt/format.h>

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "stimuli/launch/launch_application.h"
#include "tests/support/forwarding_script.h"
#include "tests/support/launch_rig.h"

namespace heddle::test {

constexpr std::uint32_t kNoRegisters = 0;  // registers are no part of the specification

struct Application {
  std::string launch;
  std::vector<std::uint32_t> threads;  // Table 3's least and most, and one that is no power of two
  std::uint32_t least_registers;       // Table 3
  std::uint32_t most_registers;        // Table 3
  std::uint32_t need;                  // of the kernel that needs most
  std::vector<std::string> small;      // parameters of a run that takes less than a second
  std::vector<std::string> outputs;    // buffers whose bytes do not depend on the specification
};

inline const std::vector<Application> kApplications = {
    {"zo-bh", {128, 352, 1024}, 28, 44, 30, {"n=700"}, {"accelerations", "bodies", "velocities"}},
    {"zo-dct", {64, 160, 512}, 20, 40, 27, {"width=136", "height=72"}, {"transform"}},
    {"zo-mst", {256, 352, 1024}, 28, 44, 34, {"nodes=3000"}, {"in_tree"}},
    {"zo-nqu", {64, 160, 288}, kNoRegisters, kNoRegisters, kNoRegisters, {"n=8"}, {"solutions"}},
    {"zo-rd", {64, 352, 1024}, 16, 24, 20, {"n=50001"}, {"total"}},
    {"zo-sla", {128, 352, 1024}, 24, 36, 34, {"n=50004"}, {"prefixes"}},
    {"zo-sp",
     {128, 352, 512},
     kNoRegisters,
     kNoRegisters,
     kNoRegisters,
     {"pairs=5", "length=3001"},
     {"products"}},
    {"zo-sssp", {256, 352, 1024}, 16, 36, 22, {"nodes=3000"}, {"costs", "offers", "active"}},
};

inline void PrintTo(const Application& application, std::ostream* out) {
  *out << application.launch;
}

// A WatchedScript copies the contents of the program's buffers before the program finishes.
class WatchedScript final : public ForwardingScript {
 public:
  using Contents = std::map<std::uint32_t, std::vector<std::byte>>;

  WatchedScript(std::unique_ptr<HostScript> script, const ApiProgram& program, Contents& contents)
      : ForwardingScript(std::move(script)), program_(program), contents_(contents) {}

  void finish(HostMemory& memory) override {
    for (auto& [buffer, bytes] : contents_) {
      bytes.resize(program_.buffers[buffer].bytes);
      memory.read(buffer, 0, bytes.data(), bytes.size());
    }
    ForwardingScript::finish(memory);
  }

 private:
  const ApiProgram& program_;
  Contents& contents_;
};

struct Specification {
  std::uint32_t threads;
  std::uint32_t registers;
};

inline LaunchApplication load(const Application& application, const Specification& specification) {
  std::vector<std::string> parameters = application.small;
  parameters.push_back(fmt::format("threads={}", specification.threads));
  if (application.need != kNoRegisters)
    parameters.push_back(fmt::format("registers={}", specification.registers));
  return load_launch_application(kLaunches + application.launch + ".yaml", parameters);
}

// Makes the scripts of the program keep these buffers' contents before they finish. Program and contents must
// outlive the run.
inline void watch(ApiProgram& program, const std::vector<std::string>& buffers,
                  WatchedScript::Contents& contents) {
  for (const std::string& buffer : buffers)
    for (std::uint32_t i = 0; i < program.buffers.size(); ++i)
      if (program.buffers[i].name == buffer) contents[i];
  program.make_script = [&program, &contents, make = program.make_script] {
    return std::make_unique<WatchedScript>(make(), program, contents);
  };
}

}  // namespace heddle::test
