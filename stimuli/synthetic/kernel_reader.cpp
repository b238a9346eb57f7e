#include "stimuli/synthetic/kernel_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "models/core/base/random.h"
#include "models/core/config/config_names.h"
#include "stimuli/synthetic/synthetic_code.h"

namespace heddle {

namespace {

using Kind = SyntheticEntry::Kind;

const std::vector<std::string> kVerbs{"op",      "mix",  "load", "store", "atomic",
                                      "barrier", "loop", "if",   "phase"};
const std::vector<std::string> kUnits{"lanes", "warps", "blocks"};
constexpr std::int64_t kMostTimesRound = std::int64_t{1} << 31;
constexpr std::int64_t kMostCount = kMostSyntheticInstructions;
constexpr std::int64_t kMostRegisters = kFirstPredicate;
constexpr std::size_t kMostDifferentPhases =
    kMostPhases - 2;  // beside that at the entry and that of the launch

// Returns the names that `op` and `mix` may state: those of the operations that only compute.
const std::vector<std::string>& operation_names() {
  static const std::vector<std::string> known = [] {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kOperations; ++i) {
      const auto operation = static_cast<Operation>(i);
      if (!is_memory(operation) && operation != Operation::kBranch && operation != Operation::kBarrier &&
          operation != Operation::kPhase && operation != Operation::kExit &&
          (operation < Operation::kCopyCommit || operation > Operation::kProductWait))
        names.emplace_back(name_of(operation));
    }
    return names;
  }();
  return known;
}

Operation operation_of(const std::string& name) {
  for (std::size_t i = 0; i < kOperations; ++i)
    if (name == name_of(static_cast<Operation>(i))) return static_cast<Operation>(i);
  return Operation::kNop;
}

// Divides `count` in proportion to the weights by the method of largest remainders. Of equal remainders the
// first one gets the unit.
std::vector<std::uint32_t> apportion(const std::vector<double>& weights, std::uint32_t count) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::uint32_t> shares;
  std::vector<std::size_t> order(weights.size());
  std::vector<double> rests;
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const double weight : weights) {
    const double share = weight / total * count;
    shares.push_back(static_cast<std::uint32_t>(share));
    rests.push_back(share - std::floor(share));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rests[a] > rests[b]; });
  std::uint32_t left = count - std::min(count, std::accumulate(shares.begin(), shares.end(), 0u));
  for (std::size_t i = 0; i < order.size() && left > 0; ++i, --left) ++shares[order[i]];
  return shares;
}

class KernelReader {
 public:
  KernelReader(const config::Section& section, VirtualSpace& space, SyntheticKernel& kernel)
      : section_(section),
        space_(space),
        kernel_(kernel),
        live_{0, kernel.shape.registers_per_thread, kernel.shape.shared_bytes} {}

  void read() {
    kernel_.seed = static_cast<std::uint64_t>(section_.integer("seed", {}, 1));
    const config::Value code = section_.value("code");
    kernel_.code = read_list(code);
    const SyntheticSize size = size_of(kernel_.code);
    if (code.is_list() && size.instructions == 0 && kernel_.code.size() == code.list().size())
      code.problem("no instruction");  // not reported if entries were refused
    if (size.instructions >= kMostSyntheticInstructions)
      code.problem(fmt::format("more than {} instructions of code", kMostSyntheticInstructions));
    else if (size.issues >= kMostIssues)
      code.problem("a warp would issue more than 2^48 instructions");
    for (const auto& [name, named] : names_)
      if (!named.written) named.first_use.problem(fmt::format("no entry writes the value '{}'", name));
    give_registers();
  }

 private:
  struct Named {
    std::uint32_t value = 0;
    bool written = false;
    config::Value first_use;
  };

  std::vector<SyntheticEntry> read_list(const config::Value& list) {
    std::vector<SyntheticEntry> entries;
    for (const config::Value& value : list.list()) {
      SyntheticEntry entry;
      if (read_entry(value, entry)) entries.push_back(std::move(entry));
    }
    return entries;
  }

