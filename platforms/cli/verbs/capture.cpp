#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/process/search_path.hpp>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <set>

#include "models/core/config/data_path.h"
#include "models/core/config/input_file.h"
#include "platforms/cli/exit_code.h"
#include "platforms/cli/limit_option.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"
#include "platforms/cli/verbs/functional_run.h"
#include "platforms/load/platform_loader.h"
#include "platforms/run/child.h"
#include "platforms/run/output.h"
#include "stimuli/application/names.h"
#include "stimuli/capture/format/capture_file.h"
#include "stimuli/capture/format/environment.h"
#include "stimuli/capture/format/program_file.h"
#include "stimuli/capture/format/vendor_library.h"
#include "stimuli/capture/replay/capture_application.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

struct CaptureOptions {
  std::string out;                  // an .hcap file; it is written as a whole or not at all
  std::string platform = "k20";     // the program sees the properties of this platform
  bool racy = false;                // the program's results may differ from run to run
  bool lenient = false;             // see capture::Capture
  std::string order = "blocks";     // see FunctionalOrder
  std::vector<std::string> limits;  // see run_limit(); none given: kLimit
  bool quiet = false;
  std::vector<std::string> program;  // with its arguments
};

// Programs of hours stay below it. It ends those that spin and count their rounds.
constexpr const char* kLimit = "100000000000instructions";
constexpr const char* kDriver = "libcuda.so.1";
constexpr const char* kNewest = "libcudart.so.13";

pid_t program_process = 0;

void pass_on(int signal) {
  ::kill(program_process, signal);
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (!fs::is_regular_file(name)) throw config::Error({fmt::format("there is no program '{}'", name)});
    return name;
  }
  std::string found = boost::process::search_path(name).string();
  if (found.empty()) throw config::Error({fmt::format("there is no program '{}' on the path", name)});
  return found;
}

// Returns the file of Heddle's runtime that replaces the CUDA runtime of the program, and its driver. Returns
// nothing if the program itself needs none; then one of its libraries can need one.
std::string find_runtime(const std::string& program) {
  const capture::ProgramFile file = capture::read_program_file(config::read_file(program), program);
  for (const std::string& library : file.needed)
    if (const std::string refusal = capture::refusal_of_library(library); !refusal.empty())
      throw config::Error({fmt::format("{} needs {}", program, refusal)});
  std::string soname = capture::runtime_of(file, program);
  const auto& needed = file.needed;
  if (soname.empty() && std::find(needed.begin(), needed.end(), kDriver) != needed.end()) soname = kNewest;
  if (soname.empty()) return "";
  const fs::path runtime = fs::path(runtime_folder()) / soname;
  if (!fs::exists(runtime))
    throw config::Error({fmt::format(
        "{}: it needs {}, and there is no {}; Heddle has the runtimes of CUDA 11, 12 and 13 there", program,
        soname, runtime.string())});
  return runtime.string();
}

// Returns the folder of the driver that belongs to a runtime; it is a part of the runtime's file.
std::string driver_folder(const std::string& runtime) {
  const std::string name = runtime.empty() ? kNewest : fs::path(runtime).filename().string();
  const std::string version = name.substr(name.find(".so.") + 4);
  return (fs::path(runtime_folder()) / ("driver-" + version.substr(0, version.find('.')))).string();
}

void put_first(const char* variable, const std::string& what) {
  const char* given = std::getenv(variable);
  ::setenv(variable, (given == nullptr || *given == '\0' ? what : what + ":" + given).c_str(), 1);
}

RunLimit limit_of(const CaptureOptions& options) {
  return run_limit(options.limits.empty() ? std::vector<std::string>{kLimit} : options.limits, false);
}

// Replaces the child process by the program.
[[noreturn]] void become(const CaptureOptions& options, const std::string& program,
                         const std::string& platform, const std::string& runtime, const std::string& draft) {
  ::setenv(capture::kFileVariable, draft.c_str(), 1);
  ::setenv(capture::kPlatformVariable, platform.c_str(), 1);
  ::setenv(capture::kProgramVariable, plain_name(fs::path(options.out).stem().string()).c_str(), 1);
  if (options.racy) ::setenv(capture::kRacyVariable, "1", 1);
  if (options.lenient) ::setenv(capture::kLenientVariable, "1", 1);
  if (options.quiet) ::setenv(capture::kQuietVariable, "1", 1);
  const auto order = static_cast<unsigned>(functional_order(options.order));
  ::setenv(capture::kOrderVariable, std::to_string(order).c_str(), 1);
  const RunLimit limit = limit_of(options);
  ::setenv(capture::kLimitVariable, std::to_string(limit.warp_instructions).c_str(), 1);
  ::setenv(capture::kMillisecondsVariable,
           std::to_string(std::llround(std::ceil(limit.seconds * 1000))).c_str(), 1);
  put_first("LD_LIBRARY_PATH", runtime_folder());
  put_first("LD_LIBRARY_PATH", driver_folder(runtime));
  if (!runtime.empty())
    put_first("LD_PRELOAD", runtime);  // it takes precedence over a path in the program itself
  put_first("LD_AUDIT", (fs::path(runtime_folder()) / "libheddle-audit.so").string());
  std::vector<char*> arguments;
  for (const std::string& argument : options.program)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  std::cerr << fmt::format("heddle: {}: {}\n", program, std::strerror(errno));
  ::_exit(kExitUsage);
}

