// Files of captured programs, in which every byte has a meaning.

#include "stimuli/capture/format/capture_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "models/core/config/config.h"
#include "tests/support/captures.h"

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
  ASSERT_EQ(launch.textures.size(), 1u);
  EXPECT_EQ(launch.textures[0].texture.wrap[1], ptx::Texture::Wrap::kMirror);
  EXPECT_EQ(capture.calls[static_cast<std::size_t>(Kind::kDownload)].digest, digest_of("abc", 3));
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
