#pragma once
// This file has the typed arguments of the references, and the groups of references. Only the references use
// it.

#include "stimuli/kernels/references.h"

#include <utility>

namespace heddle::kernels::detail {

// The functions below throw std::invalid_argument, which names the scalar or buffer, if it is missing or does
// not fit.

// Returns the scalar of that name, which must be an integer of at least 0.
std::size_t count(const Scalars& scalars, const std::string& name);
float real(const Scalars& scalars, const std::string& name);
double real_double(const Scalars& scalars, const std::string& name);

// Returns the contents of the buffer of that name, which must have at least `bytes` bytes.
std::byte* bytes_of(Buffers& buffers, const std::string& name, std::size_t bytes);

// Returns the buffer as an array of at least `elements` elements.
template <typename T>
T* view(Buffers& buffers, const std::string& name, std::size_t elements) {
  return reinterpret_cast<T*>(bytes_of(buffers, name, elements * sizeof(T)));
}

// Calls step(from, to) `steps` times. `from` and `to` are swapped after each call, as the program swaps the
// buffers after each launch.
template <typename T, typename Step>
void alternate(T* from, T* to, std::size_t steps, Step step) {
  for (std::size_t i = 0; i < steps; ++i) {
    step(static_cast<const T*>(from), to);
    std::swap(from, to);
  }
}

// kOfSums is the tolerance of sums in single precision, as a share of the largest magnitude.
constexpr double kOfSums = 1e-5;
// kOfElimination is the tolerance of eliminations without pivoting in single precision.
constexpr double kOfElimination = 1e-4;

std::vector<Reference> dense_linear_algebra();
std::vector<Reference> grids();
std::vector<Reference> graphs();
std::vector<Reference> searches();
std::vector<Reference> vectors();
std::vector<Reference> particles();
std::vector<Reference> meshes();
std::vector<Reference> bodies();
std::vector<Reference> probes();
std::vector<Reference> polybench();
std::vector<Reference> sdk();
std::vector<Reference> rodinia();
std::vector<Reference> microbenchmarks();

}  // namespace heddle::kernels::detail
