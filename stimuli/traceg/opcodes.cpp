#include "stimuli/traceg/opcodes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace heddle {

namespace {

// The generations that have an opcode, a bit for each SassGeneration.
using Generations = std::uint16_t;
constexpr Generations kK = 1;  // Kepler
constexpr Generations kP = 2;  // Maxwell and Pascal
constexpr Generations kV = 4;
constexpr Generations kT = 8;
constexpr Generations kA = 16;
constexpr Generations kD = 32;  // Ada
constexpr Generations kH = 64;
constexpr Generations kB = 128;  // Blackwell of compute capability 10.0
constexpr Generations kG = 256;  // Blackwell of compute capability 12.0
constexpr Generations kBlackwell = kB | kG;
constexpr Generations kHopperOn = kH | kBlackwell;
constexpr Generations kAmpereOn = kA | kD | kHopperOn;
constexpr Generations kTuringOn = kT | kAmpereOn;
constexpr Generations kVoltaOn = kV | kTuringOn;
constexpr Generations kPascalOn = kP | kVoltaOn;
constexpr Generations kAll = kK | kPascalOn;
constexpr Generations kToPascal = kK | kP;
constexpr Generations kToHopper = static_cast<Generations>(kAll & ~kBlackwell);

struct Row {
  Generations generations;
  SassOpcode opcode;
  std::string_view names;  // separated by single spaces
};

constexpr SassOpcode kInt{Operation::kTraceInt};
constexpr SassOpcode kUniform{Operation::kUniform};
constexpr SassOpcode kMad{Operation::kIntMad};
constexpr SassOpcode kSp{Operation::kTraceSp};
constexpr SassOpcode kDp{Operation::kTraceDp};
constexpr SassOpcode kSfu{Operation::kTraceSfu};
constexpr SassOpcode kTensor{Operation::kTraceTensor};
// The memory pipe does the work, without an access to memory.
constexpr SassOpcode kExchange{Operation::kShuffle};
constexpr SassOpcode kGenericLoad{Operation::kLoad, MemorySpace::kGlobal, true};
constexpr SassOpcode kGenericStore{Operation::kStore, MemorySpace::kGlobal, true};
constexpr SassOpcode kGenericAtomic{Operation::kAtomic, MemorySpace::kGlobal, true};
constexpr SassOpcode kCopy{Operation::kLoad, MemorySpace::kGlobal, true, true};

constexpr SassOpcode load(MemorySpace space) {
  return {Operation::kLoad, space};
}
constexpr SassOpcode store(MemorySpace space) {
  return {Operation::kStore, space};
}
constexpr SassOpcode atomic(MemorySpace space) {
  return {Operation::kAtomic, space};
}
constexpr SassOpcode matrices(Operation operation) {
  return {operation, MemorySpace::kShared, false, false, true};
}
constexpr SassOpcode control(Operation operation) {
  SassOpcode opcode{operation};
  opcode.is_control = true;
  return opcode;
}
constexpr SassOpcode unmodelled(const char* feature) {
  return {Operation::kNop, MemorySpace::kNone, false, false, false, feature};
}

// An opcode has exactly one row for each generation that has it. Up to Pascal each class of instructions has
// one operation. Since Volta an opcode has the operation of the pipe that executes it: IMAD the one that
// floating-point multiply-adds have, POPC and conversions that of the special function unit.
constexpr Row kRows[] = {
    // 32-bit and half-precision floating point. Compilers load an immediate into a
    // register with HFMA2.MMA, which multiplies zeros and adds the immediate, so that the integer pipe stays
    // free.
    {kAll, kSp, "FADD FADD32I FCHK FFMA FFMA32I FMNMX FMUL FMUL32I FSET FSETP"},
    {kToPascal, kSp, "FCMP RRO"},
    {kK, kSp, "FSWZ"},
    {kPascalOn, kSp, "FSEL FSWZADD HADD2 HFMA2 HMUL2 HSET2 HSETP2"},
    {kPascalOn, kSp, "HADD2_32I HFMA2_32I HMUL2_32I"},
    {kAmpereOn, kSp, "HMNMX2"},
    {kBlackwell, kSp, "FADD2 FFMA2 FHADD FHADD2 FHFMA FHFMA2 FHMUL2 FMNMX3 FMUL2"},
    {kAll, kSfu, "MUFU"},
    {kAll, kDp, "DADD DFMA DMUL DSETP"},
    {kToPascal, kDp, "DMNMX DSET"},
    {kVoltaOn, kTensor, "HMMA IMMA"},
    {static_cast<Generations>(kTuringOn & kToHopper), kTensor, "BMMA"},
    {kAmpereOn, kTensor, "DMMA"},
    {kD | kG, kTensor, "QMMA"},
    {kG, kTensor, "OMMA"},

    // integer
    {kAll, kInt, "IADD IADD32I IMNMX IMUL IMUL32I ISCADD ISCADD32I ISETP LOP LOP32I SHF SHL SHR"},
    {kToPascal, kInt, "FLO IMAD POPC"},
    {kVoltaOn, kMad, "IMAD"},
    {kVoltaOn, kSfu, "BREV FLO POPC"},
    {kToPascal, kInt, "BFE BFI ICMP IMADSP ISET ISUB"},
    {kK, kInt, "ISAD"},
    {kP, kInt, "BREV IMAD32I VADD VMAD VMNMX VSET VSETP VSHL VSHR XMAD"},
    {kPascalOn, kInt, "BMSK IABS IADD3 IDP IDP4A LEA LOP3 VABSDIFF VABSDIFF4"},
    {kHopperOn, kInt, "VHMNMX VIADD VIADDMNMX VIMNMX VIMNMX3"},
    {kBlackwell, kInt, "DECOMPRESS SPARSIFY VISET"},

    // conversions, moves, predicates
    {kAll, kInt, "MOV MOV32I P2R PRMT PSETP R2P SEL"},
    {kToPascal, kInt, "CSET CSETP F2F F2I I2F I2I PSET SHFL"},
    {kVoltaOn, kSfu, "F2F F2I FRND I2F I2I"},
    {kVoltaOn, kExchange, "SHFL"},
    {kP, kInt, "FRND"},
    {kPascalOn, kInt, "I2IP PLOP3 SGXT"},
    {kTuringOn, kInt, "MOVM"},
    {kAmpereOn, kInt, "F2FP F2IP I2FP"},
    {kBlackwell, kInt, "MOV64IUR"},

    // loads, stores, atomics
    {kAll, kGenericLoad, "LD"},
    {kAll, kGenericStore, "ST"},
    {kAll, kGenericAtomic, "ATOM"},
    {kToHopper, kGenericAtomic, "RED"},
    {kHopperOn, kGenericAtomic, "REDG"},
    {kAll, load(MemorySpace::kGlobal), "LDG"},
    {kPascalOn, store(MemorySpace::kGlobal), "STG"},
    {kPascalOn, atomic(MemorySpace::kGlobal), "ATOMG"},
    {kHopperOn, load(MemorySpace::kGlobal), "LDGMC"},
    {kBlackwell, store(MemorySpace::kGlobal), "USTGR"},
    {kBlackwell, atomic(MemorySpace::kGlobal), "UREDGR"},
    {kAll, load(MemorySpace::kLocal), "LDL"},
    {kAll, store(MemorySpace::kLocal), "STL"},
    {kAll, load(MemorySpace::kShared), "LDS"},
    {kAll, store(MemorySpace::kShared), "STS"},
    {kPascalOn, atomic(MemorySpace::kShared), "ATOMS"},
    {kBlackwell, atomic(MemorySpace::kShared), "REDS"},
    {kK, load(MemorySpace::kShared), "LDSLK"},
    {kK, store(MemorySpace::kShared), "STSCUL"},
    {kTuringOn, matrices(Operation::kLoad), "LDSM"},
    {kHopperOn, matrices(Operation::kStore), "STSM"},
    {kAmpereOn, kCopy, "LDGSTS"},
    {kAmpereOn, {Operation::kCopyCommit}, "LDGDEPBAR"},
    {kAmpereOn, {Operation::kCopyWait}, "DEPBAR"},
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
    {kPascalOn, kInt, "CCTLT ERRBAR TMML"},
    {kP, kInt, "MATCH QSPC"},
    {kVoltaOn, kExchange, "MATCH QSPC"},
    {kAmpereOn, kInt, "SUQUERY"},
    // Compilers write CGAERRBAR after every fence of the device, with clusters and without.
    {kHopperOn, kInt, "CGAERRBAR"},

    // uniform datapath
    {kTuringOn, kUniform,
     "R2UR S2UR UBMSK UBREV UCLEA UFLO UIADD3 UIMAD UISETP ULEA ULOP ULOP3 ULOP32I UMOV UP2UR UPLOP3 UPOPC "
     "UPRMT UPSETP UR2UP USEL USGXT USHF USHL USHR VOTEU"},
    {static_cast<Generations>(kTuringOn & kToHopper), kUniform, "ULDC"},
    {kAmpereOn, kInt, "REDUX"},
    {kAmpereOn, kUniform, "UF2FP"},
    {kHopperOn, kUniform, "ULEPC USETMAXREG USETSHMSZ"},
    {kBlackwell, kUniform,
     "CREDUX CS2UR LDCU UF2F UF2I UF2IP UFADD UFFMA UFMNMX UFMUL UFRND UFSEL UFSET UFSETP UI2F UI2FP UI2I "
     "UI2IP UIABS UIMNMX UVIADD UVIMNMX UVIRTCOUNT"},

    // control. Barriers in shared memory (SYNCS) take an issue slot; a trace has the path that a wait took.
    {kAll, {Operation::kBarrier}, "BAR"},
    {kAll, {Operation::kFence}, "MEMBAR"},
    {kAll, control(Operation::kExit), "EXIT"},
    {kAll, {Operation::kNop}, "NOP"},
    {kAll, kInt, "BPT"},
    {kToPascal, control(Operation::kTraceInt), "BRA BRX JMP JMX RET"},
    {kVoltaOn, control(Operation::kBranch), "BMOV BRA BREAK BRX BSSY BSYNC CALL JMP JMX RET WARPSYNC YIELD"},
    {kToPascal, control(Operation::kTraceInt), "BRK CAL CONT JCAL LONGJMP PBK PCNT PLONGJMP PRET SSY"},
    {kP, control(Operation::kTraceInt), "BMOV BREAK BSSY BSYNC CALL PEXIT SYNC WARPSYNC YIELD"},
    {kToPascal, kInt, "KIL TEXDEPBAR"},
    {kPascalOn, kInt, "KILL NANOSLEEP RPCMOV RTT"},
    {kTuringOn, control(Operation::kBranch), "BRXU JMXU"},
    {kAmpereOn, kInt, "ARRIVES"},
    {kHopperOn, kInt, "ACQBULK ELECT ENDCOLLECTIVE FENCE PREEXIT SYNCS"},
    {kBlackwell, kInt, "ACQSHMINIT SYNCSU USYNCS"},

    // special registers, votes and the rest
    {kAll, kInt, "B2R VOTE"},
    {kToPascal, kInt, "S2R"},
    {kVoltaOn, kExchange, "S2R"},
    {static_cast<Generations>(kAll & ~kAmpereOn), kInt, "DEPBAR"},
    {kPascalOn, kInt, "CS2R CSMTEST GETLMEMBASE LEPC PMTRIG R2B SETCTAID SETLMEMBASE VOTE_VTG"},

    // features without a model
    {kHopperOn, unmodelled("TMA"),
     "UBLKCP UBLKPF UBLKRED UTMACCTL UTMACMDFLUSH UTMALDG UTMAPF UTMAREDG UTMASTG"},
    {kBlackwell, unmodelled("TMA"), "UBLKL2CCTL UTMAL2CCTL"},
    {kH, unmodelled("WGMMA"), "BGMMA HGMMA IGMMA QGMMA WARPGROUP WARPGROUPSET"},
    {kHopperOn, unmodelled("thread block clusters"), "REDAS STAS UCGABAR_ARV UCGABAR_WAIT"},
    {kBlackwell, unmodelled("cluster launch control"), "UGETNEXTWORKID"},
    {kBlackwell, unmodelled("bulk stores"), "UMEMSETS"},
    {kB, unmodelled("tcgen05"),
     "LDT LDTM STT STTM UTCATOMSWS UTCBAR UTCCP UTCHMMA UTCIMMA UTCLDSWS UTCMXQMMA UTCOMMA UTCQMMA UTCSHIFT "
     "UTCSTSWS"},
};

struct BinaryVersion {
  std::uint64_t version;
  SassGeneration generation;
};

constexpr BinaryVersion kBinaryVersions[] = {
    {35, SassGeneration::kKepler},        {60, SassGeneration::kPascal},        {61, SassGeneration::kPascal},
    {70, SassGeneration::kVolta},         {75, SassGeneration::kTuring},        {80, SassGeneration::kAmpere},
    {86, SassGeneration::kAmpere},        {89, SassGeneration::kAda},           {90, SassGeneration::kHopper},
    {100, SassGeneration::kBlackwell100}, {120, SassGeneration::kBlackwell120},
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
  static constexpr std::array<const char*, kSassGenerations> kNames{
      "Kepler", "Pascal", "Volta", "Turing", "Ampere", "Ada", "Hopper", "Blackwell 10.0", "Blackwell 12.0"};
  return kNames[static_cast<std::size_t>(generation)];
}

std::optional<SassGeneration> generation_of(std::uint64_t binary_version) {
  for (const BinaryVersion& known : kBinaryVersions)
    if (known.version == binary_version) return known.generation;
  return std::nullopt;
}

std::string known_binary_versions() {
  std::string versions;
  for (const BinaryVersion& known : kBinaryVersions)
    versions += (versions.empty() ? "" : ", ") + std::to_string(known.version);
  return versions;
}

std::optional<SassOpcode> find_opcode(SassGeneration generation, std::string_view base) {
  static const std::vector<Known> all = by_name();
  auto found = std::lower_bound(all.begin(), all.end(), base,
                                [](const Known& known, std::string_view name) { return known.name < name; });
  for (; found != all.end() && found->name == base; ++found)
    if ((found->row->generations >> static_cast<unsigned>(generation) & 1U) != 0) return found->row->opcode;
  return std::nullopt;
}

bool follows(SassGeneration generation, std::uint32_t pc, std::uint32_t next) {
  if (generation >= SassGeneration::kVolta) return next == pc + 16;
  const std::uint32_t group = generation == SassGeneration::kKepler ? 64 : 32;
  return next == pc + 8 || (next == pc + 16 && (pc + 8) % group == 0);
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
    return modifier == "BYPASS" || modifier == "CG" || modifier == "CV" || modifier == "STRONG" ||
           modifier == "VOLATILE";
  });
}

