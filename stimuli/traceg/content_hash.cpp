#include "stimuli/traceg/content_hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <new>

namespace heddle {

struct ContentHasher::State {
  XXH3_state_t* xxh = XXH3_createState();
  ~State() { XXH3_freeState(xxh); }
};

std::string ContentHash::text() const {
  return fmt::format("{:016x}{:016x}", high, low);
}

ContentHasher::ContentHasher() : state_(std::make_unique<State>()) {
  if (state_->xxh == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state_->xxh);
}

ContentHasher::~ContentHasher() = default;

void ContentHasher::add(const void* data, std::size_t bytes) {
  XXH3_128bits_update(state_->xxh, data, bytes);
}

ContentHash ContentHasher::hash() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return {hash.high64, hash.low64};
}

ContentHash hash_of_bytes(const void* data, std::size_t bytes) {
  const XXH128_hash_t hash = XXH3_128bits(data, bytes);
  return {hash.high64, hash.low64};
}

}  // namespace heddle
