#include "platforms/experiment/application_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "models/core/config/config_names.h"
#include "models/core/config/data_path.h"
#include "platforms/experiment/input.h"
#include "platforms/experiment/loaded_inputs.h"
#include "platforms/experiment/mix.h"
#include "platforms/load/platform_loader.h"
#include "stimuli/application/names.h"
#include "stimuli/capture/replay/capture_application.h"
#include "stimuli/launch/launch_application.h"
#include "stimuli/traceg/trace_application.h"

namespace heddle {

namespace {

// Returns whether the experiment names the file of arrivals.
bool states_file(const StatedRequests& stated) {
  return stated.arrivals && stated.arrivals->has("file");
}

// Returns a section as YAML on one line. `file`, unless it is empty, replaces the value of the key `file`.
std::string flow_text(const config::Section& section, const std::string& file = {}) {
  std::string text;
  for (const std::string& key : section.keys()) {
    const config::Value value = section.value(key);
    const std::string of_key = key == "file" && !file.empty() ? YAML::Dump(YAML::Node(file))
                               : value.is_section()           ? flow_text(value.section())
                                                              : value.assigned();
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key, of_key);
  }
  return "{" + text + "}";
}

namespace fs = std::filesystem;

// A name stands for an application, or for a launch file if no application has that name.
std::string find_application(const config::Value& name, const std::string& file) {
  constexpr const char* kApplications = "stimuli/applications";
  constexpr const char* kLaunches = "stimuli/launches";
  if (!name.is_scalar() || is_file_name(name.text()) || is_known_data(kApplications, name.text()))
    return find_named(kApplications, name, file);
  if (is_known_data(kLaunches, name.text())) return find_named(kLaunches, name, file);
  std::vector<std::string> known = known_data(kApplications);
  for (const std::string& launch : known_data(kLaunches)) known.push_back(launch);
  throw config::Error({fmt::format(
      "{}: {}: '{}' is no application and no launch{}", name.place(), name.path(), name.text(),
      config::suggestion(name.text(), known, "see heddle list applications and heddle list launches"))});
}

const std::vector<std::pair<std::string, MixCategory>>& mix_categories() {
  static const std::vector<std::pair<std::string, MixCategory>> categories{{"in-turn", MixCategory::kInTurn},
                                                                           {"short", MixCategory::kShort},
                                                                           {"long", MixCategory::kLong},
                                                                           {"mixed", MixCategory::kMixed},
                                                                           {"any", MixCategory::kAny}};
  return categories;
}

std::string read_category(const config::Section& section) {
  std::vector<std::string> names;
  for (const auto& [name, category] : mix_categories()) names.push_back(name);
  return section.choice("category", names, names.front());
}

MixCategory category_of(const std::string& asked) {
  for (const auto& [name, category] : mix_categories())
    if (name == asked) return category;
  return MixCategory::kInTurn;  // `asked` is a problem that is reported already
}

bool takes_time(const ApiCall& call) {
  return call.kind == ApiCall::Kind::kLaunch || call.kind == ApiCall::Kind::kRecord;
}

}  // namespace

bool is_kernels_list(const std::string& file) {
  return file.size() > 2 && file.compare(file.size() - 2, 2, ".g") == 0;
}

bool is_known_data(const std::string& folder, const std::string& name) {
  return has_data(folder, name);
}

std::string find_named(const std::string& folder, const config::Value& name, const std::string& file) {
  try {
    if (!name.is_scalar()) throw config::Error({"needs a name or a file"});
    return find_data(folder, name.text(), file);
  } catch (const config::Error& error) {
    throw config::Error({fmt::format("{}: {}: {}", name.place(), name.path(), error.what())});
  }
}

ApplicationReader::ApplicationReader(Experiment& experiment, std::string file,
                                     std::vector<std::string> parameters, const LoadOptions& options)
    : experiment_(experiment),
      file_(std::move(file)),
      launches_of_option_(options.launches),
      cache_(options.cache),
      loaded_(options.loaded),
      parameters_(std::move(parameters)) {}

void ApplicationReader::check_parameters() const {
  check_applied(parameters_, applied_);
}

