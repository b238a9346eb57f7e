#pragma once
// An RtlDivergence is the first tick in which a block in RTL and the model's policy differ, with what a
// person needs to find out why.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/core/base/ids.h"
#include "models/core/base/ring.h"

namespace heddle {

// One choice, of which kNone is none; or one request to an interface, whose answer is 0 or 1: a hit if the
// RTL says so, and else whether it is there.
struct RtlEvent {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  Cycle cycle;
  std::uint64_t model = kNone;
  std::uint64_t rtl = kNone;
  Address address = kNone;  // of the request
};

struct RtlDivergence {
  std::string block;     // "rtl.NAME"
  std::string instance;  // its path in the machine
  std::string domain;
  Cycle cycle;  // of the domain
  std::uint64_t time_ps = 0;
  std::string output;  // what differs, such as "pick"
  std::string model;
  std::string rtl;
  std::vector<std::pair<std::string, std::string>> inputs;     // of this tick, in hexadecimal digits
  std::vector<std::pair<std::string, std::string>> published;  // what is inside the block, before the edge
  std::vector<RtlEvent> events;                                // the last ones, this one included
  std::uint64_t followed = 0;                                  // divergences of the instance after this one

  // The options with which the same command writes a waveform of the cycles around the difference.
  std::string waves_options() const;
  std::string line() const;  // where and when it is, and what differs
  std::string text() const;  // several lines, each ending in a line feed
  nlohmann::ordered_json json() const;
};

}  // namespace heddle
