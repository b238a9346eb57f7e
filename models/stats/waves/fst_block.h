#pragma once
// An FstBlock is a value change block of the FST format: the changes of all variables in a span of time. It
// begins with a frame, the value of each variable at its begin, so that a reader can begin at any block.
//
//   begin, end   the span in picoseconds (8 bytes each)
//   memory       bytes of all chains before compression (8)
//   frame        lengths before and after compression, number of variables; values
//   chains       number of variables, kind of compression (1); for each variable its changes
//   places       where the chain of each variable begins, and the length of this table (8)
//   times        the times, each less the one before; lengths before and after compression, and the number of
//                times (8 each)
//
// Lengths and numbers without a size are varints. Chains are compressed with LZ4 where that makes them
// smaller. The frame and the times are not compressed, because they are short beside the chains: a full block
// has at least 128 changes for each variable.

#include <cstdint>
#include <string>
#include <vector>

namespace heddle {

class FstBlock {
 public:
  // The width of each variable in bits, or 0 for a real.
  explicit FstBlock(std::vector<unsigned> widths);

  // Begins a block at the time, and drops the changes of the last block. The frame has the characters 0, 1
  // and x of each vector, and the eight bytes of each real.
  void begin(std::uint64_t ps, std::string frame);
  void advance(std::uint64_t ps);  // the changes that follow are at this time
  void change(std::uint32_t variable, std::uint64_t value);
  bool has_begun() const { return !times_.empty(); }
  bool is_full() const { return changes_.size() >= most_changes_; }
  std::uint64_t end_ps() const { return times_.back(); }

  // Returns the bytes of the block without its type and length. They are valid until the next call.
  const std::string& bytes();

 private:
  struct Change {
    std::uint64_t value;
    std::uint32_t variable;
    std::uint32_t time;  // place in times_
  };

  void sort_changes();
  // Sets chain_ to the changes of a variable, which are those from `first` to `last` of order_.
  void make_chain(std::uint32_t variable, std::uint32_t first, std::uint32_t last);
  void append_value(unsigned width, std::uint32_t passed, std::uint64_t value);
  void append_chains();
  void append_chain();
  void append_times();

  const std::vector<unsigned> widths_;
  const std::size_t most_changes_;
  std::string frame_;
  std::vector<std::uint64_t> times_;
  std::vector<Change> changes_;  // in order of time

  // Buffers of bytes().
  std::vector<std::uint32_t> firsts_;  // by variable: where its changes begin in order_, and one more
  std::vector<std::uint32_t> order_;   // places in changes_, by variable and then by time
  std::string chain_, packed_;
  std::string chains_, places_, time_deltas_;
  std::uint64_t memory_ = 0;
  std::string bytes_;
};

}  // namespace heddle
