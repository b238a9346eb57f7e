#pragma once
// The products of a warpgroup (PTX ISA, "wgmma"): their shapes, their forms and their operands. Four warps
// whose numbers follow each other, the first one a multiple of 4, multiply 64 rows of a with a matrix b of N
// columns. Warp w mod 4 has rows 16 w to 16 w + 15 of a and of d.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stimuli/ptx/statements/forms.h"
#include "stimuli/ptx/statements/module.h"

namespace heddle::ptx {

constexpr std::uint32_t kGroupWarps = 4;
constexpr std::uint32_t kGroupRows = 64;    // of a and d
constexpr std::uint32_t kRowsOfWarp = 16;   // of them
constexpr std::uint32_t kGroupBytes = 32;   // of a row of a, and of a column of b: k elements
constexpr std::uint32_t kGroupColumns = 8;  // N is a multiple of it, 8 .. 256

// Returns the value of Field::kShape for a word such as "m64n128k16", 0 if it is none.
std::uint32_t group_shape(std::string_view word);
// Returns whether size_of() gives the part of one warp: 16 x N x k.
inline bool is_group_shape(Shape shape) {
  return shape >= Shape::kFirstOfGroup;
}
MatrixSize size_of_group_shape(Shape shape);

// The operands of Statement wgmma.mma_async. Those that the form lacks have the kind kNone. kSum has the
// registers of kResult, as sources.
enum GroupOperand : std::uint32_t {
  kResult,
  kMatrixA,     // the registers of a fragment, or a register with the descriptor of a matrix in shared memory
  kMatrixB,     // the descriptor of b
  kScaleSum,    // predicate or number: without it the product does not add to d
  kScaleA,      // 1 or -1
  kScaleB,      // 1 or -1
  kTransposeA,  // 1: a lies in shared memory by columns (M-major); 0: by rows (K-major)
  kTransposeB,  // 1: b lies in shared memory by rows (N-major); 0: by columns (K-major)
  kSum,
  kGroupOperands
};

// Makes the operands of the text those of GroupOperand. Returns what is wrong with them; empty: nothing.
std::string complete_group_operands(Function& function, std::vector<Operand>& operands);

// Returns the initiation intervals that the statement takes of a tensor unit, 1 .. 32: one for each 8
// columns, or more where shared memory gives b, and a if it has a descriptor, more slowly than that. The four
// warps share what is read. Products do not wait for other accesses to shared memory, nor these for them.
std::uint32_t group_repeats(const Function& function, const Statement& statement);

namespace detail {
// The rows of the table of forms (form_rows.cpp) for wgmma, and the words of "@group8" and the others in
// them.
const std::vector<FormRow>& group_rows();
std::string_view group_word_set(std::string_view name);
}  // namespace detail

}  // namespace heddle::ptx
