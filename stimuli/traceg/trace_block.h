#pragma once
// One thread block of a trace as it is kept between its reading and its end.

#include <cstdint>
#include <vector>

#include "stimuli/traceg/code_table.h"
#include "stimuli/traceg/sequence_pool.h"
#include "stimuli/traceg/spool_file.h"

namespace heddle {

// A warp's instructions: those in memory, then those that lie in the spool file.
struct TraceWarp {
  bool given = false;                 // it stands in the file
  TraceSequence* sequence = nullptr;  // in memory; null where all was spooled
  std::size_t address_at = 0;         // where its addresses start in its block's
  std::vector<SpoolFile::Chunk> chunks;

  // Issue: what lies in memory of what comes next.
  const TraceEntry* next = nullptr;
  const TraceEntry* end = nullptr;
  const std::byte* address = nullptr;
  std::size_t next_chunk = 0;
  std::vector<TraceEntry> window;  // of a chunk
};

struct TraceBlockData {
  std::vector<TraceWarp> warps;
  std::vector<std::byte> addresses;  // of all sequences
  std::uint64_t spool_begin = 0;     // its part of the spool file
  std::uint64_t spool_end = 0;
};

// A trace's instructions come in the order of the trace: no branch is ever mispredicted, and `redirected` is
// never set (Accel-Sim's traces are replayed so too).
class TraceBlock final : public BlockStream {
 public:
  TraceBlock(const CodeTable& codes, const SpoolFile& spool) : codes_(codes), spool_(spool) {}

  const Instruction* peek(std::uint32_t warp, std::uint32_t ahead) override;
  void issue(std::uint32_t warp, IssuedInstruction& issued) override;

  TraceBlockData& data() { return data_; }
  void rewind();  // to the first instruction of every warp; data() is complete

 private:
  void load_chunk(TraceWarp& warp);
  const Instruction* peek_spooled(const TraceWarp& warp, std::size_t ahead) const;

  const CodeTable& codes_;
  const SpoolFile& spool_;
  TraceBlockData data_;
};

}  // namespace heddle
