#pragma once
// This class maps the streams and events of a captured program to those of an application, and adds the waits
// between streams. CUDA's default stream waits for all earlier commands of the other streams, and the other
// streams wait for all earlier commands of the default stream.

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

  // A function with a bool result returns false if no program can have made the call: the stream or the event
  // does not exist, or a new stream exists already.
  bool create(std::uint32_t stream, bool waits_for_none);
  bool destroy(std::uint32_t stream);
  bool knows(std::uint32_t stream) const { return streams_.count(stream) != 0; }

  // Returns the number in the application of the stream of a command that the caller adds next. The function
  // adds the waits that this command needs.
  std::uint32_t use(std::uint32_t stream);
  bool record(std::uint32_t event, std::uint32_t stream);
  bool wait(std::uint32_t event, std::uint32_t stream);
  void destroy_event(std::uint32_t event);

  // These functions add waits of the host.
  void synchronise();
  bool synchronise_stream(std::uint32_t stream);
  bool synchronise_event(std::uint32_t event);
  void done(std::uint32_t stream);  // records that the host has waited for the stream by a synchronous copy

 private:
  struct Stream {
    std::uint32_t number = 0;  // number in the application
    bool waits_for_none = false;
    std::uint64_t used = 0;             // commands that were added
    std::uint64_t seen_by_default = 0;  // of those, how many the default stream or the host waits for
    std::uint64_t seen_of_default = 0;  // commands of the default stream that this one or the host waits for
    std::optional<std::uint32_t> joined;  // the event on which other streams wait
  };
  struct Event {
    std::uint32_t number = 0;
    std::uint32_t stream = 0;  // number under capture
    std::uint64_t used = 0;    // commands of that stream up to the record
  };

  ApiCall& add(ApiCall::Kind kind, std::uint32_t stream, std::uint32_t event);
  // Makes `later` wait for all commands so far of `earlier`.
  void join(Stream& earlier, const Stream& later);
  std::uint32_t new_event();

  ApiProgram& program_;
  std::map<std::uint32_t, Stream> streams_;  // by number under capture
  std::map<std::uint32_t, Event> events_;    // recorded events, by number under capture
  std::vector<std::uint32_t> free_streams_;  // numbers in the application
  std::vector<std::uint32_t> free_events_;
  std::optional<std::uint32_t> host_;  // a stream on which the host waits for events
};

}  // namespace heddle::capture
