#pragma once
// .hcap files. Little-endian: 8 bytes of magic, version (u32), 0 (u32), then chunks, each
//
//   u32 kind   1: about the program, 2: a blob, 3: calls, 4: the end
//   u32 0, u64 bytes, u64 stored bytes
//   the stored bytes: one zstd frame with its checksum
//
// The first chunk is about the program, the end is last and empty. Blobs are numbered in their order, stand
// before the calls that use them, and are never alike. The same calls give the same bytes.

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "stimuli/capture/format/capture.h"

namespace heddle::capture {

constexpr std::uint32_t kCaptureVersion = 1;
constexpr std::uint64_t kMostCaptureBytes = std::uint64_t{8} << 30U;  // after decompression

// Writes one, to be renamed once it is whole. Throws std::runtime_error where it cannot be written.
class CaptureWriter {
 public:
  // `about`: its calls and blobs are not looked at. The file must not exist.
  CaptureWriter(const std::string& file, const Capture& about);

  std::uint32_t blob(const void* bytes, std::size_t count);  // its number
  void call(const CapturedCall& call);
  void finish();

 private:
  void write_chunk(std::uint32_t kind, const void* bytes, std::size_t count);
  void write(const void* bytes, std::size_t count);
  void flush_calls();

  std::string file_;
  std::ofstream out_;
  std::string calls_;  // not yet written
  std::map<std::pair<CapturedCall::Digest, std::size_t>, std::uint32_t> blobs_;
  std::uint64_t bytes_ = 0;
};

// Throws config::Error, "NAME: offset N: what is wrong", for anything that no CaptureWriter has written.
Capture read_capture(std::string_view bytes, const std::string& name);
Capture load_capture(const std::string& file);

}  // namespace heddle::capture
