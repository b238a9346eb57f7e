#include "stimuli/application/stream_cycles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace heddle {

namespace {

constexpr std::size_t kNone = ~std::size_t{0};  // no call

using Graph = std::vector<std::vector<std::size_t>>;  // by call: the calls that must be complete before it

bool host_waits(const ApiCall& call) {
  const bool copy = call.kind == ApiCall::Kind::kCopyUp || call.kind == ApiCall::Kind::kCopyDown;
  return call.kind == ApiCall::Kind::kSynchronise || call.kind == ApiCall::Kind::kFree ||
         (copy && !call.asynchronous);
}

// Returns whether the host waits in this call until all earlier commands of the stream are complete.
bool waits_for(const ApiCall& call, std::size_t stream) {
  if (call.kind == ApiCall::Kind::kFree) return true;
  return call.kind == ApiCall::Kind::kSynchronise &&
         (call.stream == ApiCall::kAllStreams || call.stream == stream);
}

Graph dependences(const ApiProgram& program) {
  Graph before(program.calls.size());
  std::vector<std::size_t> last(program.streams.size(), kNone);        // by stream: its latest call
  std::vector<std::size_t> recorded(program.events.size(), kNone);     // by event: its latest record
  std::vector<std::vector<std::size_t>> early(program.events.size());  // by event: waits before any record
  std::size_t host = kNone;  // the latest call in which the host waited
  for (std::size_t i = 0; i < program.calls.size(); ++i) {
    const ApiCall& call = program.calls[i];
    const auto after = [&](std::size_t earlier) {
      if (earlier != kNone) before[i].push_back(earlier);
    };
    after(host);
    if (goes_to_gpu(call)) {
      after(last[call.stream]);
      last[call.stream] = i;
    }
    if (call.kind == ApiCall::Kind::kWait) {
      after(recorded[call.event]);
      if (recorded[call.event] == kNone) early[call.event].push_back(i);
    }
    if (call.kind == ApiCall::Kind::kRecord) {
      if (recorded[call.event] == kNone)
        for (const std::size_t wait : early[call.event]) before[wait].push_back(i);
      recorded[call.event] = i;
    }
    for (std::size_t stream = 0; stream < last.size() && host_waits(call); ++stream)
      if (waits_for(call, stream)) after(last[stream]);
    if (host_waits(call)) host = i;
  }
  return before;
}

enum class Mark : std::uint8_t { kNew, kOpen, kDone };

}  // namespace

std::vector<std::string> stream_cycles(const ApiProgram& program, const std::vector<std::string>& places) {
  const Graph before = dependences(program);
  std::vector<Mark> marks(before.size(), Mark::kNew);
  std::vector<std::string> cycles;
  struct Frame {
    std::size_t call;
    std::size_t next;
  };
  for (std::size_t start = 0; start < before.size(); ++start) {
    std::vector<Frame> path;
    if (marks[start] == Mark::kNew) path.push_back({start, 0});
    while (!path.empty()) {
      Frame& top = path.back();
      marks[top.call] = Mark::kOpen;
      if (top.next == before[top.call].size()) {
        marks[top.call] = Mark::kDone;
        path.pop_back();
        continue;
      }
      const std::size_t earlier = before[top.call][top.next++];
      if (marks[earlier] == Mark::kNew) path.push_back({earlier, 0});
      if (marks[earlier] != Mark::kOpen || earlier == path.back().call) continue;
      std::vector<std::string> names;
      const auto from =
          std::find_if(path.begin(), path.end(), [&](const Frame& f) { return f.call == earlier; });
      for (auto frame = from; frame != path.end(); ++frame) names.push_back(places[frame->call]);
      std::reverse(names.begin(), names.end());
      cycles.push_back(
          fmt::format("a cycle between streams: each of these calls waits for the one before it: {}",
                      fmt::join(names, ", ")));
    }
  }
  return cycles;
}

}  // namespace heddle
