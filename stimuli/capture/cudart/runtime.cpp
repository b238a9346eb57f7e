#include "stimuli/capture/cudart/runtime.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "stimuli/capture/format/environment.h"
#include "stimuli/capture/format/fat_binary.h"
#include "stimuli/capture/format/machine_code_file.h"
#include "stimuli/capture/format/ptx_linker.h"
#include "stimuli/capture/runtime/shown_gpu.h"

namespace heddle::capture {

namespace {

struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const char* container;
  const char* const* linked;  // version 2: the containers of the linked modules, behind which there is null
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::uint64_t number(const char* name) {
  return std::strtoull(variable(name).c_str(), nullptr, 10);
}

std::string_view whole_container(const char* container, const std::string& name) {
  return {container, fat_binary_bytes({container, kFatBinaryHeaderBytes}, name)};
}

// Returns the containers of a wrapper: one of version 1, which has all code, or those of version 2, whose
// modules were compiled apart and linked.
std::vector<std::string_view> containers_of(const FatBinary& binary) {
  constexpr std::uint32_t kLinked = 2;
  Wrapper wrapper{};
  std::memcpy(&wrapper, binary.wrapper, sizeof wrapper);
  if (wrapper.magic != kWrapperMagic)
    throw std::runtime_error(fmt::format("{}: its wrapper starts with {:#x}, not {:#x}", binary.name,
                                         wrapper.magic, kWrapperMagic));
  if (wrapper.version == 1) return {whole_container(wrapper.container, binary.name)};
  if (wrapper.version != kLinked)
    throw std::runtime_error(
        fmt::format("{}: a wrapper of version {} is not known", binary.name, wrapper.version));
  std::vector<std::string_view> containers;
  for (const char* const* at = wrapper.linked; *at != nullptr; ++at)
    containers.push_back(whole_container(*at, binary.name));
  return containers;
}

thread_local int last_error = 0;
thread_local int calls_of_driver = 0;  // that this thread is in

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

void stop_interrupted(const std::string& message) {
  Runtime::get().hide_progress();
  std::fflush(nullptr);
  std::fputs(fmt::format("heddle: {}\n", message).c_str(), stderr);
  InterruptFlag::end_process();
}

void refuse_call(const char* name) {
  stop(fmt::format("a call of {}, which is not supported; heddle list runtime-calls names the calls that are",
                   name));
}

std::recursive_mutex& runtime_lock() {
  static auto& lock = *new std::recursive_mutex;  // outlives every exit handler
  return lock;
}

int remember(int error) {
  if (error != kSuccess) last_error = error;
  return error;
}

KeptLastError::KeptLastError() : kept_(last_error) {
  ++calls_of_driver;
}

KeptLastError::~KeptLastError() {
  last_error = kept_;
  --calls_of_driver;
}

void note_runtime_call() {
  if (calls_of_driver == 0) Runtime::get().note_call();
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
  SessionRules rules{about.order, about.lenient, {}, progress_.get(), true};
  rules.limit.warp_instructions = number(kLimitVariable);
  rules.limit.seconds = static_cast<double>(number(kMillisecondsVariable)) / 1000;
  session_ = std::make_unique<Session>(std::move(spec), *writer_, *this, rules);
  process_ = ::getpid();
}

void Runtime::hide_progress() {
  if (progress_ != nullptr) progress_->end();
}

void Runtime::finish() {
  if (session_ == nullptr || process_ != ::getpid()) return;
  if (const ptx::StrayAccesses& strays = session_->strays(); strays.count > 0)
    std::fputs(fmt::format("heddle: {}\n", ptx::describe(strays)).c_str(), stderr);
  if (const ptx::DivergentBarriers& found = session_->divergent_barriers(); found.count > 0)
    std::fputs(fmt::format("heddle: {}\n", ptx::describe(found)).c_str(), stderr);
  try {
    writer_->finish();
  } catch (const std::exception& error) {
    stop(error.what());
  }
}

std::uint32_t Runtime::module_of(FatBinary& binary) {
  if (!binary.module) load_containers(binary, containers_of(binary));
  return *binary.module;
}

void Runtime::load_containers(FatBinary& binary, const std::vector<std::string_view>& containers) {
  std::vector<std::string> texts;
  texts.reserve(containers.size());
  std::map<std::string, std::uint32_t> registers;
  for (const std::string_view container : containers)
    texts.push_back(read_container(binary, container, texts.empty(), registers));
  const std::string text = texts.size() == 1 ? texts.front() : link_ptx(texts, binary.name);
  binary.module = session().load(text, binary.name, registers);
  share_variables(binary);
}

// Returns the PTX for the platform's GPU, and adds the registers that machine code in the container counts.
// The first container of a module tells if it is for a newer GPU; the last may be NVIDIA's library, which
// mostly is.
std::string Runtime::read_container(const FatBinary& binary, std::string_view container, bool is_first,
                                    std::map<std::string, std::uint32_t>& registers) {
  const std::uint32_t capability = session().spec().compute_capability;
  const auto entries = read_fat_binary(container, binary.name);
  const FatBinaryEntry& chosen = choose_ptx(entries, capability, binary.name);
  if (chosen.architecture > capability && is_first)
    std::fputs(
        fmt::format("heddle: {}: its PTX is for compute capability {}.{}, the platform's GPU has {}.{}\n",
                    binary.name, chosen.architecture / 10, chosen.architecture % 10, capability / 10,
                    capability % 10)
            .c_str(),
        stderr);
  if (const FatBinaryEntry* code = choose_machine_code(entries, capability); code != nullptr)
    registers.merge(registers_of_machine_code(machine_code_of(*code, binary.name), binary.name));
  return text_of(chosen, binary.name);
}

void Runtime::unload(const LoadedModule& module) {
  for (const auto& [name, handle] : module.functions) functions.erase(&handle);
  session().note(CapturedCall::Kind::kSynchronise, 0);
  session().free(session().image(*module.module).address);
}

// The host has the bytes of a managed variable at the address that the variable has on the device.
void Runtime::share_variables(FatBinary& binary) {
  const ptx::Image& image = session().image(*binary.module);
  for (const ManagedVariable& shared : managed_variables) {
    if (shared.symbol.binary != &binary) continue;
    const ptx::Variable* variable = image.module->variable(shared.symbol.name);
    if (variable == nullptr)
      throw std::runtime_error(fmt::format("{} has no variable '{}'", binary.name, shared.symbol.name));
    const auto index = static_cast<std::uint32_t>(variable - image.module->variables.data());
    *shared.pointer = managed.share(session(), image.address_of(index), variable->bytes);
  }
}

Kernel* Runtime::function(const void* handle) {
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
  return variable_of(*found->second.binary, found->second.name);
}

std::optional<Rows> Runtime::variable_of(FatBinary& binary, const std::string& name) {
  const ptx::Image& image = session().image(module_of(binary));
  const ptx::Variable* variable = image.module->variable(name);
  if (variable == nullptr) return std::nullopt;
  const auto index = static_cast<std::uint32_t>(variable - image.module->variables.data());
  return Rows{image.address_of(index), variable->bytes, variable->bytes, 1};
}

const Array* Runtime::array(const void* handle) const {
  const auto found = arrays.find(handle);
  return found == arrays.end() ? nullptr : found->second.get();
}

Address Runtime::workspace() {
  if (workspace_ == 0) workspace_ = session().allocate(kWorkspaceBytes, "workspace");
  return workspace_;
}

std::optional<LaunchOperation> Runtime::launch_of(const void* handle) {
  const Kernel* const known = function(handle);
  if (known == nullptr) return std::nullopt;
  LaunchOperation launch;
  launch.function = handle;
  launch.module = module_of(*known->binary);
  launch.entry = entry_of(*known, launch.module);
  launch.carve_out = known->carve_out;
  const std::array<int, 3>& cluster = known->cluster;
  if (cluster[0] != 0)
    launch.cluster = Dim3{static_cast<std::uint32_t>(cluster[0]), static_cast<std::uint32_t>(cluster[1]),
                          static_cast<std::uint32_t>(cluster[2])};
  launch.is_any_cluster_size = known->is_any_cluster_size;
  return launch;
}

const ptx::Function& Runtime::entry(const LaunchOperation& launch) {
  return session().image(launch.module).module->functions[launch.entry];
}

Call Runtime::call_of(const LaunchOperation& launch) {
  Call call;
  call.module = launch.module;
  call.entry = launch.entry;
  call.grid = launch.grid;
  call.block = launch.block;
  call.cluster = launch.cluster;
  call.is_any_cluster_size = launch.is_any_cluster_size;
  call.shared = static_cast<std::uint32_t>(launch.shared);
  call.carve_out = launch.carve_out;
  call.parameters = launch.parameters;
  call.textures = references.bound_in(launch.module);
  return call;
}

// With unified addressing, a kernel may take a pointer of the host to pinned memory, also within a structure.
void Runtime::map_pinned(std::vector<std::byte>& parameters) {
  if (pinned.empty()) return;
  for (std::size_t at = 0; at + sizeof(Address) <= parameters.size(); at += sizeof(Address)) {
    Address word = 0;
    std::memcpy(&word, parameters.data() + at, sizeof word);
    auto after = pinned.upper_bound(reinterpret_cast<const void*>(word));
    if (after == pinned.begin()) continue;
    const auto& [host, bytes] = *--after;
    const Address offset = word - reinterpret_cast<Address>(host);
    if (offset >= bytes || managed.has_one_address(host)) continue;
    const Address start = managed.map(session(), const_cast<void*>(host), bytes);
    if (start == 0)
      throw std::runtime_error(
          fmt::format("a kernel takes pinned memory, for whose {} bytes there is no room "
                      "on the device",
                      bytes));
    word = start + offset;
    std::memcpy(parameters.data() + at, &word, sizeof word);
  }
}

void Runtime::reset() {
  session().note(CapturedCall::Kind::kSynchronise, 0);
  std::set<std::uint32_t> numbers = graphs.streams();  // in the order of creation
  for (const auto& [handle, stream] : streams) numbers.insert(stream->number);
  default_streams_.for_each_of_thread([&](const Stream& stream) { numbers.insert(stream.number); });
  for (const std::uint32_t number : numbers) session().note(CapturedCall::Kind::kDestroyStream, number);
  while (!session().memory().allocations().empty())
    session().free(session().memory().allocations().begin()->first);
  for (const auto& binary : binaries) binary->module.reset();
  for (const auto& [handle, module] : modules)
    for (const auto& [name, function] : module->functions) functions.erase(&function);
  for (auto& [handle, kernel] : functions) {
    kernel.carve_out = kDefaultCarveOut;
    kernel.cluster = {};
    kernel.is_any_cluster_size = false;
  }
  modules.clear();
  streams.clear();
  green_contexts.clear();
  default_streams_.forget_threads();
  events.clear();
  arrays.clear();
  references.unbind_all();
  managed.clear();
  pools = {};
  graphs.clear();
  workspace_ = 0;
}

Stream* Runtime::stream(const void* handle) {
  const GreenContext* const green = current_green_context();
  const bool is_default = handle == nullptr || handle == shared_stream() || handle == thread_stream();
  if (is_default && green != nullptr) return streams.at(green->default_stream).get();
  if (handle == nullptr || handle == shared_stream()) return &default_streams_.shared();
  if (handle == thread_stream())
    return &default_streams_.of_this_thread([this] { return session().create_stream(false); });
  const auto found = streams.find(handle);
  return found == streams.end() ? nullptr : found->second.get();
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
