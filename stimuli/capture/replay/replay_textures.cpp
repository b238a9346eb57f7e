#include "stimuli/capture/replay/replay_textures.h"

#include <algorithm>
#include <utility>

namespace heddle::capture {

namespace {

constexpr std::uint64_t kMostSlices = std::uint64_t{1} << 16U;  // of a texture

}  // namespace

void ReplayTextures::change(const CapturedCall& call) {
  auto handles = std::make_shared<Handles>(*handles_);
  if (call.kind == CapturedCall::Kind::kTexture) {
    demand(call.textures.size() == 1, "not one texture");
    (*handles)[call.handle] = checked(call.textures[0].texture);
  } else {
    demand(handles->erase(call.handle) == 1, "there is no such texture");
  }
  handles_ = std::move(handles);
}

const ptx::Texture& ReplayTextures::checked(const ptx::Texture& texture) const {
  const bool counts =
      (texture.channels == 1 || texture.channels == 2 || texture.channels == 4) &&
      (texture.channel_bytes == 1 || texture.channel_bytes == 2 || texture.channel_bytes == 4);
  demand(counts && texture.width > 0, "no such texture can be");
  const std::uint64_t row = std::uint64_t{texture.width} * texture.channels * texture.channel_bytes;
  const Rows first{texture.address, texture.pitch, row, std::max<std::uint64_t>(1, texture.height)};
  const std::uint64_t slices = texture.slices();
  demand(slices == 1 || (texture.slice <= ReplayBuffers::kMostBytes && slices <= kMostSlices),
         "no such texture can be");
  demand(buffers_.find(first).first ==
             buffers_.find({texture.address + (slices - 1) * texture.slice, first.pitch, row, first.count})
                 .first,
         "a texture in two buffers");
  return texture;
}

}  // namespace heddle::capture
