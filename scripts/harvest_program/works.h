#pragma once
// The kernels of stimuli/kernels with their data, as the launch files of stimuli/launches run them.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scripts/harvest_program/session.h"

namespace harvest {

struct Work {
  std::string name;             // of the launch file
  std::string parameters;       // of the launch file: "n=65536 blocks=64"
  Launch launch;                // enqueues it once
  std::function<bool()> right;  // waits, and returns whether the results are right
};

constexpr unsigned kStreamStep = 4096;  // vectors that a block of stream_read reads in a step
constexpr unsigned kLineBytes = 128;

Work make_vector_add(unsigned n);
Work make_triad(unsigned n, unsigned blocks);
Work make_matrix_multiply(unsigned side);
Work make_black_scholes(unsigned n);
Work make_reduction(unsigned n, unsigned blocks);
Work make_histogram(unsigned n, unsigned blocks);
Work make_multiply_add(unsigned blocks, unsigned threads, unsigned rounds);

// Each block reads `each` vectors of n.
Work make_stream_read(unsigned n, unsigned each, unsigned blocks);
void enqueue_stream_read(const float4* values, float* sums, unsigned n, unsigned each, unsigned blocks,
                         cudaStream_t stream, unsigned threads = 1024);

// `steps` loads through a ring of `footprint` bytes, of which every `stride` bytes one word is read; or
// through 256 words of shared memory.
Work make_pointer_chase(unsigned footprint, unsigned stride, unsigned steps);
Work make_shared_chase(unsigned steps);

// Works that are measured beside each other: one computes, one streams, one uses shared memory. Each takes
// some hundred microseconds on a card of today.
std::vector<Work> make_pair_works(unsigned sms, bool quick);

// Ends the program if the results of a work are wrong.
void require_right(const Work& work);

}  // namespace harvest
