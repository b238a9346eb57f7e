// A library of heddle_rtl.h that is written by hand. $HEDDLE_FAKE_FAULT names a fault of its interface, and
// the seed of an instance a fault of its signals.
//
// The block has a pair of pins in_N and out_N for N = 8, 16, 32, 64 and 130 bits, and an inside signal
// `evals`. An evaluation inverts each input. It fails if in_8 is 0xee.

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "models/rtl/heddle_rtl.h"

struct heddle_rtl_block {
  std::uint8_t in8, out8;
  std::uint16_t in16, out16;
  std::uint32_t in32, out32;
  std::uint64_t in64, out64;
  std::uint32_t in130[5], out130[5];
  std::uint64_t evals;
  std::vector<heddle_rtl_signal> signals;
  std::string trace;
  std::string message;
};

namespace {

enum Fault : std::uint64_t {  // by seed
  kNone = 100,
  kNoInstance,
  kNoName,
  kEmptyName,
  kNoValue,
  kNoBits,
  kNoDirection,
  kOddWords,
  kWideQuads,
  kNullList
};

// The faults of a damaged file.
void fall(const std::string& fault) {
  if (fault == "crash") std::abort();
  if (fault == "exit") std::exit(0x11);
}

void break_signal(heddle_rtl_signal& signal, std::uint64_t fault) {
  if (fault == kNoName) signal.name = nullptr;
  if (fault == kEmptyName) signal.name = "";
  if (fault == kNoValue) signal.value = nullptr;
  if (fault == kNoBits) signal.bits = 0;
  if (fault == kNoDirection) signal.direction = 3;
  if (fault == kOddWords) signal.word_bytes = 3;
  if (fault == kWideQuads) signal.word_bytes = 8;
}

heddle_rtl_block* create(std::uint64_t seed) {
  if (seed == kNoInstance) return nullptr;
  auto* const block = new heddle_rtl_block{};
  block->signals = {{"in_8", 8, 1, HEDDLE_RTL_INPUT, 0, &block->in8},
                    {"in_16", 16, 2, HEDDLE_RTL_INPUT, 0, &block->in16},
                    {"in_32", 32, 4, HEDDLE_RTL_INPUT, 0, &block->in32},
                    {"in_64", 64, 8, HEDDLE_RTL_INPUT, 0, &block->in64},
                    {"in_130", 130, 4, HEDDLE_RTL_INPUT, 0, block->in130},
                    {"out_8", 8, 1, HEDDLE_RTL_OUTPUT, 0, &block->out8},
                    {"out_16", 16, 2, HEDDLE_RTL_OUTPUT, 0, &block->out16},
                    {"out_32", 32, 4, HEDDLE_RTL_OUTPUT, 0, &block->out32},
                    {"out_64", 64, 8, HEDDLE_RTL_OUTPUT, 0, &block->out64},
                    {"out_130", 130, 4, HEDDLE_RTL_OUTPUT, 0, block->out130},
                    {"unit.evals", 64, 8, HEDDLE_RTL_INTERNAL, 0, &block->evals}};
  break_signal(block->signals[4], seed);
  if (seed == kNullList) block->signals.clear();
  return block;
}

void destroy(heddle_rtl_block* block) {
  delete block;
}

int eval(heddle_rtl_block* block) {
  if (block->in8 == 0xee) {
    block->message = "fake.sv:7: in_8 is 0xee";
    return 1;
  }
  ++block->evals;
  block->out8 = static_cast<std::uint8_t>(~block->in8);
  block->out16 = static_cast<std::uint16_t>(~block->in16);
  block->out32 = ~block->in32;
  block->out64 = ~block->in64;
  for (int i = 0; i < 5; ++i) block->out130[i] = ~block->in130[i];
  block->out130[4] &= 3;
  return 0;
}

const heddle_rtl_signal* signals(heddle_rtl_block* block, std::size_t* count) {
  *count = block->signals.empty() ? 1 : block->signals.size();
  return block->signals.empty() ? nullptr : block->signals.data();
}

const char* message(heddle_rtl_block* block) {
  return block->message.c_str();
}

int trace_open(heddle_rtl_block* block, const char*) {
  block->message = "no disk";
  return 1;
}

int trace_dump(heddle_rtl_block*, std::uint64_t) {
  return 0;
}

}  // namespace

#ifdef HEDDLE_FAKE_WITHOUT_ENTRY
extern "C" __attribute__((visibility("default"))) const heddle_rtl_api* other_entry() {
#else
extern "C" const heddle_rtl_api* heddle_rtl() {
#endif
  static heddle_rtl_api api;
  api = {HEDDLE_RTL_VERSION,
         sizeof api,
         "fake",
         "hand",
         create,
         destroy,
         eval,
         signals,
         nullptr,
         nullptr,
         nullptr,
         message};
  const char* const given = std::getenv("HEDDLE_FAKE_FAULT");
  const std::string fault = given == nullptr ? "" : given;
  if (fault == "version") api.version = HEDDLE_RTL_VERSION + 1;
  if (fault == "size") api.size = sizeof api - 8;
  fall(fault);
  if (fault == "longer") api.size = sizeof api + 8;
  if (fault == "no top") api.top = nullptr;
  if (fault == "no eval") api.eval = nullptr;
  if (fault == "half a trace") api.trace_open = trace_open;
  if (fault == "failing trace") {
    api.trace_open = trace_open;
    api.trace_dump = trace_dump;
    api.trace_close = eval;
  }
  return fault == "null" ? nullptr : &api;
}
