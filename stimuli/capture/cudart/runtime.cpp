#include "stimuli/capture/cudart/runtime.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "stimuli/capture/format/environment.h"
#include "stimuli/capture/format/fat_binary.h"
#include "stimuli/capture/format/machine_code_file.h"
#include "stimuli/capture/runtime/shown_gpu.h"

namespace heddle::capture {

namespace {

struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const char* container;
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::uint64_t number(const char* name) {
  return std::strtoull(variable(name).c_str(), nullptr, 10);
}

// Returns the container of a wrapper of version 1, which has all code in one container.
std::string_view container_of(const FatBinary& binary) {
  Wrapper wrapper{};
  std::memcpy(&wrapper, binary.wrapper, sizeof wrapper);
  if (wrapper.magic != kWrapperMagic)
    throw std::runtime_error(fmt::format("{}: its wrapper starts with {:#x}, not {:#x}", binary.name,
                                         wrapper.magic, kWrapperMagic));
  if (wrapper.version != 1)
    throw std::runtime_error(
        fmt::format("{}: device code that was linked apart from its host code (-rdc=true) "
                    "is not supported",
                    binary.name));
  const std::string_view start(wrapper.container, kFatBinaryHeaderBytes);
  return {wrapper.container, fat_binary_bytes(start, binary.name)};
}

thread_local int last_error = 0;

// A destructor runs after the program's exit handlers, which may still call the runtime.
__attribute__((destructor)) void finish_capture() {
  Runtime::get().finish();
}

}  // namespace

void stop(const std::string& message) {
  Runtime::get().hide_progress();
  std::fflush(nullptr);
  std::fputs(fmt::format("heddle: {}\n", message).c_str(), stderr);
  ::_exit(kStoppedStatus);
}

std::recursive_mutex& runtime_lock() {
  static auto& lock = *new std::recursive_mutex;  // outlives every exit handler
  return lock;
}

int remember(int error) {
  if (error != kSuccess) last_error = error;
  return error;
}

Runtime& Runtime::get() {
  static auto& runtime = *new Runtime;  // outlives every exit handler
  return runtime;
}

void Runtime::print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

Session& Runtime::session() {
  if (session_ == nullptr) open();
  if (process_ != ::getpid())
    throw std::runtime_error("a process that was forked uses the GPU of its parent");
  return *session_;
}

void Runtime::open() {
  const std::string file = variable(kFileVariable);
  if (file.empty())
    throw std::runtime_error("this CUDA runtime is Heddle's: run the program with heddle capture");
  Capture about;
  about.program = variable(kProgramVariable);
  about.exact = variable(kRacyVariable).empty();
  about.lenient = !variable(kLenientVariable).empty();
  about.order = static_cast<FunctionalOrder>(number(kOrderVariable) % kFunctionalOrders);
  GpuSpec spec = shown_gpu(variable(kPlatformVariable));
  about.platform = spec.name;
  writer_ = std::make_unique<CaptureWriter>(file, about);
  if (variable(kQuietVariable).empty()) progress_ = std::make_unique<LaunchProgress>();
  session_ = std::make_unique<Session>(
      std::move(spec), *writer_, *this,
      SessionRules{about.order, about.lenient, number(kLimitVariable), progress_.get()});
  process_ = ::getpid();
}

void Runtime::hide_progress() {
  if (progress_ != nullptr) progress_->end();
}

void Runtime::finish() {
  if (session_ == nullptr || process_ != ::getpid()) return;
  if (const ptx::StrayAccesses& strays = session_->strays(); strays.count > 0)
    std::fputs(fmt::format("heddle: {}\n", ptx::describe(strays)).c_str(), stderr);
  try {
    writer_->finish();
  } catch (const std::exception& error) {
    stop(error.what());
  }
}

std::uint32_t Runtime::module_of(FatBinary& binary) {
  if (binary.module) return *binary.module;
  const std::uint32_t capability = session().spec().compute_capability;
  const auto entries = read_fat_binary(container_of(binary), binary.name);
  const FatBinaryEntry& chosen = choose_ptx(entries, capability, binary.name);
  if (chosen.architecture > capability)
    std::fputs(
        fmt::format("heddle: {}: its PTX is for compute capability {}.{}, the platform's GPU has {}.{}\n",
                    binary.name, chosen.architecture / 10, chosen.architecture % 10, capability / 10,
                    capability % 10)
            .c_str(),
        stderr);
  std::map<std::string, std::uint32_t> registers;
  if (const FatBinaryEntry* code = choose_machine_code(entries, capability); code != nullptr)
    registers = registers_of_machine_code(machine_code_of(*code, binary.name), binary.name);
  binary.module = session().load(text_of(chosen, binary.name), binary.name, registers);
  return *binary.module;
}

const Symbol* Runtime::function(const void* handle) const {
  const auto found = functions.find(handle);
  return found == functions.end() ? nullptr : &found->second;
}

std::uint32_t Runtime::entry_of(const Symbol& function, std::uint32_t module) {
  const ptx::Module& code = *session().image(module).module;
  const ptx::Function* entry = code.entry(function.name);
  if (entry == nullptr)
    throw std::runtime_error(fmt::format("{} has no kernel '{}'", function.binary->name, function.name));
  return static_cast<std::uint32_t>(entry - code.functions.data());
}

std::optional<Rows> Runtime::symbol(const void* handle) {
  const auto found = variables.find(handle);
  if (found == variables.end()) return std::nullopt;
  const ptx::Image& image = session().image(module_of(*found->second.binary));
  const ptx::Variable* variable = image.module->variable(found->second.name);
  if (variable == nullptr) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(variable - image.module->variables.data());
  return Rows{image.address_of(index), variable->bytes, variable->bytes, 1};
}

Address Runtime::workspace() {
  if (workspace_ == 0) workspace_ = session().allocate(kWorkspaceBytes, "workspace");
  return workspace_;
}

std::optional<std::uint32_t> Runtime::stream(const void* handle) const {
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number <= 1) return 0;  // the default stream, as null or cudaStreamLegacy
  if (number == 2) throw std::runtime_error("default streams of each thread are not supported");
  const auto found = streams.find(handle);
  if (found == streams.end()) return std::nullopt;
  return found->second->number;
}

}  // namespace heddle::capture

using heddle::capture::last_error;

extern "C" {
int cudaGetLastError() {
  const int error = last_error;
  last_error = 0;
  return error;
}

int cudaPeekAtLastError() {
  return last_error;
}
}
