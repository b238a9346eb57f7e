#pragma once
// A BatchSpec makes a server one that generates tokens for many requests at a time, as servers of language
// models do: each pass of its program is a step of the sequences in service (iteration-level scheduling: Yu
// et al., "Orca", OSDI 2022). In a step a sequence either has tokens of its prompt read (prefill), or it gets
// its next token (decode). Counts are tokens.

#include <array>
#include <cstdint>
#include <limits>

namespace heddle {

struct BatchSpec {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  // What the server does for a request. A server of prompts ends it with its first token. One of decodes has
  // its prompt in the cache from its arrival on, when it also had its first token.
  enum class Phase : std::uint8_t { kBoth, kPrefill, kDecode };
  Phase phase = Phase::kBoth;
  // The places in RequestSpec::parameters of the length of the prompt and of the answer.
  std::size_t prompt = 0;
  std::size_t output = 0;
  std::uint64_t most_sequences = 256;  // in service; 1 or more
  std::uint64_t most_tokens = 2048;    // of a step, each decoding sequence counted as one; 1 or more
  // With chunks, a step has a token for each decoding sequence first, and what is left of its tokens goes to
  // prompts, of which parts may be read (Agrawal et al., "Sarathi-Serve", OSDI 2024). Without, whole prompts
  // go first in steps of their own, and a prompt longer than a step may be has one for itself.
  bool chunks_prompts = true;
  // The keys and values of so many tokens fit the memory, in pages of so many (Kwon et al., "PagedAttention",
  // SOSP 2023).
  std::uint64_t cache_tokens = kUnlimited;
  std::uint64_t page_tokens = 16;
  // A sequence gets the pages of its whole answer when its service starts. Without, it gets those of its
  // prompt then, and further ones as it grows. If none is left, the sequence that came last loses its pages:
  // it waits in front of the queue and is read again with what it had generated.
  bool reserves_output = false;
  // What a request must keep to be in time: the time from its arrival to its first token, and the mean time
  // between its tokens. 0: no limit.
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
