#include "tests/support/paths.h"

namespace heddle::test {

const std::string& source_directory() {
  static const std::string path = HEDDLE_SOURCE_DIR;
  return path;
}

const std::string& heddle_program() {
  static const std::string path = HEDDLE_PROGRAM;
  return path;
}

const std::string& runtime_directory() {
  static const std::string path = HEDDLE_RUNTIMES;
  return path;
}

const std::string& rtl_directory() {
  static const std::string path = HEDDLE_RTL_DIRECTORY;
  return path;
}

const std::string& c_library() {
  static const std::string path = HEDDLE_C_LIBRARY;
  return path;
}

const std::string& cmake_program() {
  static const std::string path = HEDDLE_CMAKE;
  return path;
}

}  // namespace heddle::test
