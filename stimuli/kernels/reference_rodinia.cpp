#include "stimuli/kernels/reference_arguments.h"

namespace heddle::kernels::detail {
namespace {

// A sink has the weighted sum of the sources, to which `steps` multiply-adds are applied.
void forward(const float* values, std::size_t sources, const float* weights, float* results,
             std::size_t sinks, std::size_t steps) {
  for (std::size_t sink = 0; sink < sinks; ++sink) {
    double sum = 0;
    for (std::size_t i = 0; i < sources; ++i)
      sum += static_cast<double>(weights[sink * sources + i]) * values[i];
    for (std::size_t i = 0; i < steps; ++i) sum = sum * 1.0000001F + 1e-6;
    results[sink] = static_cast<float>(sum);
  }
}

// Adds the outer product of the values, and a share of the latest changes, to the weights.
void adjust(float* weights, float* changes, const float* row_values, std::size_t rows,
            const float* column_values, std::size_t columns, double rate, double momentum) {
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column) {
      float& change = changes[row * columns + column];
      change = static_cast<float>(rate * row_values[row] * column_values[column] + momentum * change);
      weights[row * columns + column] += change;
    }
}

void backprop(Buffers& buffers, const Scalars& scalars) {
  const std::size_t inputs = count(scalars, "inputs");
  const std::size_t hidden = count(scalars, "hidden");
  const std::size_t outputs = count(scalars, "outputs");
  const std::size_t steps = count(scalars, "steps");
  const double rate = real(scalars, "rate");
  const double momentum = real(scalars, "momentum");
  const auto* const input_values = view<float>(buffers, "input_values", inputs);
  auto* const hidden_values = view<float>(buffers, "hidden_values", inputs);
  auto* const output_values = view<float>(buffers, "output_values", hidden);
  auto* const hidden_weights = view<float>(buffers, "hidden_weights", hidden * inputs);
  auto* const output_weights = view<float>(buffers, "output_weights", outputs * hidden);
  auto* const hidden_changes = view<float>(buffers, "hidden_changes", hidden * inputs);
  auto* const output_changes = view<float>(buffers, "output_changes", outputs * hidden);
  forward(input_values, inputs, hidden_weights, hidden_values, hidden, steps);
  for (std::size_t round = 0; round < count(scalars, "rounds"); ++round) {
    forward(input_values, inputs, hidden_weights, hidden_values, hidden, steps);
    forward(hidden_values, hidden, output_weights, output_values, outputs, steps);
    adjust(hidden_weights, hidden_changes, hidden_values, inputs, input_values, hidden, rate, momentum);
    adjust(output_weights, output_changes, output_values, hidden, hidden_values, outputs, rate, momentum);
  }
}

}  // namespace

std::vector<Reference> rodinia() {
  return {
      {"rodinia_backprop",
       backprop,
       {{"hidden_values", Element::kFloat, kOfSums},
        {"output_values", Element::kFloat, kOfSums},
        {"hidden_weights", Element::kFloat, kOfSums},
        {"output_weights", Element::kFloat, kOfSums},
        {"hidden_changes", Element::kFloat, kOfSums},
        {"output_changes", Element::kFloat, kOfSums}},
       "sums in single precision"},
  };
}

}  // namespace heddle::kernels::detail
