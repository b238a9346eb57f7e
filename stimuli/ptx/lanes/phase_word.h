#pragma once
// A PhaseWord is the 64 bits of a barrier object in shared memory (PTX ISA, "mbarrier"). A phase of the
// barrier is complete when no arrival and no byte of a copy is outstanding; then the next phase begins. PTX
// leaves it to the machine what the bits mean.

#include <cstdint>

namespace heddle::ptx {

class PhaseWord {
 public:
  static constexpr std::uint32_t kMostArrivals = (1U << 20U) - 1;
  static constexpr std::int64_t kMostBytes = (1 << 20) - 1;  // outstanding, and the least is -kMostBytes

  explicit PhaseWord(std::uint64_t bits) : bits_(bits) {}
  // Returns the word of a new barrier object. Each of its phases has `arrivals` arrivals, 1 .. kMostArrivals.
  static PhaseWord of(std::uint32_t arrivals) {
    PhaseWord word(0);
    word.set(kPending, arrivals);
    word.set(kExpected, arrivals);
    word.set(kBytes, kMostBytes);
    return word;
  }

  std::uint64_t bits() const { return bits_; }
  // Returns whether the bits can be those of a barrier object. Memory without a barrier object holds zeros.
  bool is_valid() const { return get(kExpected) != 0 || get(kPending) != 0 || get(kBytes) != 0; }
  std::uint32_t parity() const { return static_cast<std::uint32_t>(bits_ >> 63U); }    // of the present phase
  std::uint32_t pending() const { return static_cast<std::uint32_t>(get(kPending)); }  // arrivals
  std::uint32_t expected() const { return static_cast<std::uint32_t>(get(kExpected)); }
  std::int64_t bytes() const { return static_cast<std::int64_t>(get(kBytes)) - kMostBytes; }  // outstanding

  // Each of the next four functions returns false, and changes nothing, if a number would leave its range.
  // Each of the first three may end the phase.
  //
  // The phase also waits for so many bytes of copies.
  bool expect(std::uint32_t bytes) { return add_bytes(std::int64_t{bytes}); }
  // So many bytes of a copy have arrived.
  bool receive(std::uint32_t bytes) { return add_bytes(-std::int64_t{bytes}); }
  // So many threads arrive, 1 .. pending().
  bool arrive(std::uint32_t arrivals) {
    if (arrivals == 0 || arrivals > pending()) return false;
    set(kPending, pending() - arrivals);
    end_phase();
    return true;
  }
  // Each later phase has so many arrivals fewer.
  bool drop(std::uint32_t arrivals) {
    if (arrivals > expected()) return false;
    set(kExpected, expected() - arrivals);
    return true;
  }

 private:
  struct Field {
    std::uint32_t first;
    std::uint32_t bits;
  };
  static constexpr Field kPending{0, 20};
  static constexpr Field kExpected{20, 20};
  static constexpr Field kBytes{40, 21};

  std::uint64_t get(Field field) const {
    return bits_ >> field.first & ((std::uint64_t{1} << field.bits) - 1);
  }
  void set(Field field, std::uint64_t value) {
    const std::uint64_t mask = ((std::uint64_t{1} << field.bits) - 1) << field.first;
    bits_ = (bits_ & ~mask) | value << field.first;
  }
  bool add_bytes(std::int64_t more) {
    const std::int64_t sum = bytes() + more;
    if (sum > kMostBytes || sum < -kMostBytes) return false;
    set(kBytes, static_cast<std::uint64_t>(sum + kMostBytes));
    end_phase();
    return true;
  }
  void end_phase() {
    if (pending() != 0 || bytes() != 0) return;
    bits_ ^= std::uint64_t{1} << 63U;
    set(kPending, expected());
  }

  std::uint64_t bits_;
};

}  // namespace heddle::ptx