  // Reads the body of a loop or an if. A body without an entry is a problem.
  std::vector<SyntheticEntry> read_body(const config::Value& list) {
    std::vector<SyntheticEntry> entries = read_list(list);
    if (list.is_list() && list.list().empty()) list.problem("no entry");
    return entries;
  }

  bool read_entry(const config::Value& value, SyntheticEntry& entry) {
    const config::Section section = value.section();
    if (!value.is_section()) return false;
    const std::vector<std::string> keys = section.keys();
    const auto verb = std::find_if(keys.begin(), keys.end(), [](const std::string& key) {
      return std::find(kVerbs.begin(), kVerbs.end(), key) != kVerbs.end();
    });
    if (verb == keys.end()) {
      value.problem("no such entry" + config::suggestion_and_known(keys.empty() ? "" : keys.front(), kVerbs));
      for (const std::string& key : keys) section.has(key);
      return false;
    }
    read_verb(*verb, section, value, entry);
    return true;
  }

  void read_verb(const std::string& verb, const config::Section& section, const config::Value& value,
                 SyntheticEntry& entry) {
    if (verb == "op" || verb == "mix") {
      read_operations(verb == "mix", section, value, entry);
    } else if (verb == "barrier") {
      entry.kind = Kind::kBarrier;
      entry.barrier = static_cast<std::uint8_t>(section.integer("barrier", {0, 15}));
      if (parted_ > 0)
        value.problem("the block's warps do not all come to a barrier where they or their lanes part");
    } else if (verb == "loop") {
      read_loop(section, value, entry);
    } else if (verb == "if") {
      read_if(section, value, entry);
    } else if (verb == "phase") {
      read_phase(section.section("phase"), entry);
    } else {
      read_memory(verb, section, value, entry);
    }
  }

  void read_operations(bool mix, const config::Section& section, const config::Value& value,
                       SyntheticEntry& entry) {
    entry.kind = Kind::kCompute;
    entry.count = read_count(section);
    if (mix)
      read_mix(section, entry);
    else
      entry.operations = {operation_of(section.choice("op", operation_names()))};
    const auto alone = [](Operation operation) {
      return operation == Operation::kFence || operation == Operation::kNop;
    };
    if (!entry.operations.empty() && std::all_of(entry.operations.begin(), entry.operations.end(), alone))
      return;
    entry.distance = read_distance(section, 1);
    entry.to = section.has("to") ? written(section.value("to")) : chain();
    use(entry.to, entry.distance, value);
    read_from(section, entry);
  }