std::uint8_t products_of_matrices(std::string_view opcode) {
  constexpr std::uint32_t kBitsOfProduct = 16 * 8 * 8 * 16;
  std::uint32_t bits = opcode[0] == 'D' ? 64 : opcode[0] == 'H' ? 16 : opcode[0] == 'B' ? 1 : 8;
  std::uint32_t elements = 0;  // m * n * k
  bool continues = false;
  any_modifier(opcode, [&](std::string_view modifier) {
    if (modifier == "TF32") bits = 32;
    if (modifier == "S4" || modifier == "U4") bits = 4;
    if (modifier == "STEP1" || modifier == "STEP2" || modifier == "STEP3") continues = true;
    for (const auto& [rows, start] : {std::pair{16U, "168"}, std::pair{8U, "88"}}) {
      const std::size_t length = std::string_view(start).size();
      std::uint32_t depth = 0;
      if (elements == 0 && modifier.substr(0, length) == start &&
          std::from_chars(modifier.data() + length, modifier.data() + modifier.size(), depth).ec ==
              std::errc())
        elements = rows * 8 * depth;
    }
    return false;
  });
  if (continues) return 0;
  return static_cast<std::uint8_t>(std::clamp(elements * bits / kBitsOfProduct, 1U, 255U));
}

std::uint32_t rows_of_matrices(std::string_view opcode) {
  constexpr std::uint32_t kRowsOfMatrix = 8;
  const std::string_view last = opcode.substr(opcode.rfind('.') + 1);
  return kRowsOfMatrix * (last == "4" ? 4 : last == "2" ? 2 : 1);
}

}  // namespace heddle
