#pragma once
// A BankCounts says how often each register bank is accessed. It holds four bits for each bank, so that a few
// word operations cover all banks. There are at most 32 banks, and each is accessed at most 15 times.

#include <cstdint>

namespace heddle {

constexpr std::uint32_t kMostRegisterBanks = 32;

class BankCounts {
 public:
  BankCounts() = default;
  // The result counts by bank what `registers` counts by register number mod 32, for the warp in the slot
  // `warp`. The register file has `banks` banks, a power of two: bank = (register + warp) mod banks.
  static BankCounts of(const BankCounts& registers, std::uint32_t banks, std::uint32_t warp) {
    if (banks == kInWord) {
      const std::uint64_t sum = registers.low_ + registers.high_;
      return {rotated(sum, warp % kInWord * kBits), 0};
    }
    return banks < kInWord ? of_few(registers, banks, warp) : of_32(registers, warp);
  }

  // The same for one register, by its number mod 32.
  static BankCounts of_one(std::uint32_t number, std::uint32_t banks, std::uint32_t warp) {
    const std::uint32_t bank = (number + warp) & (banks - 1);
    if (banks <= kInWord) return {std::uint64_t{1} << (bank * kBits), 0};
    BankCounts counts;
    counts.add(bank);
    return counts;
  }

  void add(std::uint32_t bank) {
    const std::uint64_t one = std::uint64_t{1} << (bank % kInWord * kBits);
    const std::uint64_t upper = std::uint64_t{0} - (bank / kInWord);  // all bits are ones or all are zeros
    low_ += one & ~upper;
    high_ += one & upper;
  }

  std::uint32_t of_bank(std::uint32_t bank) const {
    return static_cast<std::uint32_t>((bank < kInWord ? low_ : high_) >> (bank % kInWord * kBits)) & 0xf;
  }
  bool empty() const { return (low_ | high_) == 0; }
  // Returns whether a bank is accessed more than once.
  bool conflicts() const { return ((low_ | high_) & ~kOnes) != 0; }
  // Returns whether both access a bank in common. Every count of both is at most one.
  bool meets(const BankCounts& other) const { return ((low_ & other.low_) | (high_ & other.high_)) != 0; }
  void merge(const BankCounts& other) {
    low_ |= other.low_;
    high_ |= other.high_;
  }

  // Returns the same banks, each accessed once.
  BankCounts once() const { return {wanted(low_), wanted(high_)}; }

  // Reads every accessed bank that is not in `busy` once, and adds all accessed banks to `busy`. Returns the
  // number of reads. Every count of `busy` is at most one.
  std::uint32_t read(BankCounts& busy) {
    std::uint32_t done = read(low_, busy.low_);
    if (high_ != 0) done += read(high_, busy.high_);
    return done;
  }

 private:
  static constexpr std::uint32_t kBits = 4;
  static constexpr std::uint32_t kInWord = 16;
  static constexpr std::uint64_t kOnes = 0x1111111111111111;

  BankCounts(std::uint64_t low, std::uint64_t high) : low_(low), high_(high) {}

  static std::uint64_t wanted(std::uint64_t counts) {
    counts |= counts >> 2;
    return (counts | counts >> 1) & kOnes;
  }
  // Rotates a word to the left, by less than 64 bits.
  static std::uint64_t rotated(std::uint64_t word, std::uint32_t left) {
    return word << left | word >> (-left % 64);
  }
  // Rotates a word of `width` bits, 64 at most.
  static std::uint64_t rotated(std::uint64_t word, std::uint32_t width, std::uint32_t left) {
    return left == 0 ? word : word << left | word >> (width - left);
  }
  static BankCounts of_few(const BankCounts& registers, std::uint32_t banks, std::uint32_t warp) {
    std::uint64_t sum = registers.low_ + registers.high_;
    std::uint32_t width = 64;
    while (width > banks * kBits) {
      width /= 2;
      sum = (sum >> width) + (sum & ((std::uint64_t{1} << width) - 1));
    }
    return {rotated(sum, width, warp % banks * kBits) & ((std::uint64_t{1} << width) - 1), 0};
  }
  static BankCounts of_32(const BankCounts& registers, std::uint32_t warp) {
    const std::uint32_t left = warp % kInWord * kBits;
    const bool swapped = warp % (2 * kInWord) >= kInWord;
    const std::uint64_t low = swapped ? registers.high_ : registers.low_;
    const std::uint64_t high = swapped ? registers.low_ : registers.high_;
    if (left == 0) return {low, high};
    return {low << left | high >> (64 - left), high << left | low >> (64 - left)};
  }

  static std::uint32_t read(std::uint64_t& counts, std::uint64_t& busy) {
    const std::uint64_t all = wanted(counts);
    const std::uint64_t granted = all & ~busy;
    counts -= granted;
    busy |= all;
    return static_cast<std::uint32_t>(__builtin_popcountll(granted));
  }

  std::uint64_t low_ = 0;   // banks 0 to 15
  std::uint64_t high_ = 0;  // banks 16 to 31
};

}  // namespace heddle
