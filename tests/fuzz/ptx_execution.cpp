#include "tests/fuzz/ptx_execution.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "stimuli/functional/functional_run.h"
#include "stimuli/ptx/execute/launch.h"
#include "tests/support/ptx/ptx_program.h"
#include "tests/support/ptx/ptx_text.h"

namespace heddle {
namespace {

constexpr std::uint64_t kMostIssues = 20000;  // per launch
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 22U;
constexpr std::uint64_t kBufferBytes = 4096;

struct Enough {};

// Forwards the instructions of the inner program, and throws Enough after kMostIssues of them.
class Bounded final : public KernelProgram {
 public:
  explicit Bounded(KernelProgram& inner) : inner_(inner) {}

  BlockStream& start(BlockId block) override {
    streams_.push_back(std::make_unique<Stream>(inner_.start(block), issues_));
    return *streams_.back();
  }
  void finish(BlockStream& stream) override { inner_.finish(static_cast<Stream&>(stream).inner); }

 private:
  struct Stream final : BlockStream {
    Stream(BlockStream& stream, std::uint64_t& all_issues) : inner(stream), issues(all_issues) {}
    const Instruction* peek(std::uint32_t warp, std::uint32_t ahead) override {
      return inner.peek(warp, ahead);
    }
    void issue(std::uint32_t warp, IssuedInstruction& issued) override {
      if (++issues > kMostIssues) throw Enough{};
      inner.issue(warp, issued);
    }
    bool waits(std::uint32_t warp) override { return inner.waits(warp); }
    const std::vector<BulkCopy>& bulk_copies() const override { return inner.bulk_copies(); }
    void complete(std::uint64_t number) override { inner.complete(number); }
    const std::vector<ClusterMessage>& cluster_messages() const override { return inner.cluster_messages(); }
    void receive(const ClusterMessage& signal) override { inner.receive(signal); }
    BlockStream* block_of_cluster(std::uint32_t rank) override { return inner.block_of_cluster(rank); }
    BlockStream& inner;
    std::uint64_t& issues;
  };

  KernelProgram& inner_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::uint64_t issues_ = 0;
};

// Returns parameters in which every 8 bytes are the address of one buffer.
std::vector<std::byte> parameters_for(const ptx::Function& entry, DeviceMemory& memory) {
  const Address buffer = memory.allocate(kBufferBytes, "buffer");
  std::vector<std::byte> bytes(entry.parameter_bytes);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(buffer))
    std::memcpy(bytes.data() + at, &buffer, std::min(sizeof(buffer), bytes.size() - at));
  return bytes;
}

ptx::Texture texture_in(DeviceMemory& memory) {
  ptx::Texture texture;
  texture.address = memory.allocate(kBufferBytes, "texture");
  texture.width = 16;
  texture.height = 8;
  texture.pitch = 64;
  texture.linear_filter = true;
  return texture;
}

void launch_one(ptx::Launch launch, DeviceMemory& memory) {
  const ptx::Function& entry = ptx::image_of(*launch.code).module->functions[launch.entry];
  launch.grid = {2, 1, 1};
  launch.block = {48, 2, 1};
  if (entry.reqntid[0] != 0) launch.block = {entry.reqntid[0], entry.reqntid[1], entry.reqntid[2]};
  launch.parameters = parameters_for(entry, memory);
  const ptx::Texture texture = texture_in(memory);
  for (std::uint32_t i = 0; i < ptx::image_of(*launch.code).module->variables.size(); ++i)
    launch.textures[i] = texture;
  if (entry.static_shared_bytes > kMostBytes || !ptx::launch_problem(launch).empty()) return;
  if (launch.block.count() * entry.local_bytes > kMostBytes) return;
  const std::unique_ptr<KernelProgram> program = ptx::make_program(launch, memory);
  Bounded bounded(*program);
  try {
    run_functionally(bounded, 1, ptx::shape_of(launch));
  } catch (const Enough&) {
  } catch (const ptx::Fault&) {
  } catch (const std::runtime_error& error) {
    if (std::strncmp(error.what(), "deadlock", 8) != 0) throw;
  }
}

}  // namespace

std::vector<std::string> executed_samples() {
  std::vector<std::string> samples;
  for (std::size_t turn = 0; turn < 6; ++turn) {
    std::string body;
    for (const ptx::Form& form : ptx::forms()) {
      const std::string text = ptx::sample_of(form, turn).text;
      const ptx::Opcode opcode = form.opcode;
      const bool ends = opcode == ptx::Opcode::kBra || opcode == ptx::Opcode::kTrap ||
                        opcode == ptx::Opcode::kExit || opcode == ptx::Opcode::kRet;
      if (ends) continue;
      if (const std::size_t at = text.find("[%u64_"); at != std::string::npos)
        body += "ld.param.u64 " + text.substr(at + 1, 7) + ", [p];\n";
      body += text + "\n";
    }
    samples.push_back(ptx::kernel(body));
  }
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    samples.push_back(ptx::text_of(ptx::random_program(random)));
  }
  return samples;
}

void execute_some(const ptx::Module& module) {
  if (ptx::image_bytes(module) > kMostBytes) return;
  DeviceMemory memory;
  const auto shared = std::make_shared<const ptx::Module>(module);
  const Address at = memory.allocate(ptx::image_bytes(module), "module");
  ptx::Image image = ptx::lay_out_image(shared, at);
  memory.write(at, image.bytes.data(), image.bytes.size());
  ptx::Launch launch;
  launch.code = ptx::make_executable(std::move(image));
  for (launch.entry = 0; launch.entry < module.functions.size(); ++launch.entry)
    if (module.functions[launch.entry].entry) launch_one(launch, memory);
}

}  // namespace heddle
