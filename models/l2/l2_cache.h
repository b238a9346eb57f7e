#pragma once
// The L2Cache makes the decisions of an L2 slice; it has no time. Lines have 128 bytes in sectors. The cache
// is write-back, and both reads and writes allocate a line. All sectors of a request are looked up together.
//
// A write causes no fill. A sector that is written in part keeps a mask of its written bytes. A read of such
// a sector requests a fill and merges the written bytes into it. If the line is evicted before, only the
// written bytes are written back. An MSHR holds each fill (32 or 64 bytes, aligned to its size) until its
// data arrive. An eviction writes back the dirty sectors, with one transfer for each 64-byte burst that has
// any.

#include <array>

#include "models/cache/mshr_file.h"
#include "models/cache/tag_array.h"
#include "models/core/kernel/account_table.h"
#include "models/core/kernel/launch_counts.h"
#include "models/l2/half_copies.h"
#include "models/l2/l2_cache_stats.h"
#include "models/l2/l2_spec.h"
#include "models/l2/way_shares.h"
#include "models/stats/group.h"

namespace heddle {

class L2Cache {
 public:
  static constexpr std::uint32_t kSectors = L2Spec::kLineBytes / L2Spec::kSectorBytes;
  static constexpr std::uint32_t kWholeSector = ~std::uint32_t{0};

  enum class Kind : std::uint8_t { kRead, kWrite, kAtomic };
  enum class Stall : std::uint8_t { kNone, kReserved, kMshr, kMerge, kDramQueue, kReply };
  static constexpr std::size_t kStalls = 6;

  struct Access {
    Kind kind = Kind::kRead;
    Address address = 0;        // address of the first byte; a multiple of the sector size
    std::uint32_t bytes = 0;    // whole sectors within one line
    Address index = 0;          // address within the slice, which chooses the set
    AccountId account;          // of the launch
    ContextId context;          // the same
    bool is_swap = false;       // of swap space
    bool is_far = false;        // of an SM of the other half
    std::uint64_t request = 0;  // the number under which the request waits for a fill
    std::array<std::uint32_t, kSectors> written{};  // kWrite: a bit for each byte, by sector of the line
  };
  struct Transfer {  // a request to DRAM
    bool write = false;
    Address address = 0;
    std::uint32_t bytes = 0;                 // all bytes lie within one burst
    std::uint64_t written = 0;               // writes: a bit for each byte from `address` on
    MshrFile::Entry mshr = MshrFile::kNone;  // reads
    bool is_swap = false;                    // of swap space
    std::uint32_t after = 0;                 // index of the sector access that needs the transfer
  };
  struct Outcome {
    bool missed_line = false;               // whether the request counts in lines_missed()
    bool crosses = false;                   // an access of the other half found no copy there
    TagArray::Line line = TagArray::kNone;  // that is accessed, unless the write has no byte
    std::uint32_t sectors = 0;              // number of sectors that are accessed
    std::uint32_t fills = 0;  // fills that the request waits for; 0: the request can be answered
    std::uint32_t transfers = 0;
    std::array<Transfer, L2Spec::kMostTransfers> transfer;
  };

  L2Cache(const L2Spec& spec, Group& stats);

  // Performs the whole request and returns kNone, or changes nothing and returns the reason. `room` is the
  // number of transfers that the owner can take. The transfers of the outcome are in the order in which they
  // must be sent.
  Stall access(const Access& access, std::uint32_t room, Outcome& outcome);

  // Makes the sectors of an MSHR valid after its data have arrived. Its waiters stay in mshrs() until
  // release_fill().
  void filled(MshrFile::Entry entry);
  void release_fill(MshrFile::Entry entry) { mshrs_.release(entry); }

  // Places the line at the address `line`, all of which a DMA engine has written to DRAM, in the cache. The
  // line is clean. The cache does not take it if all ways of its set wait for fills. If a dirty line gives
  // way to it, the DMA engine writes that line to DRAM, without a transfer. L2Spec::copies_stay is set.
  // `index` is as in Access.
  void place(Address line, Address index);

  L2Counts counts(AccountId account) const { return counts_.at(account); }  // of a launch
  // The caller says that the launch has ended. The counts of the launch start at zero again, and if
  // L2Spec::copies_end is set, all copies of lines in the other half of L2 are dropped.
  void close(AccountId account) {
    counts_.clear(account);
    if (copies_end_) halves_.drop_all();
  }

  // Empties the cache. The slice resets the counters.
  void reset();

  const MshrFile& mshrs() const { return mshrs_; }
  const TagArray& tags() const { return tags_; }
  const Counter& requests() const { return stats_.requests; }
  const Counter& lines_missed() const { return stats_.lines_missed; }

 private:
  struct Plan;  // the result of a lookup, and the needs of the access

  Stall plan(const Access& access, std::uint32_t room, Plan& plan) const;
  void count(const Access& access, const Plan& plan, bool missed_line);
  bool misses_line(const Access& access, const Plan& plan) const;
  void evict(TagArray::Line line, Outcome& outcome) {
    burst_sectors_ == 1 ? evict_bursts<1>(line, outcome) : evict_bursts<2>(line, outcome);
  }
  template <std::uint32_t kBurstSectors>
  void evict_bursts(TagArray::Line line, Outcome& outcome);
  void fetch(const Access& access, const Plan& plan, Outcome& outcome);
  void write(const Access& access, const Plan& plan);
  // Returns whether data of the access cross to the other half of L2, and makes or drops the line's copy
  // there.
  bool reach(const Access& access, const Plan& plan);
  void install(TagArray::Line line, Address address);  // replaces the line that is there
  static std::uint32_t place_of(TagArray::Line line, std::uint32_t sector) {
    return line * kSectors + sector;
  }
  std::uint32_t dirty_bursts(TagArray::Line line) const;

  const std::uint32_t burst_sectors_;
  const std::uint32_t fill_bytes_;
  const std::uint32_t fill_sectors_;  // mask of the sectors of the first fill of a line
  TagArray tags_;
  WayShares shares_;
  MshrFile mshrs_;  // an MSHR's place is the first sector of a fill
  std::vector<std::array<std::uint32_t, kSectors>>
      written_;                // by line: written bytes of sectors that are dirty and not valid
  std::vector<bool> is_swap_;  // by line
  HalfCopies halves_;
  const bool copies_end_;
  AccountTable<L2Counts> counts_;
  L2CacheStats stats_;
};

const char* name_of(L2Cache::Stall stall);

}  // namespace heddle
