#pragma once
// printf as kernels call it: vprintf with the values packed one behind the other, each aligned to its size
// (CUDA C++ Programming Guide, "Formatted Output").

#include <cstdint>
#include <functional>
#include <string>

namespace heddle::ptx {

struct PrintedValues {
  std::function<std::uint64_t(std::uint64_t offset, std::uint32_t bytes)> word;
  std::function<std::string(std::uint64_t address)> text;
};

struct PrintedText {
  std::string text;
  std::uint32_t values = 0;  // how many were printed
};

// Flags, width and precision as in C, also '*'; conversions d i o u x X c s p f F e E g G a A and %%.
// Anything else is printed as it stands.
PrintedText device_print(const std::string& format, const PrintedValues& values);

}  // namespace heddle::ptx
