#pragma once
// This file reads the .tracez files of Accel-Sim 2.0, which have the text of a trace in pieces that are
// packed by Zstandard. Numbers are little-endian and of 32 bits unless it says otherwise. The file has these
// parts, one behind the other:
//
//   1. The header of the kernel is text that ends in a zero byte.
//   2. The dictionary of Zstandard follows its length in bytes and the largest number of instructions that a
//      piece has.
//   3. Each warp has its number of instructions and its number of pieces. Each piece follows its length in
//      bytes and holds lines of the trace, packed.
//   4. The index starts with the number of blocks. Each block has its place in the grid, its cluster and its
//      place in the cluster, three numbers each, then its rank in the cluster and its number of warps. Each
//      warp of the block has its number of instructions, its number of pieces, the offset of its data in the
//      file (64 bits), and the number of instructions of each piece.
//   5. The last 64 bits are the offset of the index in the file.
//
// The source of this form is util/tracer_nvbit/tracer_tool/tracez_format.h of Accel-Sim's public repository,
// github accel-sim/accel-sim-framework.

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
