#include "models/sm/timed/state_transfers.h"

#include <algorithm>

namespace heddle {

void StateTransfers::reset() {
  transfers_.clear();
  rate_ = 0;
  since_ = Cycle{};
}

void StateTransfers::add(const Transfer& transfer, std::uint64_t bytes, Cycle now) {
  advance(now);
  transfers_.push_back({transfer, bytes << kRateBits});
}

std::optional<StateTransfers::Transfer> StateTransfers::give_up(KsrId ksr, BlockId block, Cycle now) {
  advance(now);
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    Transfer transfer = transfers_[i].transfer;
    if (!transfer.loads || transfer.ksr != ksr || transfer.block != block) continue;
    erase(i);
    return transfer;
  }
  return std::nullopt;
}

void StateTransfers::remove_all(KsrId ksr, std::vector<Transfer>& transfers, Cycle now) {
  advance(now);
  for (std::size_t i = 0; i < transfers_.size();) {
    if (transfers_[i].transfer.ksr != ksr) {
      ++i;
      continue;
    }
    transfers.push_back(transfers_[i].transfer);
    erase(i);
  }
}

void StateTransfers::set_rate(std::uint64_t bytes_per_cycle, Cycle now) {
  advance(now);
  rate_ = bytes_per_cycle;
}

Cycle StateTransfers::next_end() const {
  if (transfers_.empty() || rate_ == 0) return Cycle::never();
  return since_ + (transfers_.front().left + rate_ - 1) / rate_;
}

// What the cycle of the end has moved beyond it belongs to the next transfer.
StateTransfers::Transfer StateTransfers::take_ended(Cycle now) {
  const std::uint64_t moved = (now - since_) * rate_;
  const std::uint64_t beyond = moved - std::min(moved, transfers_.front().left);
  Transfer ended = transfers_.front().transfer;
  erase(0);
  if (!transfers_.empty()) transfers_.front().left -= std::min(beyond, transfers_.front().left);
  since_ = now;
  return ended;
}

// The transfer in front does not end before `now`, because the SM takes the ended ones away.
void StateTransfers::advance(Cycle now) {
  if (!transfers_.empty()) {
    std::uint64_t& left = transfers_.front().left;
    left -= std::min(left, (now - since_) * rate_);
  }
  since_ = now;
}

void StateTransfers::erase(std::size_t index) {
  transfers_.erase(transfers_.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace heddle
