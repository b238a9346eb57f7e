#pragma once
// Types, state spaces and special registers of PTX.

#include <cstdint>
#include <string_view>

namespace heddle::ptx {

enum class Type : std::uint8_t {
  kNone,
  kB8,
  kB16,
  kB32,
  kB64,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,  // two numbers in 32 bits; so is kBf16x2
  kBf16,   // no type of registers; so is kBf16x2
  kBf16x2,
  kTf32,  // the upper 19 bits of an f32; no type of registers
  kE4m3,  // numbers of 8 bits with a sign and so many bits of exponent and mantissa; no types of registers
  kE5m2,
  kF32,
  kF64,
  kPred,
  kTexref,  // a handle of 8 bytes
  kSurfref,
};
constexpr std::size_t kTypes = static_cast<std::size_t>(Type::kSurfref) + 1;

enum class TypeClass : std::uint8_t { kNone, kBits, kUnsigned, kSigned, kFloat, kPredicate, kHandle };

const char* name_of(Type type);  // "u32"
// Returns kNone for an unknown name.
Type type_of(std::string_view name);
// Returns TypeClass::kNone for Type::kNone.
TypeClass class_of(Type type);
// Returns the bytes of a value in memory: 1 for a predicate, 0 for kNone.
std::uint32_t bytes_of(Type type);
// Returns the type of twice the width for an integer of 8 to 32 bits, else kNone.
Type twice_as_wide(Type type);
inline std::uint32_t bits_of(Type type) {
  return 8 * bytes_of(type);
}
inline bool is_float(Type type) {
  return class_of(type) == TypeClass::kFloat;
}
inline bool is_packed(Type type) {
  return type == Type::kF16x2 || type == Type::kBf16x2;
}
// Numbers of 16 bits, alone or two of them.
inline bool is_half(Type type) {
  return type == Type::kF16 || type == Type::kBf16 || is_packed(type);
}
inline bool is_signed(Type type) {
  return class_of(type) == TypeClass::kSigned;
}

// The space of a kGeneric access follows from its address.
enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal, kConst, kParam };
const char* name_of(Space space);

// Special registers. The components x, y and z of a register are consecutive.
enum class Special : std::uint8_t {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kClusteridX,
  kClusteridY,
  kClusteridZ,
  kNclusteridX,
  kNclusteridY,
  kNclusteridZ,
  kClusterCtaidX,
  kClusterCtaidY,
  kClusterCtaidZ,
  kClusterNctaidX,
  kClusterNctaidY,
  kClusterNctaidZ,
  kClusterCtarank,
  kClusterNctarank,
  kLaneid,
  kWarpid,
  kNwarpid,
  kSmid,
  kNsmid,
  kGridid,
  kLanemaskEq,
  kLanemaskLe,
  kLanemaskLt,
  kLanemaskGe,
  kLanemaskGt,
  kClock,
  kClockHi,
  kClock64,
  kGlobaltimer,
  kGlobaltimerLo,
  kGlobaltimerHi,
  kDynamicSharedBytes,
  kTotalSharedBytes,
  kEnvironment,  // %envreg0 .. %envreg31
};
constexpr std::size_t kSpecials = static_cast<std::size_t>(Special::kEnvironment) + 1;
const char* name_of(Special special);  // "%tid.x"
Type type_of(Special special);         // u32 or u64

}  // namespace heddle::ptx