  void read_mix(const config::Section& section, SyntheticEntry& entry) {
    const config::Section mix = section.section("mix");
    std::vector<Operation> operations;
    std::vector<double> weights;
    const std::vector<std::string>& known = operation_names();
    for (const std::string& name : mix.keys()) {
      const config::Value value = mix.value(name);
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        value.problem(fmt::format("no operation '{}'{}", name, config::suggestion_and_known(name, known)));
        continue;
      }
      operations.push_back(operation_of(name));
      weights.push_back(value.real({0, 1e9}));
    }
    if (std::accumulate(weights.begin(), weights.end(), 0.0) <= 0.0) {
      section.value("mix").problem("its weights come to nothing");
      return;
    }
    const std::vector<std::uint32_t> shares = apportion(weights, entry.count);
    for (std::size_t i = 0; i < shares.size(); ++i)
      entry.operations.insert(entry.operations.end(), shares[i], operations[i]);
    Random(kernel_.seed).fork(fmt::format("mix {}", mixes_++)).shuffle(entry.operations);
  }

  void read_memory(const std::string& verb, const config::Section& section, const config::Value& value,
                   SyntheticEntry& entry) {
    entry.kind = Kind::kMemory;
    entry.operations = {operation_of(verb)};
    entry.count = read_count(section);
    read_access(section, verb, space_, live_.live_shared, entry);
    const bool load = verb == "load";
    const bool chase = load && section.boolean("dependent", false);
    if (load || section.has("distance"))
      entry.distance =
          read_distance(section, chase ? 1 : std::min<std::uint32_t>(entry.count, kMostRegisters));
    if (verb != "store" && section.has("to"))
      entry.to = written(section.value("to"));
    else if (load)
      entry.to = add_value("what a load brings");
    if (entry.to != SyntheticEntry::kNoValue) use(entry.to, entry.distance, value);
    if (chase) entry.at = entry.to;
    if (section.has("at")) {
      if (chase) section.value("at").problem("a dependent load's address is the result of the load before");
      entry.at = named(section.value("at"));
      use(entry.at, 1, value);
    }
    if (!load) read_from(section, entry);
  }

  std::uint32_t read_count(const config::Section& section) {
    return static_cast<std::uint32_t>(section.integer("count", {1, kMostCount}, 1));
  }

  std::uint32_t read_distance(const config::Section& section, std::uint32_t fallback) {
    const auto distance =
        static_cast<std::uint32_t>(section.integer("distance", {1, kMostRegisters}, fallback));
    return std::max(distance, 1u);
  }

  void read_from(const config::Section& section, SyntheticEntry& entry) {
    if (!section.has("from")) return;
    const config::Value from = section.value("from");
    const std::vector<config::Value> names = from.is_list() ? from.list() : std::vector<config::Value>{from};
    if (names.empty()) from.problem("no value");
    for (const config::Value& name : names) {
      entry.from.push_back(named(name));
      use(entry.from.back(), 1, name);
    }
  }

  void read_loop(const config::Section& section, const config::Value& value, SyntheticEntry& entry) {
    entry.kind = Kind::kLoop;
    const config::Value loop = section.value("loop");
    const config::Range range{1, kMostTimesRound};
    if (loop.is_section()) {
      const config::Section spread = loop.section();
      entry.least = static_cast<std::uint32_t>(spread.integer("least", range));
      entry.most = static_cast<std::uint32_t>(spread.integer("most", range));
      entry.of = unit_of(spread);
      if (entry.most < entry.least) spread.value("most").problem("fewer than at least");
    } else {
      entry.least = entry.most = static_cast<std::uint32_t>(loop.integer(range));
    }
    entry.counter = add_value("a loop's counter");
    use(entry.counter, 1, value);
    open_.emplace_back(entry.counter, value);
    const bool varies = entry.least != entry.most;
    const bool parts = varies && entry.of != Unit::kBlock;
    const bool diverges = varies && entry.of == Unit::kLane;
    parted_ += parts;
    diverged_ += diverges;
    entry.body = read_body(section.value("body"));
    diverged_ -= diverges;
    parted_ -= parts;
    open_.pop_back();
  }

  void read_if(const config::Section& section, const config::Value& value, SyntheticEntry& entry) {
    entry.kind = Kind::kIf;
    const double fraction = section.value("if").real({0, 1});
    entry.fraction = static_cast<std::uint64_t>(std::llround(fraction * 0x1p32));
    entry.of = unit_of(section);
    if (section.has("from")) {
      entry.from = {named(section.value("from"))};
      use(entry.from.front(), 1, value);
    }
    const bool parts = entry.of != Unit::kBlock;
    parted_ += parts;
    ++branched_;
    entry.body = read_body(section.value("then"));
    if (section.has("else")) entry.otherwise = read_body(section.value("else"));
    --branched_;
    parted_ -= parts;
  }

  Unit unit_of(const config::Section& section) {
    const std::string of = section.choice("of", kUnits, "lanes");
    return of == "warps" ? Unit::kWarp : of == "blocks" ? Unit::kBlock : Unit::kLane;
  }

  void read_phase(const config::Section& section, SyntheticEntry& entry) {
    entry.kind = Kind::kPhase;
    const std::uint32_t budget = kernel_.shape.registers_per_thread;
    live_.live_registers =
        static_cast<std::uint32_t>(section.integer("live_registers", {1, kMostRegisters}, budget));
    live_.live_shared = section.bytes("live_shared", kernel_.shape.shared_bytes);
    if (live_.live_registers > budget)
      section.value("live_registers")
          .problem(fmt::format("{} live registers; the kernel has {}", live_.live_registers, budget));
    if (live_.live_shared > kernel_.shape.shared_bytes)
      section.value("live_shared")
          .problem(fmt::format("{} live bytes of shared memory; the kernel has {}", live_.live_shared,
                               kernel_.shape.shared_bytes));
    if (branched_ > 0) section.problem("a phase is the whole block's: not inside an 'if'");
    if (diverged_ > 0) section.problem("a phase is the whole warp's: not inside a loop of lanes that varies");
    phases_.emplace(live_.live_registers, live_.live_shared);
    if (phases_.size() > kMostDifferentPhases)
      section.problem(fmt::format("more than {} different phases", kMostDifferentPhases));
    entry.phase = live_;
    for (const auto& [counter, value] : open_) use(counter, 1, value);
  }

  std::uint32_t add_value(const std::string& name) {
    kernel_.values.push_back({name});
    uses_.push_back(section_.value("code"));
    return static_cast<std::uint32_t>(kernel_.values.size() - 1);
  }

  // Returns the value that entries without a key `to` share.
  std::uint32_t chain() {
    if (!chain_) chain_ = add_value("chains");
    return *chain_;
  }

  std::uint32_t named(const config::Value& value) {
    const std::string name = value.text();
    const auto found = names_.find(name);
    if (found != names_.end()) return found->second.value;
    const std::uint32_t added = add_value(name);
    names_.emplace(name, Named{added, false, value});
    return added;
  }

  std::uint32_t written(const config::Value& value) {
    const std::uint32_t index = named(value);
    names_.at(value.text()).written = true;
    return index;
  }

  // Notes that the phase that is read now uses `width` registers of the value.
  void use(std::uint32_t index, std::uint32_t width, const config::Value& where) {
    SyntheticValue& value = kernel_.values[index];
    value.width = std::max(value.width, width);
    if (live_.live_registers >= value.live) return;
    value.live = live_.live_registers;
    uses_[index] = where;
  }

  // Assigns registers from 0 up, in ascending order of the fewest live registers of the phases that use a
  // value. A value that does not fit below the live registers of such a phase is a problem.
  void give_registers() {
    std::vector<std::uint32_t> order(kernel_.values.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return kernel_.values[a].live < kernel_.values[b].live;
    });
    std::uint32_t next = 0;
    for (const std::uint32_t index : order) {
      SyntheticValue& value = kernel_.values[index];
      value.first = static_cast<RegisterId>(next);
      next += value.width;
      if (next > value.live) {
        uses_[index].problem(fmt::format(
            "values, chains and loop counters up to here take {} registers; {} are live", next, value.live));
        return;
      }
    }
  }

  const config::Section& section_;
  VirtualSpace& space_;
  SyntheticKernel& kernel_;
  SyntheticPhase live_;
  std::vector<config::Value> uses_;  // by value: its use in the phase with the fewest live registers
  std::map<std::string, Named> names_;
  std::optional<std::uint32_t> chain_;
  std::vector<std::pair<std::uint32_t, config::Value>> open_;  // counters of the enclosing loops
  int parted_ = 0;    // enclosing loops and ifs in which warps or lanes diverge
  int branched_ = 0;  // enclosing ifs
  int diverged_ = 0;  // enclosing loops whose lanes may end in different rounds
  std::set<std::pair<std::uint32_t, std::uint64_t>> phases_;  // live registers and live shared memory
  std::uint32_t mixes_ = 0;
};

}  // namespace

SyntheticKernel read_synthetic_kernel(const config::Section& section, std::uint64_t blocks,
                                      const BlockShape& shape, VirtualSpace& space) {
  SyntheticKernel kernel;
  kernel.blocks = blocks;
  kernel.shape = shape;
  if (shape.registers_per_thread == 0 || shape.registers_per_thread > kMostRegisters)
    section.value("registers").problem(fmt::format("code needs 1 .. {} registers", kMostRegisters));
  KernelReader(section, space, kernel).read();
  return kernel;
}

}  // namespace heddle
