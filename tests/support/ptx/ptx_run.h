#pragma once
// Runs a PTX kernel on buffers and parameters, and returns the contents of the buffers, the printed text or
// the message of a fault.

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/functional/functional_run.h"
#include "stimuli/ptx/analysis/spilling.h"
#include "stimuli/ptx/execute/launch.h"
#include "tests/support/phase_watch.h"

namespace heddle::ptx {

// Returns a module with an entry `k` around the body. The two parameters of the entry are addresses, which
// are loaded into %rd0 and %rd1; %r0 holds %tid.x. The registers are %r and %f of 32 bits, %rd and %d of 64
// bits, %h of 16 bits, and the predicates %p.
std::string kernel_text(const std::string& body, const std::string& declarations = "");

class PtxRun {
 public:
  // Kernels whose threads need more than `most_registers` spill.
  explicit PtxRun(const std::string& text, const std::string& entry = "k",
                  std::uint32_t most_registers = kAnyRegisters);

  Dim3 grid;
  Dim3 block{32, 1, 1};
  std::optional<Dim3> cluster;
  FunctionalOrder order = FunctionalOrder::kBlocks;
  std::uint32_t dynamic_shared = 0;
  CodeOptions options;
  std::map<std::string, Texture> textures;  // by variable
  std::map<std::uint64_t, Texture> handles;

  // Allocates a buffer with these values, passes its address as the next parameter and returns the address.
  template <typename T>
  Address buffer(const std::vector<T>& values, const std::string& name = "buffer") {
    const Address at = memory_.allocate(values.size() * sizeof(T), name);
    memory_.write(at, values.data(), values.size() * sizeof(T));
    pass(at);
    return at;
  }
  // Passes the next parameter, aligned as its type requires.
  template <typename T>
  void pass(const T& value) {
    pass_bytes(&value, sizeof(T), alignof(T));
  }
  void pass_bytes(const void* value, std::size_t bytes, std::size_t alignment);

  // Executes the kernel. Exceptions of the run reach the caller.
  void execute();
  // Executes the kernel and returns the message of its failure, or an empty string.
  std::string failure();

  template <typename T>
  std::vector<T> read(Address address, std::size_t count) const {
    std::vector<T> values(count);
    memory_.read(address, values.data(), count * sizeof(T));
    return values;
  }
  Address address_of(const std::string& variable) const;
  DeviceMemory& memory() { return memory_; }
  const std::string& printed() const { return console_.text; }
  const FunctionalCounts& counts() const { return counts_; }
  const PhaseCount& phases() const { return phases_; }
  // Returns the launch that execute() runs.
  Launch launch();

 private:
  struct Text final : Console {
    std::string text;
    void print(std::string_view more) override { text += more; }
  };

  DeviceMemory memory_;
  std::shared_ptr<const Executable> code_;
  std::uint32_t entry_ = 0;
  std::vector<std::byte> parameters_;
  Text console_;
  FunctionalCounts counts_;
  PhaseCount phases_;
};

// Executes kernel_text(body, declarations) and returns `words` words of 64 bits from a buffer at %rd0, which
// holds zeros at the start. %rd1 is the address of `input`.
std::vector<std::uint64_t> words_of(const std::string& body, std::size_t words,
                                    const std::vector<std::uint64_t>& input = {},
                                    const std::string& declarations = "");

}  // namespace heddle::ptx
