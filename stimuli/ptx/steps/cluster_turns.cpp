#include "stimuli/ptx/steps/cluster_turns.h"

namespace heddle::ptx {
namespace {

// Returns whether the statement may access the shared memory of another block of the cluster, or may open the
// barrier of the cluster.
bool reaches_cluster(const Function& function, const Statement& statement) {
  switch (statement.opcode) {
    case Opcode::kAtom:
    case Opcode::kLd:
    case Opcode::kMbarrierArrive:
    case Opcode::kMbarrierComplete:
    case Opcode::kMbarrierDrop:
    case Opcode::kMbarrierExpect:
    case Opcode::kRed:
    case Opcode::kSt:
      return statement.space == Space::kGeneric || statement.has(kAnyBlock);
    case Opcode::kBulkAcross:
    case Opcode::kBulkLoad:
    case Opcode::kClusterArrive:
    case Opcode::kExit:
    case Opcode::kRedAsync:
    case Opcode::kStAsync:
    case Opcode::kTensorLoad:
      return true;
    case Opcode::kRet:
      return function.entry;
    default:
      return false;
  }
}

}  // namespace

void set_cluster(const Function& function, const Statement& statement, Instruction& timing) {
  timing.reaches_cluster = reaches_cluster(function, statement);
  timing.takes_turns = timing.takes_turns || timing.reaches_cluster;
}

}  // namespace heddle::ptx
