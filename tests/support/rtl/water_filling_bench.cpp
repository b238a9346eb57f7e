// This file draws random problems for the water-filling unit: the performance curves of kernels, the
// resources of their blocks and the limits of an SM. The oracle solves them by Algorithm 1 of Warped-Slicer
// as the paper prints it, with its arrays Q and M, and with the readings that
// policies/sm_partitioner/water_filling.h states.

#include <algorithm>
#include <array>
#include <cstring>

#include "models/core/base/random.h"
#include "models/rtl/roles/rtl_units.h"
#include "policies/sm_partitioner/water_filling.h"
#include "tests/support/rtl/unit_bench.h"

namespace heddle::test {

namespace {

constexpr std::size_t kKernels = 8;
constexpr std::size_t kBlocks = 64;
constexpr std::uint64_t kMostTicks = 16384;

enum Kind : std::uint32_t { kPerformance, kNeed, kLimit, kEntries };
using Amounts = std::array<std::uint64_t, 5>;

Amounts amounts_of(const BlockResources& block) {
  return {block.threads, block.warps, block.registers, block.shared_bytes, block.blocks};
}

class WaterFillingBench final : public UnitBench {
 public:
  explicit WaterFillingBench(std::uint64_t seed) : random_(seed) {}
  // The cases of a machine whose policy asks `machine_unit`, which also is the model.
  WaterFillingBench(std::uint64_t seed, std::unique_ptr<WaterFillingUnit> machine_unit)
      : random_(seed), machine_unit_(std::move(machine_unit)) {}

  void draw() override {
    resets_ = drawn_++ == 0 || (machine_unit_ == nullptr && random_.below(10) == 0);
    if (resets_) problems_ = raises_ = 0;
    draw_problem();
    const std::vector<std::uint32_t> blocks = fill();
    ++problems_;
    answer_.choices = choices_of(blocks);
    answer_.counters = {problems_, raises_};
    if (!large_amounts_) ++model_choices_;
    model_ = large_amounts_             ? answer_.choices
             : machine_unit_ != nullptr ? choices_of(machine_unit_->fill(kernels_, limits_, Cycle{drawn_}))
                                        : choices_of(water_fill(kernels_, limits_));
  }

  const Answer& oracle() const override { return answer_; }
  const std::vector<std::uint64_t>& model() const override { return model_; }
  std::uint64_t model_choices() const override { return model_choices_; }

  // The choices are 1 and the blocks of each kernel, or 0 alone if there is no result.
  Answer ask(RtlInstance& unit) const override {
    if (machine_unit_ != nullptr) return ask_as_machine(unit);
    set(unit, "start_i", 0);
    if (resets_) {
      start(unit);  // a reset stops a problem at any point
      for (std::uint64_t i = 0; i < drawn_ % 100; ++i) {
        unit.eval();
        tick(unit);
      }
      reset(unit);
    }
    write_problem(unit);
    start(unit);
    Answer answer;
    if (!wait_until_done(unit)) return answer;
    answer.choices = read_result(unit);
    answer.counters = {get(unit, "problems_o"), get(unit, "raises_o")};
    return answer;
  }

 private:
  // ---- the unit

  std::vector<std::uint64_t> read_result(RtlInstance& unit) const {
    std::vector<std::uint64_t> choices{get(unit, "feasible_o")};
    for (std::size_t i = 0; i < kernels_.size() && choices[0] != 0; ++i) {
      set(unit, "read_kernel_i", i);
      unit.eval();
      choices.push_back(get(unit, "blocks_o"));
    }
    return choices;
  }

  // Sets the inputs in the order in which RtlWaterFilling sets them, and waits as long as it does. The result
  // is read in the tick in which the unit is done; without one there are no choices.
  Answer ask_as_machine(RtlInstance& unit) const {
    for (const char* pin : {"write_i", "write_kind_i", "write_kernel_i", "write_index_i", "write_value_i",
                            "start_i", "kernels_i", "read_kernel_i"})
      set(unit, pin, 0);
    write_amounts(unit, kLimit, 0, limit_amounts());
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      write_curve(unit, k);
      write(unit, kEntries, k, 0, kernels_[k].performance.size());
      write_amounts(unit, kNeed, k, amounts_of(kernels_[k].block));
    }
    set(unit, "write_i", 0);
    start(unit);
    Answer answer;
    for (std::uint64_t ticks = 0; ticks <= kMostTicks; ++ticks) {
      unit.eval();
      const bool is_done = get(unit, "done_o") != 0;
      if (is_done) answer.choices = read_result(unit);
      tick(unit);
      if (is_done) break;
    }
    return answer;
  }

