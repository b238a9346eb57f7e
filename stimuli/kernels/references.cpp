#include "stimuli/kernels/references.h"

#include "stimuli/kernels/reference_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace heddle::kernels {
namespace detail {
namespace {

const auto& scalar(const Scalars& scalars, const std::string& name) {
  const auto found = scalars.find(name);
  if (found == scalars.end()) throw std::invalid_argument(fmt::format("there is no scalar '{}'", name));
  return found->second;
}

}  // namespace

std::size_t count(const Scalars& scalars, const std::string& name) {
  const auto* const value = std::get_if<std::int64_t>(&scalar(scalars, name));
  if (value == nullptr || *value < 0)
    throw std::invalid_argument(fmt::format("scalar '{}' is not a whole number of at least 0", name));
  return static_cast<std::size_t>(*value);
}

double real_double(const Scalars& scalars, const std::string& name) {
  return std::visit([](auto value) { return static_cast<double>(value); }, scalar(scalars, name));
}

float real(const Scalars& scalars, const std::string& name) {
  return static_cast<float>(real_double(scalars, name));
}

std::byte* bytes_of(Buffers& buffers, const std::string& name, std::size_t bytes) {
  const auto found = buffers.find(name);
  if (found == buffers.end()) throw std::invalid_argument(fmt::format("there is no buffer '{}'", name));
  if (found->second.size() < bytes)
    throw std::invalid_argument(
        fmt::format("buffer '{}' has {} bytes, but needs {}", name, found->second.size(), bytes));
  return found->second.data();
}

}  // namespace detail

namespace {

const std::vector<std::byte>& buffer_of(const Buffers& buffers, std::string_view name) {
  const auto found = buffers.find(std::string(name));
  if (found == buffers.end()) throw std::invalid_argument(fmt::format("there is no buffer '{}'", name));
  return found->second;
}

template <typename T>
std::vector<T> elements_of(const std::vector<std::byte>& bytes) {
  std::vector<T> elements(bytes.size() / sizeof(T));
  if (!elements.empty()) std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(T));
  return elements;
}

template <typename T>
double largest_magnitude(const std::vector<T>& values) {
  double largest = 0;
  for (const T value : values)
    if (const double magnitude = std::abs(static_cast<double>(value)); std::isfinite(magnitude))
      largest = std::max(largest, magnitude);
  return largest;
}

template <typename T>
std::string difference(const Output& output, const Buffers& expected, const Buffers& actual) {
  const std::vector<std::byte>& wanted_bytes = buffer_of(expected, output.buffer);
  const std::vector<std::byte>& found_bytes = buffer_of(actual, output.buffer);
  const std::vector<T> wanted = elements_of<T>(wanted_bytes);
  const std::vector<T> found = elements_of<T>(found_bytes);
  if (wanted.size() != found.size())
    return fmt::format("{}: {} elements expected, {} found", output.buffer, wanted.size(), found.size());
  const double allowed = output.tolerance * largest_magnitude(wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::size_t at = i * sizeof(T);
    if (std::memcmp(&wanted_bytes[at], &found_bytes[at], sizeof(T)) == 0) continue;
    const double off = std::abs(static_cast<double>(wanted[i]) - static_cast<double>(found[i]));
    if (output.tolerance == 0 || !(off <= allowed))
      return fmt::format("{}[{}]: {} expected, {} found", output.buffer, i, wanted[i], found[i]);
  }
  return {};
}

std::string difference_of(const Output& output, const Buffers& expected, const Buffers& actual) {
  switch (output.element) {
    case Element::kUint8:
      return difference<std::uint8_t>(output, expected, actual);
    case Element::kInt8:
      return difference<std::int8_t>(output, expected, actual);
    case Element::kUint16:
      return difference<std::uint16_t>(output, expected, actual);
    case Element::kInt16:
      return difference<std::int16_t>(output, expected, actual);
    case Element::kUint32:
      return difference<std::uint32_t>(output, expected, actual);
    case Element::kInt32:
      return difference<std::int32_t>(output, expected, actual);
    case Element::kUint64:
      return difference<std::uint64_t>(output, expected, actual);
    case Element::kInt64:
      return difference<std::int64_t>(output, expected, actual);
    case Element::kFloat:
      return difference<float>(output, expected, actual);
    case Element::kDouble:
      return difference<double>(output, expected, actual);
  }
  return {};
}

std::vector<Reference> all_references() {
  std::vector<Reference> all;
  for (const auto group : {detail::dense_linear_algebra, detail::grids, detail::graphs, detail::searches,
                           detail::vectors, detail::particles, detail::meshes, detail::bodies, detail::probes,
                           detail::polybench, detail::sdk, detail::rodinia, detail::microbenchmarks})
    for (Reference& reference : group()) all.push_back(std::move(reference));
  std::sort(all.begin(), all.end(), [](const Reference& a, const Reference& b) { return a.name < b.name; });
  return all;
}

}  // namespace

const std::vector<Reference>& references() {
  static const std::vector<Reference> all = all_references();
  return all;
}

const Reference& find_reference(std::string_view name) {
  std::string known;
  for (const Reference& reference : references()) {
    if (reference.name == name) return reference;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", reference.name);
  }
  throw std::invalid_argument(fmt::format("there is no reference '{}'; known: {}", name, known));
}

std::string first_difference(const Reference& reference, const Buffers& expected, const Buffers& actual) {
  for (const Output& output : reference.outputs)
    if (std::string found = difference_of(output, expected, actual); !found.empty()) return found;
  return {};
}

}  // namespace heddle::kernels
