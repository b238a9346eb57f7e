#pragma once
// A PhaseSplit is a submission policy that splits the SMs between the two phases of a language model's
// server. One process reads prompts (`batching: {phase: prefill}`), and another one generates answers
// (`phase: decode`). Other processes may run beside these two; the policy gives them no SMs and takes none
// from them. Commands of all processes go to the hardware queues at once, in the order of arrival. The
// partitioner `resized-sets` keeps each process to its part of the split.
//
// A derived class decides how many SMs the answers have, and the prompts have the rest. It decides whenever
// one of the two processes begins a step. If a process has had no work for the time `idle`, the other one
// may use every SM, unless the policy keeps its split.
//
// A derived class may ask how long a step would take on another number of SMs. The estimate follows from
// steps that have ended:
//   - The time of a token of a prompt is inverse to the number of SMs. It is a running mean over the steps.
//   - The time of a step of the answers is that of the last step, and inverse to the number of SMs up to a
//     part `saturation` of all. More SMs do not make it shorter, because DRAM is saturated; on an A100 that
//     part is 45 % (MuxServe's profiles, tests/RESULTS.md).
// Steps during which the phases share their SMs, or the split changes, are left out of the estimate.

#include <optional>
#include <vector>

#include "policies/submission/contenders.h"

namespace heddle {

class PhaseSplit : public Submission {
 public:
  SubmissionDecision decide(const SubmissionView& view) final;
  const std::vector<std::int32_t>* split() const final { return &split_; }
  void reset() override;

  // Returns the parameters of every such policy, and behind them those of the derived class.
  static std::vector<PolicyParameter> parameters_with(std::vector<PolicyParameter> derived);

 protected:
  static constexpr std::int32_t kEvery = 0;  // both phases have all SMs, and share them

  // A step that has ended.
  struct Step {
    BatchView batch;
    std::uint64_t end_ps = 0;
    std::uint64_t duration_ps = 0;
  };

  explicit PhaseSplit(const PolicyParameters& parameters, bool keeps_split = false);

  // Returns the number of SMs for the answers, or kEvery. The base class rounds it up to a multiple of
  // `granularity` and leaves each phase that many SMs at least; on a GPU with fewer than twice as many SMs
  // half of them take the place of the granularity.
  virtual std::int32_t choose() = 0;
  virtual void prompt_step_ended(const Step& /*step*/) {}
  virtual void answer_step_ended(const Step& /*step*/) {}

  std::int32_t sms() const { return sms_; }                // of the GPU
  std::int32_t decode_sms() const { return decode_sms_; }  // of the present split; kEvery: there is none
  std::uint64_t now_ps() const { return now_ps_; }
  const BatchView& prompts() const { return prefill_.batch; }  // of the present step of either phase
  const BatchView& answers() const { return decode_.batch; }
  // These are estimates in picoseconds. They are 0 until a step has ended.
  double prefill_ps(std::uint64_t tokens, std::int32_t sms) const;
  double decode_ps(std::int32_t sms) const;
  // Returns the smallest number of SMs on which a step of the answers is estimated to take at most `ps`, or
  // all SMs if it takes longer on any number.
  std::int32_t least_for_decode(double ps) const;

 private:
  struct Phase {
    std::optional<std::uint32_t> process;
    bool begins = false;              // a step, now
    std::uint64_t begin_ps = 0;       // of the present step
    std::uint64_t last_work_ps = 0;   // when it last had work
    std::optional<std::int32_t> sms;  // of the present step alone; none: they are shared, or have changed
    BatchView batch;                  // of the present step
  };

  void look_at(const SubmissionView& view, std::uint32_t process);
  Phase& phase_of(const BatchView& batch, std::uint32_t process);
  void resize();
  void end(const Phase& phase, std::uint64_t duration_ps);
  bool is_working(const Phase& phase) const;
  void set_split(std::int32_t decode);
  double useful(std::int32_t sms) const;

  const std::int32_t granularity_;
  const double saturation_;
  const std::uint64_t idle_ps_;
  const bool keeps_split_;
  std::vector<std::int32_t> split_;  // by context; -1: not of the split
  std::int32_t sms_ = 0;
  std::int32_t decode_sms_ = kEvery;
  std::uint64_t now_ps_ = 0;
  Phase prefill_;
  Phase decode_;
  double prefill_sm_ps_ = 0;  // of a token of a prompt on one SM
  double decode_sm_ps_ = 0;   // of a step of the answers on one SM
};

}  // namespace heddle
