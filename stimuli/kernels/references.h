#pragma once
// This file has the expected results of the kernels of this folder, as sequential code. There is one
// reference for each program, which is a .cu file with the host sequence in its first comment, and for some
// entries one of a single launch. Buffers and scalars have the names of the arguments of the kernels.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heddle::kernels {

using Buffers = std::map<std::string, std::vector<std::byte>>;
using Scalars = std::map<std::string, std::variant<std::int64_t, double>>;

enum class Element : std::uint8_t {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kUint64,
  kInt64,
  kFloat,
  kDouble
};

// An Output is a buffer that the program writes. With tolerance 0 every bit must be as expected. Otherwise a
// value may differ by `tolerance` times the largest expected magnitude in the buffer.
struct Output {
  std::string_view buffer;
  Element element;
  double tolerance = 0;
};

struct Reference {
  std::string_view name;  // name of the .cu file, or of an entry that is launched once
  // Gets the buffers before the program and writes the expected outputs into them. Throws
  // std::invalid_argument if a buffer or a scalar is missing or does not fit; the message names it.
  void (*run)(Buffers&, const Scalars&);
  std::vector<Output> outputs;
  std::string_view reason = {};  // reason for tolerances above 0
};

const std::vector<Reference>& references();  // sorted by name
// Returns the reference of that name. Throws std::invalid_argument with the known names if there is none.
const Reference& find_reference(std::string_view name);

// Returns the first difference of an output that exceeds its tolerance, as "buffer[index]: 1.5 expected, 2
// found". The result is empty if there is none.
std::string first_difference(const Reference& reference, const Buffers& expected, const Buffers& actual);

}  // namespace heddle::kernels
