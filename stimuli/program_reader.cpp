#include "stimuli/program_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "stimuli/stream_cycles.h"

namespace heddle {

namespace {

constexpr std::uint64_t kMostRepeats = 1000000000;
constexpr double kMostSeconds = 1e6;

const std::vector<std::string> kCalls{"cpu",    "touch",  "allocate", "free",        "copy_up", "copy_down",
                                      "launch", "record", "wait",     "synchronise", "repeat"};

class ProgramReader {
 public:
  ProgramReader(const HostSpec& host, ApiProgram& program)
      : host_(host), program_(program), allocated_(program.buffers.size(), false) {
    program_.streams.emplace_back("default");
  }

  void read(const config::Section& root) {
    read_list(root.value("program").list());
    for (std::size_t i = 0; i < events_.size(); ++i)
      if (!events_[i].recorded)
        events_[i].first_use.problem(fmt::format("event '{}' is never recorded", program_.events[i]));
    for (const auto& [stream, value] : synchronised_)
      if (stream != 0 && used_.count(stream) == 0)
        value.problem(fmt::format("no call uses the stream '{}'", program_.streams[stream]));
    const config::Value program = root.value("program");
    if (program.is_list() && !reaches_gpu_) program.problem("none of its calls reaches the GPU");
    for (const std::string& cycle : stream_cycles(program_, places_)) program.problem(cycle);
    free_the_rest();
  }

 private:
  struct Event {
    bool recorded = false;
    config::Value first_use;
  };

  void read_list(const std::vector<config::Value>& calls) {
    for (const config::Value& value : calls) read_call(value);
  }

  void read_call(const config::Value& value) {
    const config::Section section = value.section();
    const std::vector<std::string> keys = section.keys();
    const auto verb = std::find_if(keys.begin(), keys.end(), [](const std::string& key) {
      return std::find(kCalls.begin(), kCalls.end(), key) != kCalls.end();
    });
    if (!value.is_section()) return;
    if (verb == keys.end()) {
      const std::string nearest = keys.empty() ? "" : config::nearest_name(keys.front(), kCalls);
      value.problem(fmt::format("no such call{}; known: {}",
                                nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest),
                                fmt::join(kCalls, ", ")));
      for (const std::string& key : keys) section.has(key);
      return;
    }
    if (*verb == "repeat") return read_repeat(section);
    ApiCall call;
    read_one(*verb, section, call);
    add(call, value);
  }

  void add(const ApiCall& call, const config::Value& value) {
    reaches_gpu_ = reaches_gpu_ || goes_to_gpu(call);
    program_.calls.push_back(call);
    places_.push_back(value.place());
  }

  void read_repeat(const config::Section& section) {
    ApiCall call;
    call.kind = ApiCall::Kind::kRepeat;
    call.count =
        static_cast<std::uint64_t>(section.integer("repeat", {1, static_cast<std::int64_t>(kMostRepeats)}));
    add(call, section.value("repeat"));
    const std::uint64_t around = repeats_;
    if (call.count > kMostRepeats / around)
      section.value("repeat").problem(fmt::format("more than {} repetitions in all", kMostRepeats));
    else
      repeats_ *= std::max<std::uint64_t>(call.count, 1);
    const std::vector<bool> found = allocated_;
    read_list(section.value("body").list());
    repeats_ = around;
    for (std::size_t i = 0; i < found.size() && call.count > 1; ++i)
      if (allocated_[i] != found[i])
        section.value("body").problem(fmt::format("it leaves '{}' {}: the next time round cannot {} it",
                                                  program_.buffers[i].name, found[i] ? "free" : "allocated",
                                                  found[i] ? "free" : "allocate"));
    call.kind = ApiCall::Kind::kEnd;
    add(call, section.value("repeat"));
  }

  void free_the_rest() {
    for (std::uint32_t i = 0; i < allocated_.size(); ++i) {
      if (!allocated_[i]) continue;
      ApiCall call;
      call.kind = ApiCall::Kind::kFree;
      call.buffer = i;
      program_.calls.push_back(call);
    }
  }

  void read_one(const std::string& verb, const config::Section& section, ApiCall& call) {
    const config::Value value = section.value(verb);
    if (verb == "cpu") {
      call.kind = ApiCall::Kind::kCpu;
      call.time_ps = value.time_ps();
    } else if (verb == "touch") {
      read_touch(value, call);
    } else if (verb == "allocate" || verb == "free") {
      read_allocation(verb == "allocate", value, call);
    } else if (verb == "copy_up" || verb == "copy_down") {
      read_copy(verb == "copy_up", section, value, call);
    } else if (verb == "launch") {
      call.kind = ApiCall::Kind::kLaunch;
      call.kernel = index_of("kernel", value, program_.kernels);
      call.stream = stream_of(section);
    } else if (verb == "record" || verb == "wait") {
      read_event(verb == "record", section, value, call);
    } else {
      call.kind = ApiCall::Kind::kSynchronise;
      const std::string which = value.text();
      call.stream = which == "all" ? ApiCall::kAllStreams : stream_named(which);
      if (which != "all") synchronised_.emplace_back(call.stream, value);
    }
  }

