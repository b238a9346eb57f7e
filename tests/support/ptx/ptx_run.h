#pragma once
// A PTX kernel run for its results: buffers and parameters in, buffers, printed text or a fault's message
// out.

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "stimuli/functional/functional_run.h"
#include "stimuli/ptx/execute/launch.h"

namespace heddle::ptx {

// A module with an entry `k` around the body. Its parameters are two addresses, which lie in %rd0 and %rd1;
// %r0 is %tid.x. Registers: %r and %f of 32 bits, %rd and %d of 64, %h of 16, predicates %p.
std::string kernel_text(const std::string& body, const std::string& declarations = "");

class PtxRun {
 public:
  explicit PtxRun(const std::string& text, const std::string& entry = "k");

  Dim3 grid;
  Dim3 block{32, 1, 1};
  std::uint32_t dynamic_shared = 0;
  std::map<std::string, Texture> textures;  // by variable
  std::map<std::uint64_t, Texture> handles;

  // A buffer; its address is the next parameter.
  template <typename T>
  Address buffer(const std::vector<T>& values, const std::string& name = "buffer") {
    const Address at = memory_.allocate(values.size() * sizeof(T), name);
    memory_.write(at, values.data(), values.size() * sizeof(T));
    pass(at);
    return at;
  }
  // The next parameter, at its own alignment.
  template <typename T>
  void pass(const T& value) {
    pass_bytes(&value, sizeof(T), alignof(T));
  }
  void pass_bytes(const void* value, std::size_t bytes, std::size_t alignment);

  void execute();         // throws what the run throws
  std::string failure();  // ... the message of it; empty: there was none

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
  Launch launch();  // as execute() makes it

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
};

// The 64-bit words that the kernel around the body leaves: `words` of them in a buffer of zeros at %rd0, with
// `input` at %rd1.
std::vector<std::uint64_t> words_of(const std::string& body, std::size_t words,
                                    const std::vector<std::uint64_t>& input = {},
                                    const std::string& declarations = "");

}  // namespace heddle::ptx
