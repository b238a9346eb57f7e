#include "models/rtl/rtl_role.h"

namespace heddle {

namespace {

constexpr bool kIn = true;
constexpr bool kOut = false;
constexpr RtlKind kFlag = RtlKind::kFlag;
constexpr RtlKind kMask = RtlKind::kMask;
constexpr RtlKind kNumber = RtlKind::kNumber;
constexpr RtlKind kNumbers = RtlKind::kNumbers;

const RtlRoleSignal kTaken{"taken", kIn, kMask,
                           "what the machine has done in this tick, after the choice; zero: nothing"};

RtlRole warp_scheduler() {
  return {
      "warp_scheduler",
      "warp_scheduler",
      "core",
      "warp slots of an SM",
      nullptr,
      {{"candidates", kIn, kMask, "warps that can issue now"},
       {"live", kIn, kMask, "warps with instructions left"},
       {"wait_long", kIn, kMask, "live warps that wait for a load or at a barrier, or are paused"},
       {"started", kIn, kMask, "warps that have started since the last tick"},
       {"ended", kIn, kMask, "warps that have ended since the last tick, before one started in their slot"},
       {"ages", kIn, kNumbers, "rank of a warp by start, 0 the oldest; 0 for slots without a warp"},
       {"kernels", kIn, kNumbers, "kernel status register of the kernel of each live warp"},
       {"contexts", kIn, kNumbers, "context of each live warp"},
       {"operations", kIn, kNumbers,
        "class of the next operation of each live warp: 0 unknown, 1 ALU, 2 SFU, 3 memory, 4 barrier"},
       kTaken,
       {"pick", kOut, kNumber, "slot of the warp that issues", "pick_valid"},
       {"pick_valid", kOut, kFlag, "whether a warp issues; without this pin one does"},
       {"pick_mask", kOut, kMask, "the same as one bit; zero: no warp issues"}},
      {{"pick", "pick_mask"}}};
}

RtlRole crossbar_arbiter() {
  return {
      "crossbar_arbiter",
      "crossbar_arbiter",
      "icnt",
      "inputs of the crossbar in this direction",
      nullptr,
      {{"requests", kIn, kMask, "inputs whose first packet wants this output"},
       {"ages", kIn, kNumbers,
        "rank of a requesting input by the issue of its request, 0 the oldest, then by port; 0 for others"},
       {"contexts", kIn, kNumbers, "context of the packet of a requesting input; 0 for others"},
       {"flits", kIn, kNumbers, "flits of the packet of a requesting input; 0 for others"},
       kTaken,
       {"grant", kOut, kNumber, "the input that is served", "grant_valid"},
       {"grant_valid", kOut, kFlag, "whether an input is served; without this pin one is"},
       {"grant_mask", kOut, kMask, "the same as one bit; zero: no input is served"}},
      {{"grant", "grant_mask"}}};
}

RtlRole dram_scheduler() {
  return {"dram_scheduler",
          "dram_scheduler",
          "dram",
          "banks of a channel",
          nullptr,
          {{"columns", kIn, kMask, "banks whose next command is a legal read or write"},
           {"activates", kIn, kMask, "banks whose next command is a legal activate"},
           {"precharges", kIn, kMask, "banks whose next command is a legal precharge"},
           {"waiting", kIn, kMask, "banks with a request"},
           {"ages", kIn, kNumbers, "rank of a waiting bank by arrival of its next request, 0 the oldest"},
           kTaken,
           {"bank", kOut, kNumber, "the bank that gets the command slot", "bank_valid"},
           {"bank_valid", kOut, kFlag, "whether a bank gets it; without this pin one does"},
           {"bank_mask", kOut, kMask, "the same as one bit; zero: no bank gets it"}},
          {{"bank", "bank_mask"}}};
}

RtlRole dma_arbiter() {
  return {"dma_arbiter",
          "dma_arbiter",
          "pcie",
          "transfers of a DMA engine, in order of arrival",
          nullptr,
          {{"transfers", kIn, kMask, "transfers that are not finished"},
           {"priorities", kIn, kNumbers, "priority of the context, as a two's complement"},
           {"contexts", kIn, kNumbers, "context of the transfer"},
           {"bytes", kIn, kNumbers, "bytes that are not requested yet"},
           kTaken,
           {"transfer", kOut, kNumber, "the transfer that sends the next burst"},
           {"transfer_mask", kOut, kMask, "the same as one bit"}},
          {{"transfer", "transfer_mask"}}};
}

RtlRole block_throttle() {
  return {"block_throttle",
          "block_throttle",
          "core",
          "",
          nullptr,
          {{"event", kIn, kNumber, "1: a slice has come to an SM, 2: a block has ended, 3: totals have come"},
           {"sm", kIn, kNumber, "SM of the slice"},
           {"kernel", kIn, kNumber, "kernel status register of the slice"},
           {"context", kIn, kNumber, "context of the kernel"},
           {"most", kIn, kNumber, "the most blocks of the slice without a throttle"},
           {"running", kIn, kNumber, "blocks on the SM"},
           {"unissued", kIn, kNumber, "blocks of the kernel that no SM has"},
           {"now", kIn, kNumber, "core cycle"},
           {"cycles", kIn, kNumber, "event 2: core cycles of the block from its issue on"},
           {"instructions", kIn, kNumber, "warp instructions: event 2 of the block, 3 the slice's total"},
           {"until", kIn, kNumber, "event 3: the first core cycle that is not in the totals"},
           {"active", kIn, kNumber, "event 3: cycles in which a warp of the kernel issued"},
           {"stalled", kIn, kNumber, "event 3: cycles in which each of its warps waited for something"},
           {"cap", kOut, kNumber, "the most blocks of the slice", "cap_valid"},
           {"cap_valid", kOut, kFlag, "whether there is a cap; without this pin there is one"},
           {"sample", kOut, kFlag, "whether totals are taken once more; without this pin they are not"},
           {"sample_after", kOut, kNumber, "core cycles until then", "sample"},
           {"settled", kOut, kFlag, "whether the choice is made"}},
          {{"cap"}}};
}

RtlRole water_filling() {
  return {
      "water_filling",
      "sm_partitioner",
      "core",
      "",
      "warped-slicer",
      {{"write", kIn, kFlag, "a value is written in this tick"},
       {"write_kind", kIn, kNumber,
        "0: performance, 1: need of one block, 2: limit of the SM, 3: entries of the kernel's curve"},
       {"write_kernel", kIn, kNumber, "kernel of the value, from 0"},
       {"write_index", kIn, kNumber,
        "kind 0: blocks - 1; kinds 1 and 2: 0 threads, 1 warps, 2 registers, 3 shared bytes, 4 blocks"},
       {"write_value", kIn, kNumber,
        "the value; a performance as the bits of a double that is not negative, which compare as it does"},
       {"kernels", kIn, kNumber, "number of kernels, with start"},
       {"start", kIn, kFlag, "the work begins with this tick"},
       {"read_kernel", kIn, kNumber, "kernel whose blocks are read"},
       {"done", kOut, kFlag, "the result is there"},
       {"feasible", kOut, kFlag, "whether one block of each kernel fits", "done"},
       {"blocks", kOut, kNumber, "blocks of read_kernel, in the same tick", "done"}},
      {{"done"}, {"feasible"}, {"blocks"}}};
}

RtlRole token() {
  return {"token",
          "sm_partitioner",
          "core",
          "",
          "token",
          {{"command", kIn, kNumber, "0: none, 1: set a count, 2: add to a count, 3: candidate, 4: victim"},
           {"context", kIn, kNumber, "context of the command or the item"},
           {"value", kIn, kNumber, "commands 1 and 2: the value, as a two's complement"},
           {"preempted", kIn, kFlag, "command 4: the SM is preempted already"},
           {"running", kIn, kNumber, "command 4: running blocks of the SM"},
           {"below", kIn, kNumber, "command 4: the count of a victim is less, as a two's complement"},
           {"last", kIn, kFlag, "commands 3 and 4: the last item"},
           {"done", kOut, kFlag, "the result of a scan is there"},
           {"found", kOut, kFlag, "whether an item was found", "done"},
           {"index", kOut, kNumber, "the item, from 0", "done"}},
          {{"done"}, {"found"}, {"index"}}};
}

}  // namespace

const char* name_of(RtlKind kind) {
  switch (kind) {
    case RtlKind::kFlag:
      return "flag";
    case RtlKind::kMask:
      return "mask";
    case RtlKind::kNumber:
      return "number";
    case RtlKind::kNumbers:
      return "numbers";
    case RtlKind::kData:
      return "data";
    case RtlKind::kEnables:
      return "enables";
  }
  return "";
}

std::size_t RtlRole::find(const std::string& signal) const {
  for (std::size_t i = 0; i < signals.size(); ++i)
    if (signals[i].name == signal) return i;
  return kNoSignal;
}

const std::vector<RtlRole>& rtl_roles() {
  static const std::vector<RtlRole> roles = [] {
    std::vector<RtlRole> all{block_throttle(), crossbar_arbiter(), dma_arbiter(),  dram_scheduler(),
                             token(),          warp_scheduler(),   water_filling()};
    for (RtlRole& role : rtl_interface_roles()) all.push_back(std::move(role));
    return all;
  }();
  return roles;
}

const RtlRole* find_rtl_role(const std::string& name) {
  for (const RtlRole& role : rtl_roles())
    if (role.name == name) return &role;
  return nullptr;
}

}  // namespace heddle
