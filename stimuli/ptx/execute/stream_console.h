#pragma once
// This file has the console to which kernels print. It drops the text or writes it to a stream.

#include <ostream>
#include <string_view>

#include "stimuli/ptx/execute/launch.h"

namespace heddle {

class StreamConsole final : public ptx::Console {
 public:
  // Sets the stream, which must outlive the kernels that run. Null drops the text.
  void print_to(std::ostream* out) { out_ = out; }
  void print(std::string_view text) override {
    if (out_ != nullptr) *out_ << text;
  }

 private:
  std::ostream* out_ = nullptr;
};

}  // namespace heddle
