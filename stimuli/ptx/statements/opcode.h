#pragma once
// The operations of PTX instructions. An opcode may have several spellings, as bar.sync and barrier.sync.

#include <cstddef>
#include <cstdint>

namespace heddle::ptx {

enum class Opcode : std::uint8_t {
  kAbs,
  kActivemask,
  kAdd,
  kAddc,
  kAnd,
  kAtom,
  kBarArrive,
  kBarRed,
  kBarSync,  // all warps of the block
  kBarWarp,
  kBfe,
  kBfi,
  kBfind,
  kBmsk,
  kBra,
  kBrev,
  kBulkAcross,    // cp.async.bulk from shared memory to that of a block of the cluster
  kBulkCommit,    // cp.async.bulk.commit_group
  kBulkLoad,      // cp.async.bulk to shared memory
  kBulkPrefetch,  // cp.async.bulk.prefetch.L2
  kBulkReduce,    // cp.reduce.async.bulk to device memory
  kBulkStore,     // cp.async.bulk to device memory
  kBulkWait,      // cp.async.bulk.wait_group
  kCall,
  kClusterArrive,  // barrier.cluster.arrive
  kClusterWait,    // barrier.cluster.wait
  kClz,
  kCopysign,
  kCopyAsync,  // cp.async
  kCopyCommit,
  kCopyWait,
  kCos,
  kCvt,
  kCvta,
  kCreatePolicy,
  kDiv,
  kDp2a,
  kDp4a,
  kElect,
  kEx2,
  kExit,
  kFence,  // membar is a fence with ordering kNone
  kFma,
  kFns,
  kGetctarank,
  kIsspacep,
  kLd,
  kLdmatrix,
  kLg2,
  kLop3,
  kMad,  // mad of floating point is the same as fma
  kMad24,
  kMadc,
  kMapa,
  kMatch,
  kMax,
  kMbarrierArrive,
  kMbarrierComplete,  // mbarrier.complete_tx
  kMbarrierDrop,      // mbarrier.arrive_drop
  kMbarrierExpect,    // mbarrier.expect_tx
  kMbarrierInit,
  kMbarrierInvalidate,
  kMbarrierPending,  // mbarrier.pending_count
  kMbarrierTest,     // mbarrier.test_wait
  kMbarrierTry,      // mbarrier.try_wait
  kMin,
  kMma,
  kMov,
  kMul,
  kMul24,
  kNanosleep,
  kNeg,
  kNoEffect,  // on results: discard, applypriority, griddepcontrol, pmevent
  kNot,
  kOr,
  kPopc,
  kPrefetch,
  kPrmt,
  kRcp,
  kRed,
  kRedAsync,  // red.async
  kRedux,
  kRem,
  kRet,
  kRsqrt,
  kSad,
  kSelp,
  kSet,
  kSetmaxnreg,
  kSetp,
  kShf,
  kShfl,
  kShl,
  kShr,
  kSin,
  kSlct,
  kSqrt,
  kSt,
  kStAsync,  // st.async
  kStmatrix,
  kSub,
  kSubc,
  kSuld,
  kSust,
  kSzext,
  kTanh,
  kTensorLoad,      // cp.async.bulk.tensor to shared memory
  kTensorPrefetch,  // cp.async.bulk.prefetch.tensor
  kTensorReduce,    // cp.reduce.async.bulk.tensor
  kTensorStore,     // cp.async.bulk.tensor to device memory
  kTestp,
  kTex,
  kTld4,
  kTrap,
  kVabsdiff,  // scalar video instructions
  kVadd,
  kVmad,
  kVmax,
  kVmin,
  kVset,
  kVshl,
  kVshr,
  kVsub,
  kVabsdiff2,  // of halves
  kVadd2,
  kVavrg2,
  kVmax2,
  kVmin2,
  kVset2,
  kVsub2,
  kVabsdiff4,  // of bytes
  kVadd4,
  kVavrg4,
  kVmax4,
  kVmin4,
  kVset4,
  kVsub4,
  kVote,
  kWgmmaCommit,  // wgmma: products of four warps, which end later
  kWgmmaFence,
  kWgmmaMma,
  kWgmmaWait,
  kWmmaLoad,
  kWmmaMma,
  kWmmaStore,
  kXor,
  kPhase,  // a phase specifier, which no text spells (stimuli/ptx/analysis/phase_specifiers.h)
  kPart,   // an instruction of an expanded statement before its last one (stimuli/ptx/schedule/expansion.h)
};
constexpr std::size_t kOpcodes = static_cast<std::size_t>(Opcode::kXor) + 1;      // that text spells
constexpr std::size_t kAllOpcodes = static_cast<std::size_t>(Opcode::kPart) + 1;  // kPart is the last one

// Returns whether the opcode accesses a barrier object in shared memory (PTX ISA, mbarrier).
inline bool is_mbarrier(Opcode opcode) {
  return opcode >= Opcode::kMbarrierArrive && opcode <= Opcode::kMbarrierTry &&
         opcode != Opcode::kMbarrierPending;
}
// Returns whether the opcode is a copy in bulk that names a tensor map.
inline bool is_tensor(Opcode opcode) {
  return opcode >= Opcode::kTensorLoad && opcode <= Opcode::kTensorStore;
}
// Returns whether the opcode is one of cp.async.bulk and cp.reduce.async.bulk.
inline bool is_bulk(Opcode opcode) {
  return (opcode >= Opcode::kBulkAcross && opcode <= Opcode::kBulkWait) || is_tensor(opcode);
}
// Returns whether the opcode is a store or a reduction in the shared memory of a block of the cluster, which
// arrives at a barrier object there.
inline bool stores_across(Opcode opcode) {
  return opcode == Opcode::kStAsync || opcode == Opcode::kRedAsync;
}
// Returns whether no memory access may be moved across the opcode, which orders warps or starts copies.
inline bool orders_block(Opcode opcode) {
  return is_mbarrier(opcode) || is_bulk(opcode) || opcode == Opcode::kClusterArrive ||
         opcode == Opcode::kClusterWait || opcode == Opcode::kSetmaxnreg || stores_across(opcode);
}
// Returns whether the opcode is a copy in bulk from device memory to shared memory.
inline bool loads_in_bulk(Opcode opcode) {
  return opcode == Opcode::kBulkLoad || opcode == Opcode::kTensorLoad;
}
// Returns whether the opcode is a copy in bulk, or a reduction, from shared memory to device memory.
inline bool stores_in_bulk(Opcode opcode) {
  return opcode == Opcode::kBulkReduce || opcode == Opcode::kBulkStore || opcode == Opcode::kTensorReduce ||
         opcode == Opcode::kTensorStore;
}

}  // namespace heddle::ptx