  void read_touch(const config::Value& value, ApiCall& call) {
    call.kind = ApiCall::Kind::kCpu;
    std::uint64_t bytes = 0;
    for (const config::Value& item : value.list())
      if (const std::uint32_t buffer = index_of("buffer", item, program_.buffers);
          buffer < program_.buffers.size())
        bytes += program_.buffers[buffer].bytes;
    const double seconds = static_cast<double>(bytes) / host_.touch_bytes_per_second;
    if (!(seconds <= kMostSeconds))
      return value.problem(fmt::format("it takes longer than {} s", kMostSeconds));
    call.time_ps = static_cast<std::uint64_t>(std::llround(seconds * 1e12));
  }

  void read_allocation(bool allocate, const config::Value& value, ApiCall& call) {
    call.kind = allocate ? ApiCall::Kind::kAllocate : ApiCall::Kind::kFree;
    call.buffer = index_of("buffer", value, program_.buffers);
    if (call.buffer >= allocated_.size()) return;
    if (allocated_[call.buffer] == allocate)
      value.problem(allocate ? "it is allocated already" : "it is not allocated");
    allocated_[call.buffer] = allocate;
  }

  void read_copy(bool up, const config::Section& section, const config::Value& value, ApiCall& call) {
    call.kind = up ? ApiCall::Kind::kCopyUp : ApiCall::Kind::kCopyDown;
    call.buffer = index_of("buffer", value, program_.buffers);
    call.stream = stream_of(section);
    call.asynchronous = section.boolean("asynchronous", false);
    if (call.buffer >= allocated_.size()) return;
    const std::uint64_t whole = program_.buffers[call.buffer].bytes;
    call.bytes = section.bytes("bytes", whole);
    if (!allocated_[call.buffer]) value.problem("it is not allocated");
    if (call.bytes == 0 || call.bytes > whole)
      value.problem(fmt::format("a copy of {} bytes; the buffer has {}", call.bytes, whole));
  }

  void read_event(bool record, const config::Section& section, const config::Value& value, ApiCall& call) {
    call.kind = record ? ApiCall::Kind::kRecord : ApiCall::Kind::kWait;
    call.stream = stream_of(section);
    const std::string name = value.text();
    const auto found = std::find(program_.events.begin(), program_.events.end(), name);
    call.event = static_cast<std::uint32_t>(found - program_.events.begin());
    if (found == program_.events.end()) {
      program_.events.push_back(name);
      events_.push_back({false, value});
    }
    events_[call.event].recorded = events_[call.event].recorded || record;
  }

  std::uint32_t stream_of(const config::Section& section) {
    if (!section.has("stream")) return 0;
    const std::string name = section.text("stream");
    if (name == "all") section.value("stream").problem("'all' stands for every stream");
    const std::uint32_t stream = stream_named(name);
    used_.insert(stream);
    return stream;
  }

  std::uint32_t stream_named(const std::string& name) {
    const auto found = std::find(program_.streams.begin(), program_.streams.end(), name);
    if (found == program_.streams.end()) program_.streams.push_back(name);
    return static_cast<std::uint32_t>(std::find(program_.streams.begin(), program_.streams.end(), name) -
                                      program_.streams.begin());
  }

  // The index of the item of that name; items.size() after recording a problem.
  template <class Item>
  static std::uint32_t index_of(const char* what, const config::Value& value,
                                const std::vector<Item>& items) {
    const std::string name = value.text();
    std::vector<std::string> names;
    names.reserve(items.size());
    for (const Item& item : items) names.push_back(item.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      const std::string nearest = config::nearest_name(name, names);
      value.problem(fmt::format("no {} '{}'{}", what, name,
                                nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
    }
    return static_cast<std::uint32_t>(found - names.begin());
  }

  const HostSpec& host_;
  ApiProgram& program_;
  std::vector<bool> allocated_;
  std::vector<Event> events_;
  std::set<std::uint32_t> used_;                                       // streams that calls go to
  std::vector<std::pair<std::uint32_t, config::Value>> synchronised_;  // streams the host waits for
  std::vector<std::string> places_;                                    // by call
  std::uint64_t repeats_ = 1;                                          // of the call being read
  bool reaches_gpu_ = false;
};

}  // namespace

void read_program(const config::Section& root, const HostSpec& host, ApiProgram& program) {
  ProgramReader(host, program).read(root);
}

}  // namespace heddle
