#pragma once
// The RegisterPorts are the read ports of the register file of a sub-core: two banks, by register number mod
// 2, with one port each. An instruction of fixed latency reads in the three cycles behind its allocation. It
// is allocated in the first cycle in which both ports have as many free cycles there as it has registers to
// read (Huerta et al., MICRO 2025, section 5.3).

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/core/base/ids.h"

namespace heddle {

class RegisterPorts {
 public:
  using Reads = std::array<std::uint32_t, 2>;  // by bank: registers, up to kMostReads
  static constexpr std::uint32_t kWindow = 3;
  static constexpr std::uint32_t kMostReads = 16;

  void reset() {
    since_ = booked_until_ = Cycle{0};
    taken_ = {};
  }

  // Books the reads of an instruction that can be allocated from the cycle `from` on, which is not before
  // that of an earlier call. Returns the cycle of its allocation. An instruction that reads more registers of
  // a bank than the window has cycles takes the port for as many cycles.
  Cycle allocate(const Reads& reads, Cycle from) { return allocate(reads[0], reads[1], from); }
  // The same, with the reads of each bank.
  [[gnu::always_inline]] Cycle allocate(std::uint32_t first, std::uint32_t second, Cycle from) {
    if (from < booked_until_) return find_window({first, second}, from);
    // The reads take the first cycles after `from`, in which both ports are free.
    since_ = from;
    taken_[0] = ones(first) << 1;
    taken_[1] = ones(second) << 1;
    booked_until_ = from + std::max(first, second);
    return from;
  }

  // Books reads in the first free cycles behind `from`, or behind that of an earlier call if it is later.
  // Returns the cycle of the last one, or `from`.
  Cycle read(const Reads& reads, Cycle from) {
    advance(from);
    std::uint64_t last = 0;
    for (std::size_t bank = 0; bank < 2; ++bank)
      last = std::max(last, take(bank, ~std::uint64_t{1}, reads[bank]));
    booked_until_ = std::max(booked_until_, since_ + last);
    return last == 0 ? from : since_ + last;
  }

 private:
  // The same as allocate(), for ports of which one is booked after the cycle `from`.
  [[gnu::noinline]] Cycle find_window(Reads reads, Cycle from) {
    advance(from);
    std::uint64_t window = ones(std::max(kWindow, std::max(reads[0], reads[1]))) << 1;
    for (;; window <<= 1, from = from + 1) {
      const std::uint64_t first = first_free(0, window, reads[0]);
      const std::uint64_t second = first_free(1, window, reads[1]);
      if (first == kTooFew || second == kTooFew) continue;
      taken_[0] |= first;
      taken_[1] |= second;
      booked_until_ = std::max(booked_until_, since_ + last_of(first | second));
      return from;
    }
  }
  static std::uint64_t ones(std::uint32_t count) { return (std::uint64_t{1} << count) - 1; }
  static std::uint64_t last_of(std::uint64_t cycles) {  // the number of the highest bit, or 0
    return cycles == 0 ? 0 : 63 - static_cast<std::uint64_t>(__builtin_clzll(cycles));
  }
  // From here on bit i of `taken_` stands for the cycle i after `now`.
  void advance(Cycle now) {
    if (now <= since_) return;
    const std::uint64_t cycles = now - since_;
    for (std::uint64_t& taken : taken_) taken = cycles < 64 ? taken >> cycles : 0;
    since_ = now;
  }
  // Returns a mask of the first free cycles of the window, one for each read, or kTooFew if there are not so
  // many. No such mask has bit 0, which stands for the present cycle.
  static constexpr std::uint64_t kTooFew = 1;
  std::uint64_t first_free(std::size_t bank, std::uint64_t window, std::uint32_t reads) const {
    const std::uint64_t free = window & ~taken_[bank];
    std::uint64_t left = free;
    for (; reads > 0; --reads, left &= left - 1)
      if (left == 0) return kTooFew;
    return free ^ left;
  }
  // Takes the first free cycles of the window. Returns the number of the last one, or 0.
  std::uint64_t take(std::size_t bank, std::uint64_t window, std::uint32_t reads) {
    std::uint64_t last = 0;
    for (std::uint64_t free = window & ~taken_[bank]; reads > 0; --reads, free &= free - 1) {
      last = static_cast<std::uint64_t>(__builtin_ctzll(free));
      taken_[bank] |= std::uint64_t{1} << last;
    }
    return last;
  }

  Cycle since_{0};
  Cycle booked_until_{0};                 // no port is booked after this cycle
  std::array<std::uint64_t, 2> taken_{};  // by bank
};

}  // namespace heddle
