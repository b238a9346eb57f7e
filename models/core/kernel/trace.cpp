#include "models/core/kernel/trace.h"

namespace heddle {

const char* name_of(TraceStage stage) {
  static constexpr std::array<const char*, kTraceStages> kNames{
      "start",      "fetch",       "decode",     "wait",         "issue",     "operands",   "dispatch",
      "access",     "writeback",   "barrier",    "end",          "request",   "send",       "answer",
      "request_in", "request_out", "reply_in",   "reply_out",    "l2_access", "l2_to_dram", "l2_fill",
      "l2_reply",   "dram_arrive", "dram_queue", "dram_command", "dram_reply"};
  return kNames[static_cast<std::size_t>(stage)];
}

const char* name_of(TraceClock clock) {
  static constexpr std::array<const char*, kTraceClocks> kNames{"core", "icnt", "l2", "dram"};
  return kNames[static_cast<std::size_t>(clock)];
}

}  // namespace heddle
