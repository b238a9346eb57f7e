#pragma once
// A BatchSpec makes a server one that generates tokens for many requests at a time, as servers of language
// models do: each pass of its program is a step of the sequences in service (iteration-level scheduling: Yu
// et al., "Orca", OSDI 2022). In a step a sequence either has tokens of its prompt read (prefill), or it gets
// its next token (decode). Counts are tokens.

#include <array>
#include <cstdint>
#include <limits>

#include "models/core/base/batch_view.h"

namespace heddle {

struct BatchSpec {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  // This is the part of a request that the server does. In phase kPrefill the server reads the prompt and the
  // request ends with its first token. In phase kDecode the keys and values of the prompt are in the cache
  // when the request arrives, and another server has already generated its first token.
  using Phase = BatchPhase;
  Phase phase = Phase::kBoth;
  // These are the numbers of the two RequestSpec::parameters that have the lengths of the prompt and the
  // answer.
  std::size_t prompt = 0;
  std::size_t output = 0;
  std::uint64_t most_sequences = 256;  // in service; 1 or more
  std::uint64_t most_tokens = 2048;    // of a step, each decoding sequence counted as one; 1 or more
  // If this is true, a step first serves one token of each decoding sequence, and the rest of its tokens go
  // to prompts, of which a part may be read (Agrawal et al., "Sarathi-Serve", OSDI 2024). If it is false,
  // whole prompts are read first, in steps without decoding, and a prompt of more than `most_tokens` has its
  // own step.
  bool chunks_prompts = true;
  // The memory has room for the keys and values of `cache_tokens` tokens, which are allocated in pages of
  // `page_tokens` tokens (Kwon et al., "PagedAttention", SOSP 2023).
  std::uint64_t cache_tokens = kUnlimited;
  std::uint64_t page_tokens = 16;
  // If this is true, a sequence gets the pages of its prompt and its whole answer when its service starts. If
  // it is false, it gets those of its prompt then, and further pages as it grows. If no page is left, the
  // sequence that came last is evicted: it loses its pages, waits before all others, and is read again with
  // the tokens that it had generated.
  bool reserves_output = false;
  // A request is in time if the time from its arrival to its first token and the mean time between its tokens
  // are both at most their limits. A limit of 0 is no limit. A server of the phase kPrefill compares the time
  // to the first token alone. A server of the phase kDecode compares both times of a request that it takes
  // over from another server, and the mean time between tokens alone of other requests.
  std::uint64_t first_token_ps = 0;
  std::uint64_t between_tokens_ps = 0;

  bool has_limits() const { return first_token_ps != 0 || between_tokens_ps != 0; }
};

// The parameters of a pass of a program that is a step of a batch, in the order of their values.
constexpr std::array<const char*, 6> kStepParameters{
    "prefill_tokens",     // tokens of prompts that are read
    "prefill_sequences",  // sequences whose prompts they are
    "prefill_pairs",      // the sum over these tokens of the tokens up to it, which it attends to
    "decode_sequences",   // sequences that get their next token
    "decode_context",     // the sum over these of their tokens, the one that is read now included
    "outputs"};           // sequences that have a new token at the end: all decoding ones, and those whose
                          // prompt has been read

}  // namespace heddle
