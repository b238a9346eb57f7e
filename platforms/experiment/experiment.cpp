#include "platforms/experiment/experiment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include "models/core/config/config_names.h"
#include "models/core/config/data_path.h"
#include "platforms/experiment/application_reader.h"
#include "platforms/experiment/experiment_notes.h"
#include "platforms/experiment/input.h"
#include "platforms/experiment/loaded_inputs.h"
#include "platforms/experiment/take_overs.h"
#include "platforms/load/platform_loader.h"
#include "platforms/load/read_rtl.h"
#include "policies/instances/i_instances.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"
#include "stimuli/application/names.h"
#include "stimuli/capture/replay/capture_application.h"
#include "stimuli/launch/launch_application.h"
#include "stimuli/traceg/trace_application.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;
using Policies = std::map<std::string, PolicyChoice>;

constexpr const char* kRtl = "rtl";      // a section of the platform and of the experiment
constexpr const char* kBlock = "block";  // of such a section
constexpr std::int64_t kMostWindow = std::int64_t{1} << 50;  // core cycles

class ExperimentReader {
 public:
  ExperimentReader(const Input& input, const Overrides& overrides, const LoadOptions& options)
      : file_(input.file), overrides_(overrides), options_(options), document_(load(input, overrides)) {}

  Experiment read() {
    overrides_.apply_to_experiment(document_);
    const config::Section root = document_.root();
    experiment_.name = read_name(root, "experiment");
    experiment_.question = root.text("question", "");
    replaced_ = replaced_policies(root);
    read_platform_of(root.value("platform"));
    read_settings(root);
    ApplicationReader applications(experiment_, file_, overrides_.launch_parameters(), options_);
    applications.read(root);
    read_take_overs(root, experiment_);
    read_prioritised(root);
    read_variants(root);
    check_take_overs(root, experiment_);
    fit_policies_alone(root);
    document_.finish();
    applications.check_parameters();
    add_notes(experiment_, root, overrides_);
    return std::move(experiment_);
  }

 private:
  static config::Document load(const Input& input, const Overrides& overrides) {
    const std::string& file = input.file;
    const std::string& platform = overrides.platform.value_or("");
    if (input.kind == InputKind::kTrace) return experiment_of("a trace", trace_name(file), file, platform);
    if (input.kind == InputKind::kCapture)
      return experiment_of("a captured program", plain_name(fs::path(file).stem().string()), file, platform);
    config::Document document = config::Document::load(file);
    const config::Section root = document.root();
    if (input.kind == InputKind::kLaunch)
      return experiment_of("a launch file", root.text("launch"), file, platform);
    if (input.kind == InputKind::kApplication)
      return experiment_of("an application that was not measured", read_name(root, "application"), file,
                           platform.empty() ? find_measured(root, file) : platform);
    return document;
  }

  // Returns an experiment of one application that runs once.
  static config::Document experiment_of(const char* what, const std::string& name, const std::string& file,
                                        const std::string& platform) {
    if (platform.empty())
      throw config::Error({fmt::format("{}: {} needs a platform: --platform NAME", file, what)});
    const fs::path path = fs::absolute(file).lexically_normal();
    YAML::Emitter yaml;
    yaml << YAML::BeginMap << YAML::Key << "experiment" << YAML::Value << name;
    yaml << YAML::Key << "platform" << YAML::Value << platform;
    yaml << YAML::Key << "applications" << YAML::Value << YAML::Flow << YAML::BeginSeq << YAML::BeginMap
         << YAML::Key << "application" << YAML::Value << YAML::DoubleQuoted << path.string() << YAML::EndMap
         << YAML::EndSeq;
    yaml << YAML::Key << "termination" << YAML::Value << "once-each" << YAML::EndMap;
    return config::Document::implied(yaml.c_str(), file);
  }

  // Returns whether the setting of --set chooses only which signals of an RTL block a waveform records. The
  // name of a run leaves such settings out.
  static bool is_recording(const std::string& set) {
    const std::string key = set.substr(0, set.find('='));
    return key.rfind("rtl.", 0) == 0 && key.find(".dump.") != std::string::npos;
  }

  void read_platform_of(const config::Value& name) {
    const std::string file = find_named("platforms", name, file_);
    for (const std::string& set : overrides_.platform_sets())
      if (!is_recording(set)) experiment_.naming.sets.push_back(set);
    ResolvedPlatform platform = platform_of(file);
    experiment_.platform = std::move(platform.spec);
    experiment_.platform_yaml = std::move(platform.yaml);
    experiment_.naming.unchanged = experiment_.platform.name;
    experiment_.naming.policies = experiment_.platform.policies;
    for (auto& [decision, choice] : experiment_.naming.policies) complete(decision, choice);
  }

