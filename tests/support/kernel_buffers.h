#pragma once
// Buffers of kernels, filled from and read as vectors of one type.

#include "stimuli/kernels/references.h"

#include <cstring>
#include <random>

namespace heddle::kernels {

template <typename T>
void put(Buffers& buffers, const std::string& name, const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  buffers[name] = std::move(bytes);
}

template <typename T>
std::vector<T> get(const Buffers& buffers, const std::string& name) {
  const std::vector<std::byte>& bytes = buffers.at(name);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Draws random numbers. Equal seeds give equal numbers on every machine.
class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(engine_()) % bound; }
  float within(float low, float high) {
    return low + (high - low) * static_cast<float>(below(1U << 20)) / static_cast<float>(1U << 20);
  }
  std::vector<float> floats(std::size_t size, float low = -1, float high = 1) {
    std::vector<float> values(size);
    for (float& value : values) value = within(low, high);
    return values;
  }

 private:
  std::mt19937 engine_;
};

inline std::int64_t whole(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

}  // namespace heddle::kernels
