// A virtual platform outside of Heddle that contains a Heddle GPU with cycle SMs. Its host has two programs,
// each with a context and a hardware queue of its own, so the platform has two queues or more. The first
// copies two arrays to the GPU, executes a kernel in PTX and copies the result back. The second replays the
// traces of kernelslist.g, which Accel-Sim's tracer writes. A monitor samples counters over `mmio` while both
// run. Usage: cycle_consumer KERNELSLIST [platform]. The exit code is 0 if the result is right.

#include <systemc>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "host_port.h"
#include "memory.h"
#include "models/core/kernel/program_library.h"
#include "models/gpu/gpu.h"
#include "platforms/load/platform_loader.h"
#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/execute/launch.h"
#include "stimuli/traceg/kernels_list.h"
#include "stimuli/traceg/trace_program.h"

namespace {

namespace ptx = heddle::ptx;
namespace registers = heddle::registers;
using Kind = heddle::Command::Kind;

constexpr heddle::ContextId kPtx{0};
constexpr heddle::ContextId kTraces{1};

// y[i] = a * x[i] + y[i]
constexpr const char* kText = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n) {
  .reg .pred %p;
  .reg .b32 %r<5>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<5>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r0, %r1, %r2, %r3;
  ld.param.u32 %r4, [n];
  setp.ge.u32 %p, %r0, %r4;
  @%p bra DONE;
  ld.param.u64 %rd0, [x];
  ld.param.u64 %rd1, [y];
  ld.param.f32 %f0, [a];
  mul.wide.u32 %rd2, %r0, 4;
  add.u64 %rd3, %rd0, %rd2;
  add.u64 %rd4, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  ld.global.f32 %f2, [%rd4];
  fma.rn.f32 %f3, %f0, %f1, %f2;
  st.global.f32 [%rd4], %f3;
DONE:
  ret;
}
)";
constexpr std::uint32_t kElements = 10000;
constexpr std::uint32_t kBytes = kElements * sizeof(float);
constexpr std::uint32_t kThreads = 256;
constexpr float kFactor = 3;

// A hardware queue: a ring of commands in system memory, behind it the kernel descriptors of its launches and
// the fence of its last command. Every command is on stream 0 of the queue's context, so that the GPU
// executes them one after the other.
class Queue {
 public:
  static constexpr std::uint64_t kEntries = 64;
  static constexpr std::uint64_t kSystemBytes = 0x10000;

  Queue(std::uint32_t number, heddle::ContextId context, Memory& memory)
      : number_(number), context_(context), base_(number * kSystemBytes), memory_(memory) {}

  void copy(Kind direction, std::uint64_t system_address, std::uint64_t device_address, std::uint64_t bytes) {
    heddle::Command command;
    command.kind = direction;
    command.system_address = system_address;
    command.device_address = device_address;
    command.bytes = bytes;
    add(command, 0);
  }

  // The kernel is number `tag` of its context in the program library, which gets `arguments` with the launch.
  void launch(std::uint32_t tag, std::uint64_t blocks, const heddle::BlockShape& shape,
              std::uint64_t arguments) {
    heddle::KernelLaunch launch;
    launch.tag = tag;
    launch.blocks = blocks;
    launch.shape = shape;
    launch.arguments = arguments;
    const heddle::Descriptor kernel = heddle::encode_kernel(launch);
    const std::uint64_t address = base_ + (kEntries + tail_) * heddle::kDescriptorBytes;
    std::copy(kernel.begin(), kernel.end(), memory_.at(address));
    heddle::Command command;
    command.kind = Kind::kLaunch;
    add(command, address);
  }

  // Tells the GPU of all commands.
  void submit(HostPort& gpu) {
    gpu.store(registers::queue(number_, registers::kBase), base_);
    gpu.store(registers::queue(number_, registers::kEntries), kEntries);
    gpu.store(registers::queue(number_, registers::kTail), tail_);
  }
  bool done() const { return heddle::load_u64(memory_.at(fence())) == tail_; }

 private:
  std::uint64_t fence() const { return base_ + kSystemBytes - 8; }

