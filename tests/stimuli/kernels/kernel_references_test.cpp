// The references of kernels on vectors and matrices and of searches, and the comparison with them.

#include "stimuli/kernels/references.h"

#include "tests/support/kernel_buffers.h"
#include "tests/support/paths.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>

namespace heddle::kernels {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

void run(std::string_view name, Buffers& buffers, const Scalars& scalars) {
  find_reference(name).run(buffers, scalars);
}

std::string refusal(std::string_view name, Buffers buffers, const Scalars& scalars) {
  try {
    run(name, buffers, scalars);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

// Adds the names of the entries in the PTX of the file.
void add_entries(const std::filesystem::path& file, std::set<std::string>& entries) {
  const std::string before = ".entry ";
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (const auto at = line.find(before); at != std::string::npos) {
      const std::size_t first = at + before.size();
      entries.insert(line.substr(first, line.find('(') - first));
    }
}

TEST(KernelReferences, ThereIsOneForEachKernelAndItsPtxAndTheOthersAreOfEntries) {
  std::set<std::string> sources;
  std::set<std::string> ptx;
  std::set<std::string> entries;
  for (const auto& entry :
       std::filesystem::directory_iterator(heddle::test::source_directory() + "/stimuli/kernels")) {
    if (entry.path().extension() == ".cu") sources.insert(entry.path().stem());
    if (entry.path().extension() != ".ptx") continue;
    ptx.insert(entry.path().stem());
    add_entries(entry.path(), entries);
  }
  std::set<std::string> names;
  for (const Reference& reference : references()) names.emplace(reference.name);
  EXPECT_TRUE(std::includes(names.begin(), names.end(), sources.begin(), sources.end()));
  EXPECT_EQ(ptx, sources);
  for (const std::string& name : names)
    EXPECT_TRUE(sources.count(name) == 1 || entries.count(name) == 1) << name;
  EXPECT_EQ(names.size(), references().size());
}

TEST(KernelReferences, EveryToleranceHasAReason) {
  for (const Reference& reference : references()) {
    EXPECT_FALSE(reference.outputs.empty()) << reference.name;
    for (const Output& output : reference.outputs)
      EXPECT_TRUE(output.tolerance == 0 || !reference.reason.empty()) << reference.name;
  }
}

TEST(KernelReferences, WhatIsMissingOrTooSmallIsNamed) {
  EXPECT_THAT(refusal("vector_add", {}, {}), HasSubstr("no scalar 'n'"));
  EXPECT_THAT(refusal("vector_add", {}, {{"n", 1.5}}), HasSubstr("'n' is not a whole number"));
  EXPECT_THAT(refusal("vector_add", {}, {{"n", whole(2)}}), HasSubstr("no buffer 'a'"));
  Buffers buffers;
  put<float>(buffers, "a", {1});
  EXPECT_EQ(refusal("vector_add", buffers, {{"n", whole(2)}}), "buffer 'a' has 4 bytes, but needs 8");
  EXPECT_THROW(find_reference("vector_ad"), std::invalid_argument);
}

TEST(KernelReferences, DifferencesAreFoundBeyondTheToleranceAndNotWithinIt) {
  const Reference reference = {
      "made_up", nullptr, {{"x", Element::kFloat, 0.01}, {"n", Element::kInt32}}, "a test"};
  Buffers expected;
  put<float>(expected, "x", {1, -10, 0});
  put<std::int32_t>(expected, "n", {7});
  Buffers actual = expected;
  EXPECT_EQ(first_difference(reference, expected, actual), "");
  put<float>(actual, "x", {1.0625F, -10, 0});  // a tenth is 0.01 of the largest
  EXPECT_EQ(first_difference(reference, expected, actual), "");
  put<float>(actual, "x", {1, -10, 0.125F});
  EXPECT_EQ(first_difference(reference, expected, actual), "x[2]: 0 expected, 0.125 found");
  put<float>(actual, "x", {1, std::nanf(""), 0});
  EXPECT_EQ(first_difference(reference, expected, actual), "x[1]: -10 expected, nan found");
  put<float>(actual, "x", {1, -10});
  EXPECT_EQ(first_difference(reference, expected, actual), "x: 3 elements expected, 2 found");
  actual = expected;
  put<std::int32_t>(actual, "n", {8});
  EXPECT_EQ(first_difference(reference, expected, actual), "n[0]: 7 expected, 8 found");
}

TEST(KernelReferences, VectorAddAndTriadAreTheirFormulas) {
  Buffers buffers;
  put<float>(buffers, "a", {1, 2, 3});
  put<float>(buffers, "b", {10, 20, 30});
  put<float>(buffers, "c", {0, 0, 5});
  run("vector_add", buffers, {{"n", whole(2)}});
  EXPECT_THAT(get<float>(buffers, "c"), ElementsAre(11, 22, 5));
  for (const char* const name : {"a", "b", "c"}) put<double>(buffers, name, {1, 2});
  run("triad", buffers, {{"n", whole(2)}, {"scale", 3.0}});
  EXPECT_THAT(get<double>(buffers, "a"), ElementsAre(4, 8));
}

TEST(KernelReferences, AMatrixTimesVectorsIsTheMatrixTimesAMatrixOfThem) {
  constexpr std::size_t kM = 5, kN = 3, kK = 7;
  Draw draw(1);
  Buffers buffers;
  put(buffers, "a", draw.floats(kM * kK));
  const std::vector<float> b = draw.floats(kK * kN);
  put(buffers, "b", b);
  put(buffers, "c", std::vector<float>(kM * kN));
  run("matrix_multiply_tiled", buffers, {{"m", whole(kM)}, {"n", whole(kN)}, {"k", whole(kK)}});
  const std::vector<float> c = get<float>(buffers, "c");
  for (std::size_t column = 0; column < kN; ++column) {
    std::vector<float> x(kK);
    for (std::size_t i = 0; i < kK; ++i) x[i] = b[i * kN + column];
    put(buffers, "x", x);
    put(buffers, "y", std::vector<float>(kM));
    run("matrix_vector", buffers, {{"rows", whole(kM)}, {"columns", whole(kK)}});
    for (std::size_t row = 0; row < kM; ++row) EXPECT_EQ(get<float>(buffers, "y")[row], c[row * kN + column]);
  }
  // One entry in the middle is computed separately.
  double sum = 0;
  for (std::size_t i = 0; i < kK; ++i)
    sum += static_cast<double>(get<float>(buffers, "a")[2 * kK + i]) * b[i * kN + 1];
  EXPECT_NEAR(c[2 * kN + 1], sum, 1e-6);
}

TEST(KernelReferences, ScalarProductsAreOfEachPairAlone) {
  Buffers buffers;
  put<float>(buffers, "a", {1, 2, 3, 4});
  put<float>(buffers, "b", {5, 6, 7, 8});
  put<float>(buffers, "products", {0, 0});
  run("scalar_product", buffers, {{"pairs", whole(2)}, {"length", whole(2)}});
  EXPECT_THAT(get<float>(buffers, "products"), ElementsAre(17, 53));
}

std::vector<float> dominant_matrix(std::size_t n, Draw& draw) {
  std::vector<float> matrix = draw.floats(n * n);
  for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] += static_cast<float>(n);
  return matrix;
}

TEST(KernelReferences, LTimesUIsTheMatrix) {
  constexpr std::size_t kN = 32;
  Draw draw(2);
  const std::vector<float> matrix = dominant_matrix(kN, draw);
  Buffers buffers;
  put(buffers, "matrix", matrix);
  run("lu_decomposition", buffers, {{"n", whole(kN)}});
  const std::vector<float> lu = get<float>(buffers, "matrix");
  for (std::size_t row = 0; row < kN; ++row)
    for (std::size_t column = 0; column < kN; ++column) {
      double sum = row <= column ? lu[row * kN + column] : 0;
      for (std::size_t k = 0; k < row && k <= column; ++k)
        sum += static_cast<double>(lu[row * kN + k]) * lu[k * kN + column];
      EXPECT_NEAR(sum, matrix[row * kN + column], 1e-4);
    }
}

TEST(KernelReferences, TheTriangularSystemHasTheSolutionOfTheWholeOne) {
  constexpr std::size_t kN = 20;
  Draw draw(3);
  const std::vector<float> matrix = dominant_matrix(kN, draw);
  const std::vector<float> solution = draw.floats(kN);
  std::vector<float> right(kN);
  for (std::size_t row = 0; row < kN; ++row)
    right[row] = std::inner_product(solution.begin(), solution.end(), matrix.begin() + row * kN, 0.0F);
  Buffers buffers;
  put(buffers, "matrix", matrix);
  put(buffers, "right_side", right);
  put(buffers, "multipliers", std::vector<float>(kN * kN));
  run("gaussian_elimination", buffers, {{"n", whole(kN)}});
  const std::vector<float> upper = get<float>(buffers, "matrix");
  right = get<float>(buffers, "right_side");
  for (std::size_t row = kN; row-- > 0;) {
    for (std::size_t i = 0; i < row; ++i) EXPECT_EQ(upper[row * kN + i], 0);
    for (std::size_t i = row + 1; i < kN; ++i) right[row] -= upper[row * kN + i] * right[i];
    right[row] /= upper[row * kN + row];
    EXPECT_NEAR(right[row], solution[row], 1e-5);
  }
}

TEST(KernelReferences, APerceptronLearnsItsExample) {
  constexpr std::size_t kInputs = 6, kHidden = 4, kOutputs = 2;
  Draw draw(4);
  Buffers buffers;
  put(buffers, "inputs", draw.floats(kInputs));
  put<float>(buffers, "targets", {0.2F, 0.9F});
  const auto layer = [&](const std::string& name, std::size_t sources, std::size_t sinks) {
    put(buffers, name + "_weights", draw.floats((sources + 1) * sinks));
    put(buffers, name + "_changes", std::vector<float>((sources + 1) * sinks));
    put(buffers, name + "_values", std::vector<float>(sinks));
    put(buffers, name + "_errors", std::vector<float>(sinks));
  };
  layer("hidden", kInputs, kHidden);
  layer("output", kHidden, kOutputs);
  Scalars scalars = {
      {"inputs", whole(kInputs)}, {"hidden", whole(kHidden)}, {"outputs", whole(kOutputs)}, {"rate", 0.5},
      {"momentum", 0.3},          {"examples", whole(1)}};
  run("perceptron", buffers, scalars);
  const float first = std::abs(get<float>(buffers, "output_values")[0] - 0.2F);
  scalars["examples"] = whole(500);
  run("perceptron", buffers, scalars);
  EXPECT_GT(first, 0.05);
  EXPECT_NEAR(get<float>(buffers, "output_values")[0], 0.2, 0.01);
  EXPECT_NEAR(get<float>(buffers, "output_values")[1], 0.9, 0.01);
}

TEST(KernelReferences, SubtractionsOfEachColumnAreTheElimination) {
  constexpr std::size_t kN = 12;
  Draw draw(7);
  Buffers whole_program;
  put(whole_program, "matrix", dominant_matrix(kN, draw));
  put(whole_program, "right_side", draw.floats(kN));
  put(whole_program, "multipliers", std::vector<float>(kN * kN));
  Buffers step_by_step = whole_program;
  run("gaussian_elimination", whole_program, {{"n", whole(kN)}});
  for (std::size_t column = 0; column + 1 < kN; ++column) {
    const std::vector<float> matrix = get<float>(step_by_step, "matrix");
    std::vector<float> multipliers = get<float>(step_by_step, "multipliers");
    for (std::size_t row = column + 1; row < kN; ++row)
      multipliers[row * kN + column] = matrix[row * kN + column] / matrix[column * kN + column];
    put(step_by_step, "multipliers", multipliers);
    run("gaussian_subtract", step_by_step, {{"n", whole(kN)}, {"column", whole(column)}});
  }
  for (const char* const name : {"matrix", "right_side"})
    for (std::size_t i = 0; i < get<float>(whole_program, name).size(); ++i)
      EXPECT_NEAR(get<float>(step_by_step, name)[i], get<float>(whole_program, name)[i], 1e-5) << name;
}

TEST(KernelReferences, AStepOfTheDecompositionLeavesTheRestToTheNextSteps) {
  // With the tiles of the first step in place, the rest is a matrix of its own to decompose.
  constexpr std::size_t kTile = 16, kN = 48, kRest = kN - kTile;
  Draw draw(8);
  Buffers buffers;
  put(buffers, "matrix", dominant_matrix(kN, draw));
  Buffers lu = buffers;
  run("lu_decomposition", lu, {{"n", whole(kN)}});
  const std::vector<float> wanted = get<float>(lu, "matrix");
  std::vector<float> matrix = get<float>(buffers, "matrix");
  for (std::size_t i = 0; i < kN * kN; ++i)
    if (i / kN < kTile || i % kN < kTile) matrix[i] = wanted[i];
  put(buffers, "matrix", matrix);
  run("lu_internal", buffers, {{"n", whole(kN)}, {"first", whole(0)}});
  matrix = get<float>(buffers, "matrix");
  std::vector<float> rest;
  for (std::size_t i = 0; i < kRest * kRest; ++i)
    rest.push_back(matrix[(i / kRest + kTile) * kN + i % kRest + kTile]);
  Buffers after;
  put(after, "matrix", rest);
  run("lu_decomposition", after, {{"n", whole(kRest)}});
  for (std::size_t i = 0; i < kRest * kRest; ++i)
    EXPECT_NEAR(get<float>(after, "matrix")[i], wanted[(i / kRest + kTile) * kN + i % kRest + kTile], 1e-4);
}

TEST(KernelReferences, AWeightChangesByItsErrorItsSourceAndItsLastChange) {
  Buffers buffers;
  put<float>(buffers, "weights", {1, 2, 3, 4});  // one source and the bias, two sinks
  put<float>(buffers, "changes", {10, 20, 30, 40});
  put<float>(buffers, "errors", {1, 2});
  put<float>(buffers, "values", {5});
  run("perceptron_adjust", buffers,
      {{"sources", whole(1)}, {"sinks", whole(2)}, {"rate", 0.5}, {"momentum", 0.25}});
  EXPECT_THAT(get<float>(buffers, "changes"), ElementsAre(5, 10, 8, 11));
  EXPECT_THAT(get<float>(buffers, "weights"), ElementsAre(6, 12, 11, 15));
}

TEST(KernelReferences, PartialSumsOfALayerAddUpToItsSums) {
  constexpr std::size_t kSources = 48, kPitch = 17;
  Draw draw(9);
  Buffers buffers;
  const std::vector<float> values = draw.floats(kSources);
  const std::vector<float> weights = draw.floats(kSources * kPitch);
  put(buffers, "values", values);
  put(buffers, "contributions", weights);
  put(buffers, "partial_sums", std::vector<float>(kSources));
  run("layer_contributions", buffers, {{"sources", whole(kSources)}, {"pitch", whole(kPitch)}});
  for (std::size_t sink = 0; sink < 16; ++sink) {
    double sum = 0;
    for (std::size_t i = 0; i < kSources; ++i)
      sum += static_cast<double>(values[i]) * weights[i * kPitch + sink];
    for (std::size_t block = 0; block < kSources / 16; ++block)
      sum -= get<float>(buffers, "partial_sums")[block * 16 + sink];
    EXPECT_NEAR(sum, 0, 1e-5);
  }
  const std::vector<float> contributions = get<float>(buffers, "contributions");
  EXPECT_EQ(contributions[16], weights[16]);  // the padding
  EXPECT_EQ(contributions[kPitch + 2], weights[kPitch + 2] * values[1]);
  EXPECT_THAT(refusal("layer_contributions", buffers, {{"sources", whole(kSources)}, {"pitch", whole(15)}}),
              HasSubstr("'pitch' is below 16"));
}

TEST(KernelReferences, PrefixesDifferByTheValues) {
  constexpr std::size_t kN = 1100;  // three blocks
  Draw draw(5);
  std::vector<std::int32_t> values(kN);
  for (std::int32_t& value : values) value = static_cast<std::int32_t>(draw.below(2000)) - 1000;
  Buffers buffers;
  put(buffers, "values", values);
  put(buffers, "prefixes", std::vector<std::int32_t>(kN));
  for (const char* const name : {"sums", "sum_prefixes"}) put(buffers, name, std::vector<std::int32_t>(3));
  put<std::int32_t>(buffers, "total", {0});
  run("scan", buffers, {{"n", whole(kN)}});
  const auto prefixes = get<std::int32_t>(buffers, "prefixes");
  EXPECT_EQ(prefixes[0], values[0]);
  for (std::size_t i = 1; i < kN; ++i) ASSERT_EQ(prefixes[i] - prefixes[i - 1], values[i]);
  EXPECT_THAT(get<std::int32_t>(buffers, "sum_prefixes"),
              ElementsAre(prefixes[511], prefixes[1023], prefixes[1099]));
  EXPECT_EQ(get<std::int32_t>(buffers, "sums")[1], prefixes[1023] - prefixes[511]);
  EXPECT_EQ(get<std::int32_t>(buffers, "total")[0], prefixes[1099]);
}

TEST(KernelReferences, AReductionOfOneToNIsItsClosedForm) {
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), 1.0F);
  Buffers buffers;
  put(buffers, "values", values);
  put<float>(buffers, "sums", {0, 0, 0});
  put<float>(buffers, "total", {0});
  run("reduction", buffers, {{"n", whole(1000)}, {"blocks", whole(3)}});
  EXPECT_EQ(get<float>(buffers, "total")[0], 500500);
  // Block 0 has the numbers 1 to 256 and 769 to 1000.
  EXPECT_THAT(get<float>(buffers, "sums"), ElementsAre(32896 + 205204, 98432, 163968));
}

