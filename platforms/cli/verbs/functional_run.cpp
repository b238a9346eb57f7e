#include "platforms/cli/verbs/functional_run.h"

#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/core/config/data_path.h"
#include "models/stats/writers.h"
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

// The summary with the counts of each kernel, in the order of their first launches.
Json summary_of(const Executed& executed, const std::vector<FunctionalLaunch>& launches) {
  Json kernels = Json::array();
  std::uint64_t warp_instructions = 0;
  for (const ApiKernel& kernel : executed.program.kernels) {
    Json of{{"kernel", kernel.name},
            {"launches", 0},
            {"blocks", 0},
            {"warp_instructions", 0},
            {"thread_instructions", 0}};
    for (const FunctionalLaunch& one : launches) {
      if (one.kernel != kernel.name) continue;
      of["launches"] = of["launches"].get<std::uint64_t>() + 1;
      of["blocks"] = of["blocks"].get<std::uint64_t>() + one.blocks;
      of["warp_instructions"] = of["warp_instructions"].get<std::uint64_t>() + one.counts.warp_instructions;
      of["thread_instructions"] =
          of["thread_instructions"].get<std::uint64_t>() + one.counts.thread_instructions;
      warp_instructions += one.counts.warp_instructions;
    }
    kernels.push_back(std::move(of));
  }
  return {{"schema", "heddle-functional-1"},
          {executed.what, executed.program.name},
          {"warp_instructions", warp_instructions},
          {"kernels", std::move(kernels)},
          {"check", executed.checked ? Json("passed") : Json(nullptr)}};
}

void print(const Json& summary) {
  using Align = Table::Align;
  Table table({{"kernel"},
               {"launches", Align::kRight},
               {"blocks", Align::kRight},
               {"warp instructions", Align::kRight},
               {"thread instructions", Align::kRight}});
  for (const Json& kernel : summary["kernels"])
    table.add_row({kernel["kernel"].get<std::string>(), kernel["launches"].dump(), kernel["blocks"].dump(),
                   kernel["warp_instructions"].dump(), kernel["thread_instructions"].dump()});
  table.print(std::cout);
  std::cout << (summary["check"].is_null() ? "nothing is checked\n" : "check passed\n");
}

Executed load_launch(const std::string& name, const std::vector<std::string>& sets) {
  const std::string file = find_data("stimuli/launches", name);
  if (!is_launch_file(config::Document::load(file).root()))
    throw config::Error(
        {file + ": neither a launch file nor a captured program: --functional runs nothing else"});
  std::vector<std::string> parameters;
  for (const std::string& set : sets) {
    parameters.push_back(parameter_set(set));
    if (parameters.back().empty())
      throw config::Error({fmt::format("--set {}: with --functional only parameters.NAME is set", set)});
  }
  const LaunchApplication launch = load_launch_application(file, parameters);
  return {"launch", launch.application.program, !launch.plan->check.none()};
}

Executed load_captured_program(const std::string& file, const std::vector<std::string>& sets) {
  if (!sets.empty())
    throw config::Error({fmt::format("--set {}: a captured program has no parameters", sets.front())});
  const auto captured = std::make_shared<const capture::Capture>(capture::load_capture(file));
  return {"capture", capture::capture_application(captured, file).program, captured->exact};
}

}  // namespace

void run_functionally(const std::string& program, const std::vector<std::string>& sets, bool json) {
  const Executed executed =
      capture::is_capture(program) ? load_captured_program(program, sets) : load_launch(program, sets);
  std::ostringstream printed;
  if (executed.program.print_to)
    executed.program.print_to(json ? static_cast<std::ostream*>(&printed) : &std::cout);
  Json summary = summary_of(executed, FunctionalHost(executed.program).run());
  if (!json) return print(summary);
  summary["console"] = printed.str();
  print_json(summary);
}

}  // namespace heddle
