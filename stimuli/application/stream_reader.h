#pragma once
// This file reads the streams and events that the calls of a YAML program name, and gives them the numbers of
// ApiProgram. Stream 0 is named "default" and takes the calls that name no stream.

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/core/config/config.h"
#include "models/host/api_program.h"
#include "stimuli/application/call_names.h"

namespace heddle {

class StreamReader {
 public:
  explicit StreamReader(ApiProgram& program) : program_(program) {
    program_.streams.emplace_back("default");
    stream_names_.add("default");
  }

  std::uint32_t stream_of(const config::Section& section);  // 0 if the section has no key `stream`
  // Read the calls `record`, `wait` and `synchronise`. `value` is the value of that key.
  void read_record(const config::Section& section, const config::Value& value, ApiCall& call);
  void read_wait(const config::Section& section, const config::Value& value, ApiCall& call);
  void read_synchronise(const config::Value& value, ApiCall& call);

  // Records a problem for each event that is never recorded, and for each synchronised stream that no call
  // uses.
  void finish() const;

 private:
  struct Event {
    bool recorded = false;
    config::Value first_use;
  };

  void read_event(bool record, const config::Section& section, const config::Value& value, ApiCall& call);
  std::uint32_t stream_named(const std::string& name, const config::Value& value);

  ApiProgram& program_;
  NumberedNames stream_names_;
  NumberedNames event_names_;
  std::vector<Event> events_;
  std::set<std::uint32_t> used_;                                       // the streams that calls name
  std::vector<std::pair<std::uint32_t, config::Value>> synchronised_;  // the streams for which the host waits
};

}  // namespace heddle
