#pragma once
// A list of calls in which runs of equal calls are loops. It is made call by call, so that a long record
// whose calls repeat takes no more memory than one round of it.

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace heddle::imported {

struct FoldedLoop;

// A call, or a loop over calls.
struct FoldedItem {
  std::uint32_t call = 0;            // the number of the call; 0 for a loop
  std::uint64_t gap_ps = 0;          // of a call: the gaps before it, summed over its executions
  std::uint64_t hash = 0;            // equal items have equal hashes
  std::unique_ptr<FoldedLoop> loop;  // null for a call
};

struct FoldedLoop {
  std::uint64_t rounds = 2;
  std::vector<FoldedItem> body;
  std::uint32_t depth = 1;  // of loops, this one included
  std::uint64_t body_hash = 0;
};

// The calls are equal if their numbers are; gaps are not compared but added up. The rounds of all loops,
// written out, are exactly the calls that were added, in their order.
class FoldedCalls {
 public:
  static constexpr std::uint32_t kMostDepth = 8;         // of loops in loops
  static constexpr std::size_t kMostPeriod = 1U << 20U;  // items of a body

  FoldedCalls();

  // Appends a call. `gap_ps` is the time before it for which nothing was done.
  void add(std::uint32_t call, std::uint64_t gap_ps);

  const std::vector<FoldedItem>& items() const { return items_; }

 private:
  void push(FoldedItem item);
  FoldedItem pop();
  bool join_loop();  // the items behind a loop are one round more of it
  bool make_loop();  // the last items are equal to those before them
  std::uint64_t range_hash(std::size_t first, std::size_t end) const;

  std::vector<FoldedItem> items_;
  std::vector<std::uint64_t> prefix_;  // by number of items: the hash of the first ones
  std::vector<std::uint64_t> powers_;  // of the hash's base
  std::vector<std::size_t> loops_;     // the places of loops in items_, ascending
  std::unordered_map<std::uint64_t, std::vector<std::size_t>>
      places_;  // by hash: places in items_, ascending
};

// Returns the number of items, those in bodies included.
std::size_t size_of(const std::vector<FoldedItem>& items);

}  // namespace heddle::imported
