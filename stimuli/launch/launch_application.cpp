#include "stimuli/launch/launch_application.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace heddle {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kParameters = "parameters.";

std::string key_of(const std::string& assignment) {
  return assignment.substr(0, assignment.find('='));
}

void set_parameters(config::Document& document, const std::vector<std::string>& parameters,
                    std::vector<std::string>& applied) {
  const config::Section root = document.root();
  if (!root.has("parameters") || !root.value("parameters").is_section()) return;
  const std::vector<std::string> known = root.section("parameters").keys();
  for (const std::string& assignment : parameters) {
    if (std::find(known.begin(), known.end(), key_of(assignment)) == known.end()) continue;
    document.set(std::string(kParameters) + assignment);
    applied.push_back(assignment);
  }
}

// Gives each file of the launch file a distinct name NAME/FILE in the results, and makes the document use it.
void gather_files(const LaunchFile& read, config::Document& document, LaunchApplication& result) {
  std::set<std::string> taken;
  for (const NamedFile& file : read.files) {
    std::string name = fs::path(file.path).filename().string();
    for (int i = 2; !taken.insert(name).second; ++i)
      name = fmt::format("{}-{}", i, fs::path(file.path).filename().string());
    name = fmt::format("{}/{}", read.program.name, name);
    document.set_text(file.key, name);
    result.files.emplace_back(name, file.path);
  }
}

LaunchApplication load_with_parts(const std::string& file, const std::vector<std::string>& parameters,
                                  std::vector<std::string>& applied, std::uint32_t most_registers,
                                  LoadedParts& parts) {
  config::Document document = config::Document::load(file);
  set_parameters(document, parameters, applied);
  LaunchFile read = read_launch_file(document.root(), file, most_registers, parts);
  document.finish();
  LaunchApplication result;
  result.description = read.description;
  result.plan = read.plan;
  gather_files(read, document, result);
  result.yaml = document.to_yaml();
  Application& application = result.application;
  application.program = std::move(read.program);
  application.notes = std::move(read.notes);
  application.source = "launch file " + file;
  set_untimed_kernels(application);
  return result;
}

}  // namespace

LaunchApplication load_launch_application(const std::string& file, const std::vector<std::string>& parameters,
                                          std::vector<std::string>& applied, std::uint32_t most_registers) {
  LoadedParts parts;
  return load_with_parts(file, parameters, applied, most_registers, parts);
}

LaunchApplication load_launch_application(const std::string& file,
                                          const std::vector<std::string>& parameters) {
  std::vector<std::string> applied;
  LaunchApplication result = load_launch_application(file, parameters, applied);
  check_applied(parameters, applied);
  return result;
}

LaunchApplication LoadedLaunches::load(const std::string& file, const std::vector<std::string>& parameters,
                                       std::vector<std::string>& applied, std::uint32_t most_registers) {
  const auto found = loaded_.get({file, parameters, most_registers}, [&] {
    Loaded loaded;
    loaded.application = load_with_parts(file, parameters, loaded.applied, most_registers, parts_);
    return loaded;
  });
  applied.insert(applied.end(), found->applied.begin(), found->applied.end());
  return found->application;
}

std::string parameter_set(const std::string& assignment) {
  return assignment.rfind(kParameters, 0) == 0 ? assignment.substr(kParameters.size()) : std::string{};
}

void check_applied(const std::vector<std::string>& parameters, const std::vector<std::string>& applied) {
  for (const std::string& assignment : parameters)
    if (std::find(applied.begin(), applied.end(), assignment) == applied.end())
      throw config::Error({fmt::format("--set {}{}: no launch file has a parameter '{}'", kParameters,
                                       assignment, key_of(assignment))});
}

}  // namespace heddle
