#pragma once
// This file reads the arguments of a launch and checks them against the parameters of its entry.
//
//   arguments: [a, n, 0.5]            by position: addresses of buffers, and numbers
//   arguments: {k_param_0: a}         by name
//   further    {buffer: a, offset: 16B}    {texture: t}    {tensor: t}    {bytes: 00ff12}
//   structures [{u32: n}, {f32: 0.5}, {buffer: a}]: the fields, each at its own alignment

#include <string>
#include <vector>

#include "stimuli/launch/launch_plan.h"
#include "stimuli/launch/launch_values.h"

namespace heddle {

class ArgumentReader {
 public:
  // The buffers that arguments name are marked as used in the plan. `plan` and `scope` must outlive the
  // reader.
  ArgumentReader(LaunchPlan& plan, const Scope& scope) : plan_(plan), values_(scope) {}

  // Returns the arguments of the launch. Problems are recorded.
  std::vector<LaunchArgument> read(const config::Section& launch, const ptx::Function& entry);

 private:
  struct Given {
    config::Value value;
    std::string text;  // the text of a scalar; otherwise `value` has the argument
  };
  // A Slot is the place of a number or an address in the parameters.
  struct Slot {
    std::string name;  // the name in messages
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    ElementType type = ElementType::kU64;
    bool bits = false;
    bool numbers = true;  // false for structures and for types without numbers in launch files
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
  void add_tensor(const config::Value& value, const Slot& slot);
  void add_texture(const config::Value& value, const Slot& slot);

  LaunchPlan& plan_;
  LaunchValues values_;
  std::vector<LaunchArgument> arguments_;
};

}  // namespace heddle
