#include "platforms/run/result/rtl_notes.h"

#include <fmt/format.h>

namespace heddle {

namespace {

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string note_of(const RtlComparison& rtl) {
  const char* const what = rtl.answers ? "answer" : "choice";
  std::string note;
  if (rtl.compared + rtl.differences == 0)
    note = fmt::format("{}: nothing was compared with the model", rtl.block);
  else if (rtl.differences == 0)
    note =
        fmt::format("{}: {} compared with the model, none differs", rtl.block, counted(rtl.compared, what));
  else
    note = fmt::format(
        "{}: {} compared with the model, {}; the first: {}; rtl_differences.txt has the first of each "
        "instance",
        rtl.block, counted(rtl.compared, what), counted(rtl.differences, "difference"), rtl.first);
  if (rtl.unanswered > 0)
    note += fmt::format("; {} had no answer of both at the end", counted(rtl.unanswered, "request"));
  return note;
}

}  // namespace

std::vector<std::string> rtl_notes(const Summary& summary) {
  std::vector<std::string> notes;
  for (const RunSummary& run : summary.runs)
    for (const RtlComparison& rtl : run.measures.run.rtl)
      notes.push_back((summary.runs.size() > 1 ? run.label + ": " : "") + note_of(rtl));
  return notes;
}

}  // namespace heddle
