#pragma once
// The fragments of matrices in wmma, mma, wgmma, ldmatrix and stmatrix: their sizes, and the registers and
// memory accesses that a lane has for them.

#include <cstdint>

#include "stimuli/ptx/statements/statement.h"

namespace heddle::ptx {

// kNamed is the fragment that the statement's variant names (wmma.load, wmma.store, ldmatrix, stmatrix).
enum class Fragment : std::uint8_t { kNamed, kA, kB, kC, kD };

constexpr std::uint32_t kMatrixRowBytes = 16;  // of a row that a lane of ldmatrix or stmatrix addresses

// The product is that of m x k and k x n elements. That of wgmma is the part of one warp.
struct MatrixSize {
  std::uint32_t m = 0;
  std::uint32_t n = 0;
  std::uint32_t k = 0;
};
MatrixSize size_of(Shape shape);

struct FragmentInfo {
  Fragment fragment = Fragment::kA;  // not kNamed; kD counts as kC
  Type element = Type::kNone;
  Type register_type = Type::kNone;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::uint32_t registers = 0;                                         // of a lane, 1 .. 128
  std::uint32_t per_register = 1;                                      // elements that lie in a register
  std::uint32_t elements() const { return registers * per_register; }  // of a lane
};
FragmentInfo info_of(const Statement& statement, Fragment fragment);

// A load or a store of a fragment is a sequence of statements, each with one access of a lane: at most 16
// bytes that follow each other in memory. Statement::part numbers them.
struct FragmentAccess {
  std::uint32_t parts = 1;
  std::uint32_t bytes = 0;           // of an access
  std::uint32_t first_element = 0;   // that the access of this part begins with
  std::uint32_t first_register = 0;  // the registers of this part
  std::uint32_t registers = 1;
};
FragmentAccess access_of(const Statement& statement, const FragmentInfo& info, std::uint32_t part);

// Returns the times that the tensor unit repeats its initiation interval for the product. One interval
// multiplies as many bits as mma.m16n8k8 of f16 does.
constexpr std::uint32_t kMostTensorRepeats = 4;
constexpr std::uint32_t kBitsOfInterval = 16384;  // 16 x 8 x 8 products of 16 bits
std::uint32_t tensor_repeats(const Statement& statement);

inline bool is_matrix_product(Opcode opcode) {
  return opcode == Opcode::kMma || opcode == Opcode::kWmmaMma || opcode == Opcode::kWgmmaMma;
}
// Returns whether lanes of the statement name the rows of its matrices.
inline bool names_rows(Opcode opcode) {
  return opcode == Opcode::kLdmatrix || opcode == Opcode::kStmatrix;
}
inline bool is_matrix_load(Opcode opcode) {
  return opcode == Opcode::kLdmatrix || opcode == Opcode::kWmmaLoad;
}
inline bool is_matrix_store(Opcode opcode) {
  return opcode == Opcode::kStmatrix || opcode == Opcode::kWmmaStore;
}

}  // namespace heddle::ptx
