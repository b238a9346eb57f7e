#include "stimuli/traceg/trace_application.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "models/core/base/log.h"
#include "models/core/config/config.h"
#include "stimuli/application/names.h"
#include "stimuli/traceg/header.h"
#include "stimuli/traceg/kernels_list.h"
#include "stimuli/traceg/machine_code.h"
#include "stimuli/traceg/trace_program.h"

namespace heddle {

namespace {

constexpr std::uint64_t kMostBufferBytes = std::uint64_t{1}
                                           << 39U;  // of all buffers, stimuli/application/application.cpp

class TraceApplicationReader {
 public:
  TraceApplicationReader(const std::string& file, const LaunchRanges& ranges, const std::string& cache)
      : file_(file),
        cache_(cache),
        machine_code_(std::make_shared<MachineCode>(std::filesystem::path(file).parent_path().string())),
        ranges_(ranges) {}

  Application read() {
    const std::vector<TraceCommand> commands = chosen(read_kernels_list(file_));
    program_.name = trace_name(file_);
    program_.streams.emplace_back("default");
    size_buffers(commands);
    for (const TraceCommand& command : commands) {
      if (command.kind == TraceCommand::Kind::kKernel)
        add_launch(command);
      else
        add_copy(command);
    }
    ApiCall wait = call(ApiCall::Kind::kSynchronise);
    wait.stream = ApiCall::kAllStreams;
    program_.calls.push_back(wait);
    for (std::uint32_t i = 0; i < program_.buffers.size(); ++i) add_buffer_call(ApiCall::Kind::kFree, i);
    application_.source = "Accel-Sim trace " + file_;
    tell_machine_code();
    set_untimed_kernels(application_);
    return std::move(application_);
  }

 private:
  static ApiCall call(ApiCall::Kind kind) {
    ApiCall result;
    result.kind = kind;
    return result;
  }

  void add_buffer_call(ApiCall::Kind kind, std::uint32_t buffer) {
    ApiCall result = call(kind);
    result.buffer = buffer;
    program_.calls.push_back(result);
  }

  [[noreturn]] void fail(const TraceCommand& command, const std::string& message) const {
    throw config::Error({fmt::format("{}:{}: {}", file_, command.line, message)});
  }

  std::vector<TraceCommand> chosen(const std::vector<TraceCommand>& all) const {
    std::vector<TraceCommand> commands;
    std::uint64_t launches = 0;
    std::uint64_t kept = 0;
    for (const TraceCommand& command : all) {
      if (launches >= ranges_.last()) break;
      const bool is_launch = command.kind == TraceCommand::Kind::kKernel;
      if (is_launch && !ranges_.hold(++launches)) continue;
      if (is_launch) ++kept;
      commands.push_back(command);
    }
    if (kept == 0 && launches > 0)
      throw config::Error({fmt::format("{}: it has {} launches, none of which is one of {}", file_, launches,
                                       ranges_.text())});
    return commands;
  }

  void size_buffers(const std::vector<TraceCommand>& commands) {
    std::uint64_t left = kMostBufferBytes;
    for (const TraceCommand& command : commands) {
      if (command.kind == TraceCommand::Kind::kKernel) continue;
      std::uint64_t& bytes = bytes_[command.address];
      const std::uint64_t more = command.bytes - std::min(command.bytes, bytes);
      if (more > left) fail(command, "the buffers come to more than 512 GiB");
      left -= more;
      bytes += more;
    }
  }

  void add_copy(const TraceCommand& command) {
    const auto [found, fresh] =
        buffers_.emplace(command.address, static_cast<std::uint32_t>(program_.buffers.size()));
    if (fresh) {
      program_.buffers.push_back({fmt::format("{:#x}", command.address), bytes_.at(command.address)});
      add_buffer_call(ApiCall::Kind::kAllocate, found->second);
    }
    ApiCall copy =
        call(command.kind == TraceCommand::Kind::kCopyUp ? ApiCall::Kind::kCopyUp : ApiCall::Kind::kCopyDown);
    copy.buffer = found->second;
    copy.bytes = command.bytes;
    program_.calls.push_back(copy);
  }

  void add_launch(const TraceCommand& command) {
    const auto [found, fresh] = kernels_.emplace(command.file, Kernel{});
    if (fresh) found->second = add_kernel(command.file);
    ApiCall launch = call(ApiCall::Kind::kLaunch);
    launch.kernel = found->second.index;
    launch.stream = found->second.stream;
    program_.calls.push_back(launch);
  }

  struct Kernel {
    std::uint32_t index = 0;
    std::uint32_t stream = 0;
  };

  Kernel add_kernel(const std::string& file) {
    TextSource source(file);
    const TraceHeader header = read_trace_header(source);
    ApiKernel kernel;
    kernel.name = names_.add(plain_name(header.kernel_name));
    kernel.blocks = header.blocks;
    kernel.shape = header.shape;
    kernel.program = [file, cache = cache_, machine_code = machine_code_](const CodeOptions& options) {
      return std::make_unique<TraceProgram>(file, TraceLimits(), options.with_phases, cache,
                                            options.tells_branches,
                                            options.follows_control_bits ? machine_code : nullptr);
    };
    if (machine_code_->find(header.kernel_name, header.architecture) == nullptr)
      without_machine_code_.push_back(header.kernel_name);
    program_.kernels.push_back(kernel);
    return {static_cast<std::uint32_t>(program_.kernels.size() - 1), stream_of(header.stream)};
  }

  void tell_machine_code() const {
    if (machine_code_->empty()) return;
    HEDDLE_LOG(Severity::kInfo, "replay", "{}: cubins beside it have the machine code of {} of {} kernels",
               file_, kernels_.size() - without_machine_code_.size(), kernels_.size());
    for (const std::string& kernel : without_machine_code_)
      HEDDLE_LOG(Severity::kWarning, "replay",
                 "{}: no cubin has kernel '{}'; its registers are compared, because it has no control bits",
                 file_, kernel);
  }

  std::uint32_t stream_of(std::uint64_t id) {
    if (id == 0) return 0;
    const auto [found, fresh] = streams_.emplace(id, static_cast<std::uint32_t>(program_.streams.size()));
    if (fresh) program_.streams.push_back(fmt::format("stream-{}", id));
    return found->second;
  }

  const std::string file_;
  const std::string cache_;
  const std::shared_ptr<const MachineCode> machine_code_;
  std::vector<std::string> without_machine_code_;  // kernels, if there is machine code of others
  const LaunchRanges& ranges_;
  Application application_;
  ApiProgram& program_ = application_.program;
  std::map<Address, std::uint64_t> bytes_;    // by address: bytes of the buffer
  std::map<Address, std::uint32_t> buffers_;  // by address: index of the allocated buffer
  std::map<std::string, Kernel> kernels_;     // by file
  std::map<std::uint64_t, std::uint32_t> streams_;
  UniqueNames names_;
};

}  // namespace

std::string trace_name(const std::string& kernelslist_file) {
  namespace fs = std::filesystem;
  return plain_name(fs::absolute(kernelslist_file).lexically_normal().parent_path().filename().string());
}

Application read_trace_application(const std::string& kernelslist_file, const LaunchRanges& ranges,
                                   const std::string& cache) {
  return TraceApplicationReader(kernelslist_file, ranges, cache).read();
}

}  // namespace heddle
