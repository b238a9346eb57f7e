#include "stimuli/launch/launch_step_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/core/base/launch_limits.h"
#include "stimuli/application/call_names.h"

namespace heddle {

void LaunchStepReader::read(const config::Section& section, const config::Value& value, bool is_reached,
                            ApiCall& call) {
  call.kind = ApiCall::Kind::kLaunch;
  const std::string name = read_entry(value);
  std::vector<std::string> known;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
  for (std::uint32_t code = 0; code < plan_.codes.size(); ++code) {
    const std::vector<ptx::Function>& functions = image_of(*plan_.codes[code]).module->functions;
    for (std::uint32_t i = 0; i < functions.size(); ++i) {
      if (!functions[i].entry) continue;
      known.push_back(functions[i].name);
      if (functions[i].name == name) found.emplace_back(code, i);
    }
  }
  if (found.size() > 1) value.problem(fmt::format("more than one PTX file has an entry '{}'", name));
  if (found.empty()) {
    index_of("entry", value, name, known);
    for (const std::string& key : section.keys()) section.has(key);
    return;
  }
  LaunchStep step = read_step(section, found.front().first, found.front().second);
  step.place = fmt::format("{}: {}", value.place(), value.path());
  call.kernel = kernel_of(step);
  call.number = static_cast<std::uint32_t>(plan_.steps.size());
  if (is_reached) check_launch(value, step, program_.kernels[call.kernel]);
  plan_.steps.push_back(std::move(step));
}

// Returns the name of an entry, in which each expression in braces is replaced by its number.
std::string LaunchStepReader::read_entry(const config::Value& value) const {
  std::string name = value.text();
  std::size_t first = 0;
  while ((first = name.find('{', first)) != std::string::npos) {
    const std::size_t last = name.find('}', first);
    if (last == std::string::npos) {
      value.problem(fmt::format("'{}': there is no '}}' behind the '{{'", name));
      return name;
    }
    const Expression expression = values_.parse(value, name.substr(first + 1, last - first - 1));
    if (!expression.is_constant())
      value.problem(fmt::format("'{}': it must not depend on variables or buffers", expression.text()));
    name.replace(first, last + 1 - first, expression.is_constant() ? text_of(expression.constant()) : "");
  }
  return name;
}

LaunchStep LaunchStepReader::read_step(const config::Section& section, std::uint32_t code,
                                       std::uint32_t entry) {
  LaunchStep step;
  step.code = code;
  step.entry = entry;
  step.grid = read_dimensions(section.value("grid"));
  step.block = read_dimensions(section.value("block"));
  if (section.has("cluster")) step.cluster = read_dimensions(section.value("cluster"));
  if (section.has("shared_memory")) step.shared = values_.expression(section.value("shared_memory"));
  if (section.has("registers"))
    step.registers =
        static_cast<std::uint32_t>(values_.whole(section.value("registers"), 1, kMostRegistersOfThread));
  step.arguments = arguments_.read(section, image_of(*plan_.codes[code]).module->functions[entry]);
  return step;
}

std::array<Expression, 3> LaunchStepReader::read_dimensions(const config::Value& value) {
  std::vector<Expression> given = values_.list(value);
  if (given.empty() || given.size() > 3)
    value.problem(fmt::format("1 to 3 dimensions are wanted, it has {}", given.size()));
  const Expression one = Expression::parse("1", {});
  given.resize(3, one);
  return {given[0], given[1], given[2]};
}

std::uint32_t LaunchStepReader::kernel_of(const LaunchStep& step) {
  const std::pair<std::uint32_t, std::uint32_t> entry{step.code, step.entry};
  const auto known = std::find(entries_.begin(), entries_.end(), entry);
  const auto kernel = static_cast<std::uint32_t>(known - entries_.begin());
  if (known != entries_.end()) return kernel;
  entries_.push_back(entry);
  ApiKernel added;
  added.name = image_of(*plan_.codes[step.code]).module->functions[step.entry].name;
  added.blocks = 1;
  added.matrix_product = matrix_product_of(*plan_.codes[step.code], step.entry);
  added.group_product = group_product_of(*plan_.codes[step.code], step.entry);
  added.bulk_copy = bulk_copy_of(*plan_.codes[step.code], step.entry);
  program_.kernels.push_back(std::move(added));
  return kernel;
}

// Checks the launch with the initial values of the variables. A problem is recorded only if no expression of
// the launch depends on variables or words; otherwise the script checks the launch when it makes it.
void LaunchStepReader::check_launch(const config::Value& value, const LaunchStep& step,
                                    ApiKernel& kernel) const {
  const auto fixed = [](const Expression& expression) { return expression.is_constant(); };
  const bool fixed_cluster = !step.cluster || std::all_of(step.cluster->begin(), step.cluster->end(), fixed);
  const bool fixed_shape =
      fixed_cluster && std::all_of(step.block.begin(), step.block.end(), fixed) && fixed(step.shared);
  const bool all_fixed = fixed_shape && std::all_of(step.grid.begin(), step.grid.end(), fixed) &&
                         std::all_of(step.arguments.begin(), step.arguments.end(),
                                     [&](const LaunchArgument& argument) { return fixed(argument.value); });
  const std::function<Number(BufferWord)> no_word = [](BufferWord) -> Number { return std::int64_t{0}; };
  try {
    const ptx::Launch launch = make_launch(plan_, step, {plan_.initial, no_word},
                                           [](std::uint32_t) { return DeviceMemory::kFirst; });
    const std::string problem = launch_problem(launch);
    if (!problem.empty()) throw NumberError(problem);
    const BlockShape shape = shape_of(launch);
    kernel.blocks = std::max(kernel.blocks, launch.grid.count());
    if (!fixed_shape) return;
    kernel.shape.threads = std::max(kernel.shape.threads, shape.threads);
    kernel.shape.registers_per_thread =
        std::max(kernel.shape.registers_per_thread, shape.registers_per_thread);
    kernel.shape.shared_bytes = std::max(kernel.shape.shared_bytes, shape.shared_bytes);
    kernel.shape.cluster = std::max(kernel.shape.cluster, shape.cluster);
  } catch (const NumberError& error) {
    if (all_fixed) value.problem(error.what());
  }
}

}  // namespace heddle
