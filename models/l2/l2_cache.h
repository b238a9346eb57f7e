#pragma once
// What an L2 slice decides, without time: sectored lines of 128 bytes, write-back, allocated on reads and
// writes. All sectors of a request are looked up together.
//
// A write fetches nothing. A sector that is written in part keeps a mask of its written bytes; a read of it
// fetches the sector and merges, and until then eviction writes back the written bytes alone. A request finds
// a line or takes one; an MSHR holds each fill (32 or 64 bytes, aligned to its size) until it comes. Evicting
// a line writes back its dirty sectors, one transfer for each 64-byte burst that has some.

#include <array>

#include "models/cache/mshr_file.h"
#include "models/cache/tag_array.h"
#include "models/l2/l2_spec.h"
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
    Address address = 0;      // of the first byte; sector aligned
    std::uint32_t bytes = 0;  // whole sectors within one line
    Address index = 0;        // address that chooses the set: within the slice
    KsrId kernel;
    std::uint64_t request = 0;                      // given to those who wait for a fill
    std::array<std::uint32_t, kSectors> written{};  // kWrite: bit per byte, by sector of the line
  };
  struct Transfer {  // to DRAM
    bool write = false;
    Address address = 0;
    std::uint32_t bytes = 0;                 // within one burst
    std::uint64_t written = 0;               // write: bit per byte from `address`
    MshrFile::Entry mshr = MshrFile::kNone;  // read
    std::uint32_t after = 0;                 // the access in order, 0 .. sectors - 1, that asked for it
  };
  struct Outcome {
    std::uint32_t sectors = 0;  // accessed
    std::uint32_t fills = 0;    // the request waits for so many; 0: it can be answered
    std::uint32_t transfers = 0;
    std::array<Transfer, L2Spec::kMostTransfers> transfer;
  };

  // ksrs: kernels that have counters of their own.
  L2Cache(const L2Spec& spec, std::uint32_t ksrs, Group& stats);

  // Does all of the request, or nothing and says why not. `room`: transfers that can be taken. Transfers
  // stand in the order they must be sent in.
  Stall access(const Access& access, std::uint32_t room, Outcome& outcome);

  // The data of an MSHR have come. Its waiters are in `mshrs` until release_fill().
  void filled(MshrFile::Entry entry);
  void release_fill(MshrFile::Entry entry) { mshrs_.release(entry); }

  // Empties the cache. The counters are the slice's to reset.
  void reset();

  const MshrFile& mshrs() const { return mshrs_; }
  const TagArray& tags() const { return tags_; }
  const Counter& requests() const { return requests_; }
  const Counter& lines_missed() const { return lines_missed_; }

 private:
  struct Kernel {
    Counter accesses, hits, misses, lines_missed;
  };
  struct Plan;  // what an access needs

  Stall plan(const Access& access, std::uint32_t room, Plan& plan) const;
  void count(const Access& access, const Plan& plan);
  bool misses_line(const Access& access, const Plan& plan) const;
  void evict(TagArray::Line line, Outcome& outcome);
  void fetch(const Access& access, const Plan& plan, Outcome& outcome);
  void write(const Access& access, const Plan& plan);
  std::uint32_t dirty_bursts(TagArray::Line line) const;

  const std::uint32_t fill_bytes_;
  const std::uint32_t fill_sectors_;  // mask of the first fill of a line
  TagArray tags_;
  MshrFile mshrs_;
  std::vector<TagArray::Line> filling_;                       // by MSHR
  std::vector<std::array<std::uint32_t, kSectors>> written_;  // by line: bytes of dirty sectors not valid
  std::vector<Kernel> kernels_;                               // the last: requests of no kernel

  Counter requests_, accesses_, hits_, misses_, lines_missed_;
  Counter line_misses_, sector_misses_, pending_hits_;
  Counter merges_, fills_, fill_bytes_moved_, write_backs_, write_back_bytes_, partial_write_backs_, atomics_;
};

const char* name_of(L2Cache::Stall stall);

}  // namespace heddle
