#include "stimuli/traceg/opcodes.h"

#include <algorithm>
#include <array>
#include <vector>

namespace heddle {

namespace {

constexpr std::uint8_t kK = 1;  // Kepler
constexpr std::uint8_t kP = 2;  // Maxwell and Pascal
constexpr std::uint8_t kV = 4;
constexpr std::uint8_t kT = 8;
constexpr std::uint8_t kA = 16;
constexpr std::uint8_t kVoltaOn = kV | kT | kA;
constexpr std::uint8_t kTuringOn = kT | kA;
constexpr std::uint8_t kPascalOn = kP | kVoltaOn;
constexpr std::uint8_t kAll = kK | kPascalOn;

struct Row {
  std::uint8_t generations;
  SassOpcode opcode;
  std::string_view names;  // separated by single spaces
};

constexpr SassOpcode kInt{Operation::kTraceInt};
constexpr SassOpcode kSp{Operation::kTraceSp};
constexpr SassOpcode kDp{Operation::kTraceDp};
constexpr SassOpcode kSfu{Operation::kTraceSfu};
constexpr SassOpcode kTensor{Operation::kTraceTensor};
constexpr SassOpcode kGenericLoad{Operation::kLoad, MemorySpace::kGlobal, true};
constexpr SassOpcode kGenericStore{Operation::kStore, MemorySpace::kGlobal, true};
constexpr SassOpcode kGenericAtomic{Operation::kAtomic, MemorySpace::kGlobal, true};

constexpr SassOpcode load(MemorySpace space) {
  return {Operation::kLoad, space, false};
}
constexpr SassOpcode store(MemorySpace space) {
  return {Operation::kStore, space, false};
}
constexpr SassOpcode atomic(MemorySpace space) {
  return {Operation::kAtomic, space, false};
}

// An opcode has exactly one row for each generation that has it.
constexpr Row kRows[] = {
    // 32-bit and half-precision floating point
    {kAll, kSp, "FADD FADD32I FCHK FFMA FFMA32I FMNMX FMUL FMUL32I FSET FSETP"},
    {kK | kP, kSp, "FCMP RRO"},
    {kK, kSp, "FSWZ"},
    {kPascalOn, kSp, "FSEL FSWZADD HADD2 HFMA2 HMUL2 HSET2 HSETP2"},
    {kPascalOn, kSp, "HADD2_32I HFMA2_32I HMUL2_32I"},
    {kA, kSp, "HMNMX2"},
    {kAll, kSfu, "MUFU"},
    {kAll, kDp, "DADD DFMA DMUL DSETP"},
    {kK | kP, kDp, "DMNMX DSET"},
    {kVoltaOn, kTensor, "HMMA IMMA"},
    {kTuringOn, kTensor, "BMMA"},
    {kA, kTensor, "DMMA"},

    // integer
    {kAll, kInt,
     "FLO IADD IADD32I IMAD IMNMX IMUL IMUL32I ISCADD ISCADD32I ISETP LOP LOP32I POPC SHF SHL SHR"},
    {kK | kP, kInt, "BFE BFI ICMP IMADSP ISET ISUB"},
    {kK, kInt, "ISAD"},
    {kP, kInt, "IMAD32I VADD VMAD VMNMX VSET VSETP VSHL VSHR XMAD"},
    {kPascalOn, kInt, "BMSK BREV IABS IADD3 IDP IDP4A LEA LOP3 VABSDIFF VABSDIFF4"},

    // conversions, moves, predicates
    {kAll, kInt, "F2F F2I I2F I2I MOV MOV32I P2R PRMT PSETP R2P SEL SHFL"},
    {kK | kP, kInt, "CSET CSETP PSET"},
    {kPascalOn, kInt, "FRND I2IP PLOP3 SGXT"},
    {kTuringOn, kInt, "MOVM"},
    {kA, kInt, "F2FP F2IP I2FP"},

    // loads, stores, atomics
    {kAll, kGenericLoad, "LD"},
    {kAll, kGenericStore, "ST"},
    {kAll, kGenericAtomic, "ATOM RED"},
    {kAll, load(MemorySpace::kGlobal), "LDG"},
    {kPascalOn, store(MemorySpace::kGlobal), "STG"},
    {kPascalOn, atomic(MemorySpace::kGlobal), "ATOMG"},
    {kAll, load(MemorySpace::kLocal), "LDL"},
    {kAll, store(MemorySpace::kLocal), "STL"},
    {kAll, load(MemorySpace::kShared), "LDS"},
    {kAll, store(MemorySpace::kShared), "STS"},
    {kPascalOn, atomic(MemorySpace::kShared), "ATOMS"},
    {kK, load(MemorySpace::kShared), "LDSLK"},
    {kK, store(MemorySpace::kShared), "STSCUL"},
    {kTuringOn, load(MemorySpace::kShared), "LDSM"},
    {kA, load(MemorySpace::kGlobal), "LDGSTS"},
    {kAll, load(MemorySpace::kConstant), "LDC"},
    {kAll, load(MemorySpace::kTexture), "TEX TLD TLD4"},
    {kP, load(MemorySpace::kTexture), "TEXS TLD4S TLDS"},
    {kPascalOn, load(MemorySpace::kTexture), "TXD"},
    {kK, load(MemorySpace::kGlobal), "SULDGA"},
    {kK, store(MemorySpace::kGlobal), "SUSTGA"},
    {kPascalOn, load(MemorySpace::kGlobal), "SULD"},
    {kPascalOn, store(MemorySpace::kGlobal), "SUST"},
    {kPascalOn, atomic(MemorySpace::kGlobal), "SUATOM SURED"},

    // cache control and queries, without a memory access
    {kAll, kInt, "CCTL CCTLL TXQ"},
    {kK, kInt, "SUBFM SUCLAMP SUEAU"},
    {kPascalOn, kInt, "CCTLT ERRBAR MATCH QSPC TMML"},
    {kA, kInt, "LDGDEPBAR SUQUERY"},

    // uniform datapath
    {kTuringOn, kInt,
     "R2UR S2UR UBMSK UBREV UCLEA UFLO UIADD3 UIMAD UISETP ULDC ULEA ULOP ULOP3 ULOP32I UMOV UP2UR UPLOP3 "
     "UPOPC UPRMT UPSETP UR2UP USEL USGXT USHF USHL USHR VOTEU"},
    {kA, kInt, "REDUX UF2FP"},

    // control
    {kAll, {Operation::kBarrier}, "BAR"},
    {kAll, {Operation::kFence}, "MEMBAR"},
    {kAll, {Operation::kExit}, "EXIT"},
    {kAll, {Operation::kNop}, "NOP"},
    {kAll, kInt, "BPT BRA BRX JMP JMX RET"},
    {kK | kP, kInt, "BRK CAL CONT JCAL LONGJMP PBK PCNT PLONGJMP PRET SSY"},
    {kP, kInt, "PEXIT SYNC"},
    {kK | kP, kInt, "KIL TEXDEPBAR"},
    {kPascalOn, kInt, "BMOV BREAK BSSY BSYNC CALL KILL NANOSLEEP RPCMOV RTT WARPSYNC YIELD"},
    {kTuringOn, kInt, "BRXU JMXU"},

    // special registers, votes and the rest
    {kAll, kInt, "B2R DEPBAR S2R VOTE"},
    {kPascalOn, kInt, "CS2R CSMTEST GETLMEMBASE LEPC PMTRIG R2B SETCTAID SETLMEMBASE VOTE_VTG"},
};

struct Known {
  std::string_view name;
  const Row* row;
};

std::vector<Known> by_name() {
  std::vector<Known> known;
  for (const Row& row : kRows) {
    for (std::string_view names = row.names; !names.empty();) {
      const std::size_t end = std::min(names.find(' '), names.size());
      known.push_back({names.substr(0, end), &row});
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  }
  std::sort(known.begin(), known.end(), [](const Known& a, const Known& b) { return a.name < b.name; });
  return known;
}

// Calls `visit` with each modifier, the text between a '.' and the next one, until a call returns true.
// Returns whether one did.
template <class Visit>
bool any_modifier(std::string_view opcode, const Visit& visit) {
  for (std::size_t dot = opcode.find('.'); dot != std::string_view::npos;) {
    opcode.remove_prefix(dot + 1);
    dot = opcode.find('.');
    if (visit(opcode.substr(0, dot))) return true;
  }
  return false;
}

}  // namespace

const char* name_of(SassGeneration generation) {
  static constexpr std::array<const char*, 5> kNames{"Kepler", "Pascal", "Volta", "Turing", "Ampere"};
  return kNames[static_cast<std::size_t>(generation)];
}

std::optional<SassGeneration> generation_of(std::uint64_t binary_version) {
  switch (binary_version) {
    case 35:
      return SassGeneration::kKepler;
    case 60:
    case 61:
      return SassGeneration::kPascal;
    case 70:
      return SassGeneration::kVolta;
    case 75:
      return SassGeneration::kTuring;
    case 80:
    case 86:
      return SassGeneration::kAmpere;
    default:
      return std::nullopt;
  }
}

std::optional<SassOpcode> find_opcode(SassGeneration generation, std::string_view base) {
  static const std::vector<Known> all = by_name();
  const auto found =
      std::lower_bound(all.begin(), all.end(), base,
                       [](const Known& known, std::string_view name) { return known.name < name; });
  if (found == all.end() || found->name != base) return std::nullopt;
  if ((found->row->generations >> static_cast<unsigned>(generation) & 1U) == 0) return std::nullopt;
  return found->row->opcode;
}

std::uint8_t bytes_of_modifiers(std::string_view opcode) {
  std::uint8_t bytes = 0;
  any_modifier(opcode, [&](std::string_view modifier) {
    if (!modifier.empty() && (modifier[0] == 'U' || modifier[0] == 'S' || modifier[0] == 'F'))
      modifier.remove_prefix(1);
    bytes = modifier == "8"     ? std::uint8_t{1}
            : modifier == "16"  ? std::uint8_t{2}
            : modifier == "32"  ? std::uint8_t{4}
            : modifier == "64"  ? std::uint8_t{8}
            : modifier == "128" ? std::uint8_t{16}
                                : std::uint8_t{0};
    return bytes != 0;
  });
  return bytes;
}

bool bypasses_l1(std::string_view opcode) {
  return any_modifier(opcode, [](std::string_view modifier) {
    return modifier == "CG" || modifier == "CV" || modifier == "STRONG" || modifier == "VOLATILE";
  });
}

}  // namespace heddle
