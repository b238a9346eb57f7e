#include "stimuli/capture/runtime/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "stimuli/functional/interruption.h"
#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/text/kernel_name.h"

namespace heddle::capture {

namespace {

using Kind = CapturedCall::Kind;

constexpr double kPicoseconds = 1e12;

bool has_equal_bytes(Session::Pattern pattern) {
  const std::uint32_t mask = pattern.bytes == 4 ? ~0U : (1U << 8U * pattern.bytes) - 1;
  return ((pattern.value ^ (pattern.value & 0xffU) * 0x01010101U) & mask) == 0;
}

}  // namespace

Session::Session(GpuSpec spec, CaptureWriter& writer, ptx::Console& console, const SessionRules& rules)
    : spec_(std::move(spec)),
      writer_(writer),
      console_(console),
      rules_(rules),
      guard_("capture", rules.limit),
      handles_(std::make_shared<const std::map<std::uint64_t, ptx::Texture>>()) {}

Address Session::allocate(std::uint64_t bytes, const std::string& name) {
  if (bytes > free_bytes()) return 0;
  CapturedCall call;
  call.kind = Kind::kAllocate;
  call.rows.bytes = bytes;
  call.rows.address = memory_.allocate(bytes, fmt::format("{} {}", name, ++allocations_));
  used_ += bytes;
  writer_.call(call);
  return call.rows.address;
}

void Session::free(Address address) {
  CapturedCall call;
  call.kind = Kind::kFree;
  call.rows.address = address;
  used_ -= memory_.find(address)->bytes;
  memory_.free(address);
  writer_.call(call);
}

CapturedCall Session::copy_call(Kind kind, const Rows& rows, Order order) const {
  CapturedCall call;
  call.kind = kind;
  call.rows = rows;
  if (rows.pitch == rows.bytes || rows.count == 1) call.rows = {rows.address, rows.total(), rows.total(), 1};
  call.stream = order.stream;
  call.asynchronous = order.asynchronous;
  return call;
}

void Session::spend_copy(std::uint64_t bytes) {
  const double rate = spec_.pcie.bytes_per_cycle() * spec_.pcie_hz;
  now_ps_ += static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) / rate * kPicoseconds));
}

void Session::upload(const Rows& to, const void* from, std::uint64_t from_pitch, Order order) {
  if (to.total() == 0) return;
  std::vector<std::byte> bytes(to.total());
  for (std::uint64_t row = 0; row < to.count; ++row) {
    std::memcpy(bytes.data() + row * to.bytes, static_cast<const std::byte*>(from) + row * from_pitch,
                to.bytes);
    memory_.write(to.address + row * to.pitch, bytes.data() + row * to.bytes, to.bytes);
  }
  CapturedCall call = copy_call(Kind::kUpload, to, order);
  call.blob = writer_.blob(bytes.data(), bytes.size());
  writer_.call(call);
  spend_copy(bytes.size());
}

void Session::download(void* to, std::uint64_t to_pitch, const Rows& from, Order order) {
  if (from.total() == 0) return;
  std::vector<std::byte> bytes(from.total());
  for (std::uint64_t row = 0; row < from.count; ++row) {
    memory_.read(from.address + row * from.pitch, bytes.data() + row * from.bytes, from.bytes);
    std::memcpy(static_cast<std::byte*>(to) + row * to_pitch, bytes.data() + row * from.bytes, from.bytes);
  }
  CapturedCall call = copy_call(Kind::kDownload, from, order);
  call.digest = digest_of(bytes.data(), bytes.size());
  writer_.call(call);
  spend_copy(bytes.size());
}

void Session::copy(const Rows& to, const Rows& from, Order order) {
  if (to.total() == 0) return;
  std::vector<std::byte> bytes(to.bytes);
  for (std::uint64_t row = 0; row < to.count; ++row) {
    memory_.read(from.address + row * from.pitch, bytes.data(), bytes.size());
    memory_.write(to.address + row * to.pitch, bytes.data(), bytes.size());
  }
  CapturedCall call = copy_call(Kind::kCopy, to, order);
  call.rows = to;
  call.other = from;
  writer_.call(call);
}

