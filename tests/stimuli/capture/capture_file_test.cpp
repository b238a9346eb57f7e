// Files of captured programs, in which every byte has a meaning.

#include "stimuli/capture/format/capture_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "models/core/config/config.h"
#include "stimuli/capture/format/capture_archive.h"
#include "tests/support/capture/captures.h"

namespace heddle::capture {
namespace {

using Kind = CapturedCall::Kind;

TEST(CaptureFile, ReadsWhatWasWritten) {
  const Capture capture = read_capture(small_capture(), "small");
  EXPECT_EQ(capture.program, "small");
  EXPECT_EQ(capture.platform, "k20");
  EXPECT_FALSE(capture.exact);
  ASSERT_EQ(capture.calls.size(), std::size_t{CapturedCall::kKinds});
  for (std::size_t i = 0; i < capture.calls.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(capture.calls[i].kind), i);
  const CapturedCall& upload = capture.calls[static_cast<std::size_t>(Kind::kUpload)];
  EXPECT_EQ(upload.rows.address, 0x10000000100u);
  EXPECT_EQ(upload.rows.pitch, 512u);
  EXPECT_EQ(upload.rows.total(), 1000u);
  EXPECT_EQ(upload.rows.extent(), 9 * 512u + 100);
  EXPECT_TRUE(upload.asynchronous);
  EXPECT_EQ(capture.blobs[upload.blob]->size(), 1000u);
  const CapturedCall& launch = capture.calls[static_cast<std::size_t>(Kind::kLaunch)];
  EXPECT_EQ(launch.grid.y, 7u);
  EXPECT_EQ(launch.shared, 48u);
  EXPECT_EQ(launch.priority, -3);
  ASSERT_EQ(launch.textures.size(), 1u);
  EXPECT_EQ(launch.textures[0].texture.wrap[1], ptx::Texture::Wrap::kMirror);
  EXPECT_EQ(capture.calls[static_cast<std::size_t>(Kind::kDownload)].digest, digest_of("abc", 3));
  EXPECT_EQ(capture.calls[static_cast<std::size_t>(Kind::kCreateStream)].sms,
            (std::vector<std::uint32_t>{2, 5}));
}

TEST(CaptureFile, HoldsEqualDataOnce) {
  const Capture capture = read_capture(small_capture(), "small");
  EXPECT_EQ(capture.blobs.size(), 2u);
}

TEST(CaptureFile, IsTheSameForTheSameCalls) {
  EXPECT_EQ(small_capture(), small_capture());
}

TEST(CaptureFile, EveryShorterOneIsRefusedAtItsPlace) {
  const std::string bytes = small_capture();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    try {
      read_capture(std::string_view(bytes).substr(0, size), "small");
      ADD_FAILURE() << size;
    } catch (const config::Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind("small: offset ", 0), 0u) << error.what();
    }
  }
  EXPECT_THROW(read_capture(bytes + "x", "small"), config::Error);
}

// A frame of 16 bytes, which ends within the header of its first block, in a chunk of 7 GiB.
TEST(CaptureFile, ASizeThatIsOnlyClaimedTakesNoMemory) {
  std::string bytes("\x89HCAP\r\n\x1a", 8);
  const auto add = [&bytes](std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(value >> 8 * i);
  };
  constexpr std::uint64_t kClaimed = std::uint64_t{7} << 30U;
  add(kCaptureVersion, 4);
  add(0, 4);
  add(1, 4);  // about the program
  add(0, 4);
  add(kClaimed, 8);
  add(16, 8);
  add(0xfd2fb528, 4);  // a zstd frame
  add(0xc0, 1);        // whose content has a size of 8 bytes
  add(0x58, 1);        // and whose window has 2 MiB
  add(kClaimed, 8);
  add(0, 2);
  ASSERT_EQ(bytes.size(), 56u);
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_SELF, &before);
  EXPECT_THROW(read_capture(bytes, "small"), config::Error);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100 << 10) << "KiB";
}

// The fields of a third dimension are the last ones of a texture, which older files end before.
TEST(CaptureFile, TexturesOfOlderFilesHaveTwoDimensions) {
  CapturedCall call;
  call.kind = CapturedCall::Kind::kTexture;
  call.textures.resize(1);
  ptx::Texture& texture = call.textures[0].texture;
  texture.width = 7;
  texture.height = 5;
  texture.depth = 3;
  texture.slice = 4096;
  texture.wrap = {ptx::Texture::Wrap::kMirror, ptx::Texture::Wrap::kBorder, ptx::Texture::Wrap::kWrap};
  std::string bytes;
  Packer packer(bytes);
  pack(packer, call);
  CapturedCall read;
  Unpacker whole(bytes, kCaptureVersion);
  unpack(whole, read);
  EXPECT_TRUE(whole.done());
  EXPECT_EQ(read.textures[0].texture.depth, 3u);
  EXPECT_EQ(read.textures[0].texture.slice, 4096u);
  EXPECT_EQ(read.textures[0].texture.wrap, texture.wrap);
  constexpr std::size_t kNewFields = 1 + 4 + 4 + 1 + 8;
  Unpacker older(std::string_view(bytes).substr(0, bytes.size() - kNewFields), 2);
  CapturedCall before;
  unpack(older, before);
  EXPECT_TRUE(older.done());
  EXPECT_EQ(before.textures[0].texture.height, 5u);
  EXPECT_EQ(before.textures[0].texture.wrap[1], ptx::Texture::Wrap::kBorder);
  EXPECT_EQ(before.textures[0].texture.depth, 0u);
  EXPECT_EQ(before.textures[0].texture.slices(), 1u);
}