  // An experiment with blocks in RTL has a platform of its own.
  ResolvedPlatform platform_of(const std::string& file) {
    if (options_.loaded == nullptr || document_.root().has(kRtl)) return resolved_platform(file);
    const LoadedInputs::PlatformKey key{
        {file}, overrides_.platform_sets(), {replaced_.begin(), replaced_.end()}};
    return *options_.loaded->platforms.get(key, [&] { return resolved_platform(file); });
  }

  // The problems of a platform or an application are thrown at once, with the places in its own file.
  ResolvedPlatform resolved_platform(const std::string& file) {
    config::Document document = load_platform_document(file);
    add_rtl(document);
    overrides_.apply_to_its_platform(document);
    ResolvedPlatform platform;
    platform.spec = read_platform(document.root(), replaced_);
    for (const std::string& block : unfound_) platform.spec.rtl[block].name = block;
    name_rtl_files(document, platform.spec);
    document.finish();
    platform.yaml = document.to_yaml();
    return platform;
  }

  // Adds the experiment's section `rtl` to the platform's.
  void add_rtl(config::Document& platform) {
    const config::Section blocks = document_.root().optional_section(kRtl);
    for (const std::string& name : blocks.keys()) {
      const config::Value value = blocks.value(name);
      const std::string path = fmt::format("{}.{}", kRtl, name);
      if (!value.is_section()) {
        set_rtl_file(platform, path, name, value);
        continue;
      }
      add_rtl_keys(platform, path, name, value.section());
    }
  }

  // A block that is not found is a problem beside those of the rest of the experiment.
  void set_rtl_file(config::Document& platform, const std::string& path, const std::string& block,
                    const config::Value& file) {
    unfound_.insert(block);
    const std::string name = file.text();
    if (!file.is_scalar()) return;
    try {
      platform.set_text(path, find_data(kRtlFolder, name, file_));
      unfound_.erase(block);
    } catch (const config::Error& error) {
      file.problem(error.what());
    }
  }

  // A key may be a section, such as `model`.
  void add_rtl_keys(config::Document& platform, const std::string& path, const std::string& block,
                    const config::Section& keys) {
    for (const std::string& key : keys.keys()) {
      const config::Value value = keys.value(key);
      const std::string place = fmt::format("{}.{}", path, key);
      if (key == kBlock)
        set_rtl_file(platform, place, block, value);
      else if (value.is_section())
        add_rtl_keys(platform, place, block, value.section());
      else
        platform.set(fmt::format("{}={}", place, value.assigned()));
    }
  }

  // The platform as resolved names the files of blocks by absolute paths.
  void name_rtl_files(config::Document& platform, const GpuSpec& gpu) const {
    const config::Section blocks = platform.root().optional_section(kRtl);
    for (const auto& [name, spec] : gpu.rtl) {
      if (unfound_.count(name) != 0) continue;
      const bool is_section = blocks.value(name).is_section();
      const config::Value file = is_section ? blocks.section(name).value(kBlock) : blocks.value(name);
      if (is_file_name(file.text()))
        platform.set_text(fmt::format("{}.{}{}", kRtl, name, is_section ? ".block" : ""), spec.file);
    }
  }

  // Returns the decisions for which every run has another policy than the platform's.
  std::set<std::string> replaced_policies(const config::Section& root) const {
    std::set<std::string> replaced = overrides_.replaced_decisions();
    if (root.has("policies") && root.value("policies").is_section())
      for (const std::string& decision : root.section("policies").keys()) replaced.insert(decision);
    std::map<std::string, std::size_t> chosen;
    const std::vector<config::Value> compared = root.list("compare");
    for (const config::Value& value : compared)
      if (value.is_section())
        for (const std::string& decision : value.section().keys()) ++chosen[decision];
    for (const auto& [decision, count] : chosen)
      if (count == compared.size()) replaced.insert(decision);
    return replaced;
  }

  void read_settings(const config::Section& root) {
    experiment_.seed = static_cast<std::uint64_t>(root.integer("seed", {}, 1));
    read_termination(root);
    experiment_.keep_priority = root.choice("replay_priority", {"lowest", "keep"}, "lowest") == "keep";
    experiment_.copies = root.boolean("copies", true);
    experiment_.cpu_phases = root.boolean("cpu_phases", true);
    read_start(root);
    experiment_.starvation_limit_ps = root.time_ps("starvation_limit", 1000000000000);
    if (experiment_.starvation_limit_ps == 0) root.value("starvation_limit").problem("must be above zero");
    experiment_.jitter_permille =
        static_cast<std::uint32_t>(std::lround(1000 * root.real("jitter", {0, 1}, 0)));
  }

