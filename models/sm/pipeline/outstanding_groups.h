#pragma once
// The OutstandingGroups of a warp are what it has issued in groups and what has not completed: asynchronous
// copies, stores in bulk, and products of its warpgroup. An instruction closes the open group, and another
// one waits until no more than some of the newest groups are under way.

#include "models/core/kernel/copy_groups.h"
#include "models/core/kernel/instruction.h"

namespace heddle {

struct OutstandingGroups {
  CopyGroups copies;       // asynchronous copies
  CopyGroups bulk_stores;  // bulk stores that are not complete
  CopyGroups bulk_reads;   // bulk stores that have not read all of their bytes
  CopyGroups products;     // products of the warpgroup (kTensorGroup)

  // Closes the open group if this operation does so.
  void commit(Operation operation) {
    if (operation == Operation::kCopyCommit) copies.commit();
    if (operation == Operation::kProductCommit) products.commit();
    if (operation == Operation::kBulkCommit) {
      bulk_stores.commit();
      bulk_reads.commit();
    }
  }

  // Returns whether this instruction waits for groups, and one of these is under way.
  bool waits(const Instruction& code) const {
    const CopyGroups* const awaited = awaited_by(code.operation);
    return awaited != nullptr && awaited->waits(code.copy_groups);
  }

 private:
  const CopyGroups* awaited_by(Operation operation) const {
    switch (operation) {
      case Operation::kCopyWait:
        return &copies;
      case Operation::kBulkWait:
        return &bulk_stores;
      case Operation::kBulkReadWait:
        return &bulk_reads;
      case Operation::kProductWait:
        return &products;
      default:
        return nullptr;
    }
  }
};

}  // namespace heddle
