#pragma once
// The streams and events of a captured program as those of an application: their numbers, and what waits for
// what. CUDA's default stream waits for all that was asked of the others before, and they for it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/host/api_program.h"

namespace heddle::capture {

class ReplayStreams {
 public:
  explicit ReplayStreams(ApiProgram& program);

  // False: the program cannot have made such a call, as the stream or the event does not exist.
  bool create(std::uint32_t stream, bool waits_for_none);
  bool destroy(std::uint32_t stream);
  bool knows(std::uint32_t stream) const { return streams_.count(stream) != 0; }

  // The number in the application for a command that is about to be added; adds what it waits for.
  std::uint32_t use(std::uint32_t stream);
  bool record(std::uint32_t event, std::uint32_t stream);
  bool wait(std::uint32_t event, std::uint32_t stream);
  void destroy_event(std::uint32_t event);

  // The host waits.
  void synchronise();
  bool synchronise_stream(std::uint32_t stream);
  bool synchronise_event(std::uint32_t event);
  void done(std::uint32_t stream);  // it has waited, by a copy

 private:
  struct Stream {
    std::uint32_t number = 0;  // in the application
    bool waits_for_none = false;
    std::uint64_t used = 0;               // commands
    std::uint64_t seen_by_default = 0;    // of those
    std::uint64_t seen_of_default = 0;    // of the default stream's
    std::optional<std::uint32_t> joined;  // the event for others to wait for
  };
  struct Event {
    std::uint32_t number = 0;
    std::uint32_t stream = 0;  // of the program under capture
    std::uint64_t used = 0;    // of that stream, when it was recorded
  };

  ApiCall& add(ApiCall::Kind kind, std::uint32_t stream, std::uint32_t event);
  // `later` waits for all that `earlier` was asked.
  void join(Stream& earlier, const Stream& later);
  std::uint32_t new_event();

  ApiProgram& program_;
  std::map<std::uint32_t, Stream> streams_;  // by number under capture
  std::map<std::uint32_t, Event> events_;    // recorded ones
  std::vector<std::uint32_t> free_streams_;  // of the application
  std::vector<std::uint32_t> free_events_;
  std::optional<std::uint32_t> host_;  // a stream on which the host waits for events
};

}  // namespace heddle::capture
