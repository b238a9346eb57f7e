#pragma once
// What the kernels of this folder compute, as plain sequential code: one reference for each program, that is
// a .cu and the host sequence in its head. Buffers and scalars have the names of the kernels' arguments.

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

// A buffer that the program writes. Tolerance 0: every bit counts. Otherwise a value may be off by
// `tolerance` times the largest magnitude expected in the buffer.
struct Output {
  std::string_view buffer;
  Element element;
  double tolerance = 0;
};

struct Reference {
  std::string_view name;  // of the .cu
  // Takes the buffers as they are before the program and leaves the outputs as they should be after it.
  // Throws std::invalid_argument, which names it, if a buffer or a scalar is missing or does not fit.
  void (*run)(Buffers&, const Scalars&);
  std::vector<Output> outputs;
  std::string_view reason = {};  // for tolerances
};

const std::vector<Reference>& references();              // by name
const Reference& find_reference(std::string_view name);  // std::invalid_argument lists the known ones

// Where the outputs first differ by more than they may: "buffer[index]: 1.5 expected, 2 found". Empty:
// nowhere.
std::string first_difference(const Reference& reference, const Buffers& expected, const Buffers& actual);

}  // namespace heddle::kernels