TEST(KernelReferences, AHistogramCountsEachValue) {
  Buffers buffers;
  put<std::uint8_t>(buffers, "values", {3, 255, 3, 0, 3});
  put(buffers, "counts", std::vector<std::uint32_t>(256));
  run("histogram", buffers, {{"n", whole(5)}});
  const auto counts = get<std::uint32_t>(buffers, "counts");
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0U), 5U);
  EXPECT_EQ(counts[3], 3U);
  EXPECT_EQ(counts[255], 1U);
}

TEST(KernelReferences, JaggedDiagonalsAreTheRowsTheyCameFrom) {
  // The matrix is {{1, 0, 2}, {0, 0, 0}, {3, 4, 5}}, with its rows in the order 2, 0, 1.
  Buffers buffers;
  put<float>(buffers, "values", {3, 1, 4, 2, 5});
  put<std::uint32_t>(buffers, "columns", {0, 0, 1, 2, 2});
  put<std::uint32_t>(buffers, "diagonals", {0, 2, 4});
  put<std::uint32_t>(buffers, "lengths", {3, 2, 0});
  put<std::uint32_t>(buffers, "permutation", {2, 0, 1});
  put<float>(buffers, "x", {1, 10, 100});
  put<float>(buffers, "y", {9, 9, 9});
  run("jds_matrix_vector", buffers, {{"rows", whole(3)}, {"width", whole(3)}});
  EXPECT_THAT(get<float>(buffers, "y"), ElementsAre(201, 0, 543));
}

TEST(KernelReferences, OptionsHaveTheTextbooksPrice) {
  // Example of Hull, Options, Futures and Other Derivatives: price 42, strike 40, half a year, 10 %, 20 %.
  Buffers buffers;
  put<float>(buffers, "prices", {42});
  put<float>(buffers, "strikes", {40});
  put<float>(buffers, "years", {0.5F});
  put<float>(buffers, "calls", {0});
  put<float>(buffers, "puts", {0});
  run("black_scholes", buffers, {{"n", whole(1)}, {"rate", 0.1}, {"volatility", 0.2}});
  EXPECT_NEAR(get<float>(buffers, "calls")[0], 4.76, 0.005);
  EXPECT_NEAR(get<float>(buffers, "puts")[0], 0.81, 0.005);
}

}  // namespace
}  // namespace heddle::kernels
