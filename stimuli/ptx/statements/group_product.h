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

// Returns the Shape that a modifier such as "m64n128k16" of wgmma names, as a number. Returns 0 if the word
// is no shape of wgmma.
std::uint32_t group_shape(std::string_view word);
// Returns whether size_of() gives the part of one warp: 16 x N x k.
inline bool is_group_shape(Shape shape) {
  return shape >= Shape::kFirstOfGroup;
}
MatrixSize size_of_group_shape(Shape shape);

// The order in which a decoded wgmma.mma_async statement has its operands. An operand that the instruction
// does not have is present with the kind OperandKind::kNone. kSum repeats the registers of kResult, because
// the instruction reads them as well as it writes them.
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

// Puts the operands of a wgmma.mma_async, which are in the order of the text, into the order of GroupOperand.
// Returns an error message, or an empty string if the operands are valid.
std::string complete_group_operands(Function& function, std::vector<Operand>& operands);

// Returns the number of initiation intervals, 1 .. 32, for which a product occupies a tensor unit. The unit
// needs one interval for each 8 columns. The product takes more intervals if shared memory needs longer to
// deliver matrix b, and matrix a if that is also in shared memory. The four warps of the warpgroup share one
// read of b. Contention with other accesses to shared memory is not modelled.
std::uint32_t group_repeats(const Function& function, const Statement& statement);

// Returns Instruction::tensor_products of a warp's part, 2 .. 64.
std::uint32_t group_products(const Statement& statement);

namespace detail {
// The rows of the table of forms (form_rows.cpp) for wgmma, and the words of "@group8" and the others in
// them.
const std::vector<FormRow>& group_rows();
std::string_view group_word_set(std::string_view name);
}  // namespace detail

}  // namespace heddle::ptx
