#include "stimuli/capture/replay/capture_application.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "models/core/config/config.h"
#include "stimuli/application/names.h"
#include "stimuli/capture/format/capture_file.h"
#include "stimuli/capture/replay/recall.h"
#include "stimuli/capture/replay/replay_buffers.h"
#include "stimuli/capture/replay/replay_kernels.h"
#include "stimuli/capture/replay/replay_script.h"
#include "stimuli/capture/replay/replay_streams.h"
#include "stimuli/capture/replay/replay_textures.h"
#include "stimuli/ptx/analysis/module_loader.h"

namespace heddle::capture {

namespace {

using Kind = CapturedCall::Kind;

constexpr std::uint32_t kMostSms = 65536;

// Returns the number of the set of SMs of a stream. Streams with the same SMs have the same set. Throws
// ImpossibleCall.
std::uint32_t sm_set_of(const CapturedCall& call, ApiProgram& program) {
  if (call.sms.empty()) return 0;
  const bool is_ascending =
      std::adjacent_find(call.sms.begin(), call.sms.end(), std::greater_equal<>()) == call.sms.end();
  demand(is_ascending && call.sms.back() < kMostSms, "no stream can have such SMs");
  const auto known = std::find(program.sm_sets.begin(), program.sm_sets.end(), call.sms);
  const auto number = static_cast<std::uint32_t>(known - program.sm_sets.begin()) + 1;
  if (known == program.sm_sets.end()) program.sm_sets.push_back(call.sms);
  return number;
}

class Builder {
 public:
  Builder(std::shared_ptr<const Capture> capture, const std::string& file, const RegisterCounts& stated,
          std::uint32_t most_registers, const LaunchRanges& ranges)
      : capture_(std::move(capture)),
        file_(file),
        ranges_(ranges),
        streams_(application_.program),
        buffers_(application_.program),
        textures_(buffers_),
        kernels_(application_, stated, most_registers),
        replay_(std::make_shared<Replay>()) {}

  ReplayedProgram build() {
    program_.name = replay_->name = plain_name(capture_->program);
    replay_->exact = capture_->exact;
    replay_->lenient = capture_->lenient;
    replay_->recall = [capture = capture_, file = file_](std::size_t call) {
      return bytes_under_capture(capture, file, call);
    };
    try {
      for (at_ = 0; at_ < capture_->calls.size() && replay_->launches.size() < ranges_.last(); ++at_)
        add(capture_->calls[at_]);
      finish();
      demand(!replay_->launches.empty(), "the program launches no kernel");
    } catch (const ImpossibleCall& problem) {
      fail({problem.what()});
    } catch (const config::Error& error) {  // of PTX
      fail(error.problems());
    }
    check_ranges();
    kernels_.check_stated(file_);
    application_.source = "captured program " + file_;
    set_untimed_kernels(application_);
    program_.make_script = [replay = std::shared_ptr<const Replay>(replay_)] {
      return make_replay_script(replay);
    };
    program_.print_to = [console = replay_->console](std::ostream* out) { console->print_to(out); };
    return {std::move(application_), replay_};
  }

 private:
  // The first problem has the place of all.
  [[noreturn]] void fail(std::vector<std::string> problems) const {
    problems.front() = fmt::format("{}: call {}: {}", file_, at_, problems.front());
    throw config::Error(std::move(problems));
  }

  void add(const CapturedCall& call) {
    switch (call.kind) {
      case Kind::kModule:
        return add_module(call);
      case Kind::kAllocate:
        return allocate(call.rows.address, call.rows.bytes, "memory");
      case Kind::kFree:
        return free(call.rows.address);
      case Kind::kUpload:
        return add_upload(call);
      case Kind::kDownload:
        return add_download(call);
      case Kind::kCopy:
      case Kind::kFill:
        return add_rows(call);
      case Kind::kLaunch:
        return add_launch(call);
      case Kind::kTexture:
      case Kind::kDropTexture:
        return textures_.change(call);
      case Kind::kRegisters:
        return kernels_.count_registers(call);
      case Kind::kCooperate:
        buffers_.find({call.handle, 0, kWorkspaceBytes, 1});
        workspace_ = call.handle;
        return;
      default:
        return add_stream_call(call);
    }
  }

  void add_stream_call(const CapturedCall& call) {
    constexpr const char* kNone = "there is no such stream or event";
    switch (call.kind) {
      case Kind::kCreateStream:
        demand(streams_.create(call.stream, call.flag), "the stream exists");
        sm_set_[call.stream] = sm_set_of(call, program_);
        return;
      case Kind::kDestroyStream:
        return demand(streams_.destroy(call.stream), kNone);
      case Kind::kRecord:
        return demand(streams_.record(call.event, call.stream), kNone);
      case Kind::kWait:
        return demand(streams_.wait(call.event, call.stream), kNone);
      case Kind::kDestroyEvent:
        return streams_.destroy_event(call.event);
      case Kind::kSynchroniseStream:
        demand(streams_.synchronise_stream(call.stream), kNone);
        return act_on(pending_.take(call.stream));
      case Kind::kSynchroniseEvent:
        return demand(streams_.synchronise_event(call.event), kNone);
      default:
        streams_.synchronise();
        return act_on(pending_.take_all());
    }
  }

