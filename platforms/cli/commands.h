#pragma once
// The verbs of the program. Each returns the exit code: 0 well, 2 usage or input, 3 a failed run. Bad input
// is thrown as config::Error, a result that cannot be written as OutputError.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/run/exit_code.h"

namespace heddle {

struct BenchOptions {
  bool quick = false;  // measure once, not the median of three
  bool json = false;
};
int bench_command(const BenchOptions& options);

struct RunOptions {
  std::string experiment;
  std::vector<std::string> sets;
  std::vector<std::string> policies;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> platform;
  std::string out;       // empty: results/<experiment>, numbered where that exists
  std::string cache;     // of applications alone; see AloneCache
  std::size_t jobs = 0;  // simulations at a time; 0: one per core
  bool timeline = false;
  bool functional = false;  // see functional_command
  bool json = false;
  bool quiet = false;
  bool build_reversed = false;
  std::vector<std::string> argv;
};
int run_command(const RunOptions& options);
// Executes a launch file without a machine, for its results alone. What its kernels print goes to standard
// output, with `json` into the object.
int functional_command(const RunOptions& options);

struct CaptureOptions {
  std::string out;                   // an .hcap file; written whole or not at all
  std::string platform = "k20";      // whose properties the program is shown
  bool racy = false;                 // its results may differ from run to run
  std::vector<std::string> program;  // with its arguments
};
// Runs a CUDA program against Heddle's runtime and keeps what it asks of the GPU. Throws std::runtime_error
// where the program fails or cannot be captured.
int capture_command(const CaptureOptions& options);

struct DramOptions {
  std::string trace;
  std::string platform;
  std::string channel_map;  // empty: the platform's
  std::vector<std::string> sets;
  std::vector<std::string> policies;
  std::string command_trace;       // a file for every command; empty: none
  std::uint64_t outstanding = 64;  // most reads on their way
  bool no_refresh = false;
  bool json = false;
};
int dram_command(const DramOptions& options);

struct BatchPlanOptions {
  std::string campaign;
  std::vector<std::string> sets;
  std::string directory;  // of its results; empty: results/campaigns/NAME
  std::size_t jobs = 0;   // runs at a time, for the estimate; 0: one per core
  bool all = false;       // print every point
  bool json = false;
};
int batch_plan_command(const BatchPlanOptions& options);

struct ReproduceOptions {
  std::string paper;  // a name, a file, or all
  std::string out = "results/reproduce";
  std::uint64_t window = 0;  // core cycles of each run that has such an end; 0: the paper's
  std::size_t jobs = 0;      // runs at a time; 0: one per core
  bool strict = false;       // no page of a part of the runs
  bool quiet = false;
  std::vector<std::string> argv;
};
// Runs a paper's campaigns, or what they lack, below OUT/PAPER, and writes OUT/index.html. Exit code 130
// where interrupted.
int reproduce_command(const ReproduceOptions& options);

struct PhasesOptions {
  std::string kernel;                // a name (stimuli/kernels) or a PTX file
  std::string entry;                 // empty: all of the file
  std::uint64_t dynamic_shared = 0;  // bytes of the extern array
  double live_change = 0.25;
  std::uint32_t minimum_instructions = 10;
};
// Prints the phases of PTX entries and draws their live registers, instruction by instruction.
int phases_command(const PhasesOptions& options);

struct EstimateOptions {
  std::string experiment;  // of two applications
  std::optional<std::string> platform;
  std::vector<std::string> sets;
  std::vector<std::string> alone;    // APPLICATION.KERNEL=TIME
  std::vector<std::string> traffic;  // APPLICATION.KERNEL=BANDWIDTH, from and to DRAM, alone
  std::string bandwidth;             // that kernels can reach together; empty: the platform's DRAM's peak
  std::string launch_overhead;       // empty: the platform's kernel launch latency
  std::string placement = "packed";  // of the first kernel's blocks; or breadth
  bool json = false;
};
// Prints what arithmetic says of every pair of a kernel of the first application and, submitted after it, one
// of the second: see models/estimate/concurrent_kernels.h.
int estimate_command(const EstimateOptions& options);

int check_command(const std::string& what, const std::vector<std::string>& sets);

struct ListOptions {
  std::string what;
  std::string platform = "gtx480";  // whose counters
  bool markdown = false;            // of keys and counters: a table of Markdown
};
int list_command(const ListOptions& options);

}  // namespace heddle
