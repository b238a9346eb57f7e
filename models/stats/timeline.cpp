#include "models/stats/timeline.h"

#include <fmt/format.h>

#include <cstring>
#include <ostream>
#include <stdexcept>

namespace heddle {
namespace {

// The field numbers of the messages that the timeline writes.
namespace trace {
constexpr std::uint64_t kPacket = 1;
}
namespace packet {
constexpr std::uint64_t kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11, kInternedData = 12,
                        kSequenceFlags = 13, kTrackDescriptor = 60;
}
namespace descriptor {
constexpr std::uint64_t kUuid = 1, kName = 2, kProcess = 3, kParentUuid = 5, kCounter = 8,
                        kChildOrdering = 11, kSiblingRank = 12;
constexpr std::uint64_t kProcessPid = 1, kProcessName = 6, kCounterUnitName = 6;
}  // namespace descriptor
namespace event {
constexpr std::uint64_t kArguments = 4, kType = 9, kNameIid = 10, kTrackUuid = 11, kCounterValue = 30,
                        kDoubleCounterValue = 44, kFlowIds = 47, kTerminatingFlowIds = 48;
constexpr std::uint64_t kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4;
}  // namespace event
namespace argument {
constexpr std::uint64_t kNameIid = 1, kUnsignedValue = 3;
}
namespace interned {
constexpr std::uint64_t kEventNames = 2, kArgumentNames = 3, kIid = 1, kName = 2;
}

constexpr std::uint64_t kSequence = 1;  // all packets belong to one sequence
constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;
constexpr std::uint64_t kOrderedByRank = 3;
constexpr std::uint64_t kPsPerNs = 1000;

constexpr std::uint64_t kVarint = 0, kFixed64 = 1, kBytes = 2;  // wire types

constexpr std::uint64_t tag(std::uint64_t field, std::uint64_t wire) {
  return field << 3 | wire;
}

std::uint8_t* put_varint(std::uint8_t* at, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<std::uint8_t>(value | 0x80);
  *at++ = static_cast<std::uint8_t>(value);
  return at;
}

std::uint8_t* put_fixed64(std::uint8_t* at, std::uint64_t value) {
  for (int byte = 0; byte < 8; ++byte) at[byte] = static_cast<std::uint8_t>(value >> (8 * byte));
  return at + 8;
}

// Messages with text are built as strings, because they occur only once for each track and name.
std::string varint(std::uint64_t value) {
  std::uint8_t bytes[10];
  return {bytes, put_varint(bytes, value)};
}

std::string number_field(std::uint64_t field, std::uint64_t value) {
  return varint(tag(field, kVarint)) + varint(value);
}

std::string bytes_field(std::uint64_t field, std::string_view bytes) {
  return varint(tag(field, kBytes)) + varint(bytes.size()) + std::string(bytes);
}

// An event has at most this length: every varint has ten bytes, and there is one flow. It is short enough for
// lengths of one byte, which close() fills in. The name of an argument has one byte.
constexpr std::uint64_t kMostArgumentNames = 0x7f;
constexpr std::size_t kArgumentBytes = 2 + 2 + 11;
constexpr std::size_t kEventBytes =
    2 + 11 + 2 + 2 + 2 + 2 + 11 + 11 + 12 + Timeline::kMostArguments * kArgumentBytes;
static_assert(kEventBytes <= 0x7f);

// An EventWriter writes one packet with a track event into a buffer.
class EventWriter {
 public:
  EventWriter(std::uint8_t* start, std::uint64_t ps, std::uint64_t flags) : start_(start), at_(start) {
    *at_++ = tag(trace::kPacket, kBytes);
    ++at_;
    number(packet::kTimestamp, ps / kPsPerNs);
    number(packet::kSequenceId, kSequence);
    if (flags != 0) number(packet::kSequenceFlags, flags);
    at_ = put_varint(at_, tag(packet::kTrackEvent, kBytes));
    event_ = ++at_;
  }
  void number(std::uint64_t field, std::uint64_t value) {
    at_ = put_varint(put_varint(at_, tag(field, kVarint)), value);
  }
  void fixed(std::uint64_t field, std::uint64_t value) {
    at_ = put_fixed64(put_varint(at_, tag(field, kFixed64)), value);
  }
  void argument(const Argument& given) {
    *at_++ = tag(event::kArguments, kBytes);
    std::uint8_t* const message = ++at_;
    number(argument::kNameIid, static_cast<std::uint64_t>(given.id));
    number(argument::kUnsignedValue, given.value);
    message[-1] = static_cast<std::uint8_t>(at_ - message);
  }
  // Returns the packet's size in bytes.
  std::size_t close() {
    event_[-1] = static_cast<std::uint8_t>(at_ - event_);
    start_[1] = static_cast<std::uint8_t>(at_ - start_ - 2);
    return static_cast<std::size_t>(at_ - start_);
  }