void ApplicationReader::read(const config::Section& root) {
  if (root.has("mix") == root.has("applications"))
    return root.problem("an experiment has either 'applications' or a 'mix'");
  if (root.has("mix")) return read_mix(root.section("mix"));
  std::vector<Use> uses;
  for (const config::Value& value : root.list("applications")) uses.push_back(read_use(value));
  override_launches(root, uses);
  for (const Use& use : uses) add(use);
  if (experiment_.applications.empty()) root.value("applications").problem("no application");
}

void ApplicationReader::read_mix(const config::Section& section) {
  MixSpec& spec = experiment_.mix_spec;
  spec.size = static_cast<std::size_t>(section.integer("size", {1, 1024}));
  spec.seed = static_cast<std::uint64_t>(section.integer("seed", {}, 1));
  spec.index = static_cast<std::uint64_t>(section.integer("index", {}, 0));
  spec.category = read_category(section);
  std::vector<MixCandidate> candidates;
  const std::vector<config::Value> from = section.value("from").list();
  for (const config::Value& value : from) {
    const std::string file = find_named("stimuli/applications", value, file_);
    config::Document document = load_application_document(file);
    const Application application = read_application(document.root(), experiment_.platform.host);
    document.finish();
    candidates.push_back({value.text(), mean_block_time_ps(application)});
    spec.from.push_back(is_file_name(value.text()) ? fs::absolute(file).string() : value.text());
    if (std::count(spec.from.begin(), spec.from.end(), spec.from.back()) > 1) value.problem("named twice");
  }
  try {
    const Mix mix = draw_mix(candidates, spec.size, spec.seed, spec.index, category_of(spec.category));
    for (const std::size_t member : mix.members) add({from[member]});
    experiment_.mix = fmt::format("mix {} of size {}, seed {}: {} long, {} short", spec.index, spec.size,
                                  spec.seed, mix.long_members, spec.size - mix.long_members);
  } catch (const std::invalid_argument& error) {
    section.problem(error.what());
  }
}

ApplicationReader::Use ApplicationReader::read_use(const config::Value& value) const {
  if (value.is_scalar()) return {value};
  const config::Section section = value.section();
  const auto priority = static_cast<std::int32_t>(section.integer("priority", {-1000000, 1000000}, 0));
  const std::uint64_t start_ps = section.time_ps("start", 0);
  std::string name = section.has("name") ? read_name(section, "name") : "";
  const auto stated = [&section](const char* key) {
    return section.has(key) ? std::optional(section.section(key)) : std::nullopt;
  };
  Use use{section.value("application"),
          priority,
          start_ps,
          read_registers(section),
          read_launches(section),
          {},
          std::move(name),
          {stated("arrivals"), stated("parameters"), stated("batching")}};
  if (section.has("restartable")) use.restartable = section.boolean("restartable");
  return use;
}

std::map<std::string, std::uint32_t> ApplicationReader::read_registers(const config::Section& section) const {
  std::map<std::string, std::uint32_t> registers;
  if (!section.has("registers")) return registers;
  const config::Value name = section.value("application");
  if (!name.is_scalar() || !capture::is_capture(name.text()))
    section.value("registers")
        .problem("only of a captured program; other applications state them themselves");
  const config::Section stated = section.section("registers");
  for (const std::string& kernel : stated.keys())
    registers[kernel] = static_cast<std::uint32_t>(
        stated.integer(kernel, {1, experiment_.platform.sm.limits.registers_per_thread}));
  return registers;
}

bool ApplicationReader::is_recorded(const config::Value& name) const {
  return name.is_scalar() && (is_kernels_list(name.text()) || !find_trace(name.text()).empty() ||
                              capture::is_capture(name.text()));
}

LaunchRanges ApplicationReader::read_launches(const config::Section& section) const {
  if (!section.has("launches")) return {};
  const config::Value value = section.value("launches");
  if (!is_recorded(section.value("application")))
    value.problem("only of a captured program or a trace, whose launches are numbered");
  try {
    return LaunchRanges::read(value.text());
  } catch (const std::invalid_argument& error) {
    value.problem(error.what());
  }
  return {};
}

// The option stands for the key `launches` of the only application.
void ApplicationReader::override_launches(const config::Section& root, std::vector<Use>& uses) const {
  if (launches_of_option_.empty()) return;
  if (uses.size() != 1 || !is_recorded(uses.front().name))
    return root.problem(
        "launches are chosen (--kernels, --skip, --stop-after) of a run of one captured program or trace; in "
        "an experiment of several applications, each has its key 'launches'");
  uses.front().launches = LaunchRanges::read(launches_of_option_);
}

