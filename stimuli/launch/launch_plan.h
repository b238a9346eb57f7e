#pragma once
// What a launch file says, resolved: names are indices, and what depends on parameters alone is computed.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/kernels/references.h"
#include "stimuli/launch/expression.h"
#include "stimuli/launch/generators.h"
#include "stimuli/launch/launch_console.h"
#include "stimuli/ptx/execute/launch.h"

namespace heddle {

using MakeArray = std::function<Array()>;

struct LaunchBuffer {
  std::string name;
  ElementType type = ElementType::kU8;
  std::uint64_t count = 0;
  MakeArray make;       // null: the program starts without contents of its own
  bool used = false;    // by the device
  bool zeroed = false;  // on the device, before the first call

  std::uint64_t bytes() const { return count * bytes_of(type); }
};

struct LaunchTexture {
  std::string name;
  std::uint32_t buffer = 0;
  ptx::Texture shape;  // its address follows the buffer
};

// Bytes of the parameters of a launch.
struct LaunchArgument {
  enum class Kind : std::uint8_t {
    kNumber,   // `value` as `type`
    kAddress,  // where buffer `which` lies, and `value` bytes further
    kTexture,  // the handle of texture `which`
  };
  Kind kind = Kind::kNumber;
  std::uint64_t offset = 0;              // in the parameters
  ElementType type = ElementType::kU64;  // an unsigned one takes negative numbers, too
  bool bits = false;                     // a real is stored as a float of the type's width
  Expression value;
  std::uint32_t which = 0;
};

struct LaunchStep {
  std::string place;  // "file:line:column: program[2]"
  std::uint32_t code = 0;
  std::uint32_t entry = 0;  // of the module's functions
  std::array<Expression, 3> grid;
  std::array<Expression, 3> block;
  Expression shared;  // dynamic, bytes
  std::uint32_t registers = 0;
  std::vector<LaunchArgument> arguments;
};

// What the host does itself.
struct LaunchAction {
  enum class Kind : std::uint8_t {
    kVariable,  // takes `value`
    kWord,      // of the host's copy of a buffer takes `value`
    kUntil,     // a loop ends where `value` is not 0; in its round `most` it has to
  };
  Kind kind = Kind::kVariable;
  std::string place;
  Expression value;
  std::uint32_t variable = 0;
  BufferWord word;
  std::uint64_t most = 0;
};

// What the buffers should hold in the end.
struct LaunchCheck {
  struct Expected {
    std::uint32_t buffer = 0;
    MakeArray make;
    double tolerance = 0;  // times the largest magnitude expected in the buffer
  };
  const kernels::Reference* reference = nullptr;
  kernels::Scalars scalars;
  std::vector<Expected> expected;

  bool none() const { return reference == nullptr && expected.empty(); }
};

struct LaunchPlan {
  std::string name;
  std::string file;
  std::vector<std::shared_ptr<const ptx::Executable>> codes;  // buffer i of the program is code i's image
  std::vector<LaunchBuffer> buffers;                          // buffer codes.size() + i of the program
  std::vector<LaunchTexture> textures;
  std::vector<std::string> variables;
  std::vector<Number> initial;  // by variable
  std::vector<LaunchStep> steps;
  std::vector<LaunchAction> actions;
  LaunchCheck check;
  std::shared_ptr<LaunchConsole> console = std::make_shared<LaunchConsole>();

  std::uint32_t program_buffer(std::uint32_t buffer) const {
    return static_cast<std::uint32_t>(codes.size()) + buffer;
  }
};

// The launch of a step. address(buffer): where a buffer of the plan lies. Throws NumberError.
ptx::Launch make_launch(const LaunchPlan& plan, const LaunchStep& step, const Environment& environment,
                        const std::function<Address(std::uint32_t)>& address);

}  // namespace heddle
