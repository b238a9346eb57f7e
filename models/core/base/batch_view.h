#pragma once
// A BatchView is what a server of a language model knows of its work when a step begins. The server tells it
// to the submitter, and policies of `submission` see it. Numbers count tokens unless their comment says
// otherwise. Times are picoseconds of simulated time.

#include <cstdint>

namespace heddle {

// The part of a request that a server does (models/host/requests/batch_spec.h).
enum class BatchPhase : std::uint8_t { kBoth, kPrefill, kDecode };

struct BatchView {
  bool is_server = false;  // false: the process is no such server, or has not begun a step yet
  BatchPhase phase = BatchPhase::kBoth;
  std::uint64_t first_token_limit_ps = 0;     // of the time from an arrival to the first token; 0: none
  std::uint64_t between_tokens_limit_ps = 0;  // of the mean time between two tokens; 0: none
  std::uint64_t prefill_tokens = 0;           // of prompts that the step reads
  std::uint64_t decode_sequences = 0;         // sequences that the step gives a token
  std::uint64_t decode_context = 0;           // that these sequences have in the cache
  std::uint64_t waiting_requests = 0;         // requests that have arrived and not begun
  std::uint64_t waiting_tokens = 0;           // that the prompts of these requests have
  std::uint64_t oldest_ps = 0;  // the earliest arrival of a request that has no token yet; 0: there is none
  double cache_used = 0;        // the part of the cache that is allocated, 0 .. 1
};

}  // namespace heddle
