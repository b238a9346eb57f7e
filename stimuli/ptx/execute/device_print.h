#pragma once
// Formats what a kernel prints. printf calls vprintf with the values packed in memory, each aligned to its
// size (CUDA C++ Programming Guide, "Formatted Output").

#include <cstdint>
#include <functional>
#include <string>

namespace heddle::ptx {

// Reads the packed values and the strings that they point to.
struct PrintedValues {
  std::function<std::uint64_t(std::uint64_t offset, std::uint32_t bytes)> word;
  std::function<std::string(std::uint64_t address)> text;
};

struct PrintedText {
  std::string text;
  std::uint32_t values = 0;  // number of values that were printed
};

// Flags, widths and precisions are those of C, with '*'. The conversions are d i o u x X c s p f F e E g G a
// A and %%. All other text is printed unchanged.
PrintedText device_print(const std::string& format, const PrintedValues& values);

}  // namespace heddle::ptx
