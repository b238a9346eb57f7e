#pragma once
// A thread block at the start of an entry. A test executes its steps one by one, in any order, with operands
// that the test writes into the registers.

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "stimuli/ptx/execute/fault_reporter.h"
#include "stimuli/ptx/execute/launch_state.h"
#include "stimuli/ptx/execute/warp_step.h"
#include "tests/support/ptx/ptx_run.h"

namespace heddle::ptx {

struct StepRig {
  // Prepares the kernel of kernel_text(body, declarations).
  explicit StepRig(const std::string& body, const std::string& declarations = "", std::uint32_t threads = 32)
      : StepRig(PtxRun(kernel_text(body, declarations)), threads) {}
  StepRig(PtxRun&& described, std::uint32_t threads) : run(std::move(described)), launch(prepare(threads)) {
    for (Warp& warp : warps) warp.start(code, kEveryLane);
  }

  // Moves the warp to occurrence number `occurrence`, counted from 0, of this kind of step in the entry, and
  // returns the step for the lanes of `active`.
  WarpStep at(Step::Kind kind, std::size_t occurrence = 0, std::uint32_t active = kEveryLane,
              std::uint32_t warp = 0) {
    const std::vector<Step>& steps = code.functions[code.entry].steps;
    for (std::uint32_t i = 0; i < steps.size(); ++i)
      if (steps[i].kind == kind && occurrence-- == 0) {
        warps[warp].stack().advance(i);
        return {warps[warp], steps[i], warp, active};
      }
    throw std::runtime_error("no such step");
  }

  // Returns what the SM knows of the step before it is executed.
  IssuedInstruction issue(const WarpStep& at) const {
    IssuedInstruction issued;
    issued.code = at.warp.instruction(at.warp.stack().pc());
    issued.mask = at.active;
    return issued;
  }

  PtxRun run;
  Launch launch;
  EntryCode code = decode_entry(image_of(*launch.code), launch.entry, {});
  LaunchState state{launch, code, run.memory()};
  FaultReporter faults{state};
  std::vector<Warp> warps{(launch.block.x + kLanes - 1) / kLanes};

 private:
  Launch prepare(std::uint32_t threads) {
    run.block.x = threads;
    run.pass(std::uint64_t{0});
    run.pass(std::uint64_t{0});
    return run.launch();
  }
};

// Writes and reads the value of a lane in a row of 32 or 64 bits.
template <typename Value>
void set_lane(const WarpStep& at, const Row& row, std::uint32_t lane, Value value) {
  static_assert(sizeof(Value) == 4 || sizeof(Value) == 8);
  std::memcpy(at.warp.at(row) + std::size_t{lane} * sizeof(value), &value, sizeof(value));
}
template <typename Value>
Value lane_of(const WarpStep& at, const Row& row, std::uint32_t lane) {
  Value value{};
  std::memcpy(&value, at.warp.at(row) + std::size_t{lane} * sizeof(value), sizeof(value));
  return value;
}

// Returns the message of the fault that the function throws, or an empty string.
template <typename Action>
std::string fault_of(Action action) {
  try {
    action();
  } catch (const Fault& fault) {
    return fault.what();
  }
  return "";
}

}  // namespace heddle::ptx
