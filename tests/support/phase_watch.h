#pragma once
// A program that hands every call on to another one. It counts the phase specifiers that the other program
// issues, and those of them that are wrong.

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "tests/support/forwarding_script.h"

namespace heddle {

struct PhaseCount {
  std::uint64_t specifiers = 0;  // issued
  // Instructions, but for exits, of lanes that did not take part in a specifier of their warp.
  std::uint64_t diverged = 0;
  std::uint64_t unknown = 0;  // issued with a number that the program does not have
  std::uint64_t phases = 0;   // of all programs
};

// A program that passes all calls on to another one.
class PhaseWatch final : public KernelProgram {
 public:
  PhaseWatch(std::unique_ptr<KernelProgram> program, PhaseCount& count)
      : program_(std::move(program)), count_(count) {
    count_.phases += program_->phases().size();
  }

  BlockStream& start(BlockId block) override {
    streams_.push_back(std::make_unique<Stream>(program_->start(block), *this));
    return *streams_.back();
  }
  void finish(BlockStream& stream) override { program_->finish(static_cast<Stream&>(stream).inner); }
  const std::vector<PhaseNeeds>& phases() const override { return program_->phases(); }
  void watch(bool is_watched) override { program_->watch(is_watched); }
  std::uint64_t changes() const override { return program_->changes(); }
  bool is_stuck() const override { return program_->is_stuck(); }
  std::string places() const override { return program_->places(); }

 private:
  struct Stream final : BlockStream {
    Stream(BlockStream& stream, PhaseWatch& owner) : inner(stream), watch(owner) {}
    const Instruction* peek(std::uint32_t warp, std::uint32_t ahead) override {
      return inner.peek(warp, ahead);
    }
    void issue(std::uint32_t warp, IssuedInstruction& issued) override {
      inner.issue(warp, issued);
      watch.see(issued, absent[warp]);
    }
    bool waits(std::uint32_t warp) override { return inner.waits(warp); }
    const std::vector<BulkCopy>& bulk_copies() const override { return inner.bulk_copies(); }
    void complete(std::uint64_t number) override { inner.complete(number); }
    const std::vector<ClusterMessage>& cluster_messages() const override { return inner.cluster_messages(); }
    void receive(const ClusterMessage& signal) override { inner.receive(signal); }
    BlockStream* block_of_cluster(std::uint32_t rank) override { return inner.block_of_cluster(rank); }
    BlockStream& inner;
    PhaseWatch& watch;
    std::array<std::uint32_t, 64> absent{};  // by warp: the lanes without a part in some specifier
  };

  void see(const IssuedInstruction& issued, std::uint32_t& absent) {
    if (issued.code->operation == Operation::kExit) return;
    if ((issued.mask & absent) != 0) ++count_.diverged;
    if (issued.code->operation != Operation::kPhase) return;
    absent |= ~issued.mask;
    ++count_.specifiers;
    if (issued.code->phase == 0 || issued.code->phase >= program_->phases().size()) ++count_.unknown;
  }

  const std::unique_ptr<KernelProgram> program_;
  PhaseCount& count_;
  std::vector<std::unique_ptr<Stream>> streams_;
};

// A host script whose kernels have phases, which it counts.
class PhasedScript : public ForwardingScript {
 public:
  PhasedScript(std::unique_ptr<HostScript> script, PhaseCount& count)
      : ForwardingScript(std::move(script)), count_(count) {}

  std::unique_ptr<KernelProgram> open(std::uint64_t arguments, DeviceMemory& memory,
                                      const CodeOptions& options) override {
    return std::make_unique<PhaseWatch>(ForwardingScript::open(arguments, memory, {true, options.form}),
                                        count_);
  }

 private:
  PhaseCount& count_;
};

}  // namespace heddle
