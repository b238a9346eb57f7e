#include "stimuli/functional/functional_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/core/base/log.h"
#include "models/host/api_cursor.h"

namespace heddle {

namespace {

constexpr std::uint64_t kChunk = 64 * 1024;

void move(const DeviceMemory& from, Address source, DeviceMemory& to, Address target, std::uint64_t bytes) {
  std::vector<std::byte> data(std::min(bytes, kChunk));
  for (std::uint64_t done = 0; done < bytes; done += data.size()) {
    data.resize(std::min<std::uint64_t>(data.size(), bytes - done));
    from.read(source + done, data.data(), data.size());
    to.write(target + done, data.data(), data.size());
  }
}

}  // namespace

FunctionalHost::FunctionalHost(const ApiProgram& program, FunctionalOrder order, const RunLimit& limit)
    : program_(program),
      order_(order),
      guard_("run", limit),
      script_(program_.make_script()),
      device_address_(program_.buffers.size()) {}

std::vector<FunctionalLaunch> FunctionalHost::run() {
  try {
    execute();
  } catch (const InterruptedRun& error) {
    throw InterruptedRun(fmt::format("{}: {}", program_.name, error.what()));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}: {}", program_.name, error.what()));
  } catch (const std::out_of_range& error) {
    throw std::runtime_error(fmt::format("{}: {}", program_.name, error.what()));
  }
  return std::move(launches_);
}

void FunctionalHost::execute() {
  launches_.clear();
  host_.reset();
  host_address_.clear();
  for (const ApiBuffer& buffer : program_.buffers)
    host_address_.push_back(host_.allocate(buffer.bytes, buffer.name));
  device_.reset();
  std::fill(device_address_.begin(), device_address_.end(), 0);
  script_->start(*this);
  ApiCursor cursor(program_, script_.get(), *this);
  while (const ApiCall* call = cursor.next()) perform(*call);
  script_->finish(*this);
}

void FunctionalHost::perform(const ApiCall& call) {
  switch (call.kind) {
    case ApiCall::Kind::kAllocate: {
      const ApiBuffer& buffer = program_.buffers[call.buffer];
      device_address_[call.buffer] = device_.allocate(buffer.bytes, buffer.name);
      break;
    }
    case ApiCall::Kind::kFree:
      device_.free(std::exchange(device_address_[call.buffer], 0));
      break;
    case ApiCall::Kind::kCopyUp:
    case ApiCall::Kind::kCopyDown:
    case ApiCall::Kind::kCopyAcross:
      copy(call);
      break;
    case ApiCall::Kind::kFill:
      device_.fill(device_address_[call.buffer] + call.offset, std::byte{call.value}, call.bytes);
      break;
    case ApiCall::Kind::kSwap:
      std::swap(device_address_[call.buffer], device_address_[call.other]);
      break;
    case ApiCall::Kind::kLaunch:
      launch(call);
      break;
    case ApiCall::Kind::kHost:
      script_->perform(call.action, *this);
      break;
    case ApiCall::Kind::kCpu:
    case ApiCall::Kind::kRecord:
    case ApiCall::Kind::kWait:
    case ApiCall::Kind::kSynchronise:
    case ApiCall::Kind::kQuery:
    case ApiCall::Kind::kRepeat:
    case ApiCall::Kind::kEnd:
      break;
  }
}

void FunctionalHost::copy(const ApiCall& call) {
  const Address device = device_address_[call.buffer] + call.offset;
  if (call.kind == ApiCall::Kind::kCopyAcross)
    return move(device_, device_address_[call.other] + call.other_offset, device_, device, call.bytes);
  check_range(program_.buffers[call.host_buffer()], call.other_offset, call.bytes);
  const Address host = host_address_[call.host_buffer()] + call.other_offset;
  if (call.kind == ApiCall::Kind::kCopyUp)
    move(host_, host, device_, device, call.bytes);
  else
    move(device_, device, host_, host, call.bytes);
}

void FunctionalHost::launch(const ApiCall& call) {
  const HostScript::Launch made = script_->launch(call, *this);
  const std::unique_ptr<KernelProgram> kernel = script_->open(made.arguments, device_, false);
  const std::string& name = program_.kernels[call.kernel].name;
  const auto check = [&](const FunctionalCounts& counts, std::uint64_t) {
    guard_.check(warp_instructions_ + counts.warp_instructions, [&] {
      return fmt::format("launch {}, {}{}", launches_.size() + 1, name, kernel->places());
    });
  };
  const auto suspect = [&](const FunctionalCounts& counts) {
    HEDDLE_LOG(Severity::kWarning, "functional",
               "{}: launch {}, {}, may never end: memory did not change in {:.1e} warp instructions{}",
               program_.name, launches_.size() + 1, name, static_cast<double>(counts.warp_instructions),
               kernel->places());
  };
  launches_.push_back(
      {name, made.blocks, run_functionally(*kernel, made.blocks, made.shape, {order_, check, suspect})});
  warp_instructions_ += launches_.back().counts.warp_instructions;
}

void FunctionalHost::read(std::uint32_t buffer, std::uint64_t offset, void* to, std::uint64_t bytes) {
  check_range(program_.buffers[buffer], offset, bytes);
  host_.read(host_address_[buffer] + offset, to, bytes);
}

void FunctionalHost::write(std::uint32_t buffer, std::uint64_t offset, const void* from,
                           std::uint64_t bytes) {
  check_range(program_.buffers[buffer], offset, bytes);
  host_.write(host_address_[buffer] + offset, from, bytes);
}

}  // namespace heddle
