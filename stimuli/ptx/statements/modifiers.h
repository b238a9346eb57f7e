#pragma once
// The values of the modifiers of PTX instructions.

#include <cstdint>

namespace heddle::ptx {

// kRna rounds ties away from zero.
enum class Rounding : std::uint8_t { kNone, kRn, kRz, kRm, kRp, kRni, kRzi, kRmi, kRpi, kRna };

// lo, ls, hi and hs are lt, le, gt and ge of unsigned numbers. Those that end in U are true for unordered
// numbers.
enum class Comparison : std::uint8_t {
  kNone,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kLo,
  kLs,
  kHi,
  kHs,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan,
};

enum class Combination : std::uint8_t {
  kNone,
  kAnd,
  kOr,
  kXor
};  // of a comparison's result with a predicate

// Selects one of the operations that an opcode has.
enum class Variant : std::uint8_t {
  kNone,
  kLo,  // mul, mad, mul24, mad24, madc
  kHi,
  kWide,
  kAdd,  // atom, red; bar.red: and, or, popc
  kMin,
  kMax,
  kInc,
  kDec,
  kAnd,
  kOr,
  kXor,
  kExch,
  kCas,
  kPopc,
  kAll,  // vote, match
  kAny,
  kUni,
  kBallot,
  kUp,  // shfl
  kDown,
  kBfly,
  kIdx,
  kLeft,  // shf
  kRight,
  kF4e,  // prmt; kNone: the selector's nibbles select bytes
  kB4e,
  kRc8,
  kEcl,
  kEcr,
  kRc16,
  kFinite,  // testp
  kInfinite,
  kNumber,
  kNotANumber,
  kNormal,
  kSubnormal,
  kOneD,  // tex, tld4, suld, sust
  kTwoD,
  kThreeD,
  kLayeredOneD,
  kLayeredTwoD,
  kCube,
  kLayeredCube,
  kL1,  // prefetch
  kL2,
  kAbsolute,  // min and max of three numbers
  kShr7,      // vmad
  kShr15,
  kMatrixA,  // wmma.load, wmma.store
  kMatrixB,
  kMatrixC,
  kMatrixD,
};

// The geometry of a texture or a surface, by the variant of tex, tld4, suld and sust.
struct Geometry {
  std::uint8_t dimensions = 1;  // of a layer
  bool layered = false;         // the first coordinate is the layer
  bool cube = false;            // three coordinates are a direction
  std::uint8_t elements = 1;    // of the vector of coordinates; those that follow the coordinates are ignored
};
Geometry geometry_of(Variant variant);

// The component of a texel that tld4 gathers.
enum class Component : std::uint8_t { kRed, kGreen, kBlue, kAlpha };

// How shf, bmsk, suld and sust treat an index or a shift out of range.
enum class Bounds : std::uint8_t { kNone, kWrap, kClamp, kTrap, kZero };

enum class Ordering : std::uint8_t { kNone, kWeak, kVolatile, kRelaxed, kAcquire, kRelease, kAcqRel, kSc };
enum class Scope : std::uint8_t { kNone, kCta, kCluster, kGpu, kSys };

// The shape of a matrix product, as in m16n8k16; kM8n8 is that of ldmatrix and stmatrix.
enum class Shape : std::uint8_t {
  kNone,
  kM16n16k16,
  kM32n8k16,
  kM8n32k16,
  kM16n16k8,
  kM8n8k4,
  kM8n8k16,
  kM16n8k4,
  kM16n8k8,
  kM16n8k16,
  kM16n8k32,
  kM8n8,
  // From here on the shapes of wgmma: m64nNk8 for N = 8, 16 and so on to 256, m64nNk16, m64nNk32
  // (stimuli/ptx/statements/group_product.h).
  kFirstOfGroup = 128,
};
// The elements that follow each other in memory lie in a row or in a column of the matrix.
enum class Layout : std::uint8_t { kNone, kRows, kColumns };

// Cache operators affect performance only.
enum class CacheOperator : std::uint8_t { kNone, kCa, kCg, kCs, kLu, kCv, kWb, kWt };
enum class Eviction : std::uint8_t { kNone, kNormal, kUnchanged, kFirst, kLast, kNoAllocate };
enum class Prefetch : std::uint8_t { kNone, k64B, k128B, k256B };

enum Flag : std::uint32_t {
  kFtz = 1U << 0U,
  kSat = 1U << 1U,
  kApprox = 1U << 2U,
  kFull = 1U << 3U,
  kCarryOut = 1U << 4U,  // .cc
  kUniform = 1U << 5U,   // .uni of bra, call, ret; it affects performance only
  kAligned = 1U << 6U,
  kReadOnly = 1U << 7U,  // .nc; it affects performance only
  kShiftAmount = 1U << 8U,
  kTo = 1U << 9U,            // cvta.to
  kRelu = 1U << 11U,         // negative results become 0
  kKeepNan = 1U << 12U,      // .NaN of min and max
  kIndirect = 1U << 10U,     // a call of a function whose address a register holds; no text spells it
  kSatFinite = 1U << 13U,    // .satfinite of mma and wmma
  kPlusOne = 1U << 15U,      // .po of vmad
  kXorSign = 1U << 16U,      // .xorsign.abs of min and max
  kTransposed = 1U << 14U,   // .trans of ldmatrix and stmatrix
  kExpectBytes = 1U << 18U,  // .expect_tx of mbarrier
  kNoComplete = 1U << 19U,   // .noComplete of mbarrier.arrive and mbarrier.arrive_drop
  kParity = 1U << 20U,       // .parity of mbarrier.test_wait and mbarrier.try_wait
  kReadsAlone = 1U << 21U,   // .read of cp.async.bulk.wait_group
  kMulticast = 1U << 22U,    // .multicast::cluster of cp.async.bulk
  // .shared::cluster: the address may be one of the shared memory of another block of the cluster.
  kAnyBlock = 1U << 23U,
  kSpill = 1U << 17U,  // a load or store of a spilled register; no text spells it
};

}  // namespace heddle::ptx