  ApiCall& append(ApiCall::Kind kind) {
    program_.calls.emplace_back();
    program_.calls.back().kind = kind;
    return program_.calls.back();
  }

  void act(std::vector<Replay::Check> checks) {
    append(ApiCall::Kind::kHost).action = static_cast<std::uint32_t>(replay_->actions.size());
    replay_->actions.push_back(std::move(checks));
  }

  void allocate(Address address, std::uint64_t bytes, const char* name) {
    const std::uint32_t buffer = buffers_.allocate(address, bytes, name);
    append(ApiCall::Kind::kAllocate).buffer = buffer;
    Replay::Check check;
    check.call = at_;
    check.buffer = buffer;
    check.address = address;
    act({check});
  }

  void free(Address address) { append(ApiCall::Kind::kFree).buffer = buffers_.free(address); }

  // Returns the buffer of a blob in host memory.
  std::uint32_t staged(const Capture::Blob& blob) {
    const auto [found, fresh] = staged_.emplace(blob.get(), 0);
    if (fresh) {
      found->second = buffers_.add("data", blob->size());
      replay_->staged.push_back({found->second, blob});
    }
    return found->second;
  }

  void add_module(const CapturedCall& call) {
    std::shared_ptr<ptx::Module> module = kernels_.read_module(*capture_->blobs[call.blob]);
    demand(call.rows.address % DeviceMemory::kAlignment == 0, "a module that lies askew");
    allocate(call.rows.address, ptx::image_bytes(*module), "module");
    ptx::Image image = ptx::lay_out_image(std::move(module), call.rows.address);
    const bool zero = std::all_of(image.bytes.begin(), image.bytes.end(),
                                  [](std::byte byte) { return byte == std::byte{0}; });
    if (!zero) {
      auto bytes = std::make_shared<const std::vector<std::byte>>(image.bytes);
      ApiCall& copy = append(ApiCall::Kind::kCopyUp);
      copy.buffer = buffers_.at(call.rows.address);
      copy.bytes = bytes->size();
      copy.other = staged(bytes);
    }
    kernels_.add_module(std::move(image));
  }

  void check_ranges() const {
    if (std::any_of(replay_->launches.begin(), replay_->launches.end(),
                    [](const Replay::Launch& launch) { return !launch.is_skipped; }))
      return;
    throw config::Error({fmt::format("{}: it has {} launches, none of which is one of {}", file_,
                                     replay_->launches.size(), ranges_.text())});
  }

  void add_upload(const CapturedCall& call) {
    const auto [buffer, offset] = buffers_.find(call.rows);
    const Capture::Blob& blob = capture_->blobs[call.blob];
    demand(blob->size() == call.rows.total(), "data of another size than the copy");
    const std::uint32_t from = staged(blob);
    const std::uint32_t stream = stream_of(call);
    for (std::uint64_t row = 0; row < call.rows.count; ++row) {
      ApiCall& copy = append(ApiCall::Kind::kCopyUp);
      copy.buffer = buffer;
      copy.offset = offset + row * call.rows.pitch;
      copy.bytes = call.rows.bytes;
      copy.other = from;
      copy.other_offset = row * call.rows.bytes;
      copy.stream = stream;
      copy.asynchronous = call.asynchronous || row + 1 < call.rows.count;
    }
    if (!call.asynchronous) streams_.done(call.stream);
  }

  void add_download(const CapturedCall& call) {
    const auto [buffer, offset] = buffers_.find(call.rows);
    const std::uint32_t stream = stream_of(call);
    for (std::uint64_t row = 0; row < call.rows.count; ++row) {
      ApiCall& copy = append(ApiCall::Kind::kCopyDown);
      copy.buffer = buffer;
      copy.offset = copy.other_offset = offset + row * call.rows.pitch;
      copy.bytes = call.rows.bytes;
      copy.stream = stream;
      copy.asynchronous = call.asynchronous || row + 1 < call.rows.count;
    }
    Replay::Check check;
    check.call = at_;
    check.buffer = buffer;
    check.rows = call.rows;
    check.rows.address = offset;
    check.digest = call.digest;
    pending_.add(call.stream, check);
    if (call.asynchronous) return;
    streams_.done(call.stream);
    act_on(pending_.take(call.stream));
  }

  void act_on(std::vector<Replay::Check> checks) {
    if (!checks.empty()) act(std::move(checks));
  }

