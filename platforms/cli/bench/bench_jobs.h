#pragma once
// The runs that `heddle bench` measures.

#include <string>
#include <vector>

#include "platforms/run/job.h"
#include "stimuli/application/application.h"

namespace heddle {

GpuSpec large_fermi(std::uint32_t sms, std::uint32_t channels);  // gtx480 with more of both

// Builds the machine that runs one application once, without copies.
MachineSpec bench_machine(const GpuSpec& gpu, const Application& application);

// Returns the job of a shipped application with values changed as by --set.
Job bench_job(const std::string& name, const GpuSpec& gpu, const std::vector<std::string>& sets = {});

double median(std::vector<double> values);  // of at least one

}  // namespace heddle
