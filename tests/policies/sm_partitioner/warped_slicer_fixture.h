#pragma once
// A test fixture: kernels under warped-slicer on a fake GPU, each with a curve of its performance over its
// blocks on an SM.

#include "policies/sm_partitioner/warped_slicer.h"
#include "tests/support/machine/sm_driver_fixture.h"

namespace heddle {

// Kernels of 32 threads share the block slots. Samples are taken every 50 cycles.
class WarpedSlicerTest : public SmDriverTest {
 protected:
  static constexpr std::uint64_t kForever = 1'000'000;  // blocks

  using Curve = std::vector<double>;

  void machine(std::uint32_t sms, std::uint32_t slots, const std::map<std::string, PolicyValue>& more = {}) {
    std::map<std::string, PolicyValue> parameters{
        {"sample", 50.0}, {"warm_up", 400.0}, {"profile", 200.0}, {"change", 0.0}, {"remember", 1.0}};
    for (const auto& [name, value] : more) parameters[name] = value;
    policy_ = PolicyRegistry<SmPartitioner>::make({"warped-slicer", parameters});
    gpu(test_spec(8), slots, sms, *policy_);
    gpu_->share_sms();
    gpu_->perform([this](KernelId kernel, std::uint32_t blocks) {
      const Curve& curve = curves_.at(kernel.value);
      return curve[std::min<std::size_t>(blocks, curve.size()) - 1];
    });
  }
  KernelId launch(std::uint64_t at, std::uint32_t context, Curve curve, std::uint64_t blocks = kForever,
                  std::uint32_t tag = 0, std::uint32_t threads = 32) {
    KernelLaunch launch = test_kernel(context, blocks, cycles_, threads);
    launch.tag = tag;
    curves_.push_back(std::move(curve));
    return gpu_->launch(Cycle{at}, launch);
  }
  void open(std::uint64_t at, std::uint32_t context, bool is = true) {
    gpu_->set_context(Cycle{at}, ContextId{context}, {0, 0, is});
  }

  // Returns the contexts of each decision, with their blocks if they have a quota, as in "profile 0 1, quotas
  // 0:3 1:5".
  std::string decisions() const {
    std::vector<std::string> lines;
    for (const PartitionDecision& decision : policy_->decisions()) {
      std::string line = name_of(decision.kind);
      for (const PartitionDecision::Share& share : decision.shares)
        line += fmt::format(" {}{}", share.context.value,
                            share.blocks > 0 ? fmt::format(":{}", share.blocks) : "");
      lines.push_back(line);
    }
    return fmt::format("{}", fmt::join(lines, ", "));
  }
  // Returns for each SM the contexts and quotas of the slices that stay, as in "0:3 1:5".
  std::vector<std::string> slices() {
    std::vector<std::string> result;
    const MachineView& view = gpu_->driver().view();
    for (const SmView& sm : view.sms) {
      std::vector<std::string> names;
      for (const SliceView& slice : sm.slices)
        if (slice.state != SliceState::kLeaving)
          names.push_back(fmt::format(
              "{}:{}", view.kernel(slice.slice.kernel).context.value,
              slice.slice.quota == Slice::kUnlimited ? "*" : fmt::format("{}", slice.slice.quota)));
      result.push_back(fmt::format("{}", fmt::join(names, " ")));
    }
    return result;
  }

  static Curve straight(std::uint32_t residency) {
    Curve curve;
    for (std::uint32_t i = 1; i <= residency; ++i) curve.push_back(i);
    return curve;
  }

  std::unique_ptr<SmPartitioner> policy_;
  std::vector<Curve> curves_;  // by launch
  std::uint64_t cycles_ = 40;  // of a block
};

inline const std::vector<double> kSaturating{4, 8, 10, 10, 10, 10, 10, 10};
inline const std::vector<double> kThrashing{2, 3, 4, 3.5, 3, 2.5, 2, 2};

}  // namespace heddle