void ApplicationReader::add(const Use& use) {
  if (use.name.is_scalar() && (is_kernels_list(use.name.text()) || !find_trace(use.name.text()).empty()))
    return add_unmeasured(use, trace(use));
  if (use.name.is_scalar() && capture::is_capture(use.name.text())) return add_unmeasured(use, captured(use));
  const std::string file = find_application(use.name, file_);
  config::Document document = load_application_document(file);
  if (is_launch_file(document.root())) return add_launch(use, file, document.root());
  add_checked(use, measured_application(use, document));
}

// An experiment states parameters of one of its launch files; an option of the command line replaces them.
void ApplicationReader::add_launch(const Use& use, const std::string& file, const config::Section& root) {
  std::vector<std::string> parameters;
  if (use.requests.parameters) {
    const bool has_any = root.has("parameters") && root.value("parameters").is_section();
    const std::vector<std::string> known =
        has_any ? root.section("parameters").keys() : std::vector<std::string>{};
    for (const std::string& key : use.requests.parameters->keys()) {
      const config::Value value = use.requests.parameters->value(key);
      if (std::find(known.begin(), known.end(), key) == known.end())
        value.problem(fmt::format("'{}' has no parameter '{}'{}", use.name.text(), key,
                                  config::suggestion(key, known)));
      else
        parameters.push_back(fmt::format("{}={}", key, value.assigned()));
    }
  }
  Use rest = use;  // the launch file has its parameters, which are none of requests
  rest.requests.parameters.reset();
  parameters.insert(parameters.end(), parameters_.begin(), parameters_.end());
  add_unmeasured(rest, launch(file, parameters));
}

void ApplicationReader::add_unmeasured(const Use& use, ExperimentApplication added) {
  for (const Misfit& misfit : misfits(added.application, experiment_.platform))
    use.name.problem(misfit.kernel.empty() ? misfit.message : misfit.kernel + ": " + misfit.message);
  if (use.requests.parameters)
    use.requests.parameters->problem(
        "only an application in YAML has values that depend on parameters, or a launch file");
  if (use.requests.batching)
    use.requests.batching->problem("only an application in YAML has steps of a batch");
  add_requests(use, read_requests(std::nullopt, use.requests), added);
  add_checked(use, std::move(added));
}

void ApplicationReader::add_checked(const Use& use, ExperimentApplication added) {
  if (!use.own_name.empty()) added.application.program.name = use.own_name;
  added.named = !use.own_name.empty();
  if (use.restartable) {
    if (added.application.program.make_script)
      use.name.problem(
          "its kernels are executed, so that what they write decides whether they are restartable");
    added.restartable = use.restartable;
    for (ApiKernel& kernel : added.application.program.kernels) kernel.restartable = *use.restartable;
  }
  check_beside_others(use.name, added);
  added.priority = use.priority;
  added.start_ps = use.start_ps;
  experiment_.applications.push_back(std::move(added));
}

ExperimentApplication ApplicationReader::trace(const Use& use) const {
  const std::string known = find_trace(use.name.text());
  const std::string file = known.empty() ? find_named("stimuli/traces", use.name, file_) : known;
  ExperimentApplication added;
  added.application = read_trace_application(file, use.launches, cache_);
  added.launches = use.launches.text();
  added.recording = fs::absolute(file).lexically_normal().string();
  return added;
}

ExperimentApplication ApplicationReader::captured(const Use& use) const {
  ExperimentApplication added;
  added.recording = fs::absolute(find_named("stimuli/captures", use.name, file_)).lexically_normal().string();
  added.registers = use.registers;
  capture::ReplayedProgram program = capture::read_replayed_program(
      added.recording, use.registers, experiment_.platform.sm.limits.registers_per_thread, use.launches);
  added.launches = use.launches.text();
  added.application = std::move(program.application);
  added.checked = program.replay->exact;
  return added;
}

