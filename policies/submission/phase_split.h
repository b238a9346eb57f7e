#pragma once
// A PhaseSplit is a submission policy that splits the SMs between the two phases of a language model's
// server: a process that reads prompts (`batching: {phase: prefill}`) and one that generates answers (`phase:
// decode`). Other processes may stand beside them and are not of the split. Commands of all processes go at
// once, in the order of arrival, and `sm_partitioner: resized-sets` follows the split.
//
// A derived class chooses how many SMs the answers have. Prompts have the rest. The class is asked when a
// phase begins a step. While one phase has had no work for `idle`, the other one has every SM; a policy may
// keep its split instead.
//
// The time of a step on other numbers of SMs is estimated from steps that have ended:
//   prompts   the time of a token is inverse to the number of SMs; a mean of the last steps
//   answers   the time of the last step. Up to `saturation` of the SMs it is inverse to their number. More of
//             them gain nothing, because DRAM has no more to give: 45 % on an A100 (MuxServe's profiles).
// A step that shares its SMs with the other phase, or during which the split changes, tells nothing.

#include <optional>
#include <vector>

#include "policies/submission/contenders.h"

namespace heddle {

class PhaseSplit : public Submission {
 public:
  SubmissionDecision decide(const SubmissionView& view) final;
  const std::vector<std::int32_t>* split() const final { return &split_; }
  void reset() override;

  // Its own parameters, and behind them those of the derived class.
  static std::vector<PolicyParameter> parameters_with(std::vector<PolicyParameter> derived);

 protected:
  static constexpr std::int32_t kEvery = 0;  // both phases have all SMs, and share them

  struct Step {  // that has ended
    BatchView batch;
    std::uint64_t end_ps = 0;
    std::uint64_t duration_ps = 0;
  };

  explicit PhaseSplit(const PolicyParameters& parameters, bool keeps_split = false);

  // Returns the SMs for the answers, or kEvery. The result is rounded up to the granularity, and leaves both
  // phases one granule at least; where the GPU has no two granules, a granule is half of its SMs.
  virtual std::int32_t choose() = 0;
  virtual void prompts_read(const Step& /*step*/) {}
  virtual void answers_grown(const Step& /*step*/) {}

  std::int32_t sms() const { return sms_; }                // of the GPU
  std::int32_t decode_sms() const { return decode_sms_; }  // of the present split; kEvery: there is none
  std::uint64_t now_ps() const { return now_ps_; }
  const BatchView& prompts() const { return prefill_.batch; }  // of the present step of either phase
  const BatchView& answers() const { return decode_.batch; }
  // Estimates in picoseconds; 0: no step has ended.
  double prefill_ps(std::uint64_t tokens, std::int32_t sms) const;
  double decode_ps(std::int32_t sms) const;
  // The least SMs on which a step of the answers takes at most `ps` by estimate; all if there are none.
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
