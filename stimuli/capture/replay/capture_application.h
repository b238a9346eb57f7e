#pragma once
// A captured program becomes an application: its calls of the runtime, and a script that executes its
// kernels. Device memory has the same addresses as under capture.

#include <cstdint>
#include <memory>
#include <string>

#include "stimuli/application/application.h"
#include "stimuli/application/launch_ranges.h"
#include "stimuli/capture/format/capture.h"
#include "stimuli/capture/replay/replay_kernels.h"
#include "stimuli/capture/replay/replay_script.h"
#include "stimuli/ptx/analysis/spilling.h"

namespace heddle::capture {

// Returns the application of a capture. A kernel's threads have the registers that `registers` states, else
// those of the machine code that the program held, else those of the estimate. Kernels whose threads need
// more than `most_registers` spill. A kernel has the name of the program's kernel without its parameters;
// kernels with equal names are numbered. The numbers of streams and events that the program destroys are used
// again. Events order the default stream and the other streams as CUDA does. Memory is freed after the host
// has waited for all streams, when a call frees it or at the end of the program. If the capture is exact,
// bytes that are copied to the host must be those of the capture.
//
// Launches that `ranges` do not hold are skipped: they are executed in next to no time, as launches of the
// kernel "skipped" (see SkippedLaunch). The program ends behind the last launch that they hold.
//
// Throws config::Error, "NAME: call N: ...", for calls that no program can make, and for stated registers of
// a kernel that the program does not launch.
Application capture_application(std::shared_ptr<const Capture> capture, const std::string& name,
                                const RegisterCounts& registers = {},
                                std::uint32_t most_registers = ptx::kAnyRegisters,
                                const LaunchRanges& ranges = {});

struct ReplayedProgram {
  Application application;
  std::shared_ptr<const Replay> replay;  // of its script
};

// The same with the facts that the application's script works with.
ReplayedProgram replayed_program(std::shared_ptr<const Capture> capture, const std::string& name,
                                 const RegisterCounts& registers = {},
                                 std::uint32_t most_registers = ptx::kAnyRegisters,
                                 const LaunchRanges& ranges = {});

bool is_capture(const std::string& file);  // decides by the file name, *.hcap

ReplayedProgram read_replayed_program(const std::string& file, const RegisterCounts& registers = {},
                                      std::uint32_t most_registers = ptx::kAnyRegisters,
                                      const LaunchRanges& ranges = {});

}  // namespace heddle::capture
