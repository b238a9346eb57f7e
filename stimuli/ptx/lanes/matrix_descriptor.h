#pragma once
// The descriptor of a matrix in shared memory (PTX ISA, "Matrix Descriptor" of wgmma), and where it says that
// the elements lie.
//
// A matrix consists of lines of k elements: the rows of a or the columns of b. Of 16 bytes, or chunk, the
// elements follow each other in memory: along a line (K-major), or across lines (MN-major). Without a
// swizzle, 8 chunks in rows of 16 bytes make up a core matrix, and the descriptor has the distances of core
// matrices. With a swizzle of 32, 64 or 128 bytes, rows have as many bytes, and 8 rows make up an atom. In an
// atom the number of a chunk in its row is combined by exclusive or with bits 7 and up of the address, less
// the base offset.

#include <cstdint>

#include "models/core/base/ids.h"

namespace heddle::ptx {

struct MatrixDescriptor {
  static constexpr std::uint32_t kChunkBytes = 16;

  // `bits` as a program makes them: bits 0 .. 13, 16 .. 29 and 32 .. 45 have the address and the two offsets
  // in units of 16 bytes, 49 .. 51 the base offset, 62 and 63 the swizzle.
  explicit MatrixDescriptor(std::uint64_t bits);

  // Returns the address in shared memory of a chunk of 16 bytes. If the matrix is K-major, this is chunk
  // number `chunk` of line number `line`. If it is MN-major, the chunk has one element each of consecutive
  // lines, `line` is their position along k, and `chunk` counts the groups of lines.
  Address place_of(std::uint32_t line, std::uint32_t chunk, bool k_major) const;

  std::uint32_t start = 0;    // bytes, as all
  std::uint32_t leading = 0;  // leading dimension byte offset
  std::uint32_t stride = 0;   // stride dimension byte offset
  std::uint32_t swizzle = 0;  // 0: none; 32, 64, 128
  // 0 .. 7: the atoms begin so many rows of 128 bytes behind a multiple of their size.
  std::uint32_t base = 0;
};

}  // namespace heddle::ptx
