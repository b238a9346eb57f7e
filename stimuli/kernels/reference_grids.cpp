#include "stimuli/kernels/reference_arguments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace heddle::kernels::detail {
namespace {

constexpr double kPi = 3.14159265358979323846;

void stencil_5_point(Buffers& buffers, const Scalars& scalars) {
  const std::size_t width = count(scalars, "width");
  const std::size_t height = count(scalars, "height");
  const float center = real(scalars, "center");
  const float neighbor = real(scalars, "neighbor");
  alternate(view<float>(buffers, "source", width * height),
            view<float>(buffers, "destination", width * height), count(scalars, "steps"),
            [&](const float* from, float* to) {
              std::copy(from, from + width * height, to);
              for (std::size_t y = 1; y + 1 < height; ++y)
                for (std::size_t x = 1; x + 1 < width; ++x) {
                  const float* const at = from + y * width + x;
                  const float vertical = at[-static_cast<std::ptrdiff_t>(width)] + at[width];
                  to[y * width + x] = std::fma(center, at[0], neighbor * (vertical + (at[-1] + at[1])));
                }
            });
}

// Returns the value at the point of the grid that is nearest to (row, column).
double near(const float* grid, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t row,
            std::ptrdiff_t column) {
  row = std::clamp<std::ptrdiff_t>(row, 0, rows - 1);
  return grid[row * columns + std::clamp<std::ptrdiff_t>(column, 0, columns - 1)];
}

void thermal_step(Buffers& buffers, const Scalars& scalars) {
  const auto rows = static_cast<std::ptrdiff_t>(count(scalars, "rows"));
  const auto columns = static_cast<std::ptrdiff_t>(count(scalars, "columns"));
  const std::size_t cells = static_cast<std::size_t>(rows * columns);
  const double per_capacity = real(scalars, "per_capacity");
  const double per_x = real(scalars, "per_x");
  const double per_y = real(scalars, "per_y");
  const double per_z = real(scalars, "per_z");
  const double ambient = real(scalars, "ambient");
  const auto* const power = view<float>(buffers, "power", cells);
  alternate(view<float>(buffers, "temperature_in", cells), view<float>(buffers, "temperature_out", cells),
            count(scalars, "steps"), [&](const float* from, float* to) {
              for (std::ptrdiff_t row = 0; row < rows; ++row)
                for (std::ptrdiff_t column = 0; column < columns; ++column) {
                  const std::ptrdiff_t at = row * columns + column;
                  const auto rise = [&](std::ptrdiff_t down, std::ptrdiff_t right) {
                    return near(from, rows, columns, row + down, column + right) - from[at];
                  };
                  double heat = power[at] + (ambient - from[at]) * per_z;
                  heat += (rise(-1, 0) + rise(1, 0)) * per_y;
                  heat += (rise(0, -1) + rise(0, 1)) * per_x;
                  to[at] = static_cast<float>(from[at] + per_capacity * heat);
                }
            });
}

struct Image {
  std::ptrdiff_t rows;
  std::ptrdiff_t columns;
  std::size_t points;
  float* values;
  float* coefficients;
  float* gradients;
};

// Computes the gradients and the diffusion coefficient of a point from the coefficient of variation (Yu and
// Acton, 2002). Points beyond the edge have the value of the nearest point.
void make_coefficient(const Image& image, double speckle, std::ptrdiff_t row, std::ptrdiff_t column) {
  constexpr std::array<std::array<int, 2>, 4> kDirections = {{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
  const auto at = static_cast<std::size_t>(row * image.columns + column);
  const double value = image.values[at];
  double squares = 0;
  double laplacian = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto [down, right] = kDirections[i];
    const double gradient = near(image.values, image.rows, image.columns, row + down, column + right) - value;
    image.gradients[i * image.points + at] = static_cast<float>(gradient);
    squares += gradient * gradient;
    laplacian += gradient;
  }
  const double ratio = laplacian / value;
  const double variation = (squares / (2 * value * value) - ratio * ratio / 16) / std::pow(1 + ratio / 4, 2);
  const double coefficient = 1 / (1 + (variation - speckle) / (speckle * (1 + speckle)));
  image.coefficients[at] = static_cast<float>(std::clamp(coefficient, 0.0, 1.0));
}

// Performs one step of the discrete update of a point (Yu and Acton, 2002).
void diffuse(const Image& image, double rate, std::ptrdiff_t row, std::ptrdiff_t column) {
  const auto at = static_cast<std::size_t>(row * image.columns + column);
  const auto gradient = [&](std::size_t i) {
    return static_cast<double>(image.gradients[i * image.points + at]);
  };
  const double below = near(image.coefficients, image.rows, image.columns, row + 1, column);
  const double beside = near(image.coefficients, image.rows, image.columns, row, column + 1);
  const double divergence =
      image.coefficients[at] * (gradient(0) + gradient(2)) + below * gradient(1) + beside * gradient(3);
  image.values[at] = static_cast<float>(image.values[at] + rate / 4 * divergence);
}

Image image_of(Buffers& buffers, const Scalars& scalars) {
  Image image = {};
  image.rows = static_cast<std::ptrdiff_t>(count(scalars, "rows"));
  image.columns = static_cast<std::ptrdiff_t>(count(scalars, "columns"));
  image.points = static_cast<std::size_t>(image.rows * image.columns);
  image.values = view<float>(buffers, "image", image.points);
  image.coefficients = view<float>(buffers, "coefficients", image.points);
  image.gradients = view<float>(buffers, "gradients", 4 * image.points);
  return image;
}

void diffusion_coefficients(Buffers& buffers, const Scalars& scalars) {
  const Image image = image_of(buffers, scalars);
  const double speckle = real(scalars, "speckle");
  for (std::ptrdiff_t row = 0; row < image.rows; ++row)
    for (std::ptrdiff_t column = 0; column < image.columns; ++column)
      make_coefficient(image, speckle, row, column);
}

void diffusion_update(Buffers& buffers, const Scalars& scalars) {
  const Image image = image_of(buffers, scalars);
  const double rate = real(scalars, "rate");
  for (std::ptrdiff_t row = 0; row < image.rows; ++row)
    for (std::ptrdiff_t column = 0; column < image.columns; ++column) diffuse(image, rate, row, column);
}

void diffusion(Buffers& buffers, const Scalars& scalars) {
  for (std::size_t step = 0; step < count(scalars, "steps"); ++step) {
    diffusion_coefficients(buffers, scalars);
    diffusion_update(buffers, scalars);
  }
}

void image_extract(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  auto* const image = view<float>(buffers, "image", n);
  for (std::size_t i = 0; i < n; ++i) image[i] = static_cast<float>(std::exp(image[i] / 255.0));
}

void image_prepare(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  const auto* const image = view<float>(buffers, "image", n);
  auto* const squares = view<float>(buffers, "squares", n);
  std::copy(image, image + n, view<float>(buffers, "values", n));
  for (std::size_t i = 0; i < n; ++i) squares[i] = image[i] * image[i];
}

constexpr std::size_t kSumsOfBlock = 256;

// Replaces the first of each 256 elements that are `stride` apart by the sum of these.
void sum_blocks(float* elements, std::size_t left, std::size_t stride) {
  for (std::size_t first = 0; first < left; first += kSumsOfBlock) {
    double sum = 0;
    for (std::size_t i = first; i < std::min(first + kSumsOfBlock, left); ++i) sum += elements[i * stride];
    elements[first * stride] = static_cast<float>(sum);
  }
}

void image_sums(Buffers& buffers, const Scalars& scalars) {
  const std::size_t left = count(scalars, "left");
  const std::size_t stride = count(scalars, "stride");
  if (left == 0) throw std::invalid_argument("scalar 'left' is 0");
  for (const char* const name : {"values", "squares"})
    sum_blocks(view<float>(buffers, name, (left - 1) * stride + 1), left, stride);
}

void image_compress(Buffers& buffers, const Scalars& scalars) {
  const std::size_t n = count(scalars, "n");
  auto* const image = view<float>(buffers, "image", n);
  for (std::size_t i = 0; i < n; ++i)
    image[i] = static_cast<float>(255 * std::log(static_cast<double>(image[i])));
}

void speckle_statistics(Buffers& buffers, const Scalars& scalars) {
  image_extract(buffers, scalars);
  image_prepare(buffers, scalars);
  std::size_t stride = 1;
  for (std::size_t left = count(scalars, "n"); left > 1; left = (left + kSumsOfBlock - 1) / kSumsOfBlock) {
    for (const char* const name : {"values", "squares"})
      sum_blocks(view<float>(buffers, name, (left - 1) * stride + 1), left, stride);
    stride *= kSumsOfBlock;
  }
  image_compress(buffers, scalars);
}

void dct_8x8(Buffers& buffers, const Scalars& scalars) {
  const std::size_t width = count(scalars, "width");
  const std::size_t height = count(scalars, "height");
  const auto* const image = view<float>(buffers, "image", width * height);
  auto* const transform = view<float>(buffers, "transform", width * height);
  std::array<std::array<double, 8>, 8> basis{};  // by frequency and place
  for (std::size_t frequency = 0; frequency < 8; ++frequency)
    for (std::size_t at = 0; at < 8; ++at)
      basis[frequency][at] = std::sqrt((frequency == 0 ? 1 : 2) / 8.0) *
                             std::cos(static_cast<double>((2 * at + 1) * frequency) * kPi / 16);
  for (std::size_t v = 0; v < height; ++v)
    for (std::size_t u = 0; u < width; ++u) {
      const float* const tile = image + v / 8 * 8 * width + u / 8 * 8;
      double sum = 0;
      for (std::size_t y = 0; y < 8; ++y)
        for (std::size_t x = 0; x < 8; ++x) sum += basis[u % 8][x] * basis[v % 8][y] * tile[y * width + x];
      transform[v * width + u] = static_cast<float>(sum);
    }
}

// A Velocity is one of the velocities of the lattice, which have at most two components other than zero. They
// have the order of the kernel.
struct Velocity {
  int x, y, z;
  double weight;
};

std::vector<Velocity> lattice_velocities() {
  std::vector<Velocity> all = {{0, 0, 0, 1 / 3.0}};
  const auto pair = [&all](int x, int y, int z, double weight) {
    all.push_back({x, y, z, weight});
    all.push_back({-x, -y, -z, weight});
  };
  pair(1, 0, 0, 1 / 18.0);
  pair(0, 1, 0, 1 / 18.0);
  pair(0, 0, 1, 1 / 18.0);
  for (const int sign : {1, -1}) pair(1, sign, 0, 1 / 36.0);
  for (const int sign : {1, -1}) pair(1, 0, sign, 1 / 36.0);
  for (const int sign : {1, -1}) pair(0, 1, sign, 1 / 36.0);
  return all;
}

void collide(const std::vector<Velocity>& velocities, float* populations, std::size_t cells, double omega) {
  double density = 0;
  std::array<double, 3> flow = {};
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    const double population = populations[i * cells];
    density += population;
    flow[0] += population * velocities[i].x;
    flow[1] += population * velocities[i].y;
    flow[2] += population * velocities[i].z;
  }
  for (double& component : flow) component /= density;
  const double energy = flow[0] * flow[0] + flow[1] * flow[1] + flow[2] * flow[2];
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    const auto& [x, y, z, weight] = velocities[i];
    const double along = x * flow[0] + y * flow[1] + z * flow[2];
    const double equilibrium = weight * density * (1 + 3 * along + 4.5 * along * along - 1.5 * energy);
    populations[i * cells] = static_cast<float>((1 - omega) * populations[i * cells] + omega * equilibrium);
  }
}

