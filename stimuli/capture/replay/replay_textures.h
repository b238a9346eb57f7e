#pragma once
// ReplayTextures keeps the texture objects of a captured program while its calls are replayed, and checks
// each texture.

#include <cstdint>
#include <map>
#include <memory>

#include "stimuli/capture/format/capture.h"
#include "stimuli/capture/replay/replay_buffers.h"
#include "stimuli/ptx/execute/launch.h"

namespace heddle::capture {

// The functions throw ImpossibleCall for a texture that no program can make.
class ReplayTextures {
 public:
  using Handles = std::map<std::uint64_t, ptx::Texture>;

  // Each texture must lie within one of `buffers`, which must outlive the object.
  explicit ReplayTextures(const ReplayBuffers& buffers)
      : buffers_(buffers), handles_(std::make_shared<const Handles>()) {}

  // Performs a call that creates or destroys a texture object.
  void change(const CapturedCall& call);
  // Returns the textures by handle as they are now. Later calls of change() leave the returned map as it is.
  std::shared_ptr<const Handles> handles() const { return handles_; }

  // Returns `texture` after it has been checked.
  const ptx::Texture& checked(const ptx::Texture& texture) const;

 private:
  const ReplayBuffers& buffers_;
  std::shared_ptr<const Handles> handles_;
};

}  // namespace heddle::capture