  void start(RtlInstance& unit) const {
    set(unit, "kernels_i", kernels_.size());
    set(unit, "start_i", 1);
    unit.eval();
    tick(unit);
    set(unit, "start_i", 0);
  }

  static bool wait_until_done(RtlInstance& unit) {
    RtlSignal& done = *unit.find("done_o");
    RtlSignal& clock = *unit.find("clk");
    bool is_done = false;
    for (std::uint64_t ticks = 0; ticks <= kMostTicks && !is_done; ++ticks) {
      unit.eval();
      is_done = done.get() != 0;
      clock.set(1);
      unit.eval();
      clock.set(0);
    }
    unit.eval();
    return is_done && done.get() == 0;  // for one tick
  }

  static void write(RtlInstance& unit, Kind kind, std::size_t kernel, std::size_t index,
                    std::uint64_t value) {
    set(unit, "write_i", 1);
    set(unit, "write_kind_i", kind);
    set(unit, "write_kernel_i", kernel);
    set(unit, "write_index_i", index);
    set(unit, "write_value_i", value);
    unit.eval();
    tick(unit);
  }

  void write_curve(RtlInstance& unit, std::size_t kernel) const {
    const std::vector<double>& curve = kernels_[kernel].performance;
    for (std::size_t i = 0; i < curve.size(); ++i) {
      std::uint64_t value = 0;
      std::memcpy(&value, &curve[i], sizeof value);
      write(unit, kPerformance, kernel, i, value);
    }
  }

  static void write_amounts(RtlInstance& unit, Kind kind, std::size_t kernel, const Amounts& amounts) {
    for (std::size_t r = 0; r < amounts.size(); ++r) write(unit, kind, kernel, r, amounts[r]);
  }

  void write_problem(RtlInstance& unit) const {
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      write_curve(unit, k);
      write_amounts(unit, kNeed, k, amounts_of(kernels_[k].block));
      write(unit, kEntries, k, 0, kernels_[k].performance.size());
    }
    write_amounts(unit, kLimit, 0, limit_amounts());
    // What stands at the inputs after the writes does not count.
    set(unit, "write_i", 0);
    set(unit, "write_kind_i", drawn_ % 4);
    set(unit, "write_value_i", 3);
  }

  // ---- the oracle

  Amounts limit_amounts() const {
    return {limits_.threads, limits_.warps, limits_.registers, limits_.shared_bytes, limits_.block_slots};
  }

  static bool takes(Amounts& left, const BlockResources& block, std::uint64_t blocks) {
    const Amounts need = amounts_of(block);
    for (std::size_t r = 0; r < left.size(); ++r)
      if (need[r] * blocks > left[r]) return false;
    for (std::size_t r = 0; r < left.size(); ++r) left[r] -= need[r] * blocks;
    return true;
  }