// The priority, the preferred carve-out and the cluster stand before the number of textures, which ends a
// launch without any.
TEST(CaptureFile, LaunchesOfOlderFilesHaveNeitherPriorityNorCarveOutNorCluster) {
  CapturedCall call;
  call.kind = CapturedCall::Kind::kLaunch;
  call.block.z = 7;
  call.priority = kGreatestPriority;
  call.carve_out = 50;
  call.cluster = {4, 2, 1};
  call.flag = true;
  std::string bytes;
  Packer packer(bytes);
  pack(packer, call);
  CapturedCall read;
  Unpacker whole(bytes, kCaptureVersion);
  unpack(whole, read);
  EXPECT_TRUE(whole.done());
  EXPECT_EQ(read.priority, kGreatestPriority);
  EXPECT_EQ(read.carve_out, 50);
  EXPECT_EQ(read.cluster.x, 4u);
  EXPECT_EQ(read.cluster.count(), 8u);
  EXPECT_TRUE(read.flag);
  std::string before = bytes;
  constexpr std::size_t kClusterBytes = 3 * 4 + 1;
  before.erase(bytes.size() - 4 - kClusterBytes, kClusterBytes);
  Unpacker sixth(before, 6);
  CapturedCall without;
  unpack(sixth, without);
  EXPECT_TRUE(sixth.done());
  EXPECT_EQ(without.carve_out, 50);
  EXPECT_EQ(without.cluster.count(), 0u);
  EXPECT_FALSE(without.flag);
  before.erase(before.size() - 8, 4);
  Unpacker fifth(before, 5);
  CapturedCall old;
  unpack(fifth, old);
  EXPECT_TRUE(fifth.done());
  EXPECT_EQ(old.priority, kGreatestPriority);
  EXPECT_EQ(old.carve_out, BlockShape::kAnyCarveOut);
  before.erase(before.size() - 8, 4);
  Unpacker third(before, 3);
  old = {};
  unpack(third, old);
  EXPECT_TRUE(third.done());
  EXPECT_EQ(old.priority, kLeastPriority);
  EXPECT_EQ(old.carve_out, BlockShape::kAnyCarveOut);
  EXPECT_EQ(old.block.z, 7u);
}

// The SMs are the last field of a stream.
TEST(CaptureFile, StreamsOfOlderFilesRunOnEverySm) {
  CapturedCall call;
  call.kind = CapturedCall::Kind::kCreateStream;
  call.stream = 3;
  call.flag = true;
  call.sms = {4, 5, 9};
  std::string bytes;
  Packer packer(bytes);
  pack(packer, call);
  Unpacker older(std::string_view(bytes).substr(0, bytes.size() - 4 - 3 * 4), 4);
  CapturedCall old;
  unpack(older, old);
  EXPECT_TRUE(older.done());
  EXPECT_EQ(old.stream, 3u);
  EXPECT_TRUE(old.flag);
  EXPECT_TRUE(old.sms.empty());
}

// The data are larger than one step of the decompression.
TEST(CaptureFile, LargeDataComeBackWhole) {
  std::vector<std::uint32_t> data(3'000'001);
  std::iota(data.begin(), data.end(), 0u);
  const std::string file = testing::TempDir() + "large.hcap";
  std::filesystem::remove(file);
  Capture about;
  about.program = "large";
  CaptureWriter writer(file, about);
  writer.blob(data.data(), 4 * data.size());
  writer.blob(data.data(), 0);
  writer.finish();
  const Capture capture = load_capture(file);
  ASSERT_EQ(capture.blobs.size(), 2u);
  ASSERT_EQ(capture.blobs[0]->size(), 4 * data.size());
  EXPECT_EQ(std::memcmp(capture.blobs[0]->data(), data.data(), 4 * data.size()), 0);
  EXPECT_TRUE(capture.blobs[1]->empty());
  std::filesystem::remove(file);
}

// The only exception is a compressed frame, some bits of which have no meaning.
TEST(CaptureFile, ADamagedByteIsRefusedOrChangesNothing) {
  const std::string bytes = small_capture();
  const Capture whole = read_capture(bytes, "small");
  std::size_t refused = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
    try {
      const Capture capture = read_capture(damaged, "small");
      EXPECT_EQ(packed_calls(capture.calls), packed_calls(whole.calls)) << i;
      EXPECT_EQ(capture.program, whole.program) << i;
      for (std::size_t blob = 0; blob < whole.blobs.size(); ++blob)
        EXPECT_EQ(*capture.blobs.at(blob), *whole.blobs[blob]) << i;
    } catch (const config::Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, bytes.size() * 9 / 10);
}

}  // namespace
}  // namespace heddle::capture
