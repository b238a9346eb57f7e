// A virtual platform outside of Heddle that contains a Heddle GPU, with a CPU and a memory of its own. The
// CPU programs a command queue, launches one kernel, waits for its fence in memory and reads a counter by its
// name.
// Usage: consumer [platform]. The exit code is 0 if the kernel behaves as expected.

#include <systemc>
#include <tlm>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/gpu/gpu.h"
#include "models/host/command.h"
#include "models/host/register_map.h"
#include "platforms/load/platform_loader.h"

namespace {

namespace registers = heddle::registers;
using Payload = tlm::tlm_generic_payload;

constexpr std::uint64_t kRing = 0x1000;
constexpr std::uint64_t kRingEntries = 16;
constexpr std::uint64_t kKernel = 0x2000;
constexpr std::uint64_t kHead = 0x3000;
constexpr std::uint64_t kFence = 0x3040;
constexpr std::uint64_t kBlocks = 80;
constexpr std::uint64_t kBlockCycles = 5000;

class Memory : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  explicit Memory(sc_core::sc_module_name name) : sc_core::sc_module(name), bytes_(0x10000) {
    socket.bind(*this);
  }

  tlm::tlm_target_socket<> socket{"socket"};
  sc_core::sc_event written;

  unsigned char* at(std::uint64_t address) { return &bytes_.at(address); }

 private:
  void b_transport(Payload& payload, sc_core::sc_time& delay) override {
    delay += sc_core::sc_time(100, sc_core::SC_NS);
    payload.set_response_status(access(payload) == 0 ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                                                     : tlm::TLM_OK_RESPONSE);
    if (payload.is_write()) written.notify(delay);
  }
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
    b_transport(payload, delay);
    return tlm::TLM_COMPLETED;
  }
  unsigned int transport_dbg(Payload& payload) override { return access(payload); }
  bool get_direct_mem_ptr(Payload&, tlm::tlm_dmi&) override { return false; }

  unsigned int access(Payload& payload) {
    const unsigned int length = payload.get_data_length();
    if (payload.get_address() > bytes_.size() || length > bytes_.size() - payload.get_address()) return 0;
    unsigned char* const memory = bytes_.data() + payload.get_address();
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), memory, length);
    if (payload.is_write()) std::memcpy(memory, payload.get_data_ptr(), length);
    return length;
  }

  std::vector<unsigned char> bytes_;
};

class Cpu : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  Cpu(sc_core::sc_module_name name, Memory& memory) : sc_core::sc_module(name), memory_(memory) {
    socket.bind(*this);
    SC_HAS_PROCESS(Cpu);
    SC_THREAD(run);
  }

  tlm::tlm_initiator_socket<> socket{"socket"};
  bool done = false;

  // Reads the counter by debug access, which takes no time and is possible after the end of the simulation.
  std::uint64_t counter(const std::string& name) {
    const std::uint64_t counters = inspect(registers::kCounters, 8).second;
    for (std::uint64_t i = 0; i < counters; ++i)
      if (inspect(registers::kCounterNames + registers::kNameBytes * i, registers::kNameBytes)
              .first.c_str() == name)
        return inspect(registers::kCounterValues + 8 * i, 8).second;
    throw std::runtime_error("no counter " + name);
  }

 private:
  void run() {
    if (load(registers::kId) != registers::kIdValue) throw std::runtime_error("no Heddle GPU answers");
    heddle::KernelLaunch launch;
    launch.blocks = kBlocks;
    launch.shape.threads = 256;
    launch.block_cycles = kBlockCycles;
    const heddle::Descriptor kernel = heddle::encode_kernel(launch);
    heddle::Command command;
    command.kind = heddle::Command::Kind::kLaunch;
    command.context = heddle::ContextId{0};
    command.stream = heddle::StreamId{0};
    command.fence_address = kFence;
    command.fence_value = 1;
    const heddle::Descriptor descriptor = heddle::encode_command(command, kKernel);
    std::copy(kernel.begin(), kernel.end(), memory_.at(kKernel));
    std::copy(descriptor.begin(), descriptor.end(), memory_.at(kRing));

    store(registers::queue(0, registers::kBase), kRing);
    store(registers::queue(0, registers::kEntries), kRingEntries);
    store(registers::queue(0, registers::kWriteback), kHead);
    store(registers::queue(0, registers::kTail), 1);
    while (heddle::load_u64(memory_.at(kFence)) != 1) wait(memory_.written);
    done = heddle::load_u64(memory_.at(kHead)) == 1 && load(registers::kError) == 0;
    sc_core::sc_stop();
  }

  std::uint64_t transfer(tlm::tlm_command command, std::uint64_t address, std::uint64_t value) {
    unsigned char bytes[8];
    heddle::store_u64(bytes, value);
    Payload payload;
    fill(payload, command, address, bytes, 8);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    wait(delay);
    if (!payload.is_response_ok()) throw std::runtime_error("a register access failed");
    return heddle::load_u64(bytes);
  }
  void store(std::uint64_t address, std::uint64_t value) { transfer(tlm::TLM_WRITE_COMMAND, address, value); }
  std::uint64_t load(std::uint64_t address) { return transfer(tlm::TLM_READ_COMMAND, address, 0); }

  std::pair<std::string, std::uint64_t> inspect(std::uint64_t address, std::uint64_t count) {
    std::string bytes(count, '\0');
    Payload payload;
    auto* const data = reinterpret_cast<unsigned char*>(bytes.data());
    fill(payload, tlm::TLM_READ_COMMAND, address, data, static_cast<unsigned int>(count));
    if (socket->transport_dbg(payload) != count) throw std::runtime_error("a debug access fell short");
    return {bytes, heddle::load_u64(data)};
  }

  static void fill(Payload& payload, tlm::tlm_command command, std::uint64_t address, unsigned char* bytes,
                   unsigned int count) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(bytes);
    payload.set_data_length(count);
    payload.set_streaming_width(count);
  }

  tlm::tlm_sync_enum nb_transport_bw(Payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  Memory& memory_;
};

}  // namespace

int sc_main(int argc, char** argv) {
  try {
    const heddle::GpuSpec spec = heddle::load_platform(argc > 1 ? argv[1] : "k20-cusched");
    heddle::Gpu gpu("gpu", spec);
    Memory memory("memory");
    Cpu cpu("cpu", memory);
    cpu.socket.bind(gpu.mmio());
    gpu.system().bind(memory.socket);
    sc_core::sc_start();
    const std::uint64_t blocks = cpu.counter("gpu.engine.driver.blocks_done");
    const double us = sc_core::sc_time_stamp().to_seconds() * 1e6;
    std::printf("%s, %u SMs: %llu blocks done in %.3f us\n", spec.name.c_str(), spec.sm.count,
                static_cast<unsigned long long>(blocks), us);
    // All blocks run in one wave, which takes at least the residence time of a block. With all latencies it
    // takes less than twice that time.
    const double block_us = static_cast<double>(kBlockCycles) / spec.core_hz * 1e6;
    return cpu.done && blocks == kBlocks && us > block_us && us < 2 * block_us ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "consumer: %s\n", error.what());
    return 1;
  }
}
