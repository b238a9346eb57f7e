#pragma once
// A Timeline streams slices, instants and counters during the run, in Perfetto's native trace format
// (protobuf wire format). ui.perfetto.dev displays the file. The format is defined in Perfetto's
// perfetto/trace/trace_packet.proto and track_event/*.proto.
//
//   Timeline timeline(file);
//   TrackId gpu = timeline.process("gpu");
//   TrackId slot = timeline.track(gpu, "sm0 slot 3");
//   NameId block = timeline.name("block");           // once, at construction
//   ArgumentId bytes = timeline.argument("bytes");
//   timeline.slice(slot, begin_ps, end_ps, block, {}, {{bytes, 4096}});   // when it ends
//
// Times are given in picoseconds. They are written in nanoseconds, Perfetto's unit, rounded down.
//
// Memory is proportional to the number of tracks and names, because no event is kept. Events are collected in
// a fixed buffer, which flush() and the destructor write to the stream. To detect a failure of the stream (a
// full disk), the caller calls flush() and then looks at the stream's state. Events after a failure are
// dropped.
//
// Misuse throws a std::logic_error that names the track: an unknown id, a counter as parent, an event of the
// wrong kind for its track, a slice that ends before it begins, a slice that begins before the last one on
// its track has ended, and a slice with too many arguments.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace heddle {

enum class TrackId : std::uint64_t {};
enum class NameId : std::uint64_t {};
enum class ArgumentId : std::uint64_t {};

// A Flow draws an arrow through the events with the same id, in order of time. Id 0 stands for no flow.
struct Flow {
  std::uint64_t id = 0;
  bool last = false;  // the arrow ends at this event; another arrow may use the id afterwards
};

// The viewer shows the arguments of a slice when the slice is selected, and can be asked for them in SQL.
struct Argument {
  ArgumentId id;
  std::uint64_t value;
};

class Timeline {
 public:
  static constexpr std::size_t kMostArguments = 4;  // of a slice

  explicit Timeline(std::ostream& out);  // `out` is binary, and must outlive the timeline
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // Names are UTF-8. Tracks below the same parent are shown in the order in which they are made. Their names
  // must differ, because the viewer merges tracks of equal names.
  TrackId process(std::string_view name);
  TrackId track(TrackId parent, std::string_view name);
  TrackId counter(TrackId parent, std::string_view name, std::string_view unit);

  // Each returns the same id for the same text. There are at most 127 arguments.
  NameId name(std::string_view text);
  ArgumentId argument(std::string_view text);

  // Slices of one track are added in order of time and do not overlap. A slice may begin where the last one
  // ended. A slice shorter than a nanosecond can have no length in the trace. Instants may be added in any
  // order.
  void slice(TrackId track, std::uint64_t begin_ps, std::uint64_t end_ps, NameId name, Flow flow = {},
             std::initializer_list<Argument> arguments = {});
  void instant(TrackId track, std::uint64_t ps, NameId name, Flow flow = {});

  // Sets the counter's value from this time on. An integer above 2^63 - 1 is written as 2^63 - 1.
  template <typename Number>
  void value(TrackId track, std::uint64_t ps, Number number);

  void flush();

 private:
  enum class Kind { kProcess, kTrack, kCounter };
  struct Track {
    Kind kind;
    std::uint64_t busy_until_ps = 0;
    std::string name;
  };

  void integer_value(TrackId track, std::uint64_t ps, std::int64_t number);
  void real_value(TrackId track, std::uint64_t ps, double number);
  TrackId add_track(Kind kind, std::string_view name, const std::string& details);
  std::string child_details(TrackId parent);
  Track& track_for(TrackId track, bool for_counter);
  void check_name(const Track& track, NameId name) const;
  void check_arguments(const Track& track, std::initializer_list<Argument> arguments) const;
  std::uint64_t intern(std::map<std::string, std::uint64_t, std::less<>>& known, std::uint64_t field,
                       std::string_view text);
  void write_named(TrackId track, std::uint64_t ps, std::uint64_t type, NameId name, Flow flow,
                   std::initializer_list<Argument> arguments);
  void write_packet(const std::string& body);
  std::uint8_t* room_for_event();
  void drain();

  static constexpr std::size_t kBufferBytes = 65536;

  std::ostream& out_;
  std::vector<Track> tracks_;                                    // index: TrackId - 1
  std::map<std::string, std::uint64_t, std::less<>> names_;      // to the number of the NameId
  std::map<std::string, std::uint64_t, std::less<>> arguments_;  // to the number of the ArgumentId
  std::uint64_t processes_ = 0;
  std::size_t used_ = 0;
  std::array<std::uint8_t, kBufferBytes> buffer_;
};

template <typename Number>
void Timeline::value(TrackId track, std::uint64_t ps, Number number) {
  static_assert(std::is_arithmetic_v<Number>, "a counter's value is a number");
  if constexpr (std::is_floating_point_v<Number>) {
    real_value(track, ps, static_cast<double>(number));
  } else if constexpr (std::is_unsigned_v<Number>) {
    constexpr std::uint64_t kMost = INT64_MAX;
    integer_value(track, ps, static_cast<std::int64_t>(std::min<std::uint64_t>(number, kMost)));
  } else {
    integer_value(track, ps, number);
  }
}

}  // namespace heddle