int run_program(const CaptureOptions& options, const std::string& program, const std::string& platform,
                const std::string& runtime, const std::string& draft) {
  std::cout.flush();
  program_process = ::fork();
  if (program_process < 0) throw std::runtime_error("no process can be made");
  if (program_process == 0) become(options, program, platform, runtime, draft);
  std::signal(SIGINT, SIG_IGN);  // a terminal sends the signal to the program, too
  std::signal(SIGTERM, pass_on);
  int status = 0;
  while (::waitpid(program_process, &status, 0) < 0 && errno == EINTR) continue;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  return status;
}

void check_end(int status, const std::string& program, const std::string& draft) {
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM)) throw Interrupted{};
  if (status != 0)
    throw std::runtime_error(fmt::format("{}; nothing was captured", describe_end(program, status)));
  if (!fs::exists(draft))
    throw std::runtime_error(fmt::format(
        "{} has made no call of the CUDA runtime that reaches a GPU; nothing was captured", program));
}

std::uint64_t total(const capture::Capture& captured, capture::CapturedCall::Kind kind) {
  std::uint64_t bytes = 0;
  for (const capture::CapturedCall& call : captured.calls)
    if (call.kind == kind) bytes += call.rows.total();
  return bytes;
}

void print(const CaptureOptions& options, const capture::Capture& captured, const Application& application) {
  using Kind = capture::CapturedCall::Kind;
  std::uint64_t launches = 0;
  for (const std::uint64_t count : application.launches) launches += count;
  std::cout << fmt::format("{}: {} launches of {} kernels, {} B up, {} B down, {} streams\n", options.out,
                           launches, application.program.kernels.size(), total(captured, Kind::kUpload),
                           total(captured, Kind::kDownload), application.program.streams.size());
}

// Runs a CUDA program on Heddle's runtime and records its calls. Throws std::runtime_error if the program
// fails or cannot be captured.
int capture_program(const CaptureOptions& options) {
  limit_of(options);
  const std::string platform = fs::absolute(find_data("platforms", options.platform)).string();
  if (load_platform(platform).compute_capability == 0)
    throw config::Error(
        {platform + ": the platform does not say its compute_capability, which programs ask for"});
  if (fs::path(options.out).extension() != ".hcap")
    throw config::Error({fmt::format("--out {}: the name must end in .hcap", options.out)});
  const std::string program = find_program(options.program.front());
  const std::string runtime = find_runtime(program);
  ResultFile file(options.out, Existing::kReplaced, "--out");
  const std::string draft = fs::absolute(file.draft()).string();  // the program may change its folder
  check_end(run_program(options, program, platform, runtime, draft), program, draft);
  const auto captured = std::make_shared<const capture::Capture>(capture::load_capture(draft));
  const Application application = capture::capture_application(captured, options.out);
  file.finish();
  print(options, *captured, application);
  return 0;
}

void declare_capture(CommandLine& verb, CaptureOptions& options) {
  verb.add_option("-o,--out", options.out,
                  "the captured program: NAME.hcap, replaced where it exists; NAME names the application")
      .required();
  add_platform_option(verb, options.platform,
                      "whose properties the program is shown, by name or YAML file (default: k20)");
  verb.add_flag("--racy", options.racy,
                "its results may differ from run to run: a replay tells of the first difference and goes on");
  verb.add_flag("--lenient-memory", options.lenient,
                "an access outside of allocations passes where the page of 2 MiB has one, as on hardware");
  add_order_option(verb, options.order);
  add_limit_option(verb, options.limits, false, kLimit);
  add_quiet_flag(verb, options.quiet, "no progress");
  verb.add_option("program", options.program, "the program and its arguments, after --").required();
  verb.footer(
      "The program must be linked with the shared runtime: nvcc -cudart shared.\nExample:\n"
      "  heddle capture -o saxpy.hcap -- ./saxpy 1000\n  heddle run saxpy.hcap --platform gtx480");
}

const VerbRegistration kCapture("capture", 30, "Run a CUDA program without a GPU; keep it as an application",
                                declare_capture, capture_program);

}  // namespace

}  // namespace heddle
