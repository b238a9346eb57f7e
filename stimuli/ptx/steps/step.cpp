#include "stimuli/ptx/steps/step.h"

namespace heddle::ptx {

Step::Kind kind_of(const Statement& statement) {
  if (is_mbarrier(statement.opcode)) return Step::Kind::kPhaseBarrier;
  switch (statement.opcode) {
    case Opcode::kActivemask:
      return Step::Kind::kActiveMask;
    case Opcode::kAtom:
    case Opcode::kRed:
      return Step::Kind::kAtomic;
    case Opcode::kBarArrive:
    case Opcode::kBarRed:
    case Opcode::kBarSync:
      return Step::Kind::kBarrier;
    case Opcode::kBarWarp:
      return Step::Kind::kWarpBarrier;
    case Opcode::kBra:
      return Step::Kind::kBranch;
    case Opcode::kCall:
      return statement.has(kIndirect) ? Step::Kind::kIndirectCall : Step::Kind::kCall;
    case Opcode::kCopyAsync:
      return Step::Kind::kAsynchronousCopy;
    case Opcode::kBulkLoad:
    case Opcode::kBulkReduce:
    case Opcode::kBulkStore:
      return Step::Kind::kBulkCopy;
    case Opcode::kTensorLoad:
    case Opcode::kTensorReduce:
    case Opcode::kTensorStore:
      return Step::Kind::kTensorCopy;
    case Opcode::kClusterArrive:
      return Step::Kind::kClusterArrive;
    case Opcode::kWgmmaCommit:
      return Step::Kind::kGroupCommit;
    case Opcode::kWgmmaWait:
      return Step::Kind::kGroupWait;
    case Opcode::kClusterWait:
      return Step::Kind::kClusterWait;
    case Opcode::kGetctarank:
    case Opcode::kMapa:
      return Step::Kind::kClusterAddress;
    case Opcode::kSetmaxnreg:
      return Step::Kind::kRegisterCount;
    case Opcode::kCvta:
      return Step::Kind::kConvertAddress;
    case Opcode::kElect:
      return Step::Kind::kElect;
    case Opcode::kExit:
      return Step::Kind::kExit;
    case Opcode::kIsspacep:
      return Step::Kind::kTestAddressSpace;
    case Opcode::kLd:
      return Step::Kind::kLoad;
    case Opcode::kLdmatrix:
    case Opcode::kWmmaLoad:
      return Step::Kind::kMatrixLoad;
    case Opcode::kWmmaStore:
      return Step::Kind::kMatrixStore;
    case Opcode::kMbarrierPending:
      return Step::Kind::kPhaseBarrier;
    case Opcode::kMma:
    case Opcode::kWmmaMma:
      return Step::Kind::kMatrixProduct;
    case Opcode::kWgmmaMma:
      return Step::Kind::kGroupProduct;
    case Opcode::kMatch:
      return Step::Kind::kMatch;
    case Opcode::kRedux:
      return Step::Kind::kReduce;
    case Opcode::kRet:
      return Step::Kind::kReturn;
    case Opcode::kShfl:
      return Step::Kind::kShuffle;
    case Opcode::kSt:
      return Step::Kind::kStore;
    case Opcode::kSust:
      return Step::Kind::kSurfaceStore;
    case Opcode::kTex:
    case Opcode::kTld4:
      return Step::Kind::kTexture;
    case Opcode::kSuld:
      return Step::Kind::kSurfaceLoad;
    case Opcode::kTrap:
      return Step::Kind::kTrap;
    case Opcode::kVote:
      return Step::Kind::kVote;
    case Opcode::kBulkCommit:
    case Opcode::kBulkPrefetch:
    case Opcode::kBulkWait:
    case Opcode::kCopyCommit:
    case Opcode::kCopyWait:
    case Opcode::kFence:
    case Opcode::kNanosleep:
    case Opcode::kNoEffect:
    case Opcode::kPart:
    case Opcode::kPhase:
    case Opcode::kPrefetch:
    case Opcode::kTensorPrefetch:
    case Opcode::kWgmmaFence:
      return Step::Kind::kNothing;
    default:
      return Step::Kind::kLanes;
  }
}

std::uint8_t members_of(const Step& step) {
  const auto source = [&](std::uint8_t index) { return index < step.sources ? index : Step::kNoMembers; };
  switch (step.kind) {
    case Step::Kind::kBarrier:
    case Step::Kind::kGroupCommit:
    case Step::Kind::kGroupProduct:
    case Step::Kind::kGroupWait:
    case Step::Kind::kMatrixLoad:
    case Step::Kind::kMatrixProduct:
    case Step::Kind::kMatrixStore:
    case Step::Kind::kRegisterCount:
      return Step::kAllMembers;
    case Step::Kind::kElect:
      return 0;
    case Step::Kind::kMatch:
    case Step::Kind::kReduce:
    case Step::Kind::kVote:
      return source(1);
    case Step::Kind::kShuffle:
      return source(3);
    default:
      return Step::kNoMembers;
  }
}

}  // namespace heddle::ptx
