#pragma once
// An application with data of its own: its script is made of functions, and its kernels add a number to each
// word of a buffer. No SystemC.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/host/api_program.h"
#include "models/host/host_script.h"

namespace heddle::test {

using Words = std::vector<std::uint32_t>;

// to[i] = from[i] + addend for the first `words` words. The buffers are the program's, by number.
struct Addition {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t words = 0;
  std::uint32_t addend = 0;
  std::uint32_t delay = 0;  // instructions of each warp before it reads
  std::string broken;       // thrown as the first block starts
};

// What an application did: for each execution what its host memory held in the end, by buffer, and where the
// buffers lay at each launch.
struct ApplicationLog {
  std::vector<std::vector<Words>> results;
  std::vector<std::vector<Address>> addresses;
  std::vector<Addition> opened;
};

struct ApplicationParts {
  std::vector<Addition> launches;  // by the calls' numbers
  std::function<void(HostMemory&)> start;
  std::function<void(std::uint32_t, HostMemory&)> perform;
  std::function<bool(std::uint32_t, HostMemory&)> again;
  std::function<void(HostMemory&)> finish;
};

Words read_words(HostMemory& memory, std::uint32_t buffer, std::size_t count, std::uint64_t offset = 0);
void write_words(HostMemory& memory, std::uint32_t buffer, const Words& words, std::uint64_t offset = 0);

// Calls are added one by one; buffers are `b0`, `b1`, ... of so many words.
class ApplicationBuilder {
 public:
  ApplicationBuilder(std::string name, const std::vector<std::uint32_t>& words, ApplicationParts parts);

  ApiCall& add(ApiCall::Kind kind, std::uint32_t buffer = 0);
  ApiCall& transfer(ApiCall::Kind kind, std::uint32_t buffer, std::uint64_t words, std::uint64_t offset = 0);
  ApiCall& whole(ApiCall::Kind kind, std::uint32_t buffer);  // of all its bytes
  ApiCall& launch(std::uint32_t number);
  ApiCall& swap(std::uint32_t a, std::uint32_t b);
  ApiCall& host(std::uint32_t action);
  ApiCall& repeat_while(std::uint32_t action, std::uint64_t at_most);

  ApiProgram program;
  const std::shared_ptr<ApplicationLog> log = std::make_shared<ApplicationLog>();
};

}  // namespace heddle::test
