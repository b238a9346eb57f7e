#include "stimuli/capture/format/capture_archive.h"

namespace heddle::capture {

namespace {

using Kind = CapturedCall::Kind;

constexpr std::uint32_t kThreeDimensions = 3;  // the first version whose textures have a third dimension
constexpr std::uint32_t kPriorities = 4;       // the first one whose launches have a priority
constexpr std::uint32_t kSmSets = 5;           // the first one whose streams have SMs
constexpr std::uint32_t kCarveOuts = 6;        // the first one whose launches have a preferred carve-out
constexpr std::uint32_t kClusters = 7;         // the first one whose launches have clusters

template <typename Archive, typename Any>
void pack_rows(Archive& archive, Any& rows) {
  archive.number(rows.address);
  archive.number(rows.pitch);
  archive.number(rows.bytes);
  archive.number(rows.count);
}

template <typename Archive, typename Any>
void pack_dimensions(Archive& archive, Any& dimensions) {
  archive.number(dimensions.x);
  archive.number(dimensions.y);
  archive.number(dimensions.z);
}

template <typename Archive, typename Any>
void pack_texture(Archive& archive, Any& texture) {
  archive.number(texture.address);
  archive.number(texture.width);
  archive.number(texture.height);
  archive.number(texture.pitch);
  archive.number(texture.channels);
  archive.number(texture.channel_bytes);
  archive.choice(texture.channel, 3);
  archive.flag(texture.linear_memory);
  archive.flag(texture.linear_filter);
  archive.flag(texture.normalized_coordinates);
  archive.flag(texture.normalized_values);
  archive.choice(texture.wrap[0], 4);
  archive.choice(texture.wrap[1], 4);
  if (archive.version() < kThreeDimensions) return;
  archive.choice(texture.wrap[2], 4);
  archive.number(texture.depth);
  archive.number(texture.layers);
  archive.flag(texture.cube);
  archive.number(texture.slice);
}

template <typename Archive, typename Call>
void pack_launch(Archive& archive, Call& call) {
  archive.number(call.module);
  archive.number(call.entry);
  archive.number(call.shared);
  archive.number(call.blob);
  archive.number(call.stream);
  pack_dimensions(archive, call.grid);
  pack_dimensions(archive, call.block);
  if (archive.version() >= kPriorities) archive.number(call.priority);
  if (archive.version() >= kCarveOuts) archive.number(call.carve_out);
  if (archive.version() < kClusters) return;
  pack_dimensions(archive, call.cluster);
  archive.flag(call.flag);
}

template <typename Archive, typename Call>
void pack_textures(Archive& archive, Call& call) {
  const std::uint32_t count = archive.size(call.textures);
  for (std::uint32_t i = 0; i < count; ++i) {
    archive.number(call.textures[i].variable);
    pack_texture(archive, call.textures[i].texture);
  }
}

template <typename Archive, typename Call>
void pack_copy(Archive& archive, Call& call) {
  pack_rows(archive, call.rows);
  archive.number(call.stream);
  archive.flag(call.asynchronous);
  if (call.kind == Kind::kUpload) archive.number(call.blob);
  if (call.kind == Kind::kCopy) pack_rows(archive, call.other);
  if (call.kind == Kind::kFill) archive.number(call.value);
  if (call.kind != Kind::kDownload) return;
  for (auto& word : call.digest) archive.number(word);
}

template <typename Archive, typename Call>
void pack_stream(Archive& archive, Call& call) {
  archive.number(call.stream);
  archive.flag(call.flag);
  if (archive.version() < kSmSets) return;
  const std::uint32_t count = archive.size(call.sms);
  for (std::uint32_t i = 0; i < count; ++i) archive.number(call.sms[i]);
}

template <typename Archive, typename Call>
void pack_any(Archive& archive, Call& call) {
  archive.choice(call.kind, CapturedCall::kKinds);
  switch (call.kind) {
    case Kind::kModule:
      archive.number(call.blob);
      archive.number(call.rows.address);
      break;
    case Kind::kAllocate:
      archive.number(call.rows.bytes);
      archive.number(call.rows.address);
      break;
    case Kind::kFree:
      archive.number(call.rows.address);
      break;
    case Kind::kUpload:
    case Kind::kDownload:
    case Kind::kCopy:
    case Kind::kFill:
      pack_copy(archive, call);
      break;
    case Kind::kLaunch:
      pack_launch(archive, call);
      pack_textures(archive, call);
      break;
    case Kind::kCreateStream:
      pack_stream(archive, call);
      break;
    case Kind::kDestroyStream:
    case Kind::kSynchroniseStream:
      archive.number(call.stream);
      break;
    case Kind::kRecord:
    case Kind::kWait:
      archive.number(call.event);
      archive.number(call.stream);
      break;
    case Kind::kDestroyEvent:
    case Kind::kSynchroniseEvent:
      archive.number(call.event);
      break;
    case Kind::kSynchronise:
      break;
    case Kind::kTexture:
      archive.number(call.handle);
      pack_textures(archive, call);
      break;
    case Kind::kDropTexture:
    case Kind::kCooperate:
      archive.number(call.handle);
      break;
    case Kind::kRegisters:
      archive.number(call.module);
      archive.number(call.entry);
      archive.number(call.registers);
      break;
  }
}

}  // namespace

void pack(Packer& archive, const CapturedCall& call) {
  pack_any(archive, call);
}

void unpack(Unpacker& archive, CapturedCall& call) {
  pack_any(archive, call);
}

}  // namespace heddle::capture
