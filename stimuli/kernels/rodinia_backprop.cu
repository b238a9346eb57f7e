// These kernels compute the two layers of a perceptron, a thread for each sink, and add outer products to
// their weights, as the program that was measured as Rodinia's backprop does.
//
// A layer has `sources` values as sources and `sinks` ones as sinks. values: float[sources]. weights:
// float[sinks][sources]. results: float[sinks], written: the weighted sums, after `steps` dependent
// multiply-adds that stand in place of a sigmoid. For backprop_adjust, weights, changes:
// float[rows][columns], row_values: float[rows], column_values: float[columns]; the latest changes of the
// weights give the momentum.
//
// Block: X x 1 x 1. Grid: backprop_hidden, backprop_output ceil(sinks / X), backprop_adjust
// ceil(rows * columns / X). Deterministic.
//
// Host sequence, for `inputs`, `hidden` and `outputs` values of the layers: backprop_hidden once; `rounds`
// times: backprop_hidden, backprop_output, backprop_adjust(hidden weights, hidden values, inputs) with inputs
// x hidden, backprop_adjust(output weights, output values, hidden values) with hidden x outputs. The rows are
// more than the row values that the layers have, as in the measured program; the others are 0.
//
// Source: Rumelhart, Hinton and Williams, Learning Representations by Back-propagating Errors, Nature, 1986.
// The work of a thread, the grids and the arguments: a trace of the measured program for sm_90.
#include "cuda.h"

constexpr float kFactor = 1.0000001F;
constexpr float kTerm = 1e-6F;

HEDDLE_DEVICE void forward(const float* values, const float* weights, float* results, int sources, int sinks,
                           int steps) {
  const int sink = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (sink >= sinks) return;
  const float* const own = weights + static_cast<long long>(sink) * sources;
  float sum = 0;
  for (int i = 0; i < sources; ++i) sum = fmaf(own[i], values[i], sum);
  for (int i = 0; i < steps; ++i) sum = fmaf(sum, kFactor, kTerm);
  results[sink] = sum;
}

HEDDLE_KERNEL backprop_hidden(const float* values, const float* weights, float* results, int sources,
                              int sinks, int steps) {
  forward(values, weights, results, sources, sinks, steps);
}

HEDDLE_KERNEL backprop_output(const float* values, const float* weights, float* results, int sources,
                              int sinks, int steps) {
  forward(values, weights, results, sources, sinks, steps);
}

HEDDLE_KERNEL backprop_adjust(float* weights, float* changes, const float* row_values,
                              const float* column_values, int rows, int columns, float rate, float momentum) {
  const uint64 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= static_cast<uint64>(static_cast<long long>(rows) * columns)) return;
  const int row = static_cast<int>(i / static_cast<uint64>(columns));
  const int column = static_cast<int>(i % static_cast<uint64>(columns));
  const float change = fmaf(rate * row_values[row], column_values[column], momentum * changes[i]);
  weights[i] += change;
  changes[i] = change;
}
