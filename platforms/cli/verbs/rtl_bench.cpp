#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>

#include "models/core/base/random.h"
#include "models/core/config/config.h"
#include "models/rtl/rtl_check.h"
#include "models/stats/writers.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"
#include "platforms/cli/verbs/rtl_options.h"
#include "platforms/load/read_rtl.h"
#include "platforms/run/job.h"

namespace heddle {

namespace {

struct RtlBenchOptions {
  RtlOptions rtl;
  std::uint64_t cycles = 1'000'000;
};

// An instance that is driven as a bench does: pins that are neither clock, reset nor constant get values.
class Bench {
 public:
  Bench(const RtlSpec& spec, const RtlLibrary& library) : block_(library.create(spec.seed, spec.vectors)) {
    for (const RtlClock& clock : spec.clocks) clocks_.push_back(block_->find(clock.pin));
    for (const RtlPin& pin : spec.pins) {
      RtlSignal* const signal = block_->find(pin.pin);
      if (signal->direction() != HEDDLE_RTL_INPUT) continue;
      signal->clear();
      if (pin.signal.empty())
        signal->set(pin.constant);
      else
        inputs_.push_back(signal);
    }
    for (const RtlReset& reset : spec.resets) {
      RtlSignal* const signal = block_->find(reset.pin);
      signal->set(reset.active_high ? 1 : 0);
      cycle(reset.cycles);
      signal->set(reset.active_high ? 0 : 1);
      cycle(reset.then);
    }
  }

  // Runs cycles of two evaluations with inputs as they are.
  void cycle(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) tick();
  }
  void random_cycles(std::uint64_t count, Random& random) {
    for (std::uint64_t i = 0; i < count; ++i) {
      randomise(random);
      tick();
    }
  }
  // Does what random_cycles() does without the evaluations.
  void random_inputs(std::uint64_t count, Random& random) {
    for (std::uint64_t i = 0; i < count; ++i) randomise(random);
  }

 private:
  void tick() {
    for (RtlSignal* clock : clocks_) clock->set(0);
    block_->eval();
    for (RtlSignal* clock : clocks_) clock->set(1);
    block_->eval();
  }
  void randomise(Random& random) {
    for (RtlSignal* input : inputs_)
      for (std::uint32_t low = 0; low < input->bits(); low += 64) {
        const std::uint32_t count = std::min(64u, input->bits() - low);
        input->set(low, count, random.next() >> (64 - count));
      }
  }

  std::unique_ptr<RtlInstance> block_;
  std::vector<RtlSignal*> clocks_;
  std::vector<RtlSignal*> inputs_;
};

// Returns the CPU time of an action.
double seconds_of(const std::function<void()>& action) {
  const double begin = cpu_seconds();
  action();
  return cpu_seconds() - begin;
}

int bench_block(const RtlBenchOptions& options) {
  const RtlSpec spec = load_rtl_block(options.rtl.block);
  const auto library = load_rtl_library(spec, options.rtl.build);
  check_pins(spec, *library);
  const auto cycles = static_cast<double>(options.cycles);
  constexpr std::uint64_t kInstances = 100;
  Bench bench(spec, *library);
  Random random(spec.seed);
  bench.random_cycles(1000, random);
  const double inputs = seconds_of([&] { bench.random_inputs(options.cycles, random); });
  const double busy = seconds_of([&] { bench.random_cycles(options.cycles, random); });
  const double idle = seconds_of([&] { bench.cycle(options.cycles); });
  const double made = seconds_of([&] {
    for (std::uint64_t i = 0; i < kInstances; ++i) library->create(i);
  });

  Table table({{"measure"}, {"value", Table::Align::kRight}, {"unit"}});
  const auto row = [&](const char* what, double value, const char* unit) {
    table.add_row({what, fmt::format("{:.1f}", value), unit});
  };
  // Over few cycles the noise of the two times may exceed their difference.
  row("cycle of two evaluations, random inputs", std::max(busy - inputs, 0.0) / cycles * 1e9, "ns");
  row("cycle of two evaluations, inputs at rest", idle / cycles * 1e9, "ns");
  row("setting the random inputs", inputs / cycles * 1e9, "ns a cycle");
  row("making and destroying an instance", made / static_cast<double>(kInstances) * 1e6, "us");
  table.print(std::cout);
  std::cout << fmt::format("\nCPU time of {} cycles and {} instances.\n", options.cycles, kInstances);
  return 0;
}

void declare_rtl_bench(CLI::App& verb, RtlBenchOptions& options) {
  declare_rtl_options(verb, options.rtl);
  verb.add_option("--cycles", options.cycles, "cycles to measure (default: 1000000)")
      ->check(check_count)
      ->check(CLI::Range(1, 1'000'000'000));
}

const VerbRegistration kRtlBench("rtl bench", 30, "Measure what a cycle of a block costs, in CPU time",
                                 declare_rtl_bench, bench_block);

}  // namespace

}  // namespace heddle
