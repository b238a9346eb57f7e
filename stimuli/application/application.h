#pragma once
// This file has the application that a YAML file describes: measured and synthetic kernels, and its calls of
// the GPU runtime. stimuli/APPLICATIONS.md, "Applications", shows every key.

#include <memory>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "models/gpu/gpu_spec.h"
#include "models/host/api_program.h"
#include "stimuli/application/measured_kernel.h"
#include "stimuli/application/model_kernels.h"
#include "stimuli/application/request_amounts.h"
#include "stimuli/application/request_reader.h"
#include "stimuli/synthetic/synthetic_kernel.h"

namespace heddle {

struct Application {
  ApiProgram program;  // set_residence() sets the blocks of measured kernels
  std::string source;
  std::string measured_on;                    // the platform of the kernel times; empty without kernel times
  std::vector<std::uint64_t> kernel_time_ps;  // by kernel: mean time alone, ps; 0 for synthetic ones
  std::vector<std::uint32_t> measured_sms;    // by kernel: on how many SMs; 0: on all
  std::vector<BlockBytes> bytes;              // by kernel, as stated
  std::vector<TimeBound> bounds;              // by kernel: what decided its time; set_residence() sets it
  bool is_moved = false;  // the times were measured on another GPU; set_residence() sets it
  std::vector<std::shared_ptr<const SyntheticKernel>> synthetic;  // by kernel; null for measured ones
  std::vector<std::uint64_t> launches;  // by kernel, in one execution of the program
  std::vector<std::string> notes;       // what happened to its kernels as they were loaded, for the user
  RequestReading requests;
  std::shared_ptr<ModelKernels> model;      // the kernels of its language model; null without one
  std::shared_ptr<RequestAmounts> amounts;  // what depends on the parameters of requests; null if nothing can
};

// Fills the members by kernel of an application of PTX or of a trace: its kernels have no times.
void set_untimed_kernels(Application& application);

// Loads the file of an application, whose language model stands in the document as a section.
config::Document load_application_document(const std::string& file);

// Reads an application. Problems are recorded in its document; among them are calls that cannot be made and
// cycles between streams. The time of a `touch` follows from the touch bandwidth of `host`. What the
// experiment states of its requests replaces what the file says.
Application read_application(const config::Section& root, const HostSpec& host,
                             const StatedRequests& stated = {});

// Returns the kernel time divided by the number of blocks, as a mean over launches, in ps; 0 without
// launches. Workload mixes classify applications as short or long by it.
double mean_block_time_ps(const Application& application);

// A Misfit is a reason why a platform cannot run an application.
struct Misfit {
  std::string kernel;  // empty if the reason concerns the application as a whole
  std::string message;
};
// Returns every misfit; empty if the platform can run the application. The reasons are more streams or events
// than the platform has, a kernel whose block fits no SM, and a kernel that the SM model cannot execute.
std::vector<Misfit> misfits(const Application& application, const GpuSpec& spec);
// Records the misfits as problems in the application's document.
void check_fits(const config::Section& root, const Application& application, const GpuSpec& spec);

// Sets the blocks of measured kernels (measured_kernel.h) from their times on `measured`, for runs on
// `runs_on`, also for each request if they depend on its parameters. A time that leaves no residence is a
// problem, and so are a residence that a kernel descriptor cannot hold and bytes that `measured` cannot have
// moved in the time.
void set_residence(const config::Section& root, Application& application, const GpuSpec& measured,
                   const GpuSpec& runs_on);

// Sets the kernels of the application's language model, if it has one, for runs on `gpu`, also for each
// request. What cannot be is a problem.
void set_model(const config::Section& root, Application& application, const GpuSpec& gpu);

// Returns what the user is told of an application whose times have moved to another GPU.
std::string moved_times(const Application& application, const GpuSpec& measured, const GpuSpec& runs_on);

// Returns the file of the platform on which the kernel times were measured. `file` is the application's file.
// The result is empty if no kernel has a time, and after the problem that the key is missing. Throws
// config::Error with the place of the key if there is no such platform.
std::string find_measured(const config::Section& root, const std::string& file);

// Returns the name that the file states under `key`. Results use it as the name of a file or a folder: it
// consists of letters, digits, '-', '_' and '.', and does not start with '.'. Any other name is a problem.
std::string read_name(const config::Section& root, const char* key);

}  // namespace heddle
