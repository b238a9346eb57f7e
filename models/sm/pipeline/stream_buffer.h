#pragma once
// The StreamBuffer says which lines of code the front end requests before a warp asks for them: those that
// follow the line of the last miss (Jouppi, ISCA 1990, section 4). It goes on by a line for each of its lines
// that a warp fetches from. The lines are kept in the instruction cache.

#include <cstdint>

#include "models/core/base/ids.h"

namespace heddle {

class StreamBuffer {
 public:
  // It is `lines` ahead; with 0 lines it asks for none.
  StreamBuffer(std::uint32_t lines, std::uint32_t line_bytes)
      : line_bytes_(line_bytes), ahead_(lines * line_bytes) {}

  // A warp of the block in that block slot missed or fetched from the line at `pc`, a multiple of the line's
  // size.
  void missed(std::uint32_t block_slot, AccountId account, std::uint32_t pc) {
    block_slot_ = block_slot;
    account_ = account;
    next_ = pc + line_bytes_;
    end_ = next_ + ahead_;
  }
  void fetched(AccountId account, std::uint32_t pc) {
    const std::uint32_t end = pc + line_bytes_ + ahead_;
    if (account == account_ && end > end_ && pc < end_) end_ = end;
  }

  bool wants_line() const { return next_ < end_; }
  // These are of the next line: where it starts, the slot of the block that missed, and its launch.
  std::uint32_t pc() const { return next_; }
  std::uint32_t block_slot() const { return block_slot_; }
  AccountId account() const { return account_; }
  void pop() { next_ += line_bytes_; }
  void stop() { end_ = next_ = 0; }

 private:
  const std::uint32_t line_bytes_;
  const std::uint32_t ahead_;
  std::uint32_t block_slot_ = 0;
  AccountId account_;
  std::uint32_t next_ = 0;
  std::uint32_t end_ = 0;  // the line before which it stops
};

}  // namespace heddle
