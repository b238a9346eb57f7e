#include "stimuli/application/stream_reader.h"

#include <fmt/format.h>

#include "models/core/config/config_names.h"

namespace heddle {

void StreamReader::read_record(const config::Section& section, const config::Value& value, ApiCall& call) {
  read_event(true, section, value, call);
}

void StreamReader::read_wait(const config::Section& section, const config::Value& value, ApiCall& call) {
  read_event(false, section, value, call);
}

void StreamReader::read_synchronise(const config::Value& value, ApiCall& call) {
  call.kind = ApiCall::Kind::kSynchronise;
  const std::string which = value.text();
  call.stream = which == "all" ? ApiCall::kAllStreams : stream_named(which, value);
  if (which != "all") synchronised_.emplace_back(call.stream, value);
}

void StreamReader::finish() const {
  for (std::size_t i = 0; i < events_.size(); ++i)
    if (!events_[i].recorded)
      events_[i].first_use.problem(fmt::format("event '{}' is never recorded", program_.events[i]));
  for (const auto& [stream, value] : synchronised_)
    if (stream != 0 && used_.count(stream) == 0)
      value.problem(fmt::format("no call uses the stream '{}'", program_.streams[stream]));
}

void StreamReader::read_event(bool record, const config::Section& section, const config::Value& value,
                              ApiCall& call) {
  call.kind = record ? ApiCall::Kind::kRecord : ApiCall::Kind::kWait;
  call.stream = stream_of(section);
  const std::string name = value.text();
  if (config::has_control_character(name)) value.problem("the name of an event has no control characters");
  call.event = event_names_.add(name);
  if (call.event == program_.events.size()) {
    program_.events.push_back(name);
    events_.push_back({false, value});
  }
  events_[call.event].recorded = events_[call.event].recorded || record;
}

std::uint32_t StreamReader::stream_of(const config::Section& section) {
  if (!section.has("stream")) return 0;
  const std::string name = section.text("stream");
  if (name == "all") section.value("stream").problem("'all' is the name for every stream");
  const std::uint32_t stream = stream_named(name, section.value("stream"));
  used_.insert(stream);
  return stream;
}

std::uint32_t StreamReader::stream_named(const std::string& name, const config::Value& value) {
  if (config::has_control_character(name)) value.problem("the name of a stream has no control characters");
  const std::uint32_t stream = stream_names_.add(name);
  if (stream == program_.streams.size()) program_.streams.push_back(name);
  return stream;
}

}  // namespace heddle
