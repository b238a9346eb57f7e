#pragma once
// A BatchService serves many requests of a server at a time: each pass of the program is a step of the batch
// (batch.h). Pure logic.

#include "models/host/requests/batch.h"
#include "models/host/requests/service.h"

namespace heddle {

// What a batch server has done. The distributions are of measured requests.
struct TokenTotals {
  std::uint64_t steps = 0;
  std::uint64_t prefill_tokens =
      0;                        // tokens of prompts that were read, repeated reads after evictions included
  std::uint64_t generated = 0;  // tokens
  std::uint64_t evictions = 0;
  std::uint64_t sequences = 0;  // the sequences of each step, summed over the steps
  std::uint64_t most_sequences = 0;
  std::uint64_t most_cached = 0;      // the most tokens for which pages of the cache were allocated in a step
  std::uint64_t measured_tokens = 0;  // generated for measured requests
  TimeDistribution first_token;     // from the arrival, here or where the prompt was read, to the first token
  TimeDistribution between_tokens;  // from each token to the next one
  TimeDistribution mean_between_tokens;  // its mean over a request; of requests with two tokens or more
};

class BatchService : public Service {
 public:
  BatchService(std::uint32_t process, const RequestSpec& spec, std::uint64_t ready_ps, Deps deps);

  const RequestValues* start(std::uint64_t now_ps) override;
  void end(std::uint64_t now_ps) override;
  std::string pass_name() const override;
  // The latest time at which the present step may end so that no request misses a limit by it. The oldest
  // prompt may be late for its first token, and the sequence that has waited longest for its next one.
  std::uint64_t deadline_ps() const override;
  const TokenTotals* tokens() const override { return &totals_; }
  BatchView batch_view() const override;  // of the present step

 private:
  void count(const BatchStep& step);
  void generated(const Batch::Sequence& sequence, std::uint64_t gap_ps);
  void ended(const Batch::Sequence& sequence, std::uint64_t now_ps);

  Batch batch_;
  RequestValues values_{};
  TokenTotals totals_;
};

}  // namespace heddle
