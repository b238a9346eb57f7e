#pragma once
// The WarpTracer tells a trace what the warps of an SM do that somebody follows: their instructions from
// fetch to write-back, the reason for each cycle in which one does not issue, and their requests. It reads
// the state of the SM and changes nothing. An SM without a trace has none; the functions are marked as cold,
// so that the compiler makes that case the short one.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/kernel/trace.h"
#include "models/core/link/memory_request.h"
#include "models/sm/pipeline/issue_table.h"
#include "models/sm/pipeline/unit_instruction.h"
#include "models/sm/residence/resident_table.h"

namespace heddle {

class WarpTracer {
 public:
  // `sms` is the number of SMs: the requests of different SMs have different numbers.
  WarpTracer(TraceObserver& observer, std::uint32_t sm, std::uint32_t sms);

  void reset();

  // A warp has its slot. The call comes before all others for that warp.
  [[gnu::cold]] void start(std::uint32_t slot, const ResidentTable& resident);

  // The stages of an instruction, in their order.
  [[gnu::cold]] void fetch(std::uint32_t slot, std::uint32_t pc, bool hits, Cycle now);
  [[gnu::cold]] void decode(const IssueTable& table, std::uint32_t slot, Cycle now);
  [[gnu::cold]] void issue(std::uint32_t slot, const IssuedInstruction& issued, UnitKind unit, Cycle now);
  // The instruction has its operands, or leaves its collector, in the cycle `at`, which may be yet to come.
  [[gnu::cold]] void read(const UnitInstruction& instruction, Cycle at);
  [[gnu::cold]] void dispatch(const UnitInstruction& instruction, Cycle at);
  // Of a line, or without `bytes` of shared memory.
  [[gnu::cold]] void access(std::uint32_t slot, const Instruction& code, Address line, std::uint32_t bytes,
                            const char* what, Cycle now);
  [[gnu::cold]] void write_back(std::uint32_t slot, const Instruction& code, Cycle now);

  // Says why each warp does not issue, after the schedulers have chosen; `open` are the warps whose unit has
  // room. later() does so from the next cycle on, for an SM that sleeps.
  [[gnu::cold]] void wait(const ResidentTable& resident, const IssueTable& table, WarpMask open, Cycle now);
  [[gnu::cold]] void later(const ResidentTable& resident, const IssueTable& table, WarpMask open, Cycle now);

  // Returns the number of a new request, which is 0 if nobody follows its warp now.
  [[gnu::cold]] std::uint32_t request(const MemoryRequest& request, Cycle now);
  [[gnu::cold]] void pass(TraceStage stage, std::uint32_t request,
                          Cycle now);  // of a request: kSend or kAnswer

 private:
  struct Run {           // of cycles with one reason
    std::string reason;  // empty: there is none
    Cycle since;
  };
  struct Slot {
    std::vector<TraceWindow> windows;
    Run run;
    Cycle issued = Cycle::never();  // the last issue
  };

  bool follows(std::uint32_t slot, Cycle since, Cycle now) const;
  TraceEvent event(TraceStage stage, std::uint32_t slot, Cycle now) const;
  void add(TraceStage stage, std::uint32_t slot, const Instruction& code, Cycle now, std::string detail = "");
  void set_reason(std::uint32_t slot, std::string reason, Cycle from);

  TraceObserver& observer_;
  const SmId sm_;
  const std::uint32_t sms_;
  TraceSink& sink_;
  std::array<Slot, kMostWarps> slots_;
  WarpMask followed_ = 0;  // the warps that are followed at some time
  std::uint32_t requests_ = 0;
};

}  // namespace heddle
