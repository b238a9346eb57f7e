#pragma once
// A timeline in Perfetto's native trace format (protobuf wire format), streamed as the run goes and opened at
// ui.perfetto.dev. Facts of the format: perfetto/trace/trace_packet.proto and track_event/*.proto.
//
//   Timeline timeline(file);
//   TrackId gpu = timeline.process("gpu");
//   TrackId slot = timeline.track(gpu, "sm0 slot 3");
//   NameId block = timeline.name("block");           // once, at construction
//   timeline.slice(slot, begin_ps, end_ps, block);   // when it ends
//
// Times are given in picoseconds and written in nanoseconds, Perfetto's unit, rounded down.
//
// Memory is bounded by the number of tracks and names: no event is kept. Events gather in a fixed buffer;
// flush() hands them to the stream, and so does the destructor. A failing stream (a full disk) is left to the
// caller, who calls flush() and then looks at the stream's state; events after a failure are dropped.
//
// Misuse throws std::logic_error that names the track: an id of no track or name, a counter as parent, an
// event of the wrong kind for its track, a slice that ends before it begins, or begins before the last one on
// its track has ended.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace heddle {

enum class TrackId : std::uint64_t {};
enum class NameId : std::uint64_t {};

// An arrow through the events that carry the same id, in order of time. Id 0 is no flow.
struct Flow {
  std::uint64_t id = 0;
  bool last = false;  // the arrow ends at this event; the id may be used again for another one
};

class Timeline {
 public:
  explicit Timeline(std::ostream& out);  // binary; must outlive this
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // Names are UTF-8. Tracks below the same parent are ranked in the order they are made, and want different
  // names: the viewer merges equal ones.
  TrackId process(std::string_view name);
  TrackId track(TrackId parent, std::string_view name);
  TrackId counter(TrackId parent, std::string_view name, std::string_view unit);

  NameId name(std::string_view text);  // the same text gives the same id

  // Slices of one track come in order of time and never overlap; one may begin where the last one ended. A
  // slice shorter than a nanosecond can have no length in the trace. Instants come in any order.
  void slice(TrackId track, std::uint64_t begin_ps, std::uint64_t end_ps, NameId name, Flow flow = {});
  void instant(TrackId track, std::uint64_t ps, NameId name, Flow flow = {});

  // The counter's value from this time on. An integer above 2^63 - 1 is written as that.
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
  void write_named(TrackId track, std::uint64_t ps, std::uint64_t type, NameId name, Flow flow);
  void write_packet(const std::string& body);
  std::uint8_t* room_for_event();
  void drain();

  static constexpr std::size_t kBufferBytes = 65536;

  std::ostream& out_;
  std::vector<Track> tracks_;  // TrackId - 1 is the index
  std::map<std::string, NameId, std::less<>> names_;
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
