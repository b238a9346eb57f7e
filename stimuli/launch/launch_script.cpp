#include "stimuli/launch/launch_script.h"
#include "stimuli/ptx/restart/restart_problem.h"

#include <fmt/format.h>

#include <stdexcept>

#include "models/core/base/log.h"

namespace heddle {

namespace {

std::vector<std::byte> read_buffer(const LaunchPlan& plan, std::uint32_t buffer, HostMemory& memory) {
  std::vector<std::byte> bytes(plan.buffers[buffer].bytes());
  memory.read(plan.program_buffer(buffer), 0, bytes.data(), bytes.size());
  return bytes;
}

}  // namespace

void LaunchScript::start(HostMemory& memory) {
  divergent_barriers_ = {};
  variables_ = plan_->initial;
  rounds_.assign(plan_->actions.size(), 0);
  for (std::uint32_t i = 0; i < plan_->codes.size(); ++i) {
    const std::vector<std::byte>& bytes = image_of(*plan_->codes[i]).bytes;
    memory.write(i, 0, bytes.data(), bytes.size());
  }
  for (std::uint32_t i = 0; i < plan_->buffers.size(); ++i) {
    if (!plan_->buffers[i].make) continue;
    const Array array = plan_->buffers[i].make();
    memory.write(plan_->program_buffer(i), 0, array.bytes.data(), array.bytes.size());
  }
}

Number LaunchScript::evaluate(const LaunchAction& action, HostMemory& memory) const {
  const std::function<Number(BufferWord)> word = [&](BufferWord at) {
    const ElementType type = plan_->buffers[at.buffer].type;
    std::byte bytes[8];
    memory.read(plan_->program_buffer(at.buffer), at.index * bytes_of(type), bytes, bytes_of(type));
    return load(type, bytes);
  };
  try {
    return action.value.evaluate({variables_, word});
  } catch (const NumberError& error) {
    throw std::runtime_error(fmt::format("{}: '{}': {}", action.place, action.value.text(), error.what()));
  }
}

void LaunchScript::perform(std::uint32_t number, HostMemory& memory) {
  const LaunchAction& action = plan_->actions[number];
  const Number value = evaluate(action, memory);
  if (action.kind == LaunchAction::Kind::kVariable) {
    variables_[action.variable] = value;
    return;
  }
  const ElementType type = plan_->buffers[action.word.buffer].type;
  std::byte bytes[8];
  try {
    store(type, value, bytes);
  } catch (const NumberError& error) {
    throw std::runtime_error(fmt::format("{}: {}", action.place, error.what()));
  }
  memory.write(plan_->program_buffer(action.word.buffer), action.word.index * bytes_of(type), bytes,
               bytes_of(type));
}

bool LaunchScript::again(std::uint32_t number, HostMemory& memory) {
  const LaunchAction& action = plan_->actions[number];
  std::uint64_t& rounds = rounds_[number];
  ++rounds;
  const bool ends = real_of(evaluate(action, memory)) != 0;
  if (!ends && rounds >= action.most)
    throw std::runtime_error(
        fmt::format("{}: '{}' does not hold after {} rounds", action.place, action.value.text(), rounds));
  if (ends) rounds = 0;
  return !ends;
}

HostScript::Launch LaunchScript::launch(const ApiCall& call, HostMemory& memory) {
  const LaunchStep& step = plan_->steps[call.number];
  const std::function<Number(BufferWord)> no_word = [](BufferWord) -> Number {
    throw NumberError("words of buffers are read by 'set' and 'until'");
  };
  ptx::Launch launch;
  try {
    launch = make_launch(*plan_, step, {variables_, no_word}, [&](std::uint32_t buffer) {
      return memory.device_address(plan_->program_buffer(buffer));
    });
    const std::string problem = launch_problem(launch);
    if (!problem.empty()) throw NumberError(problem);
  } catch (const NumberError& error) {
    throw std::runtime_error(fmt::format("{}: {}", step.place, error.what()));
  }
  if (image_of(*launch.code).address != memory.device_address(step.code))
    throw std::runtime_error(fmt::format("{}: its module lies elsewhere", step.place));
  const Launch result{launch.grid.count(), shape_of(launch), launched_};
  launches_.emplace(launched_++, std::move(launch));
  return result;
}

std::string LaunchScript::restart_problem(std::uint64_t arguments, const DeviceMemory& memory) const {
  return ptx::restart_problem(launches_.at(arguments), memory);
}

std::unique_ptr<KernelProgram> LaunchScript::open(std::uint64_t arguments, DeviceMemory& memory,
                                                  const CodeOptions& options) {
  const auto found = launches_.find(arguments);
  ptx::Launch launch = std::move(found->second);
  launches_.erase(found);
  launch.divergent_barriers = &divergent_barriers_;
  return ptx::make_program(std::move(launch), memory, options);
}

void LaunchScript::finish(HostMemory& memory) {
  if (divergent_barriers_.count > 0)
    HEDDLE_LOG(Severity::kWarning, "functional", "{}", ptx::describe(divergent_barriers_));
  if (plan_->check.reference != nullptr) check_reference(memory);
  check_expected(memory);
}

void LaunchScript::check_reference(HostMemory& memory) {
  const kernels::Reference& reference = *plan_->check.reference;
  if (!expected_) {
    expected_.emplace();
    for (const LaunchBuffer& buffer : plan_->buffers)
      (*expected_)[buffer.name] = buffer.make ? buffer.make().bytes : std::vector<std::byte>(buffer.bytes());
    try {
      reference.run(*expected_, plan_->check.scalars);
    } catch (const std::invalid_argument& error) {
      throw std::runtime_error(fmt::format("check: reference '{}': {}", reference.name, error.what()));
    }
  }
  kernels::Buffers actual;
  for (const kernels::Output& output : reference.outputs)
    for (std::uint32_t i = 0; i < plan_->buffers.size(); ++i)
      if (plan_->buffers[i].name == output.buffer)
        actual[plan_->buffers[i].name] = read_buffer(*plan_, i, memory);
  const std::string difference = first_difference(reference, *expected_, actual);
  if (!difference.empty()) throw std::runtime_error("check failed: " + difference);
}

void LaunchScript::check_expected(HostMemory& memory) const {
  for (const LaunchCheck::Expected& expected : plan_->check.expected) {
    const LaunchBuffer& buffer = plan_->buffers[expected.buffer];
    kernels::Reference comparison;
    comparison.outputs = {{buffer.name, static_cast<kernels::Element>(buffer.type), expected.tolerance}};
    const std::string difference =
        first_difference(comparison, {{buffer.name, expected.make().bytes}},
                         {{buffer.name, read_buffer(*plan_, expected.buffer, memory)}});
    if (!difference.empty()) throw std::runtime_error("check failed: " + difference);
  }
}

}  // namespace heddle
