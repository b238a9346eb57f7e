#include "tests/support/scripted_application.h"

#include <algorithm>
#include <array>
#include <deque>
#include <stdexcept>
#include <utility>

namespace heddle::test {

namespace {

constexpr std::uint32_t kThreads = 64;

// An addition with the addresses of its buffers at its launch.
struct Arguments {
  Addition addition;
  Address from = 0;
  Address to = 0;
};

// The kernel of an addition. Each lane handles one word by a delay, a load, an add, a store and an exit.
class AdditionProgram : public KernelProgram {
 public:
  AdditionProgram(const Arguments& arguments, DeviceMemory& memory)
      : arguments_(arguments), memory_(memory), code_(arguments.addition.delay) {
    for (Instruction& delay : code_) {
      delay.operation = Operation::kIntAdd;
      delay.writes(1);
      delay.reads(1);
    }
    Instruction load = access(Operation::kLoad);
    load.writes(0);
    Instruction add;
    add.operation = Operation::kIntAdd;
    add.writes(0);
    add.reads(0);
    Instruction store = access(Operation::kStore);
    store.reads(0);
    Instruction exit;
    exit.operation = Operation::kExit;
    code_.insert(code_.end(), {load, add, store, exit});
    for (std::uint32_t i = 0; i < code_.size(); ++i) code_[i].pc = 8 * i;
  }

  BlockStream& start(BlockId block) override {
    if (!arguments_.addition.broken.empty()) throw std::runtime_error(arguments_.addition.broken);
    streams_.emplace_back(*this, block.value * kThreads);
    return streams_.back();
  }
  void finish(BlockStream&) override {}

 private:
  struct Stream : BlockStream {
    Stream(AdditionProgram& program, std::uint64_t first_element) : owner(program), first(first_element) {}
    const Instruction* peek(std::uint32_t warp, std::uint32_t ahead) override {
      const std::size_t at = next[warp] + ahead;
      return at < owner.code_.size() ? &owner.code_[at] : nullptr;
    }
    void issue(std::uint32_t warp, IssuedInstruction& issued) override {
      issued.code = &owner.code_[next[warp]++];
      issued.mask = 0;
      issued.ended = issued.code->operation == Operation::kExit;
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t word = first + warp * kLanes + lane;
        if (word >= owner.arguments_.addition.words) continue;
        issued.mask |= 1u << lane;
        owner.execute(*issued.code, values[warp * kLanes + lane], issued.addresses[lane], 4 * word);
      }
    }
    AdditionProgram& owner;
    const std::uint64_t first;  // index of the block's first word
    std::array<std::uint32_t, kThreads / kLanes> next{};
    std::array<std::uint32_t, kThreads> values{};
  };

  static Instruction access(Operation operation) {
    Instruction code;
    code.operation = operation;
    code.space = MemorySpace::kGlobal;
    code.bytes = 4;
    return code;
  }

  void execute(const Instruction& code, std::uint32_t& value, Address& address, std::uint64_t offset) {
    if (code.operation == Operation::kLoad) {
      address = arguments_.from + offset;
      memory_.read(address, &value, sizeof value);
    } else if (code.operation == Operation::kStore) {
      address = arguments_.to + offset;
      const std::uint32_t sum = value + arguments_.addition.addend;
      memory_.write(address, &sum, sizeof sum);
    }
  }

  const Arguments arguments_;
  DeviceMemory& memory_;
  std::vector<Instruction> code_;
  std::deque<Stream> streams_;
};

class Script : public HostScript {
 public:
  Script(ApplicationParts parts, std::vector<ApiBuffer> buffers, std::shared_ptr<ApplicationLog> log)
      : parts_(std::move(parts)), buffers_(std::move(buffers)), log_(std::move(log)) {}

