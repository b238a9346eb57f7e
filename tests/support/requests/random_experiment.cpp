#include "tests/support/requests/random_experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "policies/replacement/i_replacement.h"
#include "tests/support/policy_names.h"
#include "tests/support/random_code.h"
#include "tests/support/requests/random_requests.h"
#include "tests/support/requests/splits.h"

namespace heddle::test {

namespace {

constexpr std::uint64_t kCycleShare = 20;   // one experiment in so many has cycle SMs
constexpr std::uint64_t kMisfitShare = 12;  // one policy in so many that do not fit the GPU is kept

std::uint64_t pick(Random& random, std::uint64_t least, std::uint64_t most) {
  return least + random.below(most - least + 1);
}

bool one_in(Random& random, std::uint64_t count) {
  return random.below(count) == 0;
}

const std::string& pick_of(Random& random, const std::vector<std::string>& names) {
  return names[random.below(names.size())];
}

std::vector<std::int64_t> random_list(Random& random, const PolicyParameter& parameter, std::size_t most) {
  std::vector<std::int64_t> list;
  for (std::uint64_t i = pick(random, 1, most); i > 0; --i) {
    const auto least = static_cast<std::int64_t>(parameter.least);
    const auto span = static_cast<std::uint64_t>(std::min(parameter.most - parameter.least, 12.0));
    list.push_back(one_in(random, 4) && least <= PolicyValue::kAll
                       ? PolicyValue::kAll
                       : least + static_cast<std::int64_t>(random.below(span + 1)));
  }
  return list;
}

// Returns the policy as YAML: with its defaults, or with random parameters, of which each list has entries
// for about as many applications as there are.
std::string policy_text(Random& random, const PolicyName& policy, std::size_t applications) {
  if (one_in(random, 2)) return policy.name;
  PolicyChoice choice = random_choice(policy, random);
  for (const PolicyParameter& parameter :
       PolicyCatalogue::instance().info(policy.decision, policy.name).parameters) {
    // A policy that decides every few cycles makes a run of milliseconds take minutes.
    const auto drawn = choice.parameters.find(parameter.name);
    if (parameter.unit == "cycles" && drawn != choice.parameters.end())
      drawn->second = std::min(parameter.most, 500 + 100 * drawn->second.number());
    if (!parameter.fallback.is_lists() || one_in(random, 3)) continue;
    IntegerLists lists{random_list(random, parameter, applications)};
    const bool has_several = one_in(random, 3);
    while (has_several && lists.size() < applications)
      lists.push_back(random_list(random, parameter, applications));
    choice.parameters[parameter.name] = lists;
  }
  std::string text = "{name: " + choice.name;
  for (const auto& [name, value] : choice.parameters) text += fmt::format(", {}: {}", name, value.text());
  return text + "}";
}

// Most policies that do not fit the GPU with their defaults are drawn again.
std::string fitting_name(Random& random, const std::string& decision, const GpuDescription& gpu) {
  const PolicyCatalogue& catalogue = PolicyCatalogue::instance();
  const std::vector<PolicyName> policies = policies_of(decision);
  std::string name = policies[random.below(policies.size())].name;
  while (!catalogue.misfit(decision, {name, {}}, gpu).empty() && !one_in(random, kMisfitShare))
    name = policies[random.below(policies.size())].name;
  return name;
}

std::string random_policies(Random& random, const GpuDescription& gpu, RandomExperiment& experiment) {
  const PolicyCatalogue& catalogue = PolicyCatalogue::instance();
  for (const std::string& decision : catalogue.decisions()) {
    if (catalogue.chosen_elsewhere(decision) != nullptr) continue;
    const bool is_optional = catalogue.fallback(decision) != nullptr;
    if (!catalogue.is_asked(decision, gpu) && !is_optional) continue;
    if (is_optional && one_in(random, 3)) continue;
    experiment.policies[decision] = fitting_name(random, decision, gpu);
  }
  if (const auto submission = experiment.policies.find(Submission::kDecision);
      submission != experiment.policies.end()) {
    std::string& partitioner = experiment.policies.at(SmPartitioner::kDecision);
    partitioner = following_partitioner(partitioner, submission->second, random);
  }
  std::string text;
  for (const auto& [decision, name] : experiment.policies)
    text += fmt::format("  {}: {}\n", decision, policy_text(random, {decision, name}, gpu.applications));
  return text;
}

std::string random_host(Random& random) {
  if (one_in(random, 2)) return "host: {cores: 0, context_creation: 10us}\n";
  return fmt::format(
      "host: {{call_latency: {}ns, launch_latency: {}ns, copy_latency: {}ns, return_latency: {}ns, "
      "allocation_latency: {}ns, context_creation: {}us, submission_latency: {}ns, cores: {}, time_slice: "
      "{}us, "
      "wait: {}}}\n",
      random.below(3000), random.below(5000), random.below(4000), random.below(6000), random.below(10'000),
      random.below(50), random.below(3000), random.below(4), random.below(3) * random.below(200),
      one_in(random, 2) ? "spin" : "block");
}

std::string timed_platform(Random& random, GpuDescription& gpu) {
  gpu.sms = static_cast<std::uint32_t>(pick(random, 1, 8));
  gpu.hardware_queues = static_cast<std::uint32_t>(one_in(random, 3) ? 1 : pick(random, 2, 32));
  const std::uint64_t issue = pick(random, 2, 12);
  std::string text = "platform: gpu\ndescription: drawn at random\nbase: k20-cusched\n";
  text += random_host(random);
  text += fmt::format("queues: {{count: {}, entries: {}}}\n", gpu.hardware_queues, pick(random, 1, 8));
  text += fmt::format("pcie: {{latency: {}cycles}}\n", pick(random, 0, 60));
  text += fmt::format("dma: {{engines: {}, transfers: {}}}\n", pick(random, 1, 2), pick(random, 1, 4));
  text += fmt::format(
      "engine: {{ksrs: {}, kernel_launch_latency: {}cycles, block_issue_latency: {}cycles, "
      "sm_setup_latency: {}cycles, block_placement: {}}}\n",
      pick(random, 1, 8), pick(random, 1, 700), issue, issue + pick(random, 1, 300),
      one_in(random, 2) ? "breadth" : "packed");
  text += fmt::format("sm: {{count: {}}}\n", gpu.sms);
  if (one_in(random, 3))
    text += fmt::format("contention: {{kernels: on, dram: {}GB/s, l2: {}GB/s}}\n", pick(random, 1, 300),
                        pick(random, 1, 600));
  return text;
}

// A platform with cycle SMs, of which a random one has a few.
struct CycleBase {
  const char* name;
  std::uint32_t least_sms;  // one for each block of a cluster
  std::uint32_t block_slots;
  std::uint32_t warp_slots;
  std::uint32_t warp_schedulers;
  bool has_carve_outs;  // L1 and shared memory are one memory, so that L1 is lru or fifo
  bool has_clusters;
};

// Half of the machines have sub-cores, and half of those have clusters and copies in bulk.
const CycleBase& random_base(Random& random) {
  static constexpr CycleBase kGtx480{"gtx480", 1, 8, 48, 2, false, false};
  static constexpr CycleBase kV100{"v100-subcore", 1, 32, 64, 4, true, false};
  static constexpr CycleBase kH100{"h100-pcie-subcore", 2, 32, 64, 4, true, true};
  if (one_in(random, 2)) return kGtx480;
  return one_in(random, 2) ? kV100 : kH100;
}

std::string cycle_platform(Random& random, const CycleBase& base, GpuDescription& gpu) {
  gpu.has_cycle_sms = gpu.has_dram = true;
  gpu.sms = static_cast<std::uint32_t>(pick(random, base.least_sms, 3));
  gpu.hardware_queues = one_in(random, 3) ? 1 : 8;
  gpu.block_slots = base.block_slots;
  gpu.warp_slots = base.warp_slots;
  gpu.warp_schedulers = base.warp_schedulers;
  const std::vector<std::string> replacements = PolicyCatalogue::instance().names(Replacement::kDecision);
  std::string text = fmt::format("platform: gpu\ndescription: drawn at random\nbase: {}\n", base.name);
  text += random_host(random);
  text += fmt::format("queues: {{count: {}, entries: {}}}\n", gpu.hardware_queues, pick(random, 1, 8));
  text += fmt::format("engine: {{ksrs: {}}}\n", pick(random, 1, 8));
  text += fmt::format("sm: {{count: {}}}\n", gpu.sms);
  text += fmt::format(
      "caches: {{l1: {{replacement: {}}}}}\n",
      pick_of(random, base.has_carve_outs ? std::vector<std::string>{"lru", "fifo"} : replacements));
  text += fmt::format("l2: {{replacement: {}}}\n", pick_of(random, replacements));
  return text;
}

// The text of one application. Its buffers are `data`, which a setup may allocate, `more` and, on timed SMs,
// `varying`, whose size depends on a request.
class ApplicationText {
 public:
  ApplicationText(Random& random, std::string name, bool has_cycle_sms, const RandomRequests* requests)
      : random_(random), name_(std::move(name)), has_code_(has_cycle_sms), requests_(requests) {}

  // `arrivals` are those that the application itself states; empty: it states none.
  std::string text(const std::string& arrivals) {
    std::string text = fmt::format("application: {}\n", name_);
    if (!has_code_) text += "measured_on: k20-cusched\n";
    text +=
        fmt::format("buffers: {{data: {}B, more: {}B", pick(random_, 64, 40'000), pick(random_, 64, 40'000));
    if (!has_code_ && !whole().empty()) text += ", varying: " + whole() + " * 2KiB";
    text += "}\nkernels:\n";
    const std::uint64_t kernels = pick(random_, 1, has_code_ ? 2 : 3);
    for (std::uint64_t i = 0; i < kernels; ++i) {
      names_.push_back(fmt::format("k{}", i));
      text += has_code_ ? code_kernel(names_.back()) : timed_kernel(names_.back());
    }
    if (!arrivals.empty()) text += "arrivals: " + arrivals + "\n";
    if (requests_ != nullptr && !requests_->parameters.empty())
      text += "parameters: " + requests_->parameters_text() + "\n";
    const bool has_setup = one_in(random_, 2);
    if (has_setup) text += "setup:\n  - allocate: data\n  - copy_up: data\n";
    text += "program:\n";
    if (!has_setup) text += "  - allocate: data\n";
    text += "  - allocate: more\n";
    const bool has_varying = !has_code_ && !whole().empty();
    if (has_varying) text += "  - allocate: varying\n  - copy_up: varying\n";
    text += calls();
    if (has_varying && one_in(random_, 2)) text += "  - copy_down: varying\n  - free: varying\n";
    if (one_in(random_, 2)) text += "  - free: more\n";
    return text;
  }

 private:
  // The name of a whole parameter of the requests, or of any; empty if there is none.
  std::string whole() const { return parameter(true); }
  std::string any() const { return parameter(false); }
  std::string parameter(bool is_whole) const {
    if (requests_ == nullptr) return "";
    for (const RandomParameter& parameter : requests_->parameters)
      if (!is_whole || parameter.is_whole) return parameter.name;
    return "";
  }

  std::string timed_kernel(const std::string& name) {
    const std::uint64_t threads = 32 * pick(random_, 1, 32);
    std::string text = fmt::format("  {}: {{threads: {}, registers: {}, shared_memory: {}B", name, threads,
                                   random_.below(65), random_.below(49'153));
    const bool varies = one_in(random_, 3) && !whole().empty();
    const std::uint64_t blocks =
        varies ? pick(random_, 1, 6) : pick(random_, 1, one_in(random_, 4) ? 90 : 12);
    text +=
        varies ? fmt::format(", blocks: '{} * {}'", whole(), blocks) : fmt::format(", blocks: {}", blocks);
    text += one_in(random_, 3) && !any().empty()
                ? fmt::format(", time: '{}us + {} * {}us'", pick(random_, 8, 60), any(), pick(random_, 1, 20))
                : fmt::format(", time: {}us", pick(random_, 8, one_in(random_, 4) ? 800 : 80));
    if (one_in(random_, 2)) text += ", restartable: on";
    if (one_in(random_, 4)) text += ", cooperative: on";
    if (one_in(random_, 3)) text += one_in(random_, 2) ? ", bound: memory" : ", bound: compute";
    // In the shortest time, 8 us, the card on which they were measured moves 1.6 MB of either.
    const std::uint64_t most = varies ? 30'000 : 1'600'000 / blocks;
    if (one_in(random_, 3))
      text += fmt::format(", bytes: {{dram: {}B, l2: {}B}}", random_.below(most), random_.below(most));
    return text + "}\n";
  }

  std::string code_kernel(const std::string& name) {
    const std::string code = RandomCode(random_.next(), RandomCode::Memory::kAll).with_barriers(1);
    return fmt::format(
        "  {}:\n    blocks: {}\n    threads: {}\n    registers: 40\n    shared_memory: 2KiB\n    "
        "restartable: {}\n    code: {}\n",
        name, pick(random_, 1, 6), 32 * pick(random_, 1, 4), one_in(random_, 2) ? "on" : "off", code);
  }

  std::string stream() {
    const std::uint64_t number = random_.below(4);
    return number == 0 ? "" : fmt::format(", stream: s{}", number);
  }

  std::string launch() {
    return fmt::format(
        "{{launch: {}{}{}}}", pick_of(random_, names_), stream(),
        requests_ != nullptr && one_in(random_, 4) ? fmt::format(", priority: {}", random_.below(3)) : "");
  }

  std::string call() {
    switch (random_.below(10)) {
      case 0:
        return any().empty() ? fmt::format("{{cpu: {}us}}", pick(random_, 1, 60))
                             : fmt::format("{{cpu: '{} * {}us'}}", any(), pick(random_, 1, 9));
      case 1:
        return fmt::format("{{copy_up: data, bytes: {}B{}, asynchronous: {}}}", pick(random_, 1, 64),
                           stream(), one_in(random_, 2) ? "on" : "off");
      case 2:
        return fmt::format("{{copy_down: more{}, asynchronous: {}}}", stream(),
                           one_in(random_, 2) ? "on" : "off");
      case 3:
        return fmt::format("{{copy_across: data, to: more, bytes: {}B{}}}", pick(random_, 1, 64), stream());
      case 4:
        return fmt::format("{{fill: more, with: {}{}}}", random_.below(256), stream());
      case 5:
        return "{touch: [data]}";
      case 6:
        return one_in(random_, 2) ? "{synchronise: all}" : "{query: state}";
      default:
        return launch();
    }
  }

  // Every wait for an event follows a record of it, because with few hardware queues an earlier wait would
  // never end.
  std::string calls() {
    std::string text;
    for (std::uint64_t i = pick(random_, 0, 5); i > 0; --i) text += "  - " + call() + "\n";
    if (one_in(random_, 2))
      text += fmt::format("  - {{record: e{}}}\n  - {{wait: e{}}}\n", stream(), stream());
    const std::string rounds =
        one_in(random_, 2) && !whole().empty() ? whole() : fmt::format("{}", pick(random_, 1, 3));
    text += fmt::format("  - repeat: {}\n    body: [{}, {}]\n", rounds, call(), launch());
    return text + "  - " + launch() + "\n" + (one_in(random_, 2) ? "  - synchronise: all\n" : "");
  }

  Random& random_;
  const std::string name_;
  const bool has_code_;
  const RandomRequests* const requests_;  // null: the application is no server
  std::vector<std::string> names_;        // of its kernels
};

// Returns the entry of a matrix product that copies boxes of tensors in bulk, by itself or in clusters of two
// blocks. The run fails if its result is wrong.
std::string matrix_product(Random& random, std::size_t number) {
  return fmt::format(
      "application: hopper_matrix_multiply{}, name: a{}, parameters: {{m: {}, n: {}, k: {}}}, start: {}us",
      one_in(random, 3) ? "" : "_pairs", number, 8 * pick(random, 1, 40), 8 * pick(random, 1, 40),
      8 * pick(random, 1, 20), random.below(40));
}

// Adds the file of an application, and returns its entry in the experiment.
std::string add_application(Random& random, std::size_t number, bool is_server,
                            RandomExperiment& experiment) {
  const std::string name = fmt::format("a{}", number);
  std::string use = fmt::format("application: ./{}.yaml", name);
  RandomRequests requests;
  std::string own_arrivals;
  if (is_server) {
    requests = random_requests(random, name + ".csv");
    if (!requests.times.empty()) experiment.files[name + ".csv"] = requests.times;
    if (one_in(random, 2))
      own_arrivals = requests.arrivals;
    else
      use += ", arrivals: " + requests.arrivals;
  }
  ApplicationText text(random, name, experiment.has_cycle_sms, is_server ? &requests : nullptr);
  experiment.files[name + ".yaml"] = text.text(own_arrivals);
  if (is_server) use += fmt::format(", priority: {}", random.below(3));
  if (one_in(random, 3)) use += fmt::format(", start: {}us", random.below(400));
  return use;
}

}  // namespace

RandomExperiment random_experiment(std::uint64_t seed) {
  Random random(seed);
  RandomExperiment experiment;
  experiment.has_cycle_sms = one_in(random, kCycleShare);
  GpuDescription gpu;
  const CycleBase* const base = experiment.has_cycle_sms ? &random_base(random) : nullptr;
  experiment.files["gpu.yaml"] =
      base != nullptr ? cycle_platform(random, *base, gpu) : timed_platform(random, gpu);
  const std::size_t applications = pick(random, 1, experiment.has_cycle_sms ? 3 : 5);
  gpu.applications = applications;
  const std::uint64_t servers = one_in(random, 8) ? 0 : pick(random, 1, applications);
  std::vector<std::size_t> order(applications);  // the first ones are servers
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  std::string text = "experiment: drawn\nplatform: ./gpu.yaml\napplications:\n";
  for (std::size_t i = 0; i < applications; ++i) {
    const bool is_server = order[i] < servers;
    const bool is_product = !is_server && base != nullptr && base->has_clusters;
    text += fmt::format("  - {{{}}}\n", is_product ? matrix_product(random, i)
                                                   : add_application(random, i, is_server, experiment));
  }
  text += "policies:\n" + random_policies(random, gpu, experiment);
  text += fmt::format("termination: {}\n", one_in(random, 2) ? "once-each" : "first-completions");
  text += fmt::format("starvation_limit: 100ms\nseed: {}\n", random.below(1000));
  if (one_in(random, 8)) text += "copies: off\n";
  if (one_in(random, 8)) text += "cpu_phases: off\n";
  if (one_in(random, 2) && !experiment.has_cycle_sms)
    text += fmt::format("jitter: {}\n", static_cast<double>(random.below(100)) / 100);
  if (servers > 0 && one_in(random, 4)) text += "replay_priority: keep\n";
  experiment.files["experiment.yaml"] = text;
  return experiment;
}

}  // namespace heddle::test
