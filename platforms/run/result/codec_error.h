#pragma once

#include <stdexcept>

namespace heddle {

// A text is malformed or has a wrong value. The message names the place in the text and the problem.
class CodecError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace heddle
