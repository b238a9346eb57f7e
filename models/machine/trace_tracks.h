#pragma once
// The TraceTracks draw a trace in a timeline: for each warp what it issues and what it waits for, its
// instructions from issue to write-back, and its requests with each hop. Instructions and requests that
// overlap have tracks of their own.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/core/kernel/trace.h"
#include "models/stats/timeline.h"

namespace heddle {

class TraceTracks {
 public:
  using Time = std::function<std::uint64_t(Cycle)>;  // of a core cycle, in picoseconds
  TraceTracks(Timeline& timeline, Time core_ps)
      : timeline_(timeline), core_ps_(std::move(core_ps)), process_(timeline.process("trace")) {}

  // Draws one event. The events come in the order of time. `ps` is the time of TraceEvent::at.
  void add(const TraceEvent& event, std::uint64_t ps);

 private:
  using WarpKey = std::pair<std::uint32_t, std::uint32_t>;       // SM, slot
  using Lanes = std::vector<std::pair<TrackId, std::uint64_t>>;  // tracks, with the time until each is busy
  struct Issued {
    std::uint32_t pc = 0;
    std::uint64_t ps = 0;
    NameId name{};
  };
  struct Warp {
    std::string name;
    TrackId parent{};
    Lanes issues;  // and waits
    Lanes instructions;
    Lanes requests;
    std::vector<Issued> in_flight;
  };
  struct Hop {
    std::uint64_t ps = 0;
    TraceStage stage = TraceStage::kRequest;
  };
  struct Request {
    WarpKey warp;
    std::vector<Hop> hops;
  };

  Warp& warp_of(const WarpKey& key);
  TrackId lane(Lanes& lanes, const Warp& warp, const char* what, std::uint64_t begin_ps,
               std::uint64_t end_ps);
  void draw_wait(Warp& warp, const TraceEvent& event);
  void draw_issue(Warp& warp, const TraceEvent& event, std::uint64_t ps);
  void draw_instruction(Warp& warp, const TraceEvent& event, std::uint64_t ps);
  void draw_request(std::uint32_t number, const Request& request);

  Timeline& timeline_;
  const Time core_ps_;
  const TrackId process_;
  std::map<WarpKey, Warp> warps_;
  std::map<std::uint32_t, Request> requests_;  // in flight
};

}  // namespace heddle