 private:
  std::uint8_t* start_;
  std::uint8_t* at_;
  std::uint8_t* event_;
};

std::uint64_t raw(TrackId track) {
  return static_cast<std::uint64_t>(track);
}

[[noreturn]] void misuse(const std::string& track, const std::string& message) {
  throw std::logic_error(fmt::format("timeline track '{}': {}", track, message));
}

}  // namespace

Timeline::Timeline(std::ostream& out) : out_(out) {
  write_packet(number_field(packet::kSequenceId, kSequence) +
               number_field(packet::kSequenceFlags, kStateCleared));
}

Timeline::~Timeline() {
  try {
    flush();
  } catch (...) {  // the stream may be set to throw; its state tells the caller the same
  }
}

TrackId Timeline::process(std::string_view name) {
  const std::string process =
      number_field(descriptor::kProcessPid, ++processes_) + bytes_field(descriptor::kProcessName, name);
  return add_track(
      Kind::kProcess, name,
      bytes_field(descriptor::kProcess, process) + number_field(descriptor::kChildOrdering, kOrderedByRank));
}

TrackId Timeline::track(TrackId parent, std::string_view name) {
  return add_track(Kind::kTrack, name,
                   child_details(parent) + number_field(descriptor::kChildOrdering, kOrderedByRank));
}

TrackId Timeline::counter(TrackId parent, std::string_view name, std::string_view unit) {
  const std::string counter = bytes_field(descriptor::kCounterUnitName, unit);
  return add_track(Kind::kCounter, name, child_details(parent) + bytes_field(descriptor::kCounter, counter));
}

// The rank keeps the tracks in the order in which they were made. Without it the viewer shows "sm10" before
// "sm2".
std::string Timeline::child_details(TrackId parent) {
  track_for(parent, false);
  return number_field(descriptor::kParentUuid, raw(parent)) +
         number_field(descriptor::kSiblingRank, tracks_.size());
}

TrackId Timeline::add_track(Kind kind, std::string_view name, const std::string& details) {
  tracks_.push_back({kind, 0, std::string(name)});
  const TrackId track{tracks_.size()};
  const std::string descriptor =
      number_field(descriptor::kUuid, raw(track)) + bytes_field(descriptor::kName, name) + details;
  write_packet(number_field(packet::kSequenceId, kSequence) +
               bytes_field(packet::kTrackDescriptor, descriptor));
  return track;
}

Timeline::Track& Timeline::track_for(TrackId track, bool for_counter) {
  const std::uint64_t index = raw(track) - 1;
  if (index >= tracks_.size()) misuse(fmt::format("#{}", raw(track)), "there is no such track");
  Track& found = tracks_[index];
  if (for_counter != (found.kind == Kind::kCounter)) {
    misuse(found.name, for_counter ? "a value for a track that is no counter"
                                   : "a counter takes values only, neither slices, instants nor tracks");
  }
  return found;
}

NameId Timeline::name(std::string_view text) {
  return NameId{intern(names_, interned::kEventNames, text)};
}

ArgumentId Timeline::argument(std::string_view text) {
  const ArgumentId id{intern(arguments_, interned::kArgumentNames, text)};
  if (arguments_.size() > kMostArgumentNames)
    throw std::logic_error(fmt::format("timeline: more than {} arguments", kMostArgumentNames));
  return id;
}

// Returns the number of the text, and writes the text when it is new.
std::uint64_t Timeline::intern(std::map<std::string, std::uint64_t, std::less<>>& known, std::uint64_t field,
                               std::string_view text) {
  if (const auto found = known.find(text); found != known.end()) return found->second;
  const std::uint64_t id = known.size() + 1;
  known.emplace(text, id);
  const std::string entry = number_field(interned::kIid, id) + bytes_field(interned::kName, text);
  write_packet(number_field(packet::kSequenceId, kSequence) +
               bytes_field(packet::kInternedData, bytes_field(field, entry)));
  return id;
}

// The begin and the end of a slice are adjacent in the file. The viewer sorts events by time and keeps the
// file's order for equal times, so that an end stays before the begin of the next slice in the same
// nanosecond.
void Timeline::slice(TrackId track, std::uint64_t begin_ps, std::uint64_t end_ps, NameId name, Flow flow,
                     std::initializer_list<Argument> arguments) {
  Track& on = track_for(track, false);
  if (end_ps < begin_ps) misuse(on.name, fmt::format("a slice from {} ps to {} ps", begin_ps, end_ps));
  if (begin_ps < on.busy_until_ps) {
    misuse(on.name, fmt::format("a slice begins at {} ps, before the last one has ended at {} ps", begin_ps,
                                on.busy_until_ps));
  }
  check_name(on, name);
  check_arguments(on, arguments);
  on.busy_until_ps = end_ps;
  write_named(track, begin_ps, event::kSliceBegin, name, flow, arguments);
  EventWriter end(room_for_event(), end_ps, 0);
  end.number(event::kType, event::kSliceEnd);
  end.number(event::kTrackUuid, raw(track));
  used_ += end.close();
}

void Timeline::instant(TrackId track, std::uint64_t ps, NameId name, Flow flow) {
  check_name(track_for(track, false), name);
  write_named(track, ps, event::kInstant, name, flow, {});
}

void Timeline::check_name(const Track& track, NameId name) const {
  const auto id = static_cast<std::uint64_t>(name);
  if (id - 1 >= names_.size()) misuse(track.name, fmt::format("there is no name #{}", id));
}

void Timeline::check_arguments(const Track& track, std::initializer_list<Argument> arguments) const {
  if (arguments.size() > kMostArguments)
    misuse(track.name,
           fmt::format("{} arguments, but a slice has at most {}", arguments.size(), kMostArguments));
  for (const Argument& argument : arguments) {
    const auto id = static_cast<std::uint64_t>(argument.id);
    if (id - 1 >= arguments_.size()) misuse(track.name, fmt::format("there is no argument #{}", id));
  }
}

void Timeline::write_named(TrackId track, std::uint64_t ps, std::uint64_t type, NameId name, Flow flow,
                           std::initializer_list<Argument> arguments) {
  EventWriter writer(room_for_event(), ps, kNeedsState);
  writer.number(event::kType, type);
  writer.number(event::kNameIid, static_cast<std::uint64_t>(name));
  writer.number(event::kTrackUuid, raw(track));
  if (flow.id != 0) writer.fixed(flow.last ? event::kTerminatingFlowIds : event::kFlowIds, flow.id);
  for (const Argument& argument : arguments) writer.argument(argument);
  used_ += writer.close();
}

void Timeline::integer_value(TrackId track, std::uint64_t ps, std::int64_t number) {
  track_for(track, true);
  EventWriter writer(room_for_event(), ps, 0);
  writer.number(event::kType, event::kCounter);
  writer.number(event::kTrackUuid, raw(track));
  writer.number(event::kCounterValue, static_cast<std::uint64_t>(number));
  used_ += writer.close();
}

void Timeline::real_value(TrackId track, std::uint64_t ps, double number) {
  track_for(track, true);
  std::uint64_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  EventWriter writer(room_for_event(), ps, 0);
  writer.number(event::kType, event::kCounter);
  writer.number(event::kTrackUuid, raw(track));
  writer.fixed(event::kDoubleCounterValue, bits);
  used_ += writer.close();
}

std::uint8_t* Timeline::room_for_event() {
  if (kBufferBytes - used_ < kEventBytes) drain();
  return buffer_.data() + used_;
}

void Timeline::write_packet(const std::string& body) {
  drain();
  const std::string packet = bytes_field(trace::kPacket, body);
  out_.write(packet.data(), static_cast<std::streamsize>(packet.size()));
}

void Timeline::drain() {
  const std::size_t bytes = used_;
  used_ = 0;
  out_.write(reinterpret_cast<const char*>(buffer_.data()), static_cast<std::streamsize>(bytes));
}

void Timeline::flush() {
  drain();
  out_.flush();
}

}  // namespace heddle