  void add_rows(const CapturedCall& call) {
    const auto [buffer, offset] = buffers_.find(call.rows);
    std::uint32_t other = 0;
    std::uint64_t other_offset = 0;
    if (call.kind == Kind::kCopy) {
      demand(call.other.count == call.rows.count && call.other.bytes == call.rows.bytes,
             "copies of two shapes");
      std::tie(other, other_offset) = buffers_.find(call.other);
    }
    const std::uint32_t stream = stream_of(call);
    for (std::uint64_t row = 0; row < call.rows.count; ++row) {
      ApiCall& made = append(call.kind == Kind::kCopy ? ApiCall::Kind::kCopyAcross : ApiCall::Kind::kFill);
      made.buffer = buffer;
      made.offset = offset + row * call.rows.pitch;
      made.bytes = call.rows.bytes;
      made.stream = stream;
      made.value = call.value;
      if (call.kind != Kind::kCopy) continue;
      made.other = other;
      made.other_offset = other_offset + row * call.other.pitch;
    }
  }

  std::uint32_t stream_of(const CapturedCall& call) {
    demand(streams_.knows(call.stream), "there is no such stream");
    return streams_.use(call.stream);
  }

  void add_launch(const CapturedCall& call) {
    ptx::Launch launch;
    launch.code = kernels_.module_of(call);
    demand(call.priority >= kGreatestPriority && call.priority <= kLeastPriority,
           "no launch can have such a priority");
    demand(call.carve_out >= BlockShape::kAnyCarveOut && call.carve_out <= 100,
           "no launch can prefer such a carve-out");
    launch.entry = call.entry;
    launch.grid = call.grid;
    launch.block = call.block;
    if (call.cluster.count() != 0) launch.cluster = call.cluster;
    launch.is_any_cluster_size = call.flag;
    launch.dynamic_shared = call.shared;
    launch.carve_out = call.carve_out;
    launch.parameters = *capture_->blobs[call.blob];
    launch.handles = textures_.handles();
    launch.workspace = std::exchange(workspace_, 0);
    const std::size_t variables = ptx::image_of(*launch.code).module->variables.size();
    for (const BoundTexture& bound : call.textures) {
      demand(bound.variable < variables, "a texture without its variable");
      launch.textures[bound.variable] = textures_.checked(bound.texture);
    }
    ptx::check_is_read(launch);
    if (const std::string problem = ptx::launch_problem(launch); !problem.empty())
      throw ImpossibleCall(problem);
    const std::uint32_t stream = stream_of(call);
    const bool is_skipped = !ranges_.hold(replay_->launches.size() + 1);
    const std::uint32_t kernel = is_skipped ? kernels_.skipped_kernel() : kernels_.kernel_of(call, launch);
    ApiCall& made = append(ApiCall::Kind::kLaunch);
    made.kernel = kernel;
    made.stream = stream;
    made.priority = kLeastPriority - call.priority;
    made.sm_set = sm_set_[call.stream];
    made.number = static_cast<std::uint32_t>(replay_->launches.size());
    replay_->launches.push_back({std::move(launch), at_, is_skipped});
  }

  void finish() {
    streams_.synchronise();
    act_on(pending_.take_all());
    while (const Address* const address = buffers_.lowest()) free(*address);
  }

  const std::shared_ptr<const Capture> capture_;
  const std::string file_;
  const LaunchRanges& ranges_;
  Application application_;
  ApiProgram& program_ = application_.program;
  ReplayStreams streams_;
  ReplayBuffers buffers_;
  ReplayTextures textures_;
  ReplayKernels kernels_;
  std::shared_ptr<Replay> replay_;
  std::map<const void*, std::uint32_t> staged_;  // host buffer by blob
  PendingChecks pending_;
  std::map<std::uint32_t, std::uint32_t> sm_set_;  // by stream under capture: ApiCall::sm_set
  Address workspace_ = 0;                          // of the next launch
  std::size_t at_ = 0;
};

}  // namespace

Application capture_application(std::shared_ptr<const Capture> capture, const std::string& name,
                                const RegisterCounts& registers, std::uint32_t most_registers,
                                const LaunchRanges& ranges) {
  return replayed_program(std::move(capture), name, registers, most_registers, ranges).application;
}

ReplayedProgram replayed_program(std::shared_ptr<const Capture> capture, const std::string& name,
                                 const RegisterCounts& registers, std::uint32_t most_registers,
                                 const LaunchRanges& ranges) {
  return Builder(std::move(capture), name, registers, most_registers, ranges).build();
}

bool is_capture(const std::string& file) {
  return std::filesystem::path(file).extension() == ".hcap";
}

ReplayedProgram read_replayed_program(const std::string& file, const RegisterCounts& registers,
                                      std::uint32_t most_registers, const LaunchRanges& ranges) {
  return replayed_program(std::make_shared<const Capture>(load_capture(file)), file, registers,
                          most_registers, ranges);
}

}  // namespace heddle::capture
