#pragma once
// The buffers of a captured program: its device memory by address, and data in host memory.

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/host/api_program.h"
#include "stimuli/capture/format/capture.h"

namespace heddle::capture {

// A call that no program can make. The message has no place.
class ImpossibleCall : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws ImpossibleCall with the message if the condition `good` does not hold.
inline void demand(bool good, const char* message) {
  if (!good) throw ImpossibleCall(message);
}

// Its functions throw ImpossibleCall.
class ReplayBuffers {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 39U;  // of all buffers

  explicit ReplayBuffers(ApiProgram& program) : program_(program) {}

  std::uint32_t add(const std::string& name, std::uint64_t bytes);  // Returns a buffer of the host's data.
  std::uint32_t allocate(Address address, std::uint64_t bytes, const std::string& name);
  std::uint32_t free(Address address);

  // Returns the buffer that contains all of the rows, and their offset in the buffer.
  std::pair<std::uint32_t, std::uint64_t> find(const Rows& rows) const;
  std::uint32_t at(Address address) const { return live_.at(address).buffer; }  // the start of an allocation
  const Address* lowest() const { return live_.empty() ? nullptr : &live_.begin()->first; }

 private:
  struct Place {
    std::uint32_t buffer = 0;
    std::uint64_t bytes = 0;
  };

  ApiProgram& program_;
  std::map<Address, Place> live_;  // what is allocated
  std::uint64_t bytes_ = 0;        // of all buffers
};

}  // namespace heddle::capture
