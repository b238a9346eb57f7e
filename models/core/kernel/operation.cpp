#include "models/core/kernel/operation.h"

#include <array>

namespace heddle {

namespace {

struct OperationEntry {
  Operation operation;
  const char* name;
  Operation costs_as;
};

constexpr std::array<OperationEntry, kOperations> kTable{{
    {Operation::kIntAdd, "int_add", Operation::kIntAdd},
    {Operation::kIntMax, "int_max", Operation::kIntAdd},
    {Operation::kIntMul, "int_mul", Operation::kIntMul},
    {Operation::kIntMad, "int_mad", Operation::kIntMul},
    {Operation::kIntDiv, "int_div", Operation::kIntDiv},
    {Operation::kShuffle, "shuffle", Operation::kIntMul},
    {Operation::kFloatAdd, "float_add", Operation::kFloatAdd},
    {Operation::kFloatMax, "float_max", Operation::kFloatAdd},
    {Operation::kFloatMul, "float_mul", Operation::kFloatAdd},
    {Operation::kFloatFma, "float_fma", Operation::kFloatAdd},
    {Operation::kFloatDiv, "float_div", Operation::kFloatDiv},
    {Operation::kDouble, "double", Operation::kDouble},
    {Operation::kDoubleDiv, "double_div", Operation::kDoubleDiv},
    {Operation::kDoubleReciprocal, "double_reciprocal", Operation::kDoubleDiv},
    {Operation::kSfu, "sfu", Operation::kSfu},
    {Operation::kFloatDivApprox, "float_div_approx", Operation::kSfu},
    {Operation::kMove, "move", Operation::kIntAdd},
    {Operation::kConvert, "convert", Operation::kMove},
    {Operation::kCondition, "condition", Operation::kMove},
    {Operation::kUniform, "uniform", Operation::kIntAdd},
    {Operation::kBranch, "branch", Operation::kIntAdd},
    {Operation::kTraceInt, "trace_int", Operation::kIntAdd},
    {Operation::kTraceSp, "trace_sp", Operation::kFloatFma},
    {Operation::kTraceDp, "trace_dp", Operation::kDouble},
    {Operation::kTraceSfu, "trace_sfu", Operation::kSfu},
    {Operation::kTraceTensor, "trace_tensor", Operation::kTraceSfu},
    {Operation::kTensor, "tensor", Operation::kTraceTensor},
    {Operation::kTensorWide, "tensor_wide", Operation::kTensor},
    {Operation::kTensorDouble, "tensor_double", Operation::kTensor},
    {Operation::kLoad, "load", Operation::kLoad},
    {Operation::kStore, "store", Operation::kStore},
    {Operation::kAtomic, "atomic", Operation::kAtomic},
    {Operation::kBarrier, "barrier", Operation::kBranch},
    {Operation::kFence, "fence", Operation::kBranch},
    {Operation::kNop, "nop", Operation::kBranch},
    {Operation::kCopyCommit, "copy_commit", Operation::kNop},
    {Operation::kCopyWait, "copy_wait", Operation::kNop},
    {Operation::kBulkCopy, "bulk_copy", Operation::kNop},
    {Operation::kBulkCommit, "bulk_commit", Operation::kNop},
    {Operation::kBulkWait, "bulk_wait", Operation::kNop},
    {Operation::kBulkReadWait, "bulk_read_wait", Operation::kNop},
    {Operation::kTensorGroup, "tensor_group", Operation::kNop},
    {Operation::kProductCommit, "product_commit", Operation::kNop},
    {Operation::kProductWait, "product_wait", Operation::kNop},
    {Operation::kPhase, "phase", Operation::kNop},
    {Operation::kExit, "exit", Operation::kBranch},
}};

// Each row stands at its operation's place, and a default is an operation before it or itself: no circle.
constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kOperations; ++i)
    if (kTable[i].operation != static_cast<Operation>(i) || kTable[i].name == nullptr ||
        kTable[i].costs_as > kTable[i].operation)
      return false;
  return true;
}
static_assert(is_in_order());

}  // namespace

const char* name_of(Operation operation) {
  return kTable[static_cast<std::size_t>(operation)].name;
}

Operation costs_as(Operation operation) {
  return kTable[static_cast<std::size_t>(operation)].costs_as;
}

}  // namespace heddle
