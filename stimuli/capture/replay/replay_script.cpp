#include "stimuli/capture/replay/replay_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace heddle::capture {

namespace {

class ReplayScript final : public HostScript {
 public:
  explicit ReplayScript(std::shared_ptr<const Replay> replay) : replay_(std::move(replay)) {}

  void start(HostMemory& memory) override {
    for (const Replay::Staged& staged : replay_->staged)
      memory.write(staged.buffer, 0, staged.bytes->data(), staged.bytes->size());
  }

  void perform(std::uint32_t action, HostMemory& memory) override {
    for (const Replay::Check& check : replay_->actions[action]) {
      if (check.address != 0)
        check_place(check, memory);
      else
        check_bytes(check, memory);
    }
  }

  bool again(std::uint32_t /*action*/, HostMemory& /*memory*/) override { return false; }

  Launch launch(const ApiCall& call, HostMemory& /*memory*/) override {
    const ptx::Launch& made = replay_->launches[call.number].launch;
    return {made.grid.count(), ptx::shape_of(made), call.number};
  }

  std::unique_ptr<KernelProgram> open(std::uint64_t arguments, DeviceMemory& memory,
                                      bool with_phases) override {
    return ptx::make_program(replay_->launches[arguments].launch, memory, with_phases);
  }

  void finish(HostMemory& /*memory*/) override {}

 private:
  [[noreturn]] void fail(const Replay::Check& check, const std::string& message) const {
    throw std::runtime_error(fmt::format("{}: call {}: {}", replay_->name, check.call, message));
  }

  // The addresses must be those of the capture, because kernel arguments contain addresses.
  void check_place(const Replay::Check& check, HostMemory& memory) const {
    const Address address = memory.device_address(check.buffer);
    if (address != check.address)
      fail(check, fmt::format("memory lies at {:#x}, not at {:#x} as under capture", address, check.address));
  }

  void check_bytes(const Replay::Check& check, HostMemory& memory) const {
    std::vector<std::byte> bytes(check.rows.total());
    for (std::uint64_t row = 0; row < check.rows.count; ++row)
      memory.read(check.buffer, check.rows.address + row * check.rows.pitch,
                  bytes.data() + row * check.rows.bytes, check.rows.bytes);
    if (digest_of(bytes.data(), bytes.size()) != check.digest)
      fail(check, fmt::format("the {} bytes that came down are others than under capture; a program whose "
                              "results depend on the order of its threads is captured with --racy",
                              bytes.size()));
  }

  const std::shared_ptr<const Replay> replay_;
};

}  // namespace

void PendingChecks::add(std::uint32_t stream, const Replay::Check& check) {
  const auto overlaps = [&](const Pending& pending) {
    const Rows& rows = pending.check.rows;
    return pending.check.buffer == check.buffer && rows.address < check.rows.address + check.rows.extent() &&
           check.rows.address < rows.address + rows.extent();
  };
  pending_.erase(std::remove_if(pending_.begin(), pending_.end(), overlaps), pending_.end());
  pending_.push_back({stream, check});
}

std::vector<Replay::Check> PendingChecks::take(std::uint32_t stream) {
  std::vector<Replay::Check> taken;
  std::vector<Pending> left;
  for (const Pending& pending : pending_)
    if (pending.stream == stream)
      taken.push_back(pending.check);
    else
      left.push_back(pending);
  pending_ = std::move(left);
  return taken;
}

std::vector<Replay::Check> PendingChecks::take_all() {
  std::vector<Replay::Check> taken;
  for (const Pending& pending : pending_) taken.push_back(pending.check);
  pending_.clear();
  return taken;
}

std::unique_ptr<HostScript> make_replay_script(std::shared_ptr<const Replay> replay) {
  return std::make_unique<ReplayScript>(std::move(replay));
}

}  // namespace heddle::capture
