#pragma once
// An RtlLibrary is a loaded library of heddle_rtl.h, and an RtlInstance is one instance of its block. The
// library stays loaded as long as one of its instances exists.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/rtl/heddle_rtl.h"
#include "models/rtl/rtl_spec.h"

namespace heddle {

// A library that cannot be loaded, or an error that an instance reports: $fatal, no convergence and the like.
class RtlError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A pin or a published variable of one instance.
class RtlSignal {
 public:
  explicit RtlSignal(const heddle_rtl_signal& signal) : signal_(signal) {}

  static std::uint64_t low_bits(std::uint32_t count) { return ~std::uint64_t{0} >> (64 - count); }  // 1 to 64

  const char* name() const { return signal_.name; }
  std::uint32_t bits() const { return signal_.bits; }
  heddle_rtl_direction direction() const { return static_cast<heddle_rtl_direction>(signal_.direction); }

  // The lowest 64 bits; set() leaves the bits above as they are.
  std::uint64_t get() const {
    if (signal_.word_bytes == 8 || signal_.bits <= 32) return word(0);
    return get(0, std::min(signal_.bits, 64u));
  }
  void set(std::uint64_t value) {
    if (signal_.word_bytes == 8 || signal_.bits <= 32) return set_word(0, value);
    set(0, std::min(signal_.bits, 64u), value);
  }

  // `count` bits from bit `low` on, which lie within the signal; `count` is 1 to 64.
  std::uint64_t get(std::uint32_t low, std::uint32_t count) const {
    return signal_.bits <= word_bits() ? word(0) >> low & low_bits(count) : get_of_words(low, count);
  }
  void set(std::uint32_t low, std::uint32_t count, std::uint64_t value);
  // Sets a signal of one bit, such as a clock.
  void set_flag(bool value) { *static_cast<unsigned char*>(signal_.value) = value ? 1 : 0; }
  void clear();  // all bits are zero
  bool is_zero() const;
  std::string hex() const;  // the value in hexadecimal digits, without leading zeros

 private:
  std::uint64_t get_of_words(std::uint32_t low, std::uint32_t count) const;
  // The host stores the lowest byte first.
  std::uint64_t word(std::uint32_t i) const {
    const void* at = static_cast<const char*>(signal_.value) + std::size_t{i} * signal_.word_bytes;
    std::uint64_t value = 0;
    switch (signal_.word_bytes) {
      case 1:
        std::memcpy(&value, at, 1);
        break;
      case 2:
        std::memcpy(&value, at, 2);
        break;
      case 4:
        std::memcpy(&value, at, 4);
        break;
      default:
        std::memcpy(&value, at, 8);
    }
    return value;
  }
  void set_word(std::uint32_t i, std::uint64_t value) {
    void* at = static_cast<char*>(signal_.value) + std::size_t{i} * signal_.word_bytes;
    switch (signal_.word_bytes) {
      case 1:
        std::memcpy(at, &value, 1);
        break;
      case 2:
        std::memcpy(at, &value, 2);
        break;
      case 4:
        std::memcpy(at, &value, 4);
        break;
      default:
        std::memcpy(at, &value, 8);
    }
  }
  std::uint32_t word_bits() const { return signal_.word_bytes * 8; }
  std::uint32_t words() const { return (signal_.bits + word_bits() - 1) / word_bits(); }

  heddle_rtl_signal signal_;
};

class RtlInstance {
 public:
  ~RtlInstance();
  RtlInstance(const RtlInstance&) = delete;
  RtlInstance& operator=(const RtlInstance&) = delete;

  std::vector<RtlSignal>& signals() { return signals_; }
  RtlSignal* find(std::string_view name);  // null if there is no such signal

  // Adds a signal with the bits of the vector, which must outlive the instance. Evaluations give its bits to
  // the pins before, or take them from there after. Throws an RtlError if a pin is missing or lacks bits, if
  // there are inputs and outputs, or if the name is taken. Pointers into signals() are no longer valid.
  void add(const RtlVector& vector);

  // All throw an RtlError with the message of the instance.
  void eval() {
    for (Vector& vector : input_vectors_) vector.give();
    if (api_->eval(block_) != 0) fail();
    for (Vector& vector : output_vectors_) vector.take();
  }
  void trace_open(const std::string& file);
  void trace_dump(std::uint64_t time_ps);
  void trace_close();

 private:
  friend class RtlLibrary;
  RtlInstance(std::shared_ptr<void> handle, const heddle_rtl_api* api, std::uint64_t seed);
  [[noreturn]] void fail() const;

  // The bits of a vector and where they are in the pins.
  struct Vector {
    struct Part {
      RtlSignal pin;
      std::uint32_t low = 0;    // in the pin
      std::uint32_t at = 0;     // in the vector
      std::uint32_t count = 0;  // 64 at most
    };
    std::unique_ptr<std::uint32_t[]> words;
    RtlSignal signal;
    std::vector<Part> parts;
    void give();  // sets the pins
    void take();  // reads the pins
  };

  std::shared_ptr<void> handle_;  // of the loaded library
  const heddle_rtl_api* api_;
  heddle_rtl_block* block_;
  std::vector<RtlSignal> signals_;
  std::vector<Vector> input_vectors_, output_vectors_;
};

class RtlLibrary {
 public:
  // Loads the library of this file. Throws an RtlError that names the file: it cannot be loaded, does not
  // export heddle_rtl(), or has another version of the interface.
  static std::shared_ptr<const RtlLibrary> load(const std::string& file);

  const std::string& file() const { return file_; }
  std::string top() const { return api_->top; }
  std::string tool() const { return api_->tool; }
  // The instance has the vectors, which must outlive it, beside its pins.
  std::unique_ptr<RtlInstance> create(std::uint64_t seed, const std::vector<RtlVector>& vectors = {}) const;

 private:
  RtlLibrary(std::string file, std::shared_ptr<void> handle, const heddle_rtl_api* api);

  std::string file_;
  std::shared_ptr<void> handle_;
  const heddle_rtl_api* api_;
};

}  // namespace heddle
