#include "stimuli/functional/functional_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/core/base/log.h"

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
    : program_(program), order_(order), guard_("run", limit), script_(program_.make_script()) {}

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
  device_.reset();
  ApiInterpreter interpreter(program_, script_.get(), *this, {});
  interpreter.start_script();
  interpreter.start();
  while (interpreter.step()) {
  }
  interpreter.finish_script();
}

std::vector<Address> FunctionalHost::lay_out(const std::vector<ApiBuffer>& buffers) {
  host_.reset();
  std::vector<Address> addresses;
  for (const ApiBuffer& buffer : buffers) addresses.push_back(host_.allocate(buffer.bytes, buffer.name));
  return addresses;
}

void FunctionalHost::submit(const Command& command, bool) {
  switch (command.kind) {
    case Command::Kind::kCopyUp:
      return move(host_, command.system_address, device_, command.device_address, command.bytes);
    case Command::Kind::kCopyDown:
      return move(device_, command.device_address, host_, command.system_address, command.bytes);
    case Command::Kind::kCopyAcross:
      return move(device_, command.source_address, device_, command.device_address, command.bytes);
    case Command::Kind::kFill:
      return device_.fill(command.device_address, std::byte{command.value}, command.bytes);
    case Command::Kind::kLaunch:
      return launch(command.launch);
    case Command::Kind::kRecord:
    case Command::Kind::kWait:
      return;
  }
}

void FunctionalHost::launch(const KernelLaunch& made) {
  const std::unique_ptr<KernelProgram> kernel = script_->open(made.arguments, device_, {});
  const std::string& name = program_.kernels[made.tag].name;
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

}  // namespace heddle