  void add(heddle::Command& command, std::uint64_t kernel) {
    if (tail_ == kEntries) throw std::runtime_error("the ring is full");
    command.context = context_;
    command.stream = heddle::StreamId{0};
    command.fence_address = fence();
    command.fence_value = tail_ + 1;
    const heddle::Descriptor descriptor = heddle::encode_command(command, kernel);
    std::copy(descriptor.begin(), descriptor.end(), memory_.at(base_ + tail_++ * heddle::kDescriptorBytes));
  }

  const std::uint32_t number_;
  const heddle::ContextId context_;
  const std::uint64_t base_;
  Memory& memory_;
  std::uint64_t tail_ = 0;
};

// The host gives each context its kernels before the simulation, and its commands during it.
class Host : public sc_core::sc_module {
 public:
  Host(sc_core::sc_module_name name, Memory& memory, const std::string& kernelslist)
      : sc_core::sc_module(name), memory_(memory), saxpy_(0, kPtx, memory), traces_(1, kTraces, memory) {
    for (const heddle::TraceCommand& command : heddle::read_kernels_list(kernelslist))
      if (command.kind == heddle::TraceCommand::Kind::kKernel) trace_files_.push_back(command.file);
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }

  HostPort port{"port"};

  // Adds an application for each context, in the order of the contexts. A function opens a kernel's
  // instructions when the first SM is set up for a launch of it.
  void add_programs(heddle::ProgramLibrary& programs, std::vector<heddle::DeviceMemory>& device) {
    device_ = &device[kPtx.value];
    load_saxpy();
    programs.add_application({[this](const heddle::KernelLaunch& launch) {
      return ptx::make_program(launches_.at(launch.arguments), *device_);
    }});
    std::vector<heddle::ProgramLibrary::Open> traces;
    for (const std::string& file : trace_files_)
      traces.emplace_back(
          [file](const heddle::KernelLaunch&) { return std::make_unique<heddle::TraceProgram>(file); });
    programs.add_application(std::move(traces));
  }

  // Returns the number of elements that are wrong after the simulation.
  std::uint32_t errors() const {
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < kElements; ++i) wrong += element(kY, i) == kFactor * x(i) + y(i) ? 0 : 1;
    return wrong;
  }
  bool done() const { return done_; }

 private:
  // Where the arrays are in system memory, behind both queues.
  static constexpr std::uint64_t kX = 2 * Queue::kSystemBytes;
  static constexpr std::uint64_t kY = kX + kBytes;

  static float x(std::uint32_t i) { return static_cast<float>(i % 1000); }
  static float y(std::uint32_t i) { return static_cast<float>(i % 7); }
  float element(std::uint64_t array, std::uint32_t i) const {
    float value = 0;
    std::memcpy(&value, memory_.at(array + i * sizeof value), sizeof value);
    return value;
  }

  // Loads the module into the device memory of its context, and describes the launch.
  void load_saxpy() {
    const auto module = std::make_shared<const ptx::Module>(ptx::parse_module(kText, "saxpy.ptx"));
    const heddle::Address code = device_->allocate(ptx::image_bytes(*module), "module");
    ptx::Image image = ptx::lay_out_image(module, code);
    device_->write(code, image.bytes.data(), image.bytes.size());
    x_ = device_->allocate(kBytes, "x");
    y_ = device_->allocate(kBytes, "y");

    ptx::Launch launch;
    launch.entry = static_cast<std::uint32_t>(module->entry("saxpy") - module->functions.data());
    launch.code = ptx::make_executable(std::move(image));
    launch.grid.x = (kElements + kThreads - 1) / kThreads;
    launch.block.x = kThreads;
    const auto pass = [&launch](const auto& value) {  // the parameters need no gaps between them
      const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
      launch.parameters.insert(launch.parameters.end(), bytes, bytes + sizeof value);
    };
    pass(x_);
    pass(y_);
    pass(kFactor);
    pass(kElements);
    if (const std::string problem = ptx::launch_problem(launch); !problem.empty())
      throw std::runtime_error(problem);
    launches_.push_back(launch);
  }

  void run() {
    for (std::uint32_t i = 0; i < kElements; ++i) {
      const float values[] = {x(i), y(i)};
      std::memcpy(memory_.at(kX + i * sizeof(float)), &values[0], sizeof(float));
      std::memcpy(memory_.at(kY + i * sizeof(float)), &values[1], sizeof(float));
    }
    saxpy_.copy(Kind::kCopyUp, kX, x_, kBytes);
    saxpy_.copy(Kind::kCopyUp, kY, y_, kBytes);
    saxpy_.launch(0, launches_[0].grid.count(), ptx::shape_of(launches_[0]), 0);
    saxpy_.copy(Kind::kCopyDown, kY, y_, kBytes);
    for (std::uint32_t tag = 0; tag < trace_files_.size(); ++tag) {
      const heddle::TraceHeader header = heddle::TraceProgram(trace_files_[tag]).header();
      traces_.launch(tag, header.blocks, header.shape, 0);
    }
    saxpy_.submit(port);
    traces_.submit(port);
    while (!saxpy_.done() || !traces_.done()) wait(memory_.written);
    done_ = port.load(registers::kError) == 0;
    sc_core::sc_stop();
  }

  Memory& memory_;
  Queue saxpy_;
  Queue traces_;
  std::vector<std::string> trace_files_;
  heddle::DeviceMemory* device_ = nullptr;
  heddle::Address x_ = 0;
  heddle::Address y_ = 0;
  std::vector<ptx::Launch> launches_;
  bool done_ = false;
};

