#include "stimuli/capture/replay/replay_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/core/base/log.h"
#include "stimuli/capture/replay/skipped_launch.h"
#include "stimuli/ptx/restart/restart_problem.h"

namespace heddle::capture {

namespace {

class ReplayScript final : public HostScript {
 public:
  explicit ReplayScript(std::shared_ptr<const Replay> replay, Recall* recall = nullptr)
      : replay_(std::move(replay)), recall_(recall) {}

  void start(HostMemory& memory) override {
    differing_ = 0;
    strays_ = {};
    divergent_barriers_ = {};
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
    if (replay_->launches[call.number].is_skipped) return {1, shape_of_skipped_launch(), call.number, false};
    return {made.grid.count(), ptx::shape_of(made), call.number, made.workspace != 0};
  }

  std::string restart_problem(std::uint64_t arguments, const DeviceMemory& memory) const override {
    if (replay_->launches[arguments].is_skipped) return "it is skipped, and executed at once";
    return ptx::restart_problem(replay_->launches[arguments].launch, memory);
  }

  std::unique_ptr<KernelProgram> open(std::uint64_t arguments, DeviceMemory& memory,
                                      const CodeOptions& options) override {
    ptx::Launch launch = replay_->launches[arguments].launch;
    if (replay_->lenient) launch.strays = &strays_;
    launch.divergent_barriers = &divergent_barriers_;
    launch.console = replay_->console.get();
    if (replay_->launches[arguments].is_skipped)
      return skipped_launch(std::move(launch), memory, options.independent_threads);
    return ptx::make_program(std::move(launch), memory, options);
  }

  void finish(HostMemory& /*memory*/) override {
    if (differing_ > 1)
      HEDDLE_LOG(Severity::kWarning, "replay",
                 "{}: {} copies brought other bytes to the host than under capture", replay_->name,
                 differing_);
    if (strays_.count > 0)
      HEDDLE_LOG(Severity::kWarning, "replay", "{}: {}", replay_->name, ptx::describe(strays_));
    if (divergent_barriers_.count > 0)
      HEDDLE_LOG(Severity::kWarning, "replay", "{}: {}", replay_->name, ptx::describe(divergent_barriers_));
  }

 private:
  [[noreturn]] void fail(const Replay::Check& check, const std::string& message) const {
    throw std::runtime_error(fmt::format("call {}: {}", check.call, message));
  }

  // The addresses must be those of the capture, because kernel arguments contain addresses.
  void check_place(const Replay::Check& check, HostMemory& memory) const {
    const Address address = memory.device_address(check.buffer);
    if (address != check.address)
      fail(check, fmt::format("memory lies at {:#x}, not at {:#x} as under capture", address, check.address));
  }

  void check_bytes(const Replay::Check& check, HostMemory& memory) {
    std::vector<std::byte> bytes(check.rows.total());
    for (std::uint64_t row = 0; row < check.rows.count; ++row)
      memory.read(check.buffer, check.rows.address + row * check.rows.pitch,
                  bytes.data() + row * check.rows.bytes, check.rows.bytes);
    if (recall_ != nullptr && check.call != recall_->call) return;
    if (recall_ != nullptr) {
      recall_->bytes = std::move(bytes);
      throw RecallEnd{};
    }
    if (digest_of(bytes.data(), bytes.size()) == check.digest) return;
    if (differing_++ > 0) return;
    const std::string difference = describe_difference(bytes, replay_->recall(check.call));
    if (replay_->exact)
      fail(check, difference +
                      "; a program whose results depend on the order of its threads is captured with "
                      "--racy");
    HEDDLE_LOG(Severity::kWarning, "replay", "{}: call {}: {}", replay_->name, check.call, difference);
  }

  // `captured` is empty if it is not known.
  static std::string describe_difference(const std::vector<std::byte>& bytes,
                                         const std::vector<std::byte>& captured) {
    std::string text = fmt::format("the {} bytes that came down are others than under capture", bytes.size());
    if (captured.size() != bytes.size()) return text;
    const auto [now, then] = std::mismatch(bytes.begin(), bytes.end(), captured.begin());
    return fmt::format("{}: byte {} is {:#04x}, not {:#04x}", text, now - bytes.begin(),
                       std::to_integer<unsigned>(*now), std::to_integer<unsigned>(*then));
  }

  const std::shared_ptr<const Replay> replay_;
  Recall* const recall_;         // null: bytes are compared
  std::uint64_t differing_ = 0;  // copies whose bytes differ from those under capture
  ptx::StrayAccesses strays_;    // of this execution, as those that follow
  ptx::DivergentBarriers divergent_barriers_;
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

std::unique_ptr<HostScript> make_recall_script(std::shared_ptr<const Replay> replay, Recall& recall) {
  return std::make_unique<ReplayScript>(std::move(replay), &recall);
}

}  // namespace heddle::capture
