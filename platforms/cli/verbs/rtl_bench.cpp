#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iostream>

#include "models/core/base/random.h"
#include "models/core/config/config.h"
#include "models/rtl/interfaces/rtl_interface.h"
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

// A block of the memory path that always has a request. A quarter of the requests are writes. Memory behind
// the block always takes requests and answers in the next cycle.
class RequestBench {
 public:
  explicit RequestBench(const RtlSpec& spec)
      : random_(spec.seed),
        block_(spec, equal_periods(spec)),
        interface_(block_, "bench", kSector,
                   [this](const std::string& output, const std::string& expected, const std::string& got) {
                     interface_.port().fail(fmt::format("{} is {}, not {}", output, got, expected));
                   }) {
    interface_.reset();
  }

  void cycles(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) tick();
  }
  std::uint64_t answered() const { return answered_; }

 private:
  static constexpr std::uint32_t kSector = 32;     // bytes of a request
  static constexpr std::uint64_t kSectors = 4096;  // that are accessed

  RtlRequest draw() {
    RtlRequest request;
    request.address = random_.below(kSectors) * kSector;
    request.bytes = kSector;
    request.write = random_.below(4) == 0;
    if (request.write) request.enables[0] = 0xffffffff;
    return request;
  }

  void tick() {
    if (interface_.memory() != nullptr)
      for (Ring<RtlMemoryBurst>& bursts = interface_.memory()->bursts(); !bursts.empty(); bursts.pop())
        interface_.memory()->answered(bursts.front().request);
    if (interface_.requests().can_give()) interface_.requests().give(draw());
    interface_.tick(now_, true, true);
    for (Ring<RtlAnswer>& answers = interface_.requests().answers(); !answers.empty(); answers.pop())
      ++answered_;
    now_ = now_ + 1;
  }

  Random random_;
  RtlBlock block_;
  RtlInterface interface_;
  Cycle now_{1};
  std::uint64_t answered_ = 0;
};

// Returns the CPU time of an action.
double seconds_of(const std::function<void()>& action) {
  const double begin = cpu_seconds();
  action();
  return cpu_seconds() - begin;
}

// What a cycle costs: rows of the table.
class Measures {
 public:
  explicit Measures(std::uint64_t cycles) : cycles_(cycles) {}

  void choices(Bench& bench, Random& random) {
    bench.random_cycles(1000, random);
    const double inputs = seconds_of([&] { bench.random_inputs(cycles_, random); });
    const double busy = seconds_of([&] { bench.random_cycles(cycles_, random); });
    // Over few cycles the noise of the two times may exceed their difference.
    add_cycle("cycle of two evaluations, random inputs", std::max(busy - inputs, 0.0), "ns");
    add_cycle("setting the random inputs", inputs, "ns a cycle");
  }
  void requests(RequestBench& bench) {
    const double busy = seconds_of([&] { bench.cycles(cycles_); });
    add_cycle("cycle of two evaluations, random requests, with driving the pins", busy, "ns");
    add("requests answered", static_cast<double>(bench.answered()) / static_cast<double>(cycles_) * 1000,
        "in 1000 cycles");
  }
  void rest(Bench& bench) {
    add_cycle("cycle of two evaluations, inputs at rest", seconds_of([&] { bench.cycle(cycles_); }), "ns");
  }
  void instances(const RtlLibrary& library) {
    constexpr std::uint64_t kInstances = 100;
    const double made = seconds_of([&] {
      for (std::uint64_t i = 0; i < kInstances; ++i) library.create(i);
    });
    add("making and destroying an instance", made / static_cast<double>(kInstances) * 1e6, "us");
    note_ = fmt::format("\nCPU time of {} cycles and {} instances.\n", cycles_, kInstances);
  }
  void print() {
    table_.print(std::cout);
    std::cout << note_;
  }

 private:
  void add(const char* what, double value, const char* unit) {
    table_.add_row({what, fmt::format("{:.1f}", value), unit});
  }
  void add_cycle(const char* what, double seconds, const char* unit) {
    add(what, seconds / static_cast<double>(cycles_) * 1e9, unit);
  }

  const std::uint64_t cycles_;
  Table table_{{{"measure"}, {"value", Table::Align::kRight}, {"unit"}}};
  std::string note_;
};

int bench_block(const RtlBenchOptions& options) {
  RtlSpec spec = load_rtl_block(options.rtl);
  const auto library = load_rtl_library(spec, options.rtl.build);
  spec.source.library = library->file();
  check_pins(spec, *library);
  Measures measures(options.cycles);
  Bench bench(spec, *library);
  Random random(spec.seed);
  if (find_rtl_role(spec.role)->is_interface) {
    RequestBench requests(spec);
    measures.requests(requests);
  } else {
    measures.choices(bench, random);
  }
  measures.rest(bench);
  measures.instances(*library);
  measures.print();
  return 0;
}

void declare_rtl_bench(CommandLine& verb, RtlBenchOptions& options) {
  declare_rtl_options(verb, options.rtl);
  verb.add_option("--cycles", options.cycles, "cycles to measure (default: 1000000)")
      .check(check_count)
      .range(1, 1'000'000'000);
}

const VerbRegistration kRtlBench("rtl bench", 30, "Measure what a cycle of a block costs, in CPU time",
                                 declare_rtl_bench, bench_block);

}  // namespace

}  // namespace heddle
