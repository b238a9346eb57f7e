#pragma once
// Where what kernels print goes: nowhere, or to a stream.

#include <ostream>
#include <string_view>

#include "stimuli/ptx/execute/launch.h"

namespace heddle {

class LaunchConsole final : public ptx::Console {
 public:
  void print_to(std::ostream* out) { out_ = out; }  // null: nowhere; it lives as long as kernels run
  void print(std::string_view text) override {
    if (out_ != nullptr) *out_ << text;
  }

 private:
  std::ostream* out_ = nullptr;
};

}  // namespace heddle