  // Lines 1 to 13: the entries of the curve that are better than all before them, and their numbers of
  // blocks.
  static void fill_arrays(const std::vector<double>& curve, std::vector<double>& q,
                          std::vector<std::uint32_t>& m) {
    double best = -1;
    for (std::size_t i = 0; i < curve.size(); ++i) {
      if (curve[i] <= best) continue;
      best = curve[i];
      q.push_back(best);
      m.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }

  std::vector<std::uint32_t> fill() {
    const std::size_t count = kernels_.size();
    std::vector<std::vector<double>> q(count);
    std::vector<std::vector<std::uint32_t>> m(count);
    std::vector<std::size_t> g(count, 0);
    std::vector<bool> full(count, false);
    Amounts left = limit_amounts();
    for (std::size_t k = 0; k < count; ++k) {
      fill_arrays(kernels_[k].performance, q[k], m[k]);
      if (!takes(left, kernels_[k].block, 1)) return {};
    }
    while (std::find(full.begin(), full.end(), false) != full.end()) {
      std::size_t least = count;
      for (std::size_t k = count; k-- > 0;)  // of equals, the first one is left
        if (!full[k] && (least == count || q[k][g[k]] <= q[least][g[least]])) least = k;
      const std::size_t at = g[least];
      if (at + 1 < q[least].size() && takes(left, kernels_[least].block, m[least][at + 1] - m[least][at])) {
        ++g[least];
        ++raises_;
      } else {
        full[least] = true;
      }
    }
    std::vector<std::uint32_t> blocks;
    for (std::size_t k = 0; k < count; ++k) blocks.push_back(m[k][g[k]]);
    return blocks;
  }

  static std::vector<std::uint64_t> choices_of(const std::vector<std::uint32_t>& blocks) {
    std::vector<std::uint64_t> choices{blocks.empty() ? 0u : 1u};
    choices.insert(choices.end(), blocks.begin(), blocks.end());
    return choices;
  }

  // ---- the problems

  // Curves that rise, fall, stand still or do anything, often with equal values.
  std::vector<double> draw_curve(std::size_t entries) {
    const std::uint64_t shape = random_.below(4);
    std::vector<double> curve;
    double level = 0;
    for (std::size_t i = 0; i < entries; ++i) {
      if (shape == 0) level += random_.unit();
      if (shape == 1) level += static_cast<double>(random_.below(3)) / 2;
      if (shape == 2) level = random_.unit();
      if (shape == 3) level = static_cast<double>(random_.below(8));
      curve.push_back(level / static_cast<double>(1 + random_.below(2) * (shape % 2)));
    }
    const double best = *std::max_element(curve.begin(), curve.end());
    for (double& value : curve) value = best > 0 ? value / best : 1;
    return curve;
  }

  void draw_problem() {
    const bool large = random_.below(20) == 0;
    const auto small = [&](std::uint64_t most) {
      return static_cast<std::uint32_t>(random_.below(most + 1));
    };
    kernels_.resize(1 + random_.below(large ? kKernels : 4));
    for (SharingKernel& kernel : kernels_) {
      kernel.performance = draw_curve(1 + random_.below(large ? kBlocks : 8));
      kernel.block = {small(250), small(250), small(250), small(250), 1};
      if (large) kernel.block = {small(20), small(20), small(20), small(20), 1};
    }
    limits_.threads = 1 + small(1500);
    limits_.warps = 1 + small(1500);
    limits_.registers = 1 + small(1500);
    limits_.shared_bytes = 1 + small(1500);
    limits_.block_slots = 1 + small(large ? 512 : 20);
    large_amounts_ = machine_unit_ == nullptr && random_.below(50) == 0;
    if (large_amounts_) use_large_amounts();
  }

  // Amounts of almost 32 bits, whose sums need 33. The model is not asked, because its sums have 32.
  void use_large_amounts() {
    limits_.registers = ~std::uint32_t{0} - static_cast<std::uint32_t>(random_.below(3));
    for (SharingKernel& kernel : kernels_)
      kernel.block.registers = (std::uint32_t{1} << 29) - static_cast<std::uint32_t>(random_.below(2));
  }

  Random random_;
  const std::unique_ptr<WaterFillingUnit> machine_unit_ = nullptr;
  std::uint64_t drawn_ = 0;
  std::uint64_t problems_ = 0;
  std::uint64_t raises_ = 0;

  bool resets_ = false;
  bool large_amounts_ = false;
  std::vector<SharingKernel> kernels_;
  SmLimits limits_;
  Answer answer_;
  std::vector<std::uint64_t> model_;
  std::uint64_t model_choices_ = 0;
};

}  // namespace

std::vector<Unit> water_filling_units() {
  return {{{"water_filling_unit", {"water_filling_unit.sv"}, {}},
           110000,
           100000,
           [](std::uint64_t seed) { return std::make_unique<WaterFillingBench>(seed); },
           [](std::uint64_t seed, RtlBlock& block) {
             return std::make_unique<WaterFillingBench>(
                 seed, std::make_unique<RtlWaterFilling>(block, "partitioner"));
           }}};
}

}  // namespace heddle::test
