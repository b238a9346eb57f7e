#pragma once
// An application with data of its own. Functions form its host script, and its kernels add a number to each
// word of a buffer. It needs no SystemC.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/host/api_program.h"
#include "models/host/host_script.h"

namespace heddle::test {

using Words = std::vector<std::uint32_t>;

// The computation to[i] = from[i] + addend for the first `words` words. `from` and `to` are the numbers of
// buffers of the application.
struct Addition {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t words = 0;
  std::uint32_t addend = 0;
  std::uint32_t delay = 0;  // instructions that each warp executes before its load
  // The message of an exception that the start of the first block throws, unless it is empty.
  std::string broken;
};

// A record of an application: for each execution the final contents of host memory by buffer, for each launch
// the addresses of the buffers, and the additions of all launches.
struct ApplicationLog {
  std::vector<std::vector<Words>> results;
  std::vector<std::vector<Address>> addresses;
  std::vector<Addition> opened;
};

struct ApplicationParts {
  std::vector<Addition> launches;  // by the number in the launch call
  std::function<void(HostMemory&)> start;
  std::function<void(std::uint32_t, HostMemory&)> perform;
  std::function<bool(std::uint32_t, HostMemory&)> again;
  std::function<void(HostMemory&)> finish;
};

Words read_words(HostMemory& memory, std::uint32_t buffer, std::size_t count, std::uint64_t offset = 0);
void write_words(HostMemory& memory, std::uint32_t buffer, const Words& words, std::uint64_t offset = 0);

// Builds an application call by call. Buffer i is named `b<i>` and has words[i] words.
class ApplicationBuilder {
 public:
  ApplicationBuilder(std::string name, const std::vector<std::uint32_t>& words, ApplicationParts parts);

  ApiCall& add(ApiCall::Kind kind, std::uint32_t buffer = 0);
  ApiCall& transfer(ApiCall::Kind kind, std::uint32_t buffer, std::uint64_t words, std::uint64_t offset = 0);
  // Adds a transfer of all bytes of the buffer.
  ApiCall& whole(ApiCall::Kind kind, std::uint32_t buffer);
  ApiCall& launch(std::uint32_t number);
  // Adds the calls that copy buffer 0 to the device, launch kernel 0 and copy buffer 1 to the host.
  void there_and_back();
  ApiCall& swap(std::uint32_t a, std::uint32_t b);
  ApiCall& host(std::uint32_t action);
  ApiCall& repeat_while(std::uint32_t action, std::uint64_t at_most);

  ApiProgram program;
  const std::shared_ptr<ApplicationLog> log = std::make_shared<ApplicationLog>();
};

}  // namespace heddle::test
