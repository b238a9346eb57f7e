#include "stimuli/ptx/steps/step.h"

#include "stimuli/ptx/statements/opcode_table.h"

namespace heddle::ptx {
namespace {

using K = Step::Kind;
using O = Opcode;

constexpr OpcodeTable<Step::Kind> kKinds({
    {K::kLanes,
     {O::kAbs,    O::kAdd,   O::kAddc,     O::kAnd,   O::kBfe,   O::kBfi,          O::kBfind,     O::kBmsk,
      O::kBrev,   O::kClz,   O::kCopysign, O::kCos,   O::kCvt,   O::kCreatePolicy, O::kDiv,       O::kDp2a,
      O::kDp4a,   O::kEx2,   O::kFma,      O::kFns,   O::kLg2,   O::kLop3,         O::kMad,       O::kMad24,
      O::kMadc,   O::kMax,   O::kMin,      O::kMov,   O::kMul,   O::kMul24,        O::kNeg,       O::kNot,
      O::kOr,     O::kPopc,  O::kPrmt,     O::kRcp,   O::kRem,   O::kRsqrt,        O::kSad,       O::kSelp,
      O::kSet,    O::kSetp,  O::kShf,      O::kShl,   O::kShr,   O::kSin,          O::kSlct,      O::kSqrt,
      O::kSub,    O::kSubc,  O::kSzext,    O::kTanh,  O::kTestp, O::kVabsdiff,     O::kVadd,      O::kVmad,
      O::kVmax,   O::kVmin,  O::kVset,     O::kVshl,  O::kVshr,  O::kVsub,         O::kVabsdiff2, O::kVadd2,
      O::kVavrg2, O::kVmax2, O::kVmin2,    O::kVset2, O::kVsub2, O::kVabsdiff4,    O::kVadd4,     O::kVavrg4,
      O::kVmax4,  O::kVmin4, O::kVset4,    O::kVsub4, O::kXor}},
    {K::kNothing,
     {O::kBulkCommit, O::kBulkPrefetch, O::kBulkWait, O::kCopyCommit, O::kCopyWait, O::kFence, O::kNanosleep,
      O::kNoEffect, O::kPrefetch, O::kTensorPrefetch, O::kWgmmaFence, O::kPhase, O::kPart}},
    {K::kLoad, {O::kLd}},
    {K::kStore, {O::kSt}},
    {K::kAtomic, {O::kAtom, O::kRed}},
    {K::kBranch, {O::kBra}},
    {K::kCall, {O::kCall}},
    {K::kReturn, {O::kRet}},
    {K::kExit, {O::kExit}},
    {K::kTrap, {O::kTrap}},
    {K::kBarrier, {O::kBarArrive, O::kBarRed, O::kBarSync}},
    {K::kWarpBarrier, {O::kBarWarp}},
    {K::kShuffle, {O::kShfl}},
    {K::kVote, {O::kVote}},
    {K::kMatch, {O::kMatch}},
    {K::kReduce, {O::kRedux}},
    {K::kActiveMask, {O::kActivemask}},
    {K::kElect, {O::kElect}},
    {K::kTexture, {O::kTex, O::kTld4}},
    {K::kSurfaceLoad, {O::kSuld}},
    {K::kSurfaceStore, {O::kSust}},
    {K::kConvertAddress, {O::kCvta}},
    {K::kTestAddressSpace, {O::kIsspacep}},
    {K::kMatrixLoad, {O::kLdmatrix, O::kWmmaLoad}},
    {K::kMatrixStore, {O::kStmatrix, O::kWmmaStore}},
    {K::kMatrixProduct, {O::kMma, O::kWmmaMma}},
    {K::kGroupProduct, {O::kWgmmaMma}},
    {K::kGroupCommit, {O::kWgmmaCommit}},
    {K::kGroupWait, {O::kWgmmaWait}},
    {K::kPhaseBarrier,
     {O::kMbarrierArrive, O::kMbarrierComplete, O::kMbarrierDrop, O::kMbarrierExpect, O::kMbarrierInit,
      O::kMbarrierInvalidate, O::kMbarrierPending, O::kMbarrierTest, O::kMbarrierTry}},
    {K::kBulkCopy, {O::kBulkAcross, O::kBulkLoad, O::kBulkReduce, O::kBulkStore}},
    {K::kTensorCopy, {O::kTensorLoad, O::kTensorReduce, O::kTensorStore}},
    {K::kAsynchronousStore, {O::kRedAsync, O::kStAsync}},
    {K::kClusterArrive, {O::kClusterArrive}},
    {K::kClusterWait, {O::kClusterWait}},
    {K::kClusterAddress, {O::kGetctarank, O::kMapa}},
    {K::kRegisterCount, {O::kSetmaxnreg}},
    {K::kAsynchronousCopy, {O::kCopyAsync}},
});
static_assert(kKinds.is_complete());

}  // namespace

Step::Kind kind_of(const Statement& statement) {
  if (statement.opcode == Opcode::kCall && statement.has(kIndirect)) return Step::Kind::kIndirectCall;
  return kKinds[statement.opcode];
}

std::uint8_t members_of(const Step& step) {
  const auto source = [&](std::uint8_t index) { return index < step.sources ? index : Step::kNoMembers; };
  switch (step.kind) {
    case Step::Kind::kBarrier:
    case Step::Kind::kClusterArrive:
    case Step::Kind::kClusterWait:
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
