#pragma once
// An application as its YAML describes it: kernels, measured ones and synthetic ones, and the calls it makes
// of the GPU runtime. The README's "Applications" shows every key.

#include <memory>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "models/gpu/gpu_spec.h"
#include "models/host/api_program.h"
#include "stimuli/synthetic/synthetic_kernel.h"

namespace heddle {

struct Application {
  ApiProgram program;  // block_cycles not yet known: see with_residence()
  std::string source;
  std::string measured_on;                    // platform the kernel times were measured on; empty: no times
  std::vector<std::uint64_t> kernel_time_ps;  // by kernel: mean time alone on that platform; synthetic: 0
  std::vector<std::shared_ptr<const SyntheticKernel>> synthetic;  // by kernel; null for measured ones
  std::vector<std::uint64_t> launches;  // by kernel, in one execution of the program
};

// Reads an application; problems, calls that cannot be made and cycles between streams among them, are
// recorded in its document. CPU phases that touch data take the host's time for it.
Application read_application(const config::Section& root, const HostSpec& host);

// Residence of a block, in core cycles of the GPU that was measured (CUsched, Table II gives kernel times; a
// kernel alone on that GPU then takes the time measured):
//   (kernel time - launch and set-up latency - waves x issue latency) / waves,
//   waves = ceil(blocks / blocks resident on the whole GPU).
// A result below one cycle is 0: the time measured is too short for this GPU's latencies.
std::uint64_t residence_cycles(const ApiKernel& kernel, std::uint64_t kernel_time_ps,
                               const GpuSpec& measured);

// Mean share of kernel time of one block, by launches: what the mixes are split into short and long by.
double mean_block_time_ps(const Application& application);

// Why the platform cannot run it: more streams or events than it has, a kernel whose block fits no SM, or
// which the platform's kind of SM cannot execute. Empty: it can.
struct Misfit {
  std::string kernel;  // empty: the application as a whole
  std::string message;
};
std::vector<Misfit> misfits(const Application& application, const GpuSpec& spec);
// The same as problems at the application's document.
void check_fits(const config::Section& root, const Application& application, const GpuSpec& spec);

// Sets the measured kernels' block_cycles from their times on `measured`; a time that leaves no residence, or
// one beyond what a kernel descriptor holds, is a problem.
void set_residence(const config::Section& root, Application& application, const GpuSpec& measured);

// The file of the platform the times were measured on; empty where no kernel has a time, or where the key is
// missing, which is then a problem.
// Throws config::Error with the key's place if there is no such platform. `file`: of the application.
std::string find_measured(const config::Section& root, const std::string& file);

// The key under which a file gives its name, which is also a file's or a folder's in results: letters,
// digits,
// '-', '_' and '.', not first. Anything else is a problem.
std::string read_name(const config::Section& root, const char* key);

}  // namespace heddle