// All populations move to the next cell of their direction. Then a fluid cell collides, and a solid cell
// reverses its populations.
void lattice_boltzmann(Buffers& buffers, const Scalars& scalars) {
  const std::size_t width = count(scalars, "width");
  const std::size_t height = count(scalars, "height");
  const std::size_t depth = count(scalars, "depth");
  const std::size_t cells = width * height * depth;
  const std::vector<Velocity> velocities = lattice_velocities();
  const double omega = real(scalars, "omega");
  const auto* const solid = view<std::uint8_t>(buffers, "solid", cells);
  const auto ahead = [](std::size_t at, int by, std::size_t size) { return (at + size + by) % size; };
  alternate(view<float>(buffers, "source", velocities.size() * cells),
            view<float>(buffers, "destination", velocities.size() * cells), count(scalars, "steps"),
            [&](const float* from, float* to) {
              for (std::size_t i = 0; i < velocities.size(); ++i)
                for (std::size_t at = 0; at < cells; ++at) {
                  const std::size_t x = ahead(at % width, velocities[i].x, width);
                  const std::size_t y = ahead(at / width % height, velocities[i].y, height);
                  const std::size_t z = ahead(at / width / height, velocities[i].z, depth);
                  to[i * cells + (z * height + y) * width + x] = from[i * cells + at];
                }
              for (std::size_t at = 0; at < cells; ++at) {
                if (!solid[at]) collide(velocities, to + at, cells, omega);
                for (std::size_t i = 1; solid[at] && i < velocities.size(); i += 2)
                  std::swap(to[i * cells + at], to[(i + 1) * cells + at]);
              }
            });
}