void Session::fill(const Rows& rows, Pattern pattern, Order order) {
  if (rows.total() == 0) return;
  if (!has_equal_bytes(pattern)) {
    for (std::uint64_t row = 0; row < rows.count; ++row)
      fill_row({rows.address + row * rows.pitch, rows.bytes, rows.bytes, 1}, pattern, order);
    return;
  }
  const auto value = static_cast<std::uint8_t>(pattern.value);
  for (std::uint64_t row = 0; row < rows.count; ++row)
    memory_.fill(rows.address + row * rows.pitch, std::byte{value}, rows.bytes);
  CapturedCall call = copy_call(Kind::kFill, rows, order);
  call.value = value;
  writer_.call(call);
}

void Session::fill_row(const Rows& row, Pattern pattern, Order order) {
  constexpr std::uint64_t kFirst = 4096;  // bytes that come from the host
  std::vector<std::byte> first(std::min(kFirst, row.bytes));
  for (std::size_t at = 0; at < first.size(); at += pattern.bytes)
    std::memcpy(first.data() + at, &pattern.value, pattern.bytes);
  order.asynchronous = true;
  upload({row.address, first.size(), first.size(), 1}, first.data(), first.size(), order);
  for (std::uint64_t done = first.size(); done < row.bytes;) {
    const std::uint64_t bytes = std::min(done, row.bytes - done);
    copy({row.address + done, bytes, bytes, 1}, {row.address, bytes, bytes, 1}, order);
    done += bytes;
  }
}

std::uint32_t Session::load(const std::string& text, const std::string& name,
                            const std::map<std::string, std::uint32_t>& registers) {
  auto module = std::make_shared<const ptx::Module>(ptx::parse_module(text, name, ptx::Refusal::kFunction));
  const std::uint64_t bytes = ptx::image_bytes(*module);
  if (bytes > free_bytes())
    throw std::runtime_error(
        fmt::format("{}: its variables take {} bytes; {} are free on the device", name, bytes, free_bytes()));
  used_ += bytes;
  const Address address = memory_.allocate(bytes, name);
  ptx::Image image = ptx::lay_out_image(std::move(module), address);
  memory_.write(address, image.bytes.data(), image.bytes.size());
  modules_.push_back(ptx::make_executable(std::move(image)));
  CapturedCall call;
  call.kind = Kind::kModule;
  call.blob = writer_.blob(text.data(), text.size());
  call.rows.address = address;
  writer_.call(call);
  call = {};
  call.kind = Kind::kRegisters;
  call.module = static_cast<std::uint32_t>(modules_.size() - 1);
  registers_.emplace_back();
  const std::vector<ptx::Function>& functions = this->image(call.module).module->functions;
  for (call.entry = 0; call.entry < functions.size(); ++call.entry) {
    const auto counted = registers.find(functions[call.entry].name);
    if (!functions[call.entry].entry || counted == registers.end()) continue;
    call.registers = registers_.back()[call.entry] = counted->second;
    writer_.call(call);
  }
  return call.module;
}

ptx::Launch Session::prepare(const Call& call) const {
  ptx::Launch launch;
  launch.code = modules_[call.module];
  launch.entry = call.entry;
  launch.grid = call.grid;
  launch.block = call.block;
  launch.cluster = call.cluster;
  launch.is_any_cluster_size = call.is_any_cluster_size;
  launch.dynamic_shared = call.shared;
  const auto counted = registers_[call.module].find(call.entry);
  if (counted != registers_[call.module].end()) launch.registers = counted->second;
  launch.parameters = call.parameters;
  launch.workspace = call.workspace;
  launch.carve_out = call.carve_out;
  for (const BoundTexture& bound : call.textures) launch.textures.emplace(bound.variable, bound.texture);
  launch.handles = handles_;
  return launch;
}

