#pragma once
// This file reads the .tracez files of Accel-Sim 2.0, which have the text of a trace in pieces that are
// packed by Zstandard. Numbers are little-endian. The file has
//
//   the header of the kernel as text, which ends in a zero byte
//   u32 bytes of the dictionary, u32 instructions of a piece; the dictionary
//   for each warp: u32 instructions, u32 pieces; for each piece u32 bytes, and the lines packed
//   the index, for each block: u32 place x, y, z; u32 cluster x, y, z; u32 place in the cluster x, y, z;
//     u32 rank in the cluster; u32 warps; for each warp u32 instructions, u32 pieces, u64 offset of the warp,
//     and for each piece u32 instructions
//   u64 offset of the index, which starts with the number of blocks, u32
//
// Source: github accel-sim/accel-sim-framework, util/tracer_nvbit/tracer_tool/tracez_format.h.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace heddle {

class TextSource;

// The decoder gives the text that a .traceg file of the same trace has.
class TracezDecoder {
 public:
  // Reads the open file `descriptor`, which is not a pipe. Errors are those of `source`. Both must outlive
  // the decoder.
  TracezDecoder(const TextSource& source, int descriptor);
  ~TracezDecoder();
  TracezDecoder(const TracezDecoder&) = delete;
  TracezDecoder& operator=(const TracezDecoder&) = delete;

  // Stores the next bytes of the text, at most `most`, and returns their number; 0 at the end.
  std::size_t decode(char* to, std::size_t most);

 private:
  struct Zstandard;

  bool read_next();  // fills text_; false at the end
  void read_start();
  void read_block();
  void read_warp();
  void read_piece();
  void read(std::uint64_t& at, void* to, std::size_t bytes);  // moves `at` behind the bytes
  template <class T>
  T take(std::uint64_t& at) {
    T value{};
    read(at, &value, sizeof value);
    return value;
  }

  const TextSource& source_;
  const int descriptor_;
  std::unique_ptr<Zstandard> zstandard_;
  std::string packed_;
  std::string text_;
  std::size_t given_ = 0;  // of text_
  bool has_started_ = false;
  bool in_block_ = false;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t index_at_ = 0;
  std::uint64_t data_at_ = 0;  // of the next piece
  std::uint32_t blocks_left_ = 0;
  std::uint32_t warps_left_ = 0;   // of the block
  std::uint32_t pieces_left_ = 0;  // of the warp
  std::uint32_t warp_ = 0;
};

}  // namespace heddle
