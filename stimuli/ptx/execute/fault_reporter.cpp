#include "stimuli/ptx/execute/fault_reporter.h"

#include <fmt/format.h>

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
  return fmt::format(
      "{}:{}: {} (kernel {}, block ({}, {}, {}), thread ({}, {}, {}), pc {:#x}{})", module.file,
      at.step.statement->line, problem, kernel_name(module.functions[state_.launch.entry].name), block_.x,
      block_.y, block_.z, thread % size.x, thread / size.x % size.y, thread / size.x / size.y,
      frame.code->instructions[frame.stack.pc()].pc,
      frame.code->function->entry ? "" : fmt::format(", in {}", kernel_name(frame.code->function->name)));
}

std::string FaultReporter::outside(const WarpStep& at, std::uint32_t lane, Address address) const {
  const Access& access = state_.code.accesses[at.step.index];
  const std::uint32_t bytes = std::uint32_t{access.bytes} * access.width;
  const bool starts_inside = state_.memory.find(address) != nullptr;
  return message(at, lane,
                 starts_inside ? fmt::format("{} bytes at {:#x}, of which {}", bytes, address,
                                             describe(state_.memory, address + bytes - 1))
                               : fmt::format("{} bytes at {}", bytes, describe(state_.memory, address)));
}

}  // namespace heddle::ptx
