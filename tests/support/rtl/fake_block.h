#pragma once
// The library that is written by hand, and one that lacks the exported function.

#include <string>

#include "tests/support/paths.h"

namespace heddle::test {

inline std::string fake_library() {
  return rtl_directory() + "/fake_block.so";
}

inline std::string library_without_entry() {
  return rtl_directory() + "/fake_block_without_entry.so";
}

}  // namespace heddle::test
