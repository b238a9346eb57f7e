#pragma once

#include <stdexcept>

namespace heddle {

// Text that does not hold what it should: the message names the place in it and what is wrong there.
class CodecError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace heddle
