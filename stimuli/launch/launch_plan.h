#pragma once
// This file has the contents of a launch file after names are resolved to indices and expressions of
// parameters alone are computed.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/expression/expression.h"
#include "stimuli/kernels/references.h"
#include "stimuli/launch/generators.h"
#include "stimuli/ptx/execute/launch.h"
#include "stimuli/ptx/tensors/tensor_map.h"

namespace heddle {

using MakeArray = std::function<Array()>;

struct LaunchBuffer {
  std::string name;
  ElementType type = ElementType::kU8;
  std::uint64_t count = 0;
  MakeArray make;       // null if the buffer has no initial contents
  bool used = false;    // the device uses it
  bool zeroed = false;  // it is filled with zeros on the device before the first call

  std::uint64_t bytes() const { return count * bytes_of(type); }
};

struct LaunchTexture {
  std::string name;
  std::uint32_t buffer = 0;
  ptx::Texture shape;  // its address is that of the buffer
};

struct LaunchTensor {
  std::string name;
  std::uint32_t buffer = 0;
  ptx::TensorMap map;  // its address is that of the buffer
};

// A LaunchArgument has the value of some bytes of the parameters of a launch.
struct LaunchArgument {
  enum class Kind : std::uint8_t {
    kNumber,   // the number `value` as `type`
    kAddress,  // the device address of buffer `which` plus `value` bytes
    kTexture,  // the handle of texture `which`
    kTensor,   // the map of tensor `which`
  };
  Kind kind = Kind::kNumber;
  std::uint64_t offset = 0;              // bytes from the start of the parameters
  ElementType type = ElementType::kU64;  // an unsigned type also takes negative numbers
  bool bits = false;  // the type is .b32 or the like: reals are stored as floats of its width
  Expression value;
  std::uint32_t which = 0;
};

struct LaunchStep {
  std::string place;  // "file:line:column: program[2]"
  std::uint32_t code = 0;
  std::uint32_t entry = 0;  // index of the function in the module
  std::array<Expression, 3> grid;
  std::array<Expression, 3> block;
  std::optional<std::array<Expression, 3>> cluster;  // absent: that of the entry, or one block
  Expression shared;                                 // dynamic shared memory, bytes
  std::uint32_t registers = 0;
  std::vector<LaunchArgument> arguments;
};

// A LaunchAction is an action of the host between its calls.
struct LaunchAction {
  enum class Kind : std::uint8_t {
    kVariable,  // sets `variable` to `value`
    kWord,      // sets `word` in the host's copy of a buffer to `value`
    kUntil,     // ends a loop when `value` is not 0; the run fails if that takes more than `most` rounds
  };
  Kind kind = Kind::kVariable;
  std::string place;
  Expression value;
  std::uint32_t variable = 0;
  BufferWord word;
  std::uint64_t most = 0;
};

// A LaunchCheck has the expected contents of buffers after the program.
struct LaunchCheck {
  struct Expected {
    std::uint32_t buffer = 0;
    MakeArray make;
    double tolerance = 0;  // as a share of the largest expected magnitude in the buffer
  };
  const kernels::Reference* reference = nullptr;
  kernels::Scalars scalars;
  std::vector<Expected> expected;

  bool none() const { return reference == nullptr && expected.empty(); }
};

struct LaunchPlan {
  std::string name;
  std::string file;
  // The buffers of the program are the images of `codes`, followed by `buffers`.
  std::vector<std::shared_ptr<const ptx::Executable>> codes;
  std::vector<LaunchBuffer> buffers;
  std::vector<LaunchTexture> textures;
  std::vector<LaunchTensor> tensors;
  std::vector<std::string> variables;
  std::vector<Number> initial;  // by variable
  std::vector<LaunchStep> steps;
  std::vector<LaunchAction> actions;
  LaunchCheck check;
  std::shared_ptr<ptx::StreamConsole> console = std::make_shared<ptx::StreamConsole>();

  std::uint32_t program_buffer(std::uint32_t buffer) const {
    return static_cast<std::uint32_t>(codes.size()) + buffer;
  }
};

// Returns the launch of a step. address(buffer) returns the device address of a buffer of the plan. Throws
// NumberError if an expression cannot be computed or a value does not fit.
ptx::Launch make_launch(const LaunchPlan& plan, const LaunchStep& step, const Environment& environment,
                        const std::function<Address(std::uint32_t)>& address);

}  // namespace heddle
