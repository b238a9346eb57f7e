#pragma once
// The `program` of an application: a list of calls.
//
//   - cpu: 1.5ms                      the host computes
//   - touch: [a, b]                   the host passes once over these buffers' data
//   - allocate: a                     free: a
//   - copy_up: a                      copy_down: a; with bytes: 4KiB for a part, asynchronous: true to go on
//   - launch: kernel
//   - record: event                   wait: event
//   - synchronise: all                or a stream
//   - repeat: 20
//     body: [...]
//
// What is still allocated when the program ends is freed then, as when a process ends. A loop's body leaves
// allocated what it found allocated. At least one call must reach the GPU.
//
// Copies, launches, records and waits may name a stream (`stream: x`); those that do not use one of their
// own, named "default".

#include "models/core/config/config.h"
#include "models/host/api_program.h"
#include "models/host/host_spec.h"

namespace heddle {

// Fills program.calls, streams and events; buffers and kernels are given.
void read_program(const config::Section& root, const HostSpec& host, ApiProgram& program);

}  // namespace heddle
