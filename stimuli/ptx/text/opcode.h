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
  kCall,
  kClz,
  kCopysign,
  kCos,
  kCvt,
  kCvta,
  kDiv,
  kEx2,
  kExit,
  kFence,  // membar is a fence with ordering kNone
  kFma,
  kIsspacep,
  kLd,
  kLg2,
  kMad,  // mad of floating point is the same as fma
  kMad24,
  kMadc,
  kMatch,
  kMax,
  kMin,
  kMov,
  kMul,
  kMul24,
  kNeg,
  kNot,
  kOr,
  kPopc,
  kPrefetch,
  kPrmt,
  kRcp,
  kRed,
  kRem,
  kRet,
  kRsqrt,
  kSad,
  kSelp,
  kSet,
  kSetp,
  kShf,
  kShfl,
  kShl,
  kShr,
  kSin,
  kSlct,
  kSqrt,
  kSt,
  kSub,
  kSubc,
  kSust,
  kTanh,
  kTestp,
  kTex,
  kTrap,
  kVabsdiff4,
  kVote,
  kXor,
  kPhase,  // a phase specifier, which no text spells (stimuli/ptx/analysis/phase_specifiers.h)
};
constexpr std::size_t kOpcodes = static_cast<std::size_t>(Opcode::kXor) + 1;  // that text spells

}  // namespace heddle::ptx
