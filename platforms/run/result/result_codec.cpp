#include "platforms/run/result/result_codec.h"

#include "platforms/run/result/result_fields.h"

namespace heddle {

std::string result_text(const RunResult& run) {
  return json_file_of(run);
}

RunResult read_result(const std::string& text) {
  auto run = read_json<RunResult>(text);
  check_agreement(run);
  return run;
}

void check_agreement(const RunResult& run) {
  if (run.applications.empty()) throw CodecError("applications: is empty");
  if (run.quotas && run.quotas->size() != run.applications.size())
    throw CodecError(fmt::format("quotas: has {} values for {} applications", run.quotas->size(),
                                 run.applications.size()));
  for (std::size_t i = 0; i < run.applications.size(); ++i) {
    const auto& requests = run.applications[i].requests;
    if (requests && requests->responses.most_ps.size() != requests->responses.counts.size())
      throw CodecError(fmt::format("applications[{}].requests.responses: its lists differ in length", i));
  }
}

}  // namespace heddle
