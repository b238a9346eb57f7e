#include "stimuli/ptx/execute/fault_reporter.h"

#include <fmt/format.h>

#include <cstring>

#include "stimuli/ptx/analysis/restart.h"
#include "stimuli/ptx/text/kernel_name.h"

namespace heddle::ptx {

void FaultReporter::raise(const WarpStep& at, std::uint32_t lane, const std::string& problem) const {
  throw Fault(message(at, lane, problem));
}

std::string FaultReporter::message(const WarpStep& at, std::uint32_t lane, const std::string& problem) const {
  const Module& module = state_.module();
  const Frame& frame = at.warp.frame();
  const Dim3& size = state_.launch.block;
  const std::uint32_t thread = at.number * kLanes + lane;
  const std::string source = source_of(module, *frame.code->function, at.step.statement->line);
  return fmt::format(
      "{}:{}: {} (kernel {}, {}, thread ({}, {}, {}), pc {:#x}{}{})", module.file, at.step.statement->line,
      problem, kernel_name(module.functions[state_.launch.entry].name), block(), thread % size.x,
      thread / size.x % size.y, thread / size.x / size.y, frame.code->instructions[frame.stack.pc()].pc,
      frame.code->function->entry ? "" : fmt::format(", in {}", kernel_name(frame.code->function->name)),
      source.empty() ? "" : ", " + source);
}

std::string FaultReporter::kernel() const {
  return kernel_name(state_.module().functions[state_.launch.entry].name);
}

std::string FaultReporter::block() const {
  return fmt::format("block ({}, {}, {})", block_.x, block_.y, block_.z);
}

std::string FaultReporter::place_of(const FunctionCode& code, std::uint32_t step) const {
  const std::uint32_t line = code.steps[step].statement->line;
  const std::string source = source_of(state_.module(), *code.function, line);
  return fmt::format("{}:{}{}, pc {:#x}{}", state_.module().file, line,
                     source.empty() ? "" : fmt::format(" ({})", source), code.instructions[step].pc,
                     code.function->entry ? "" : fmt::format(", in {}", kernel_name(code.function->name)));
}

// Returns which parameter of the kernel the address was made from, where that is one pointer, and to which
// buffer it points: the one that was overrun, which need not be the nearest one. Empty: it is not known.
std::string FaultReporter::origin(const WarpStep& at, Address address) const {
  const Function& entry = state_.module().functions[state_.launch.entry];
  if (at.warp.frame().code->function->name != entry.name) return "";
  const auto& accesses = restart_of(*state_.launch.code, state_.launch.entry).by_line;
  const auto found = accesses.find(at.step.statement->line);
  if (found == accesses.end() || found->second.parameters.size() != 1 || !found->second.variables.empty())
    return "";
  const std::uint32_t offset = found->second.parameters.front();
  Address pointer = 0;
  if (offset + sizeof pointer > state_.launch.parameters.size()) return "";
  std::memcpy(&pointer, state_.launch.parameters.data() + offset, sizeof pointer);
  const DeviceMemory::Allocation* const buffer = state_.memory.find(pointer);
  if (buffer == nullptr) return "";
  const bool is_behind = address >= buffer->end();
  return fmt::format(
      "; the address was made from parameter {}, which points to '{}' ({} bytes from {:#x}): {} "
      "bytes {}",
      name_of_parameter(entry, offset), buffer->name, buffer->bytes, buffer->address,
      is_behind ? address - buffer->end() : buffer->address - address,
      is_behind ? "behind its end" : "before it");
}

std::string FaultReporter::outside(const WarpStep& at, std::uint32_t lane, Address address) const {
  const Access& access = state_.code.accesses[at.step.index];
  const std::uint32_t bytes = std::uint32_t{access.bytes} * access.width;
  const bool starts_inside = state_.memory.find(address) != nullptr;
  if (starts_inside)
    return message(at, lane,
                   fmt::format("{} bytes at {:#x}, of which {}", bytes, address,
                               describe(state_.memory, address + bytes - 1)));
  return message(
      at, lane,
      fmt::format("{} bytes at {}{}", bytes, describe(state_.memory, address), origin(at, address)));
}

}  // namespace heddle::ptx
