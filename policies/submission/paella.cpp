// In Paella (Ng et al., SOSP 2023) software decides the order of kernels. It submits a kernel only when the
// SMs have room for it, so that the hardware queues stay empty.
//   - A launch goes when the launches on the GPU leave free as many SMs as it fills, or when the GPU is
//   empty.
//     The parameter `overshoot` counts so many SMs more as free, so that the next kernel is on the GPU before
//     another one ends. A stream has one launch on the GPU at a time.
//   - Of the launches at the heads of their streams the one of the process with the least remaining time
//     goes first (shortest remaining processing time). If it does not fit, no other one goes before it. The
//     remaining time of a request is estimated: it is the mean time of the launches of an earlier request of
//     the process, less the time of the launches that this request has submitted, and at least the time of
//     the launches that wait. Before a request has ended it is the time of the launches that wait.
//   - Credit keeps this order fair. When a process submits a launch, the time of the launch is shared out as
//     credit among the processes with work, and is taken from the credit of the process. A process with a
//     credit of `fairness` or more goes before processes with less, and among several such processes the one
//     with the most credit goes. A process without work loses its credit.
//   - Copies and events go at once.
//
// In the paper the compiler adds instructions to kernels that report the start and the end of each block.
// Here the submitter knows when launches end, so that a launch holds its SMs until its last block has ended.
// Time is that of launches alone on the GPU, as it is stated or learnt; a launch of unknown length counts as
// one microsecond. The paper sets neither the overshoot nor the threshold of fairness once for all.

#include <algorithm>
#include <vector>

#include "policies/submission/contenders.h"

namespace heddle {

namespace {

constexpr double kUnknownLengthPs = 1e6;

class Paella final : public Submission {
 public:
  explicit Paella(const PolicyParameters& parameters)
      : overshoot_(static_cast<std::uint64_t>(parameters["overshoot"])),
        fairness_ps_(parameters["fairness"] * kPsPerUs) {}

  SubmissionDecision decide(const SubmissionView& view) override {
    update(view);
    const auto any_process = [](const ProcessView&) { return true; };
    if (const auto other = oldest_of(view, any_process, is_no_launch)) return other->submit();
    const auto is_next = [](const HeadView& head) { return is_launch(head) && head.launches_ahead == 0; };
    std::optional<Candidate> chosen;
    std::uint64_t in_flight_sms = 0;
    for (std::uint32_t i = 0; i < jobs_.size(); ++i) {
      in_flight_sms += view.processes[i].in_flight_sms;
      const std::optional<Candidate> launch = oldest_head(view, i, is_next);
      if (launch && (!chosen || goes_before(view, *launch, *chosen))) chosen = launch;
    }
    if (!chosen) return SubmissionDecision::none();
    const std::uint64_t needed = std::min<std::uint64_t>(chosen->head->sms(), view.sms);
    if (in_flight_sms > 0 && in_flight_sms + needed > view.sms + overshoot_)
      return SubmissionDecision::none();
    pay(view, *chosen);
    return chosen->submit();
  }

  void reset() override { jobs_.clear(); }

 private:
  struct Job {
    std::uint64_t request_ps = 0;  // start of its present request
    double submitted_ps = 0;       // the time of the launches that the request has submitted
    double mean_ps = 0;            // mean of submitted_ps over the requests that have ended
    std::uint64_t requests = 0;    // that have ended
    double credit_ps = 0;
    bool works = false;
  };

  void update(const SubmissionView& view) {
    jobs_.resize(view.processes.size());
    for (std::uint32_t i = 0; i < jobs_.size(); ++i) {
      Job& job = jobs_[i];
      const std::uint64_t request_ps = view.processes[i].request_ps;
      if (request_ps != job.request_ps) {
        if (job.submitted_ps > 0)
          job.mean_ps += (job.submitted_ps - job.mean_ps) / static_cast<double>(++job.requests);
        job.submitted_ps = 0;
        job.request_ps = request_ps;
      }
      job.works = has_work(view, i);
      if (!job.works) job.credit_ps = 0;
    }
  }

  double remaining_ps(const SubmissionView& view, std::uint32_t process) const {
    const Job& job = jobs_[process];
    return std::max(static_cast<double>(view.processes[process].waiting_ps), job.mean_ps - job.submitted_ps);
  }

  bool goes_before(const SubmissionView& view, const Candidate& one, const Candidate& other) const {
    const double credit = jobs_[one.process].credit_ps;
    const double other_credit = jobs_[other.process].credit_ps;
    if (credit != other_credit && std::max(credit, other_credit) >= fairness_ps_)
      return credit > other_credit;
    const double remaining = remaining_ps(view, one.process);
    const double other_remaining = remaining_ps(view, other.process);
    if (remaining != other_remaining) return remaining < other_remaining;
    return one.head->arrival < other.head->arrival;
  }

  void pay(const SubmissionView& view, const Candidate& launch) {
    const std::uint64_t known_ps = launch.head->duration_ps(launch.head->blocks);
    const double ps = known_ps > 0 ? static_cast<double>(known_ps) : kUnknownLengthPs;
    const auto working = static_cast<double>(
        std::count_if(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.works; }));
    for (Job& job : jobs_)
      if (job.works) job.credit_ps += ps / working;
    Job& own = jobs_[launch.process];
    own.credit_ps -= ps;
    if (view.processes[launch.process].request_ps > 0) own.submitted_ps += ps;
  }

  const std::uint64_t overshoot_;
  const double fairness_ps_;
  std::vector<Job> jobs_;  // by process
};

HEDDLE_POLICY(Submission, Paella, "paella",
              "launches that fit the free SMs, of the request with the least remaining time",
              "Ng et al., Paella, SOSP 2023",
              {{"overshoot", "SMs", 0, 0, 100000,
                "that launches on the GPU may fill beyond those that there are", true},
               {"fairness", "us", 10000, 0, 1e9,
                "of credit, from which on a process goes before shorter ones; a guess"}});

}  // namespace

}  // namespace heddle
