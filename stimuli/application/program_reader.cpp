#include "stimuli/application/program_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "stimuli/application/call_names.h"
#include "stimuli/application/sm_set_reader.h"
#include "stimuli/application/stream_cycles.h"
#include "stimuli/application/stream_reader.h"

namespace heddle {

namespace {

constexpr std::uint64_t kMostRepeats = 1000000000;
constexpr std::int64_t kMostPriority = 1000000;  // of a launch, as of an application
constexpr double kMostSeconds = 1e6;
constexpr const char* kForward = "forward";

const std::vector<std::string> kCalls{"cpu",       "touch",       "allocate", "free",   "copy_up",
                                      "copy_down", "copy_across", "fill",     "launch", "record",
                                      "wait",      "synchronise", "query",    "repeat", "forward"};

class ProgramReader {
 public:
  ProgramReader(const HostSpec& host, const std::vector<bool>& varies, RequestAmounts& amounts,
                ModelKernels* model, ApiProgram& program)
      : host_(host),
        varies_(varies),
        amounts_(amounts),
        model_(model),
        program_(program),
        kernels_(names_of(program.kernels)),
        buffers_(names_of(program.buffers)),
        streams_(program),
        allocated_(program.buffers.size(), false),
        kept_(program.buffers.size(), false) {}

  void read(const config::Section& root) {
    if (root.has("setup")) read_setup(root.value("setup").list());
    reaches_gpu_ = false;
    read_list(root.value("program").list());
    streams_.finish();
    const config::Value program = root.value("program");
    if (program.is_list() && !reaches_gpu_) program.problem("none of its calls reaches the GPU");
    for (const std::string& cycle : stream_cycles(program_, places_)) program.problem(cycle);
  }

 private:
  using Present = RequestAmounts::Present;

  void read_setup(const std::vector<config::Value>& calls) {
    is_setup_ = true;
    read_list(calls);
    is_setup_ = false;
    kept_ = allocated_;
    program_.setup_calls = program_.calls.size();
  }

  void read_list(const std::vector<config::Value>& calls) {
    for (const config::Value& value : calls) read_call(value);
  }

  void read_call(const config::Value& value) {
    if (value.is_scalar() && value.text() == kForward) return add_forward(value, {});
    const std::string verb = verb_of(value, kCalls);
    if (verb.empty()) return;
    const config::Section section = value.section();
    if (verb == "repeat") return read_repeat(section);
    if (verb == kForward) return read_forward(section);
    if (is_setup_ && (verb == "record" || verb == "wait"))
      value.problem("a setup has no events; the requests start when all of it is done");
    ApiCall call;
    read_one(verb, section, call);
    add(call, value);
  }

  void read_forward(const config::Section& section) {
    ApiCall launch;
    section.choice(kForward, {"step"});
    launch.stream = streams_.stream_of(section);
    launch.priority = read_priority(section);
    add_forward(section.value(kForward), launch);
  }

  void add_forward(const config::Value& value, const ApiCall& launch) {
    if (model_ == nullptr) return value.problem("the application names no 'model' whose step it is");
    if (is_setup_) return value.problem("a step depends on the parameters of a request");
    model_->add_calls(launch, program_);
    places_.resize(program_.calls.size(), value.place());
    reaches_gpu_ = true;
  }

  static std::int32_t read_priority(const config::Section& section) {
    return static_cast<std::int32_t>(section.integer("priority", {-kMostPriority, kMostPriority}, 0));
  }

  // Returns the number of the call that is read now.
  std::size_t number() const { return program_.calls.size(); }

  void add(const ApiCall& call, const config::Value& value) {
    reaches_gpu_ = reaches_gpu_ || goes_to_gpu(call);
    program_.calls.push_back(call);
    places_.push_back(value.place());
  }

  void read_repeat(const config::Section& section) {
    ApiCall call;
    call.kind = ApiCall::Kind::kRepeat;
    const config::Value rounds = section.value("repeat");
    const bool depends = amounts_.depends(rounds);
    const auto set = [at = number()](ApiProgram& program, Present&, std::uint64_t value) {
      program.calls[at].count = value;
    };
    call.count = std::max<std::uint64_t>(
        amounts_.whole(rounds, {depends ? 0 : 1, static_cast<std::int64_t>(kMostRepeats)}, set), 1);
    add(call, section.value("repeat"));
    const std::uint64_t around = repeats_;
    if (call.count > kMostRepeats / around)
      section.value("repeat").problem(fmt::format("more than {} repetitions in all", kMostRepeats));
    else
      repeats_ *= std::max<std::uint64_t>(call.count, 1);
    const std::vector<bool> found = allocated_;
    read_list(section.value("body").list());
    repeats_ = around;
    for (std::size_t i = 0; i < found.size() && (depends || call.count > 1); ++i)
      if (allocated_[i] != found[i])
        section.value("body").problem(fmt::format("it leaves '{}' {}: the next time round cannot {} it",
                                                  program_.buffers[i].name, found[i] ? "free" : "allocated",
                                                  found[i] ? "free" : "allocate"));
    call.kind = ApiCall::Kind::kEnd;
    add(call, section.value("repeat"));
  }