  void start(HostMemory& memory) override {
    if (parts_.start) parts_.start(memory);
  }
  void perform(std::uint32_t action, HostMemory& memory) override { parts_.perform(action, memory); }
  bool again(std::uint32_t action, HostMemory& memory) override { return parts_.again(action, memory); }
  Launch launch(const ApiCall& call, HostMemory& memory) override {
    const Addition& addition = parts_.launches[call.number];
    made_.push_back({addition, memory.device_address(addition.from), memory.device_address(addition.to)});
    log_->addresses.push_back({made_.back().from, made_.back().to});
    return {(addition.words + kThreads - 1) / kThreads, {kThreads, 16, 0}, made_.size() - 1};
  }
  std::string restart_problem(std::uint64_t /*arguments*/, const DeviceMemory& /*memory*/) const override {
    return "it adds in place";
  }
  std::unique_ptr<KernelProgram> open(std::uint64_t arguments, DeviceMemory& memory,
                                      const CodeOptions& /*options*/) override {
    log_->opened.push_back(made_[arguments].addition);
    return std::make_unique<AdditionProgram>(made_[arguments], memory);
  }
  void finish(HostMemory& memory) override {
    log_->results.emplace_back();
    for (std::uint32_t i = 0; i < buffers_.size(); ++i)
      log_->results.back().push_back(read_words(memory, i, buffers_[i].bytes / 4));
    if (parts_.finish) parts_.finish(memory);
  }

 private:
  const ApplicationParts parts_;
  const std::vector<ApiBuffer> buffers_;
  const std::shared_ptr<ApplicationLog> log_;
  std::vector<Arguments> made_;
};

}  // namespace

Words read_words(HostMemory& memory, std::uint32_t buffer, std::size_t count, std::uint64_t offset) {
  Words words(count);
  memory.read(buffer, 4 * offset, words.data(), 4 * count);
  return words;
}

void write_words(HostMemory& memory, std::uint32_t buffer, const Words& words, std::uint64_t offset) {
  memory.write(buffer, 4 * offset, words.data(), 4 * words.size());
}

ApplicationBuilder::ApplicationBuilder(std::string name, const std::vector<std::uint32_t>& words,
                                       ApplicationParts parts) {
  program.name = std::move(name);
  program.streams = {"default", "other"};
  program.events = {"e"};
  program.kernels.emplace_back().name = "add";
  for (const std::uint32_t count : words)
    program.buffers.push_back({"b" + std::to_string(program.buffers.size()), 4ULL * count});
  program.make_script = [parts = std::move(parts), buffers = program.buffers, to = log] {
    return std::make_unique<Script>(parts, buffers, to);
  };
}

ApiCall& ApplicationBuilder::add(ApiCall::Kind kind, std::uint32_t buffer) {
  ApiCall& call = program.calls.emplace_back();
  call.kind = kind;
  call.buffer = buffer;
  return call;
}

ApiCall& ApplicationBuilder::transfer(ApiCall::Kind kind, std::uint32_t buffer, std::uint64_t words,
                                      std::uint64_t offset) {
  ApiCall& call = add(kind, buffer);
  call.bytes = 4 * words;
  call.offset = 4 * offset;
  return call;
}

ApiCall& ApplicationBuilder::whole(ApiCall::Kind kind, std::uint32_t buffer) {
  return transfer(kind, buffer, program.buffers[buffer].bytes / 4);
}

void ApplicationBuilder::there_and_back() {
  add(ApiCall::Kind::kAllocate, 0);
  add(ApiCall::Kind::kAllocate, 1);
  whole(ApiCall::Kind::kCopyUp, 0);
  launch(0);
  whole(ApiCall::Kind::kCopyDown, 1);
}

ApiCall& ApplicationBuilder::launch(std::uint32_t number) {
  ApiCall& call = add(ApiCall::Kind::kLaunch);
  call.number = number;
  return call;
}

ApiCall& ApplicationBuilder::swap(std::uint32_t a, std::uint32_t b) {
  ApiCall& call = add(ApiCall::Kind::kSwap, a);
  call.other = b;
  return call;
}

ApiCall& ApplicationBuilder::host(std::uint32_t action) {
  ApiCall& call = add(ApiCall::Kind::kHost);
  call.action = action;
  return call;
}

ApiCall& ApplicationBuilder::repeat_while(std::uint32_t action, std::uint64_t at_most) {
  ApiCall& call = add(ApiCall::Kind::kRepeat);
  call.action = action;
  call.count = at_most;
  return call;
}

}  // namespace heddle::test
