#pragma once
// The arguments of a launch against the parameters of its entry.
//
//   arguments: [a, n, 0.5]            by position: buffers' addresses and numbers; or by name:
//   arguments: {k_param_0: a}
//   among them   {buffer: a, offset: 16B}    {texture: t}    {bytes: 00ff12}
//   a structure  [{u32: n}, {f32: 0.5}, {buffer: a}]: its fields, each at its own alignment

#include <string>
#include <vector>

#include "stimuli/launch/launch_plan.h"
#include "stimuli/launch/launch_values.h"

namespace heddle {

class ArgumentReader {
 public:
  // What it names is marked as used in the plan's buffers.
  ArgumentReader(LaunchPlan& plan, const Scope& scope) : plan_(plan), values_(scope) {}

  std::vector<LaunchArgument> read(const config::Section& launch, const ptx::Function& entry);

 private:
  struct Given {
    config::Value value;
    std::string text;  // of a scalar; else the value tells
  };
  // Where a number or an address goes.
  struct Slot {
    std::string name;  // for messages
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    ElementType type = ElementType::kU64;
    bool bits = false;
    bool numbers = true;  // false: a structure, or a type that no number of a launch file has
  };

  static std::vector<Given> given(const config::Value& value);
  static Slot slot_of(const ptx::FrameVariable& parameter);
  void read_by_name(const config::Section& section, const ptx::Function& entry);
  void read_one(const Given& given, const Slot& slot);
  void read_section(const config::Value& value, const Slot& slot);
  void read_fields(const config::Value& value, const Slot& slot);
  void read_bytes(const config::Value& value, const Slot& slot);
  void add_number(const config::Value& value, const std::string& text, const Slot& slot);
  void add_address(const config::Value& value, std::uint32_t buffer, const Expression& offset,
                   const Slot& slot);
  void add_texture(const config::Value& value, const Slot& slot);

  LaunchPlan& plan_;
  LaunchValues values_;
  std::vector<LaunchArgument> arguments_;
};

}  // namespace heddle