  // `start` of an application is a time, and that of the experiment says what holds for all.
  void read_start(const config::Section& root) {
    experiment_.start_together = root.choice("start", {"as-stated", "together"}, "as-stated") == "together";
  }

  void read_termination(const config::Section& root) {
    const std::string name =
        root.choice("termination", {"first-completions", "once-each", "instructions"}, "first-completions");
    experiment_.replay = name != "once-each";
    if (name != "instructions") return;
    experiment_.window_cycles = root.cycles("window", {1, kMostWindow});
    if (!experiment_.platform.sm.executes())
      root.value("termination")
          .problem("timed SMs execute no instructions: the platform needs sm.model: cycle");
  }

  void read_prioritised(const config::Section& root) {
    if (!root.has("prioritised")) return;
    const config::Value value = root.value("prioritised");
    const std::string name = value.text();
    if (name == "none") return;
    std::vector<std::string> names;
    for (const ExperimentApplication& use : experiment_.applications)
      names.push_back(use.application.program.name);
    if (names.empty()) return;
    auto found = std::find(names.begin(), names.end(), name);
    if (name == "first") found = names.begin();
    if (found == names.end())
      return value.problem(fmt::format("'{}' is not among the applications; known: first, none, {}", name,
                                       fmt::join(names, ", ")));
    const auto chosen = static_cast<std::size_t>(found - names.begin());
    experiment_.prioritised = chosen;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (i != chosen)
        experiment_.applications[chosen].priority = std::max(
            {experiment_.applications[chosen].priority, experiment_.applications[i].priority + 1, 1});
  }

  // A Variant has the policies of a run and the places of the experiment at which they were chosen.
  struct Variant {
    Policies policies;
    std::map<std::string, config::Value> chosen;
    std::string label;

    void read(const config::Section& section, std::uint64_t window_cycles) {
      read_policies(section, policies, window_cycles);
      for (const std::string& decision : section.keys())
        if (decision != kLabelOfPolicies) chosen.insert_or_assign(decision, section.value(decision));
    }
  };

  // A decision that a platform may leave out has a policy in every run if it has one in any run.
  static void add_fallbacks(std::vector<Variant>& variants) {
    const PolicyCatalogue& catalogue = PolicyCatalogue::instance();
    for (const std::string& decision : catalogue.decisions()) {
      const char* fallback = catalogue.fallback(decision);
      if (fallback == nullptr) continue;
      const bool is_chosen = std::any_of(variants.begin(), variants.end(), [&](const Variant& variant) {
        return variant.policies.count(decision) != 0;
      });
      for (Variant& variant : variants)
        if (is_chosen) variant.policies.try_emplace(decision, PolicyChoice{fallback, {}});
    }
  }

  void read_variants(const config::Section& root) {
    Variant common{experiment_.platform.policies, {}, ""};
    if (root.has("policies")) common.read(root.section("policies"), experiment_.window_cycles);
    std::vector<Variant> variants;
    if (root.has("compare"))
      for (const config::Value& value : root.list("compare")) {
        variants.push_back(common);
        variants.back().read(value.section(), experiment_.window_cycles);
        variants.back().label = read_label(value.section(), variants);
      }
    if (variants.empty()) variants.push_back(common);
    add_fallbacks(variants);
    for (Variant& variant : variants) {
      overrides_.apply_to_policies(variant.policies, experiment_.window_cycles);
      for (const std::string& decision : overrides_.replaced_decisions()) variant.chosen.erase(decision);
      for (auto& [decision, choice] : variant.policies) {
        add_defaults(experiment_.platform.policy_defaults, decision, choice);
        complete(decision, choice);
      }
      check_fits_applications(root, variant);
      check_sm_sets(root, variant);
      const auto known = std::find_if(experiment_.variants.begin(), experiment_.variants.end(),
                                      [&](const Policies& other) { return other == variant.policies; });
      if (known != experiment_.variants.end()) {
        const auto same = static_cast<std::size_t>(known - experiment_.variants.begin());
        experiment_.notes.push_back(
            fmt::format("compare[{}] has the policies of run {}, which stands for both",
                        &variant - variants.data(), same + 1));
        continue;
      }
      experiment_.variants.push_back(variant.policies);
      experiment_.labels.push_back(variant.label);
    }
  }

