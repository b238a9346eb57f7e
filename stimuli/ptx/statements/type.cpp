#include "stimuli/ptx/statements/type.h"

#include <array>

namespace heddle::ptx {
namespace {

struct TypeRow {
  const char* name;
  TypeClass type_class;
  std::uint32_t bytes;
};

constexpr std::array<TypeRow, kTypes> kRows = {{
    {"", TypeClass::kNone, 0},          {"b8", TypeClass::kBits, 1},        {"b16", TypeClass::kBits, 2},
    {"b32", TypeClass::kBits, 4},       {"b64", TypeClass::kBits, 8},       {"u8", TypeClass::kUnsigned, 1},
    {"u16", TypeClass::kUnsigned, 2},   {"u32", TypeClass::kUnsigned, 4},   {"u64", TypeClass::kUnsigned, 8},
    {"s8", TypeClass::kSigned, 1},      {"s16", TypeClass::kSigned, 2},     {"s32", TypeClass::kSigned, 4},
    {"s64", TypeClass::kSigned, 8},     {"f16", TypeClass::kFloat, 2},      {"f16x2", TypeClass::kFloat, 4},
    {"bf16", TypeClass::kFloat, 2},     {"bf16x2", TypeClass::kFloat, 4},   {"tf32", TypeClass::kFloat, 4},
    {"e4m3", TypeClass::kFloat, 1},     {"e5m2", TypeClass::kFloat, 1},     {"f32", TypeClass::kFloat, 4},
    {"f64", TypeClass::kFloat, 8},      {"pred", TypeClass::kPredicate, 1}, {"texref", TypeClass::kHandle, 8},
    {"surfref", TypeClass::kHandle, 8},
}};

const TypeRow& row_of(Type type) {
  return kRows[static_cast<std::size_t>(type)];
}

constexpr std::array<const char*, kSpecials> kSpecialNames = {"%tid.x",
                                                              "%tid.y",
                                                              "%tid.z",
                                                              "%ntid.x",
                                                              "%ntid.y",
                                                              "%ntid.z",
                                                              "%ctaid.x",
                                                              "%ctaid.y",
                                                              "%ctaid.z",
                                                              "%nctaid.x",
                                                              "%nctaid.y",
                                                              "%nctaid.z",
                                                              "%clusterid.x",
                                                              "%clusterid.y",
                                                              "%clusterid.z",
                                                              "%nclusterid.x",
                                                              "%nclusterid.y",
                                                              "%nclusterid.z",
                                                              "%cluster_ctaid.x",
                                                              "%cluster_ctaid.y",
                                                              "%cluster_ctaid.z",
                                                              "%cluster_nctaid.x",
                                                              "%cluster_nctaid.y",
                                                              "%cluster_nctaid.z",
                                                              "%cluster_ctarank",
                                                              "%cluster_nctarank",
                                                              "%laneid",
                                                              "%warpid",
                                                              "%nwarpid",
                                                              "%smid",
                                                              "%nsmid",
                                                              "%gridid",
                                                              "%lanemask_eq",
                                                              "%lanemask_le",
                                                              "%lanemask_lt",
                                                              "%lanemask_ge",
                                                              "%lanemask_gt",
                                                              "%clock",
                                                              "%clock_hi",
                                                              "%clock64",
                                                              "%globaltimer",
                                                              "%globaltimer_lo",
                                                              "%globaltimer_hi",
                                                              "%dynamic_smem_size",
                                                              "%total_smem_size",
                                                              "%envreg"};

}  // namespace

const char* name_of(Type type) {
  return row_of(type).name;
}

Type type_of(std::string_view name) {
  for (std::size_t i = 1; i < kTypes; ++i)
    if (kRows[i].name == name) return static_cast<Type>(i);
  return Type::kNone;
}

TypeClass class_of(Type type) {
  return row_of(type).type_class;
}

std::uint32_t bytes_of(Type type) {
  return row_of(type).bytes;
}

Type twice_as_wide(Type type) {
  switch (type) {
    case Type::kB8:
    case Type::kB16:
    case Type::kB32:
    case Type::kU8:
    case Type::kU16:
    case Type::kU32:
    case Type::kS8:
    case Type::kS16:
    case Type::kS32:
      return static_cast<Type>(static_cast<std::uint8_t>(type) + 1);
    default:
      return Type::kNone;
  }
}

const char* name_of(Space space) {
  constexpr std::array<const char*, 6> kNames = {"generic", "global", "shared", "local", "const", "param"};
  return kNames[static_cast<std::size_t>(space)];
}

const char* name_of(Special special) {
  return kSpecialNames[static_cast<std::size_t>(special)];
}

Type type_of(Special special) {
  const bool wide =
      special == Special::kClock64 || special == Special::kGlobaltimer || special == Special::kGridid;
  return wide ? Type::kU64 : Type::kU32;
}

}  // namespace heddle::ptx
