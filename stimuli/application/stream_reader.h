#pragma once
// Streams and events of a program in YAML: those that calls name, as ApiProgram numbers them. Stream 0 is
// named "default"; calls that name none go there.

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/core/config/config.h"
#include "models/host/api_program.h"

namespace heddle {

class StreamReader {
 public:
  explicit StreamReader(ApiProgram& program) : program_(program) { program_.streams.emplace_back("default"); }

  std::uint32_t stream_of(const config::Section& section);  // its key `stream`
  // `record`, `wait` and `synchronise`, of which `value` is the value.
  void read_record(const config::Section& section, const config::Value& value, ApiCall& call);
  void read_wait(const config::Section& section, const config::Value& value, ApiCall& call);
  void read_synchronise(const config::Value& value, ApiCall& call);

  // Problems at events that nobody records and streams that nobody uses.
  void finish() const;

 private:
  struct Event {
    bool recorded = false;
    config::Value first_use;
  };

  void read_event(bool record, const config::Section& section, const config::Value& value, ApiCall& call);
  std::uint32_t stream_named(const std::string& name);

  ApiProgram& program_;
  std::vector<Event> events_;
  std::set<std::uint32_t> used_;                                       // streams that calls go to
  std::vector<std::pair<std::uint32_t, config::Value>> synchronised_;  // streams the host waits for
};

}  // namespace heddle