  // An application alone runs under the policies of the platform. A replaced one that does not fit the
  // platform gives way to the policy that all runs have in its place.
  void fit_policies_alone(const config::Section& root) {
    for (const std::string& decision : replaced_) {
      const auto own = experiment_.platform.policies.find(decision);
      if (own == experiment_.platform.policies.end()) continue;
      const auto found = misfit(experiment_.platform, {*own});
      if (!found) continue;
      const PolicyChoice& shared = experiment_.variants.front().at(decision);
      const bool is_shared =
          std::all_of(experiment_.variants.begin(), experiment_.variants.end(),
                      [&](const Policies& policies) { return policies.at(decision) == shared; });
      if (is_shared)
        own->second = shared;
      else
        root.problem(fmt::format("applications alone run under the platform's policies: {}", found->message));
    }
  }

  static std::string read_label(const config::Section& section, const std::vector<Variant>& others) {
    if (!section.has(kLabelOfPolicies)) return "";
    std::string label = section.text(kLabelOfPolicies);
    const config::Value value = section.value(kLabelOfPolicies);
    if (label.empty() || config::has_control_character(label))
      value.problem("a label is a text without control characters");
    for (const Variant& other : others)
      if (!label.empty() && other.label == label) value.problem("another set of policies has this label");
    return label;
  }

  // A misfit of a policy that the platform or the command line chose is reported at the root of the
  // experiment.
  void check_fits_applications(const config::Section& root, const Variant& variant) const {
    const auto found = misfit(experiment_.platform, variant.policies, experiment_.applications.size());
    if (!found) return;
    const auto chosen = variant.chosen.find(found->decision);
    if (chosen == variant.chosen.end()) return root.problem(found->message);
    chosen->second.problem(found->message);
  }

  // Applications whose launches run on sets of SMs need a partitioner that keeps to them, and the whole GPU.
  void check_sm_sets(const config::Section& root, const Variant& variant) const {
    const auto has_sets = [](const ExperimentApplication& use) {
      return !use.application.program.sm_sets.empty();
    };
    const auto found =
        std::find_if(experiment_.applications.begin(), experiment_.applications.end(), has_sets);
    if (found == experiment_.applications.end()) return;
    const std::string& name = found->application.program.name;
    const auto instances = variant.policies.find(Instances::kDecision);
    if (instances != variant.policies.end() && instances->second.name != Instances::kFallback)
      return root.problem(
          fmt::format("{} launches kernels on SMs of their own (green contexts), which a GPU that is split "
                      "into instances does not have",
                      name));
    const PolicyChoice& choice = variant.policies.at(SmPartitioner::kDecision);
    if (PolicyRegistry<SmPartitioner>::make(choice)->honours_sm_sets()) return;
    root.problem(
        fmt::format("{} launches kernels on SMs of their own (green contexts), which sm_partitioner {} does "
                    "not keep to; fcfs-s, left-over, shared-fcfs, stream-priority, time-slice and mps do",
                    name, choice.name));
  }

  static void complete(const std::string& decision, PolicyChoice& choice) {
    const PolicyCatalogue& catalogue = PolicyCatalogue::instance();
    for (const PolicyParameter& parameter : catalogue.info(decision, choice.name).parameters)
      choice.parameters.emplace(parameter.name, parameter.fallback);
  }

  const std::string file_;
  const Overrides& overrides_;
  const LoadOptions& options_;
  config::Document document_;
  Experiment experiment_;
  std::set<std::string> replaced_;  // decisions; see replaced_policies()
  std::set<std::string> unfound_;   // blocks in RTL whose file is not there
};

}  // namespace

const std::vector<std::string>& experiment_keys() {
  static const std::vector<std::string> keys{
      "experiment",       "question",    "platform", "applications",    "mix",    "prioritised", "policies",
      "compare",          "termination", "window",   "replay_priority", "copies", "cpu_phases",  "start",
      "starvation_limit", "jitter",      "seed"};
  return keys;
}

Experiment load_experiment(const std::string& name_or_file, const Overrides& overrides,
                           const LoadOptions& options) {
  const Input input = find_input(name_or_file);
  if (input.kind > InputKind::kCapture)
    throw config::Error({fmt::format("'{}' {}", name_or_file, use_of(input, name_or_file))});
  Experiment experiment = ExperimentReader(input, overrides, options).read();
  for (auto& [name, block] : experiment.platform.rtl) block.trusted = options.trust;
  return experiment;
}

}  // namespace heddle