ExperimentApplication ApplicationReader::launch(const std::string& file,
                                                const std::vector<std::string>& parameters) {
  const std::uint32_t registers = experiment_.platform.sm.limits.registers_per_thread;
  LaunchApplication launch = loaded_ != nullptr
                                 ? loaded_->launches.load(file, parameters, applied_, registers)
                                 : load_launch_application(file, parameters, applied_, registers);
  ExperimentApplication added;
  added.application = std::move(launch.application);
  added.checked = !launch.plan->check.none();
  added.yaml = std::move(launch.yaml);
  added.files = std::move(launch.files);
  return added;
}

// Returns the application of a file that states how long its blocks last, or what they execute.
ExperimentApplication ApplicationReader::measured_application(const Use& use, config::Document& document) {
  const config::Section root = document.root();
  ExperimentApplication added;
  added.application = read_application(root, experiment_.platform.host, use.requests);
  const RequestReading& requests = added.application.requests;
  if (!requests.parameters.empty() && !requests.spec)
    root.value("parameters").problem("they are those of requests; 'arrivals' says when requests come");
  add_requests(use, requests, added);
  set_model(root, added.application, experiment_.platform);
  check_fits(root, added.application, experiment_.platform);
  if (const std::string measured_on = find_measured(root, document.name()); !measured_on.empty()) {
    const GpuSpec& card = measured(measured_on);
    set_residence(root, added.application, card, experiment_.platform);
    if (added.application.is_moved) add_note(moved_times(added.application, card, experiment_.platform));
    if (is_file_name(added.application.measured_on))
      document.set_text("measured_on", fs::absolute(measured_on).string());
  }
  for (ApiKernel& kernel : added.application.program.kernels)
    kernel.jitter_permille = experiment_.jitter_permille;
  if (requests.file && !states_file(use.requests))
    document.set_text("arrivals.file", added.files.front().first);
  document.finish();
  added.yaml = document.to_yaml();
  return added;
}

// Adds a note once, also if the application runs several times.
void ApplicationReader::add_note(const std::string& note) {
  std::vector<std::string>& notes = experiment_.notes;
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

// Takes the requests of an application. A file of arrivals is kept beside the application's in the results.
void ApplicationReader::add_requests(const Use& use, const RequestReading& reading,
                                     ExperimentApplication& added) const {
  added.requests = reading.spec;
  added.request_seed = reading.seed;
  if (experiment_.window_cycles != 0 && reading.spec)
    use.name.problem("it has arrivals, and termination 'instructions' halts it at its instructions");
  const std::string& name = use.own_name.empty() ? added.application.program.name : use.own_name;
  if (reading.file) added.files.emplace_back(name + ".arrivals.csv", reading.file_path);
  if (use.requests.arrivals) {
    const bool with_file = reading.file && states_file(use.requests);
    added.stated_arrivals =
        flow_text(*use.requests.arrivals, with_file ? "applications/" + added.files.back().first : "");
  }
  if (use.requests.parameters) added.stated_parameters = flow_text(*use.requests.parameters);
  if (use.requests.batching) added.stated_batching = flow_text(*use.requests.batching);
}

// Several applications may have been measured on one platform, which is read once.
const GpuSpec& ApplicationReader::measured(const std::string& platform) {
  const auto known = measured_.find(platform);
  return known != measured_.end() ? known->second
                                  : measured_.emplace(platform, load_platform(platform)).first->second;
}

void ApplicationReader::check_beside_others(const config::Value& name,
                                            const ExperimentApplication& added) const {
  const ApiProgram& program = added.application.program;
  if (experiment_.applications.size() >= experiment_.platform.engine.contexts)
    name.problem(fmt::format("more applications than the platform's {} contexts",
                             experiment_.platform.engine.contexts));
  for (const ExperimentApplication& other : experiment_.applications)
    if (other.application.program.name == program.name &&
        (other.yaml != added.yaml || other.recording != added.recording))
      name.problem(
          fmt::format("another application of this experiment is named '{}' too; give one its own with "
                      "{{application: {}, name: NAME}}",
                      program.name, name.text()));
  if (experiment_.copies) return;
  if (program.make_script)
    name.problem(fmt::format("without copies '{}' has no data to work on", program.name));
  else if (std::none_of(program.calls.begin(), program.calls.end(), takes_time))
    name.problem(fmt::format("without copies nothing is left of '{}'", program.name));
}

}  // namespace heddle
