// This file reads launches, and adds the calls before and after the program of a launch file.

#include <fmt/format.h>

#include <algorithm>

#include "stimuli/application/call_names.h"
#include "stimuli/launch/call_reader.h"

namespace heddle {

void CallReader::read_launch(const config::Section& section, const config::Value& value, ApiCall& call) {
  call.kind = ApiCall::Kind::kLaunch;
  call.stream = streams_.stream_of(section);
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
  check_launch(value, step, program_.kernels[call.kernel]);
  plan_.steps.push_back(std::move(step));
}

// Returns the name of an entry, in which each expression in braces is replaced by its number.
std::string CallReader::read_entry(const config::Value& value) const {
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

LaunchStep CallReader::read_step(const config::Section& section, std::uint32_t code, std::uint32_t entry) {
  LaunchStep step;
  step.code = code;
  step.entry = entry;
  step.grid = read_dimensions(section.value("grid"));
  step.block = read_dimensions(section.value("block"));
  if (section.has("shared_memory")) step.shared = values_.expression(section.value("shared_memory"));
  if (section.has("registers"))
    step.registers =
        static_cast<std::uint32_t>(values_.whole(section.value("registers"), 1, kMostRegistersOfThread));
  step.arguments = arguments_.read(section, image_of(*plan_.codes[code]).module->functions[entry]);
  return step;
}

std::array<Expression, 3> CallReader::read_dimensions(const config::Value& value) {
  std::vector<Expression> given = values_.list(value);
  if (given.empty() || given.size() > 3)
    value.problem(fmt::format("1 to 3 dimensions are wanted, it has {}", given.size()));
  const Expression one = Expression::parse("1", {});
  given.resize(3, one);
  return {given[0], given[1], given[2]};
}

std::uint32_t CallReader::kernel_of(const LaunchStep& step) {
  const std::pair<std::uint32_t, std::uint32_t> entry{step.code, step.entry};
  const auto known = std::find(entries_.begin(), entries_.end(), entry);
  const auto kernel = static_cast<std::uint32_t>(known - entries_.begin());
  if (known != entries_.end()) return kernel;
  entries_.push_back(entry);
  ApiKernel added;
  added.name = image_of(*plan_.codes[step.code]).module->functions[step.entry].name;
  added.blocks = 1;
  added.matrix_product = matrix_product_of(*plan_.codes[step.code], step.entry);
  program_.kernels.push_back(std::move(added));
  return kernel;
}

// Checks the launch with the initial values of the variables. A problem is recorded only if no expression of
// the launch depends on variables or words; otherwise the script checks the launch when it makes it.
void CallReader::check_launch(const config::Value& value, const LaunchStep& step, ApiKernel& kernel) const {
  if (!is_reached_) return;
  const auto fixed = [](const Expression& expression) { return expression.is_constant(); };
  const bool fixed_shape = std::all_of(step.block.begin(), step.block.end(), fixed) && fixed(step.shared);
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
  } catch (const NumberError& error) {
    if (all_fixed) value.problem(error.what());
  }
}

void CallReader::surround(const config::Value& program) {
  std::vector<ApiCall> body;
  std::vector<std::string> places;
  body.swap(program_.calls);
  places.swap(places_);
  ApiCall call;
  const auto add_for = [&](ApiCall::Kind kind, std::uint32_t buffer) {
    call.kind = kind;
    call.buffer = buffer;
    call.bytes = program_.buffers[buffer].bytes;
    add(call, program);
  };
  std::vector<std::uint32_t> allocated;
  for (std::uint32_t i = 0; i < program_.buffers.size(); ++i)
    if (i < plan_.codes.size() || plan_.buffers[i - plan_.codes.size()].used) allocated.push_back(i);
  for (const std::uint32_t buffer : allocated) add_for(ApiCall::Kind::kAllocate, buffer);
  for (const std::uint32_t buffer : allocated) {
    const bool is_code = buffer < plan_.codes.size();
    const LaunchBuffer* const data = is_code ? nullptr : &plan_.buffers[buffer - plan_.codes.size()];
    if (is_code || (data->make && !data->zeroed)) add_for(ApiCall::Kind::kCopyUp, buffer);
    if (!is_code && data->zeroed) add_for(ApiCall::Kind::kFill, buffer);
  }
  program_.calls.insert(program_.calls.end(), body.begin(), body.end());
  places_.insert(places_.end(), places.begin(), places.end());
  call = {};
  call.kind = ApiCall::Kind::kSynchronise;
  call.stream = ApiCall::kAllStreams;
  add(call, program);
  call = {};
  add_check_copies(program);
  for (const std::uint32_t buffer : allocated) add_for(ApiCall::Kind::kFree, buffer);
}

void CallReader::add_check_copies(const config::Value& program) {
  const LaunchCheck& check = plan_.check;
  for (std::uint32_t i = 0; i < plan_.buffers.size(); ++i) {
    const LaunchBuffer& buffer = plan_.buffers[i];
    bool checked = std::any_of(check.expected.begin(), check.expected.end(),
                               [&](const LaunchCheck::Expected& expected) { return expected.buffer == i; });
    if (check.reference != nullptr)
      for (const kernels::Output& output : check.reference->outputs)
        checked = checked || output.buffer == buffer.name;
    if (!checked) continue;
    if (!buffer.used) {
      program.problem(fmt::format("it does not use '{}', which is checked", buffer.name));
      continue;
    }
    ApiCall call;
    call.kind = ApiCall::Kind::kCopyDown;
    call.buffer = plan_.program_buffer(i);
    call.bytes = buffer.bytes();
    add(call, program);
  }
}

}  // namespace heddle
