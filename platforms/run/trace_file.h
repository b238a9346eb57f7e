#pragma once
// A TraceFile writes the trace of a run, event by event: trace.txt for people, trace.csv for programs, and
// tracks in the timeline if there is one.

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "models/machine/machines.h"
#include "models/machine/trace_log.h"
#include "models/machine/trace_tracks.h"
#include "platforms/run/output.h"
#include "platforms/run/run_files.h"

namespace heddle {

class TraceFile final : public RunFile {
 public:
  // Called before machines.run(). `log` observes the only machine. `timeline` may be null.
  TraceFile(const std::string& directory, TraceLog& log, Machines& machines, Timeline* timeline);

  void write() override;
  void finish() override;

  // Whether a trace in this directory has no event.
  static bool is_empty(const std::string& directory);

 private:
  struct Owner {  // of a request
    SmId sm;
    std::uint32_t warp = 0;
    std::uint64_t last_ps = 0;  // of its last event
  };
  struct Line {  // what an event belongs to
    SmId sm;
    std::uint32_t warp = 0;
    std::optional<double> cycles;  // core cycles since the last event of the request
  };

  void write_until(std::uint64_t end_ps);
  void write(const TracedEvent& traced);
  Line line_of(const TracedEvent& traced);
  double core_cycle(std::uint64_t ps) const { return static_cast<double>(ps - begin_ps_) / cycle_ps_; }
  void write_text(const TracedEvent& traced, const Line& line);
  void write_csv(const TracedEvent& traced, const Line& line);

  TraceLog& log_;
  const TraceLog::Time core_ps_;
  const ClockDomain& core_;
  const std::uint64_t begin_ps_;  // of core cycle 0
  const double cycle_ps_;
  OutputFile text_;
  OutputFile csv_;
  std::optional<TraceTracks> tracks_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> kernels_;  // by SM and slot
  std::map<std::uint32_t, Owner> requests_;                                 // in flight
};

}  // namespace heddle
