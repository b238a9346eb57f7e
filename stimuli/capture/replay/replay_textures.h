#pragma once
// The textures of a captured program: those that it has as handles at a call, and what each of them may be.

#include <cstdint>
#include <map>
#include <memory>

#include "stimuli/capture/format/capture.h"
#include "stimuli/capture/replay/replay_buffers.h"
#include "stimuli/ptx/execute/launch.h"

namespace heddle::capture {

// Its functions throw ImpossibleCall.
class ReplayTextures {
 public:
  using Handles = std::map<std::uint64_t, ptx::Texture>;

  // A texture lies in one of these buffers, which must outlive the object.
  explicit ReplayTextures(const ReplayBuffers& buffers)
      : buffers_(buffers), handles_(std::make_shared<const Handles>()) {}

  // The call makes a texture and its handle, or drops them.
  void change(const CapturedCall& call);
  // Returns the handles after the last change. Later changes do not change them.
  std::shared_ptr<const Handles> handles() const { return handles_; }

  // Returns the texture, which a program can make.
  const ptx::Texture& checked(const ptx::Texture& texture) const;

 private:
  const ReplayBuffers& buffers_;
  std::shared_ptr<const Handles> handles_;
};

}  // namespace heddle::capture
