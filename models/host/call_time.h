#pragma once
// This file has the CPU time of an application's calls of the GPU runtime.

#include <cstdint>

#include "models/host/api_program.h"
#include "models/host/host_spec.h"

namespace heddle {

// Returns whether the call is one of the GPU runtime. The others are the application's own work.
bool calls_runtime(const ApiCall& call);

// Returns the CPU time of the call in ps, without the time in which it waits for the GPU and without
// HostSpec::return_latency_ps. It is 0 for calls that are not of the runtime.
std::uint64_t call_time_ps(const HostSpec& host, const ApiProgram& program, const ApiCall& call);

}  // namespace heddle