  void read_one(const std::string& verb, const config::Section& section, ApiCall& call) {
    const config::Value value = section.value(verb);
    if (verb == "cpu") {
      call.kind = ApiCall::Kind::kCpu;
      call.time_ps =
          amounts_.time_ps(value, 0, [at = number()](ApiProgram& program, Present&, std::uint64_t ps) {
            program.calls[at].time_ps = ps;
          });
    } else if (verb == "touch") {
      read_touch(section, value, call);
    } else if (verb == "allocate" || verb == "free") {
      read_allocation(verb == "allocate", value, call);
    } else if (verb == "copy_up" || verb == "copy_down") {
      read_copy(verb == "copy_up", section, value, call);
    } else if (verb == "copy_across") {
      read_copy_across(section, value, call);
    } else if (verb == "fill") {
      read_fill(section, value, call);
    } else if (verb == "launch") {
      call.kind = ApiCall::Kind::kLaunch;
      call.kernel = kernels_.find("kernel", value, value.text());
      call.stream = streams_.stream_of(section);
      call.priority = read_priority(section);
      if (section.has("sms")) call.sm_set = read_sm_set(section.section("sms"), number(), amounts_, program_);
    } else if (verb == "record") {
      streams_.read_record(section, value, call);
    } else if (verb == "wait") {
      streams_.read_wait(section, value, call);
    } else if (verb == "query") {
      call.kind = ApiCall::Kind::kQuery;
      value.text();
    } else {
      streams_.read_synchronise(value, call);
    }
  }

  void read_touch(const config::Section& section, const config::Value& value, ApiCall& call) {
    call.kind = ApiCall::Kind::kCpu;
    std::vector<std::uint32_t> buffers;
    bool depends = false;
    for (const config::Value& item : value.list())
      if (const std::uint32_t buffer = buffers_.find("buffer", item, item.text());
          buffer < program_.buffers.size()) {
        buffers.push_back(buffer);
        depends = depends || varies_[buffer];
      }
    const std::uint64_t whole = bytes_of(program_, buffers);
    std::uint64_t bytes = whole;
    const bool has_bytes = section.has("bytes");
    if (has_bytes) {
      const config::Value part = section.value("bytes");
      depends = depends || amounts_.depends(part);
      bytes = amounts_.bytes(part, 0, [at = number()](ApiProgram& program, Present&, std::uint64_t amount) {
        program.calls[at].bytes = amount;
      });
      if (bytes > whole) part.problem(fmt::format("the buffers have {}", whole));
    }
    const double seconds = static_cast<double>(bytes) / host_.touch_bytes_per_second;
    if (!(seconds <= kMostSeconds))
      return value.problem(fmt::format("it takes longer than {} s", kMostSeconds));
    call.time_ps = touch_ps(bytes);
    if (!depends) return;
    call.bytes = bytes;
    amounts_.derive(
        value, [this_host = host_, at = number(), buffers, has_bytes](ApiProgram& program, const Present&) {
          ApiCall& of = program.calls[at];
          const std::uint64_t all = bytes_of(program, buffers);
          if (!has_bytes) of.bytes = all;
          if (of.bytes > all)
            throw std::runtime_error(fmt::format("{} bytes; the buffers have {}", of.bytes, all));
          of.time_ps = touch_ps(this_host, of.bytes);
        });
  }

  static std::uint64_t bytes_of(const ApiProgram& program, const std::vector<std::uint32_t>& buffers) {
    std::uint64_t bytes = 0;
    for (const std::uint32_t buffer : buffers) bytes += program.buffers[buffer].bytes;
    return bytes;
  }

  static std::uint64_t touch_ps(const HostSpec& host, std::uint64_t bytes) {
    return static_cast<std::uint64_t>(
        std::llround(static_cast<double>(bytes) / host.touch_bytes_per_second * 1e12));
  }
  std::uint64_t touch_ps(std::uint64_t bytes) const { return touch_ps(host_, bytes); }

