#include "platforms/run/result/request_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heddle {

namespace {

std::string text_of(std::optional<double> load) {
  return load ? fmt::format("{:.2f}", *load) : "unknown";
}

}  // namespace

std::vector<std::string> request_notes(const Summary& summary) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < summary.alone.size(); ++i) {
    bool is_told = false;
    for (const RunSummary& run : summary.runs) {
      const ApplicationResult& application = run.measures.run.applications[i];
      if (!application.requests) continue;
      const bool is_too_much = run.measures.requests[i]->load_alone.value_or(0) >= 1;
      if (is_too_much && !is_told)
        notes.push_back(
            fmt::format("{}: requests arrive {} times as fast as it serves them alone, so that no "
                        "policy serves them all in time",
                        application.application, text_of(run.measures.requests[i]->load_alone)));
      is_told = is_told || is_too_much;
      if (application.requests->unstable)
        notes.push_back(fmt::format(
            "{} under {}: the queue grows without bound: at the quarters of the window "
            "{} requests had not ended{}",
            application.application, run.label, fmt::join(application.requests->backlog, ", "),
            application.requests->tokens
                ? ""
                : fmt::format(", and the offered load is {}", text_of(application.requests->offered_load))));
    }
  }
  return notes;
}

}  // namespace heddle
