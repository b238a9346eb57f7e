#pragma once
// This file reads the `setup` and the `program` of an application, which are lists of calls.
//
//   - cpu: 1.5ms                      the host computes
//   - touch: [a, b]                   the host passes once over these buffers' data; takes bytes: 4KiB of it
//   - allocate: a                     free: a
//   - copy_up: a                      copy_down: a; both take bytes: 4KiB and asynchronous: true
//   - copy_across: a                  takes to: b and bytes: 4KiB; both buffers are on the device
//   - fill: a                         takes with: 0xff, the value of every byte, and bytes: 4KiB
//   - launch: kernel                  takes priority: 2, which is added to that of the application
//   - record: event                   wait: event
//   - synchronise: all                or a stream
//   - forward                         the kernels of one step of the application's language model; also
//     forward: step                   as a section, which takes priority: 2
//   - query: cudaGetDeviceProperties  a call of the runtime that needs nothing of the GPU
//   - repeat: 20
//     body: [...]
//
// Buffers that are still allocated when the program ends are freed then, as when a process ends. The body of
// a loop must leave the same buffers allocated that it found allocated. At least one call must reach the GPU.
//
// A server makes the calls of the setup once, and those of the program for each request. Without requests the
// setup is the begin of the program. What the setup allocates stays allocated. It has no events. Times, bytes
// and rounds may be expressions of the parameters of requests.
//
// Copies, fills, launches, records and waits may name a stream (`stream: x`). Calls without that key use the
// stream named "default".

#include "models/core/config/config.h"
#include "models/host/api_program.h"
#include "models/host/host_spec.h"
#include "stimuli/application/model_kernels.h"
#include "stimuli/application/request_amounts.h"

namespace heddle {

// Fills program.calls, program.setup_calls, program.streams and program.events. program.buffers and
// program.kernels must be complete before the call, and `varies` says of each buffer whether its size depends
// on parameters. `model` is null without a language model. Problems are recorded in the document.
void read_program(const config::Section& root, const HostSpec& host, const std::vector<bool>& varies,
                  RequestAmounts& amounts, ModelKernels* model, ApiProgram& program);

}  // namespace heddle