constexpr double kOfSteps = 1e-5;
constexpr double kOfDiffusion = 1e-4;
constexpr std::string_view kDiffusion =
    "single precision; gradients are differences of values much larger than they";
constexpr std::string_view kLogarithm = "approximate exponential and logarithm, and sums in single precision";

}  // namespace

std::vector<Reference> grids() {
  return {
      {"stencil_5_point", stencil_5_point, {{"source", Element::kFloat}, {"destination", Element::kFloat}}},
      {"thermal_step",
       thermal_step,
       {{"temperature_in", Element::kFloat, kOfSteps}, {"temperature_out", Element::kFloat, kOfSteps}},
       "single precision, and products that may be fused with sums"},
      {"diffusion",
       diffusion,
       {{"image", Element::kFloat, kOfDiffusion},
        {"coefficients", Element::kFloat, kOfDiffusion},
        {"gradients", Element::kFloat, kOfDiffusion}},
       kDiffusion},
      {"diffusion_coefficients",
       diffusion_coefficients,
       {{"coefficients", Element::kFloat, kOfDiffusion}, {"gradients", Element::kFloat, kOfDiffusion}},
       kDiffusion},
      {"diffusion_update", diffusion_update, {{"image", Element::kFloat, kOfDiffusion}}, kDiffusion},
      {"speckle_statistics",
       speckle_statistics,
       {{"image", Element::kFloat, kOfSums},
        {"values", Element::kFloat, kOfSums},
        {"squares", Element::kFloat, kOfSums}},
       kLogarithm},
      {"image_extract", image_extract, {{"image", Element::kFloat, kOfSums}}, kLogarithm},
      {"image_prepare", image_prepare, {{"values", Element::kFloat}, {"squares", Element::kFloat}}},
      {"image_sums",
       image_sums,
       {{"values", Element::kFloat, kOfSums}, {"squares", Element::kFloat, kOfSums}},
       kLogarithm},
      {"image_compress", image_compress, {{"image", Element::kFloat, kOfSums}}, kLogarithm},
      {"dct_8x8", dct_8x8, {{"transform", Element::kFloat, kOfSteps}}, "sums in single precision"},
      {"dct_tiles", dct_8x8, {{"transform", Element::kFloat, kOfSteps}}, "sums in single precision"},
      {"lattice_boltzmann",
       lattice_boltzmann,
       {{"source", Element::kFloat, kOfSteps}, {"destination", Element::kFloat, kOfSteps}},
       "single precision, and products that may be fused with sums"},
  };
}

}  // namespace heddle::kernels::detail