// The monitor reads counters at regular intervals, as a driver's profiler does.
class Monitor : public sc_core::sc_module {
 public:
  explicit Monitor(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(Monitor);
    SC_THREAD(run);
  }

  HostPort port{"port"};
  std::uint64_t samples_at_work = 0;  // in which the GPU had issued instructions since the last sample

 private:
  void run() {
    const std::uint64_t sms = port.load(registers::kSms);
    std::vector<std::uint64_t> instructions;
    for (std::uint64_t sm = 0; sm < sms; ++sm)
      instructions.push_back(port.counter("gpu.sm" + std::to_string(sm) + ".warp_instructions"));
    const std::uint64_t blocks = port.counter("gpu.engine.driver.blocks_done");
    std::uint64_t last = 0;
    std::puts("   us  warp instructions  blocks done");
    while (true) {
      wait(sc_core::sc_time(1, sc_core::SC_US));
      std::uint64_t sum = 0;
      for (const std::uint64_t counter : instructions) sum += port.load(counter);
      std::printf("%5.1f  %17llu  %11llu\n", sc_core::sc_time_stamp().to_seconds() * 1e6,
                  static_cast<unsigned long long>(sum), static_cast<unsigned long long>(port.load(blocks)));
      if (sum > last) ++samples_at_work;
      last = sum;
    }
  }
};

}  // namespace

int sc_main(int argc, char** argv) {
  try {
    if (argc < 2) throw std::runtime_error("usage: cycle_consumer KERNELSLIST [platform]");
    const heddle::GpuSpec spec = heddle::load_platform(argc > 2 ? argv[2] : "kepler-titan");
    heddle::ProgramLibrary programs;
    heddle::GpuOptions options;
    options.programs = &programs;
    heddle::Gpu gpu("gpu", spec, options);
    gpu.observe(programs);  // a program is closed when its launch has ended
    Memory memory("memory", 0x100000);
    Host host("host", memory, argv[1]);
    host.add_programs(programs, gpu.device_memory());
    Monitor monitor("monitor");
    host.port.socket.bind(gpu.mmio());
    monitor.port.socket.bind(gpu.mmio());
    gpu.system().bind(memory.socket);
    sc_core::sc_start();
    const auto counter = [&host](const std::string& name) {
      return static_cast<unsigned long long>(host.port.inspect(host.port.counter(name)));
    };
    std::printf("%s: %llu kernels, %llu blocks, %u wrong elements\n", spec.name.c_str(),
                counter("gpu.engine.driver.kernels"), counter("gpu.engine.driver.blocks_done"),
                host.errors());
    return host.done() && host.errors() == 0 && monitor.samples_at_work > 2 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cycle_consumer: %s\n", error.what());
    return 1;
  }
}