void Session::launch(const Call& call, std::uint32_t stream) {
  ptx::Launch launch = prepare(call);
  ptx::check_is_read(launch);
  CapturedCall record;
  record.kind = Kind::kCooperate;
  record.handle = call.workspace;
  if (call.workspace != 0) writer_.call(record);
  record.kind = Kind::kLaunch;
  record.module = call.module;
  record.entry = call.entry;
  record.grid = call.grid;
  record.block = call.block;
  if (call.cluster) record.cluster = *call.cluster;
  record.flag = call.is_any_cluster_size;
  record.shared = call.shared;
  record.blob = writer_.blob(call.parameters.data(), call.parameters.size());
  record.stream = stream;
  record.priority = call.priority;
  record.carve_out = call.carve_out;
  record.textures = call.textures;
  writer_.call(record);
  launch.console = &console_;
  if (rules_.lenient) launch.strays = &strays_;
  launch.divergent_barriers = &divergent_barriers_;
  const FunctionalCounts counts = execute(std::move(launch));
  const double cycles = static_cast<double>(spec_.engine.kernel_launch_latency) +
                        static_cast<double>(counts.warp_instructions) / spec_.sm.count;
  now_ps_ += static_cast<std::uint64_t>(std::llround(cycles / spec_.core_hz * kPicoseconds));
}

FunctionalCounts Session::execute(ptx::Launch launch) {
  const std::string& kernel = ptx::image_of(*launch.code).module->functions[launch.entry].name;
  LaunchStatus status{++launches_, kernel, launch.grid.count(), 0, 0};
  const BlockShape shape = ptx::shape_of(launch);
  CodeOptions options;
  options.independent_threads = spec_.compute_capability >= CodeOptions::kIndependentThreads;
  const std::unique_ptr<KernelProgram> program = ptx::make_program(std::move(launch), memory_, options);
  const auto where = [&] { return progress_line(status) + program->places(); };
  const auto check = [&](const FunctionalCounts& counts, std::uint64_t ended) {
    status.ended = ended;
    status.warp_instructions = warp_instructions_ + counts.warp_instructions;
    guard_.check(status.warp_instructions, where);
    if (rules_.watch != nullptr) rules_.watch->advance(status);
  };
  const auto suspect = [&](const FunctionalCounts&) {
    if (rules_.watch != nullptr) rules_.watch->suspect(where());
  };
  FunctionalCounts counts;
  try {
    std::optional<InterruptFlag> flag;
    if (rules_.is_interruptible) flag.emplace();
    counts = run_functionally(*program, status.blocks, shape, {rules_.order, check, suspect});
  } catch (const ptx::StrayFault& fault) {
    throw std::runtime_error(
        fmt::format("{}; capture --lenient-memory lets it pass, as hardware does", fault.what()));
  } catch (const ptx::Fault&) {
    throw;
  } catch (const InterruptedRun&) {
    throw;
  } catch (const LimitReached&) {
    throw;
  } catch (const std::runtime_error& error) {
    // Where a kernel hangs, a barrier in divergent code may be why.
    throw std::runtime_error(
        fmt::format("launch {}, {}: {}{}", status.launch, ptx::kernel_name(kernel), error.what(),
                    divergent_barriers_.count == 0 ? "" : "\n" + ptx::describe(divergent_barriers_)));
  }
  if (rules_.watch != nullptr) rules_.watch->end();
  warp_instructions_ += counts.warp_instructions;
  return counts;
}

std::uint64_t Session::add_texture(const ptx::Texture& texture) {
  auto handles = std::make_shared<std::map<std::uint64_t, ptx::Texture>>(*handles_);
  handles->emplace(++last_handle_, texture);
  handles_ = std::move(handles);
  CapturedCall call;
  call.kind = Kind::kTexture;
  call.handle = last_handle_;
  call.textures = {{0, texture}};
  writer_.call(call);
  return last_handle_;
}

bool Session::drop_texture(std::uint64_t handle) {
  if (handles_->count(handle) == 0) return false;
  auto handles = std::make_shared<std::map<std::uint64_t, ptx::Texture>>(*handles_);
  handles->erase(handle);
  handles_ = std::move(handles);
  CapturedCall call;
  call.kind = Kind::kDropTexture;
  call.handle = handle;
  writer_.call(call);
  return true;
}

std::uint32_t Session::create_stream(bool waits_for_none, const std::vector<std::uint32_t>& sms) {
  CapturedCall call;
  call.kind = Kind::kCreateStream;
  call.stream = streams_++;
  call.flag = waits_for_none;
  call.sms = sms;
  writer_.call(call);
  return call.stream;
}

void Session::note(Kind kind, std::uint32_t stream, std::uint32_t event) {
  CapturedCall call;
  call.kind = kind;
  call.stream = stream;
  call.event = event;
  writer_.call(call);
}

}  // namespace heddle::capture
