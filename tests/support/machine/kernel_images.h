#pragma once
// What the kernels that come with Heddle leave in memory: a digest of the host's buffers after their program
// has ended and its own check has passed.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "stimuli/functional/functional_host.h"
#include "stimuli/launch/launch_application.h"
#include "tests/support/forwarding_script.h"
#include "tests/support/launch_rig.h"

namespace heddle::test {

// Whether the launch needs what SMs have since compute capability 9.0.
inline bool is_of_hopper(const std::string& launch) {
  return launch.rfind("hopper_", 0) == 0;
}

// The launch files of no study that SMs of any compute capability run, by name.
inline std::vector<std::string> kernel_names() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kLaunches))
    if (const std::string name = entry.path().stem().string(); !is_of_study(name) && !is_of_hopper(name))
      names.insert(name);
  return {names.begin(), names.end()};
}

// A number that identifies the contents of host memory after the program.
struct Images {
  std::vector<std::string> seen;
};

// A host script that reads the memory after the inner script has checked it.
class Looking final : public ForwardingScript {
 public:
  Looking(std::unique_ptr<HostScript> script, std::vector<ApiBuffer> buffers, std::shared_ptr<Images> images)
      : ForwardingScript(std::move(script)), buffers_(std::move(buffers)), images_(std::move(images)) {}

  void finish(HostMemory& memory) override {
    ForwardingScript::finish(memory);
    std::uint64_t digest = 0xcbf29ce484222325;
    for (std::uint32_t i = 0; i < buffers_.size(); ++i) {
      std::vector<unsigned char> bytes(buffers_[i].bytes);
      memory.read(i, 0, bytes.data(), bytes.size());
      for (const unsigned char byte : bytes) digest = (digest ^ byte) * 0x100000001b3;
    }
    images_->seen.push_back(fmt::format("{:016x}", digest));
  }

 private:
  const std::vector<ApiBuffer> buffers_;
  const std::shared_ptr<Images> images_;
};

struct Watched {
  ApiProgram program;
  std::shared_ptr<Images> images = std::make_shared<Images>();
};

inline Watched watched(const std::string& name, const std::vector<std::string>& parameters = {}) {
  Watched result;
  result.program = load_launch_application(kLaunches + name + ".yaml", parameters).application.program;
  result.program.make_script = [inner = result.program.make_script, buffers = result.program.buffers,
                                images = result.images] {
    return std::make_unique<Looking>(inner(), buffers, images);
  };
  return result;
}

inline std::string functional_image(const std::string& name) {
  const Watched kernel = watched(name);
  FunctionalHost(kernel.program).run();
  return kernel.images->seen.at(0);
}

}  // namespace heddle::test
