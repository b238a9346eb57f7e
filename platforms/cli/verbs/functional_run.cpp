#include "platforms/cli/verbs/functional_run.h"

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/core/config/data_path.h"
#include "models/stats/writers.h"
#include "platforms/cli/exit_code.h"
#include "platforms/cli/print_json.h"
#include "stimuli/capture/format/capture_file.h"
#include "stimuli/capture/replay/capture_application.h"
#include "stimuli/functional/functional_host.h"
#include "stimuli/launch/launch_application.h"

namespace heddle {

namespace {

using Json = nlohmann::ordered_json;

// A launch file or a captured program that is executed.
struct Executed {
  const char* what;  // its key in the summary: "launch" or "capture"
  ApiProgram program;
  bool checked = false;
};

struct KernelTotals {
  std::string kernel;
  std::uint64_t launches = 0;
  std::uint64_t blocks = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
};

// Counts by kernel, in the order of their first launches.
std::vector<KernelTotals> totals_of(const ApiProgram& program,
                                    const std::vector<FunctionalLaunch>& launches) {
  std::vector<KernelTotals> totals;
  for (const ApiKernel& kernel : program.kernels) {
    totals.push_back({kernel.name});
    for (const FunctionalLaunch& one : launches) {
      if (one.kernel != kernel.name) continue;
      ++totals.back().launches;
      totals.back().blocks += one.blocks;
      totals.back().warp_instructions += one.counts.warp_instructions;
      totals.back().thread_instructions += one.counts.thread_instructions;
    }
  }
  return totals;
}

Json to_json(const Executed& executed, const std::vector<KernelTotals>& totals, const std::string& console) {
  Json kernels = Json::array();
  std::uint64_t warp_instructions = 0;
  for (const KernelTotals& of : totals) {
    kernels.push_back({{"kernel", of.kernel},
                       {"launches", of.launches},
                       {"blocks", of.blocks},
                       {"warp_instructions", of.warp_instructions},
                       {"thread_instructions", of.thread_instructions}});
    warp_instructions += of.warp_instructions;
  }
  return {{"schema", "heddle-functional-1"},
          {executed.what, executed.program.name},
          {"warp_instructions", warp_instructions},
          {"kernels", std::move(kernels)},
          {"check", executed.checked ? Json("passed") : Json(nullptr)},
          {"console", console}};
}

void print(const Executed& executed, const std::vector<KernelTotals>& totals) {
  using Align = Table::Align;
  Table table({{"kernel"},
               {"launches", Align::kRight},
               {"blocks", Align::kRight},
               {"warp instructions", Align::kRight},
               {"thread instructions", Align::kRight}});
  for (const KernelTotals& of : totals)
    table.add_row({of.kernel, fmt::format("{}", of.launches), fmt::format("{}", of.blocks),
                   fmt::format("{}", of.warp_instructions), fmt::format("{}", of.thread_instructions)});
  table.print(std::cout);
  std::cout << (executed.checked ? "check passed\n" : "nothing is checked\n");
}

Executed load_launch(const std::string& name, const Overrides& overrides) {
  const std::string file = find_data("stimuli/launches", name);
  if (!is_launch_file(config::Document::load(file).root()))
    throw config::Error(
        {file + ": neither a launch file nor a captured program: --functional runs nothing else"});
  const LaunchApplication launch =
      load_launch_application(file, overrides.only_launch_parameters("with --functional"));
  return {"launch", launch.application.program, !launch.plan->check.none()};
}

Executed load_captured_program(const std::string& file, const std::vector<std::string>& sets) {
  if (!sets.empty())
    throw config::Error({fmt::format("--set {}: a captured program has no parameters", sets.front())});
  const auto captured = std::make_shared<const capture::Capture>(capture::load_capture(file));
  return {"capture", capture::capture_application(captured, file).program, captured->exact};
}

}  // namespace

void add_order_option(CommandLine& verb, std::string& order) {
  verb.add_option(
          "--order", order,
          "without a machine: execute a kernel's blocks one after another, or interleaved, each warp one "
          "instruction at a time; where results differ, the program has a race (default: blocks)")
      .one_of({"blocks", "interleaved"})
      .type_name("ORDER");
}

FunctionalOrder functional_order(const std::string& name) {
  return name == "interleaved" ? FunctionalOrder::kInterleaved : FunctionalOrder::kBlocks;
}

int run_functionally(const std::string& program, const Overrides& overrides, FunctionalOrder order,
                     const RunLimit& limit, bool json) {
  const Executed executed = capture::is_capture(program) ? load_captured_program(program, overrides.sets)
                                                         : load_launch(program, overrides);
  std::ostringstream printed;
  if (executed.program.print_to)
    executed.program.print_to(json ? static_cast<std::ostream*>(&printed) : &std::cout);
  const InterruptFlag flag;
  std::vector<FunctionalLaunch> launches;
  try {
    launches = FunctionalHost(executed.program, order, limit).run();
  } catch (const InterruptedRun& interrupted) {
    std::cerr << "heddle: " << interrupted.what() << "\n";
    return kExitInterrupted;
  }
  const auto totals = totals_of(executed.program, launches);
  if (json)
    print_json(to_json(executed, totals, printed.str()));
  else
    print(executed, totals);
  return 0;
}

}  // namespace heddle
