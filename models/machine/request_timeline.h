#pragma once
// A RequestTimeline draws the requests of servers for Perfetto. Each server has a group of tracks:
//
//   NAME service        a slice for each served request, from the start of its service to the end, with the
//                       name "in time" or "late" by the deadline, and "served" without one. Its arguments are
//                       the number of the request and the time that it has waited.
//   NAME queue          a counter: the requests that have arrived and wait
//   NAME waiting 1 ..   a slice for a request that waits, from its arrival to the start of its service, or
//                       until it is cut off. There are at most kMostWaiting of these tracks. A request that
//                       arrives when none of them is free has no slice of its waiting.
//   NAME shed           an instant for each request that found the queue full
//
// NAME has the number of the process behind it if another server has the same name. A request that is not
// measured is drawn, too, and "(not measured)" stands behind the name of its service. Pure logic.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "models/host/requests/request_log.h"
#include "models/stats/timeline.h"

namespace heddle {

class RequestTimeline {
 public:
  static constexpr std::size_t kMostWaiting = 8;  // tracks of waiting requests of a server
  static constexpr std::size_t kMostTogether =
      32;  // tracks of requests of a server that serves them together

  struct Server {
    std::uint32_t process = 0;
    std::string name;
    bool has_deadline = false;     // or limits of its tokens
    bool serves_together = false;  // many requests at a time (models/host/requests/batch_spec.h)
  };
  // `timeline` must outlive it. Without servers nothing is drawn.
  RequestTimeline(Timeline& timeline, const std::vector<Server>& servers);

  // The records of a process come in the order in which its RequestLog has them: those that have waited in
  // the order of their arrivals, unless it serves them together.
  void add(const RequestRecord& record);
  void finish();  // draws what the counters have left, once, behind the last record

 private:
  struct Lane {
    TrackId track{};
    std::uint64_t busy_until_ps = 0;
  };
  struct Tracks {
    std::string name;
    bool has_deadline = false;
    bool serves_together = false;
    TrackId group{};
    TrackId service{};
    TrackId queue{};
    std::optional<TrackId> shed;
    std::vector<Lane> waiting;  // or in service, too, if the server serves them together
    // The queue as far as it is drawn: its length, and the times after that at which requests leave it, in
    // order. A request that arrives is known when it ends, and those that leave the queue before it are known
    // by then.
    std::uint64_t length = 0;
    std::deque<std::uint64_t> leaving_ps;
  };
  struct Names {
    NameId in_time[2], late[2], served[2];  // by whether the request is measured
    NameId waits, prompt, cut_off, shed;
    ArgumentId request, waited, tokens;
  };

  static Names names_of(Timeline& timeline);
  NameId name_of_service(const Tracks& tracks, const RequestRecord& record) const;
  void draw_service(Tracks& tracks, const RequestRecord& record);
  void draw_waiting(Tracks& tracks, const RequestRecord& record, std::uint64_t until_ps);
  void draw_together(Tracks& tracks, const RequestRecord& record);
  Lane* free_lane(Tracks& tracks, std::uint64_t from_ps, std::size_t most, const char* what);
  void draw_leaving(Tracks& tracks, std::uint64_t until_ps);

  Timeline& timeline_;
  std::vector<std::optional<Tracks>> servers_;  // by process
  std::optional<Names> names_;                  // none without servers
};

}  // namespace heddle
