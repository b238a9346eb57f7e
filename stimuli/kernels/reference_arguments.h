#pragma once
// For the references alone: their arguments with types, and their groups.

#include "stimuli/kernels/references.h"

#include <utility>

namespace heddle::kernels::detail {

// The scalar of that name, which must be an integer of at least 0.
std::size_t count(const Scalars& scalars, const std::string& name);
float real(const Scalars& scalars, const std::string& name);
double real_double(const Scalars& scalars, const std::string& name);

// The bytes of the buffer of that name, of which there must be `bytes` or more.
std::byte* bytes_of(Buffers& buffers, const std::string& name, std::size_t bytes);

template <typename T>
T* view(Buffers& buffers, const std::string& name, std::size_t elements) {
  return reinterpret_cast<T*>(bytes_of(buffers, name, elements * sizeof(T)));
}

// Does step(from, to) so often; the two change roles after each, as they do between launches.
template <typename T, typename Step>
void alternate(T* from, T* to, std::size_t steps, Step step) {
  for (std::size_t i = 0; i < steps; ++i) {
    step(static_cast<const T*>(from), to);
    std::swap(from, to);
  }
}

// Tolerance of sums in single precision, as a share of the largest magnitude.
constexpr double kOfSums = 1e-5;

std::vector<Reference> dense_linear_algebra();
std::vector<Reference> grids();
std::vector<Reference> graphs();
std::vector<Reference> searches();
std::vector<Reference> vectors();
std::vector<Reference> particles();

}  // namespace heddle::kernels::detail