  void read_allocation(bool allocate, const config::Value& value, ApiCall& call) {
    call.kind = allocate ? ApiCall::Kind::kAllocate : ApiCall::Kind::kFree;
    call.buffer = buffers_.find("buffer", value, value.text());
    if (call.buffer >= allocated_.size()) return;
    if (allocated_[call.buffer] == allocate)
      value.problem(allocate ? "it is allocated already" : "it is not allocated");
    if (!allocate && kept_[call.buffer])
      value.problem("the setup allocates it, so that it stays for the next request");
    if (is_setup_ && varies_[call.buffer])
      value.problem("its size depends on the parameters of a request, and the setup comes before all");
    allocated_[call.buffer] = allocate;
  }

  void read_copy(bool up, const config::Section& section, const config::Value& value, ApiCall& call) {
    call.kind = up ? ApiCall::Kind::kCopyUp : ApiCall::Kind::kCopyDown;
    call.asynchronous = section.boolean("asynchronous", false);
    call.buffer = moved_buffer(value);
    read_moved(section, value, call);
  }

  void read_copy_across(const config::Section& section, const config::Value& value, ApiCall& call) {
    call.kind = ApiCall::Kind::kCopyAcross;
    call.other = moved_buffer(value);
    const config::Value to = section.value("to");
    call.buffer = moved_buffer(to);
    if (call.buffer == call.other && call.buffer < allocated_.size()) to.problem("it is the copied buffer");
    read_moved(section, value, call);
  }

  void read_fill(const config::Section& section, const config::Value& value, ApiCall& call) {
    call.kind = ApiCall::Kind::kFill;
    call.buffer = moved_buffer(value);
    call.value = static_cast<std::uint8_t>(section.integer("with", {0, 0xff}));
    read_moved(section, value, call);
  }

  // Returns the buffer, which must be allocated; the number of buffers if there is none of that name.
  std::uint32_t moved_buffer(const config::Value& value) {
    const std::uint32_t buffer = buffers_.find("buffer", value, value.text());
    if (buffer < allocated_.size() && !allocated_[buffer]) value.problem("it is not allocated");
    return buffer;
  }

  // Reads the keys that copies and fills have in common: the stream and the bytes. `value` names the buffer
  // whose size is the default of the bytes.
  void read_moved(const config::Section& section, const config::Value& value, ApiCall& call) {
    call.stream = streams_.stream_of(section);
    const bool across = call.kind == ApiCall::Kind::kCopyAcross;
    const std::uint32_t named = across ? call.other : call.buffer;
    if (named >= allocated_.size() || call.buffer >= allocated_.size()) {
      section.has("bytes");
      return;
    }
    const std::uint64_t whole = program_.buffers[named].bytes;
    const std::uint64_t most = std::min(whole, program_.buffers[call.buffer].bytes);
    call.bytes = whole;
    bool depends = varies_[named] || varies_[call.buffer];
    const bool has_bytes = section.has("bytes");
    if (has_bytes) {
      const config::Value part = section.value("bytes");
      depends = depends || amounts_.depends(part);
      call.bytes =
          amounts_.bytes(part, 0, [at = number()](ApiProgram& program, Present&, std::uint64_t bytes) {
            program.calls[at].bytes = bytes;
          });
    }
    if (call.bytes == 0 || call.bytes > most)
      value.problem(fmt::format("a {} of {} bytes; the buffer has {}", name_of(call), call.bytes, most));
    if (!depends) return;
    amounts_.derive(value, [at = number(), named, has_bytes](ApiProgram& program, const Present&) {
      ApiCall& of = program.calls[at];
      if (!has_bytes) of.bytes = program.buffers[named].bytes;
      const std::uint64_t room = std::min(program.buffers[named].bytes, program.buffers[of.buffer].bytes);
      if (of.bytes == 0 || of.bytes > room)
        throw std::runtime_error(
            fmt::format("a {} of {} bytes; the buffer has {}", name_of(of), of.bytes, room));
    });
  }

  static const char* name_of(const ApiCall& call) {
    return call.kind == ApiCall::Kind::kFill ? "fill" : "copy";
  }

  const HostSpec& host_;
  const std::vector<bool>& varies_;  // by buffer: its size depends on parameters
  RequestAmounts& amounts_;
  ModelKernels* const model_;  // or null
  ApiProgram& program_;
  const NumberedNames kernels_;
  const NumberedNames buffers_;
  StreamReader streams_;
  std::vector<bool> allocated_;
  std::vector<bool> kept_;  // by buffer: the setup has allocated it
  bool is_setup_ = false;
  std::vector<std::string> places_;  // by index of the call
  std::uint64_t repeats_ = 1;        // the product of the enclosing loops' rounds
  bool reaches_gpu_ = false;
};

}  // namespace

void read_program(const config::Section& root, const HostSpec& host, const std::vector<bool>& varies,
                  RequestAmounts& amounts, ModelKernels* model, ApiProgram& program) {
  ProgramReader(host, varies, amounts, model, program).read(root);
}

}  // namespace heddle
