#pragma once
// The format of .hcap files. Integers are little-endian. A file is 8 bytes of magic, version (u32), 0 (u32),
// then chunks, each
//
//   u32 kind   1: about the program, 2: a blob, 3: calls, 4: the end
//   u32 0, u64 bytes, u64 stored bytes
//   the stored bytes: one zstd frame with its checksum
//
// The first chunk describes the program; the last one is the end and is empty. Blobs are numbered in the
// order of their chunks, and all differ. A blob precedes the calls that use it. The same calls give the same
// bytes.

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "stimuli/capture/format/capture.h"

namespace heddle::capture {

constexpr std::uint64_t kMostCaptureBytes = std::uint64_t{8} << 30U;  // after decompression

// Writes a capture file. The caller renames the file when it is complete. Throws std::runtime_error if the
// file cannot be written.
class CaptureWriter {
 public:
  // The calls and the blobs of `about` are ignored. The file must not
  // exist.
  CaptureWriter(const std::string& file, const Capture& about);

  std::uint32_t blob(const void* bytes, std::size_t count);  // returns the number of the blob
  void call(const CapturedCall& call);
  void finish();

 private:
  void write_chunk(std::uint32_t kind, const void* bytes, std::size_t count);
  void write(const void* bytes, std::size_t count);
  void flush_calls();

  std::string file_;
  std::ofstream out_;
  std::string calls_;  // packed calls that are not yet written
  std::map<std::pair<CapturedCall::Digest, std::size_t>, std::uint32_t> blobs_;
  std::uint64_t bytes_ = 0;
};

// Both throw config::Error, "NAME: offset N: what is wrong", for bytes that no CaptureWriter has written.
Capture read_capture(std::string_view bytes, const std::string& name);
Capture load_capture(const std::string& file);

}  // namespace heddle::capture
