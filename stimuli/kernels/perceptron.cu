// These kernels train a perceptron of two layers with one example: forward pass, errors, adjustment of the
// weights.
//
// The first layer has `inputs` values as sources and `hidden` ones as sinks, the second one has `hidden`
// sources and `outputs` sinks. For a layer, weights, changes: float[sources + 1][sinks]; the source of the
// last row, the bias, is 1.0. values: float[sources]. results: float[sinks], written: the sigmoid of the
// weighted sums. output_errors: float[outputs], hidden_errors: float[hidden], both written: the errors of the
// example. changes has the latest changes of the weights, which give the momentum.
//
// Block: 256 x 1 x 1. Grid: perceptron_forward one block per sink; perceptron_errors 1; perceptron_adjust
// ceil((sources + 1) * sinks / 256). Deterministic.
//
// Host sequence: perceptron_forward(inputs, hidden_weights, hidden_values); perceptron_forward(hidden_values,
// output_weights, output_values); perceptron_errors; perceptron_adjust(output_weights, output_changes,
// output_errors, hidden_values); perceptron_adjust(hidden_weights, hidden_changes, hidden_errors, inputs).
// The whole sequence is repeated `examples` times.
//
// Source: Rumelhart, Hinton and Williams, Learning Representations by Back-propagating Errors, Nature, 1986.
#include "cuda.h"

constexpr unsigned kBlock = 256;

HEDDLE_KERNEL perceptron_forward(const float* values, const float* weights, float* results, unsigned sources,
                                 unsigned sinks) {
  __shared__ float sums[kBlock];
  const unsigned thread = threadIdx.x;
  const unsigned sink = blockIdx.x;
  float sum = thread == 0 ? weights[sources * sinks + sink] : 0;
  for (unsigned i = thread; i < sources; i += kBlock) sum = fmaf(values[i], weights[i * sinks + sink], sum);
  sums[thread] = sum;
  __syncthreads();
  for (unsigned half = kBlock / 2; half > 0; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    __syncthreads();
  }
  if (thread == 0) results[sink] = 1 / (1 + exp_approx(-sums[0]));
}

HEDDLE_KERNEL perceptron_errors(const float* hidden_values, const float* output_values, const float* targets,
                                const float* output_weights, float* output_errors, float* hidden_errors,
                                unsigned hidden, unsigned outputs) {
  for (unsigned i = threadIdx.x; i < outputs; i += kBlock) {
    const float value = output_values[i];
    output_errors[i] = value * (1 - value) * (targets[i] - value);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < hidden; i += kBlock) {
    float sum = 0;
    for (unsigned j = 0; j < outputs; ++j) sum = fmaf(output_errors[j], output_weights[i * outputs + j], sum);
    const float value = hidden_values[i];
    hidden_errors[i] = value * (1 - value) * sum;
  }
}

HEDDLE_KERNEL perceptron_adjust(float* weights, float* changes, const float* errors, const float* values,
                                unsigned sources, unsigned sinks, float rate, float momentum) {
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= (sources + 1) * sinks) return;
  const unsigned source = i / sinks;
  const float value = source < sources ? values[source] : 1;
  const float change = rate * errors[i % sinks] * value + momentum * changes[i];
  weights[i] += change;
  changes[i] = change;
}
