#pragma once
// This file has one thread block of a trace, from the time that it is read until it ends.

#include <cstdint>
#include <vector>

#include "stimuli/traceg/code_table.h"
#include "stimuli/traceg/sequence_pool.h"
#include "stimuli/traceg/spool_file.h"

namespace heddle {

// A TraceWarp has the instructions of a warp: those in memory, followed by those in the spool file.
struct TraceWarp {
  bool given = false;                 // the file has this warp
  TraceSequence* sequence = nullptr;  // the entries in memory; null if all are in the spool file
  std::size_t address_at = 0;         // offset of its addresses in those of its block
  std::vector<SpoolFile::Chunk> chunks;

  // State of issue: the next entry in memory, the end of the entries in memory, and the next address.
  const TraceEntry* next = nullptr;
  const TraceEntry* end = nullptr;
  const std::byte* address = nullptr;
  std::size_t next_chunk = 0;
  std::vector<TraceEntry> window;  // the entries and addresses of a chunk
};

struct TraceBlockData {
  std::vector<TraceWarp> warps;
  std::vector<std::byte> addresses;  // those of all warps in memory
  std::uint64_t spool_begin = 0;     // the range of the block in the spool file
  std::uint64_t spool_end = 0;
};

// A TraceBlock gives the instructions in the order of the trace. If `tells_branches` is true, it sets
// `redirected` where a warp has taken a branch. If it is false, a taken branch costs nothing, as in
// Accel-Sim's replay of traces.
class TraceBlock final : public BlockStream {
 public:
  TraceBlock(const CodeTable& codes, const SpoolFile& spool, bool tells_branches)
      : codes_(codes), spool_(spool), told_(tells_branches ? TraceEntry::kTaken : 0) {}

  const Instruction* peek(std::uint32_t warp, std::uint32_t ahead) override;
  // A register is live in a lane if the lane reads it in the rest of the trace before it writes it. A value
  // that the recorded path does not read counts as dead, also where a compiler could not know that. A trace
  // names only the first register of an operand of 64 or 128 bits. Therefore a register that the whole trace
  // does not name counts as a part of the operand of the named register before it, as far as an aligned
  // operand reaches.
  std::optional<std::uint32_t> live_register_bytes(std::uint32_t warp) const override;
  void issue(std::uint32_t warp, IssuedInstruction& issued) override;

  TraceBlockData& data() { return data_; }
  void rewind();  // goes to the first instruction of every warp; data() must be complete

 private:
  void load_chunk(TraceWarp& warp);
  const Instruction* peek_spooled(const TraceWarp& warp, std::size_t ahead) const;

  const CodeTable& codes_;
  const SpoolFile& spool_;
  const std::uint32_t told_;  // the flags of entries of which issue() tells
  TraceBlockData data_;
};

}  // namespace heddle
