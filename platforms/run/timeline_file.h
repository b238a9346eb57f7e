#pragma once
// A TimelineFile writes timeline.perfetto-trace: what the GPU does, and the requests of servers.

#include <memory>
#include <string>
#include <vector>

#include "models/machine/machines.h"
#include "models/machine/request_timeline.h"
#include "models/machine/timeline_observer.h"
#include "platforms/run/output.h"
#include "platforms/run/run_files.h"

namespace heddle {

class TimelineFile final : public RunFile {
 public:
  TimelineFile(const std::string& path, TimelineDetail detail, Machines& machines);  // before machines.run()

  Timeline& timeline() { return timeline_; }
  void finish() override;

 private:
  Machines& machines_;
  OutputFile file_;
  Timeline timeline_;
  std::vector<std::unique_ptr<TimelineObserver>> observers_;  // of each machine
  RequestTimeline requests_;
};

}  // namespace heddle
