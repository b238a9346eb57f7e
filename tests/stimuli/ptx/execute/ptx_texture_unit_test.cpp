// Texture fetches and surface stores, step by step.

#include "stimuli/ptx/execute/texture_unit.h"

#include <gmock/gmock.h>

#include "tests/support/ptx/step_rig.h"

namespace heddle::ptx {
namespace {

using testing::HasSubstr;
using Kind = Step::Kind;

constexpr std::uint64_t kHandle = 12;

// A texture of one row of eight unsigned words, with handle 12.
struct TextureRig : StepRig {
  explicit TextureRig(const std::string& body) : StepRig(described(body), 32) {
    words = run.memory().allocate(32, "texture");
    Texture texture;
    texture.address = words;
    texture.width = 8;
    texture.pitch = 32;
    texture.channel = Texture::Channel::kUnsigned;
    launch.handles = std::make_shared<const std::map<std::uint64_t, Texture>>(
        std::map<std::uint64_t, Texture>{{kHandle, texture}});
  }
  static PtxRun described(const std::string& body) { return PtxRun(kernel_text(body, ".global .texref t;")); }

  Address words = 0;
  TextureUnit textures{state, faults};
};

TEST(PtxTextureUnit, AFetchReadsTheTexelsAndReturnsTheirAddresses) {
  TextureRig rig("tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd2, {%r5}];");
  const std::vector<std::uint32_t> words{10, 11, 12, 13, 14, 15, 16, 17};
  rig.run.memory().write(rig.words, words.data(), 32);
  const WarpStep fetch = rig.at(Kind::kTexture, 0, 0xffU);
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    set_lane(fetch, fetch.step.source[0], lane, kHandle);
    set_lane(fetch, fetch.step.source[1], lane, 7 - lane);
  }
  IssuedInstruction issued = rig.issue(fetch);
  rig.textures.fetch(fetch, issued);
  EXPECT_EQ(lane_of<std::uint32_t>(fetch, fetch.step.destination[0], 2), 15u);
  EXPECT_EQ(issued.addresses[2], rig.words + 20);
  EXPECT_EQ(lane_of<std::uint32_t>(fetch, fetch.step.destination[0], 8), 0u);
}

TEST(PtxTextureUnit, AHandleOrAReferenceThatNamesNothingIsAFault) {
  TextureRig rig(
      "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd2, {%r5}]; tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [t, "
      "{%r5}];");
  const WarpStep by_handle = rig.at(Kind::kTexture, 0, 0x2U);
  set_lane(by_handle, by_handle.step.source[0], 1, std::uint64_t{99});
  IssuedInstruction issued = rig.issue(by_handle);
  EXPECT_THAT(fault_of([&] { rig.textures.fetch(by_handle, issued); }),
              HasSubstr("0x63 is no texture or surface"));
  const WarpStep by_name = rig.at(Kind::kTexture, 1);
  EXPECT_THAT(fault_of([&] { rig.textures.fetch(by_name, issued); }), HasSubstr("nothing is bound to 't'"));
}

TEST(PtxTextureUnit, AStoreCountsXInBytesAndTrapsOutside) {
  TextureRig rig("sust.b.1d.b32.trap [%rd2, {%r5}], {%r6};");
  const WarpStep store = rig.at(Kind::kSurfaceStore, 0, 0x3U);
  for (std::uint32_t lane = 0; lane < 2; ++lane) {
    set_lane(store, store.step.source[0], lane, kHandle);
    set_lane(store, store.step.source[1], lane, 8 + 20 * lane);
    set_lane(store, store.step.destination[0], lane, 40 + lane);
  }
  IssuedInstruction issued = rig.issue(store);
  rig.textures.store(store, issued);
  EXPECT_EQ(rig.run.read<std::uint32_t>(rig.words, 8),
            (std::vector<std::uint32_t>{0, 0, 40, 0, 0, 0, 0, 41}));
  EXPECT_EQ(issued.addresses[1], rig.words + 28);
  set_lane(store, store.step.source[1], 1, 29U);
  EXPECT_THAT(fault_of([&] { rig.textures.store(store, issued); }),
              HasSubstr("an access at (29, 0, 0) of a surface of 32 bytes by 1 rows by 1 slices"));
}

}  // namespace
}  // namespace heddle::ptx
