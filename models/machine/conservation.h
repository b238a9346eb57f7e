#pragma once
// What enters a machine leaves it or is in flight. These checks throw InvariantError where that does not
// hold. The statistics of the machine have been brought up to the present before.

#include "models/engine/kernel_log.h"
#include "models/gpu/gpu.h"
#include "models/host/requests/request_log.h"
#include "models/machine/machine_host.h"

namespace heddle {

// Kernels, their pieces and their blocks: each one that was launched or issued has ended, was flushed, or is
// in the engine. Each instruction that a context has issued is one of its kernels'.
void check_kernels(const Gpu& gpu, const KernelLog& log);

// Each request that arrived was served, shed or cut off, or it waits or is in service.
void check_requests(const Gpu& gpu, const MachineHost& host, const RequestLog& log);

// The account of a request, if it has one, adds up to its times. `server` is the name of its process.
void check_account(const Gpu& gpu, const RequestRecord& record, const std::string& server);

}  // namespace heddle
