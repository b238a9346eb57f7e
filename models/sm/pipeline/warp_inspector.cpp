#include "models/sm/pipeline/warp_inspector.h"

namespace heddle {

namespace {

OperationClass next_class(const IssueWarp& warp) {
  if (warp.buffered == 0) return OperationClass::kUnknown;
  if (warp.buffer[0]->operation == Operation::kBarrier) return OperationClass::kBarrier;
  switch (static_cast<UnitKind>(warp.next_on)) {
    case UnitKind::kMemory:
      return OperationClass::kMemory;
    case UnitKind::kSfu:
      return OperationClass::kSfu;
    default:
      return OperationClass::kAlu;
  }
}

}  // namespace

WarpView WarpInspector::warp(std::uint32_t slot) const {
  const IssueWarp& warp = table_.warps[slot];
  const ResidentBlock& block = resident_.blocks[warp.block];
  return {block.ksr, block.context, block.block, warp.number, block.started, block.set_up, next_class(warp)};
}

}  // namespace heddle
