// A trace of breadth-first search from hardware, and the kernels that come with Heddle on the same graph. The
// memory accesses of both have the same structure. tests/data/traces states the source of the trace.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "stimuli/functional/functional_run.h"
#include "stimuli/ptx/analysis/module_loader.h"
#include "stimuli/ptx/execute/launch.h"
#include "stimuli/traceg/trace_program.h"
#include "tests/support/paths.h"

namespace heddle {
namespace {

constexpr std::uint32_t kNodes = 4096;
constexpr std::uint32_t kEdges = 24576;
constexpr int kLaunches = 16;

using Seen = std::function<void(BlockId block, std::uint32_t warp, const IssuedInstruction& issued)>;

// Passes every memory instruction of a program to an observer.
class Watched final : public KernelProgram {
 public:
  Watched(KernelProgram& program, Seen seen) : program_(program), seen_(std::move(seen)) {}

  BlockStream& start(BlockId block) override {
    streams_.push_back(std::make_unique<Stream>(program_.start(block), block, seen_));
    return *streams_.back();
  }
  void finish(BlockStream& stream) override { program_.finish(static_cast<Stream&>(stream).inner); }

 private:
  struct Stream final : BlockStream {
    Stream(BlockStream& stream, BlockId number, const Seen& callback)
        : inner(stream), block(number), seen(callback) {}
    const Instruction* peek(std::uint32_t warp, std::uint32_t ahead) override {
      return inner.peek(warp, ahead);
    }
    void issue(std::uint32_t warp, IssuedInstruction& issued) override {
      inner.issue(warp, issued);
      if (is_memory(issued.code->operation)) seen(block, warp, issued);
    }
    BlockStream& inner;
    BlockId block;
    const Seen& seen;
  };

  KernelProgram& program_;
  const Seen seen_;
  std::vector<std::unique_ptr<Stream>> streams_;
};

// The lane accesses to global memory, by their place in the code.
struct Accesses {
  std::map<std::uint32_t, std::uint64_t> loads;  // by pc
  std::map<std::uint32_t, std::uint64_t> stores;

  void add(const IssuedInstruction& issued) {
    if (issued.code->space != MemorySpace::kGlobal) return;
    const bool store = issued.code->operation == Operation::kStore;
    (store ? stores : loads)[issued.code->pc] += static_cast<std::uint64_t>(__builtin_popcount(issued.mask));
  }
  static std::vector<std::uint64_t> counts(const std::map<std::uint32_t, std::uint64_t>& by_pc) {
    std::vector<std::uint64_t> counts;
    for (const auto& [pc, count] : by_pc)
      if (count > 0) counts.push_back(count);  // a guard may be false in all lanes
    std::sort(counts.begin(), counts.end());
    return counts;
  }
  static std::uint64_t sum(const std::map<std::uint32_t, std::uint64_t>& by_pc) {
    const std::vector<std::uint64_t> all = counts(by_pc);
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  }
};

struct Traced {
  std::vector<Accesses> launches;
  std::map<std::uint32_t, std::vector<std::uint32_t>> edges;  // edges of visited nodes, in order
  std::uint32_t source = 0;
};

Traced read_trace() {
  // The order of the arrays follows from the copies of the program and from the parameters of its kernel.
  constexpr Address kMask = 0x7fc841520000;
  constexpr Address kVisited = 0x7fc841522000;
  Traced traced;
  for (int launch = 1; launch <= kLaunches; ++launch) {
    TraceProgram program(heddle::test::source_directory() + "/tests/data/traces/nvbit-bfs_sm80/kernel-" +
                         std::to_string(launch) + ".traceg.xz");
    const bool expands = program.header().kernel_name.find("Kernel2") == std::string::npos;
    Accesses accesses;
    Watched watched(program, [&](BlockId block, std::uint32_t warp, const IssuedInstruction& issued) {
      accesses.add(issued);
      if (!expands || issued.code->space != MemorySpace::kGlobal) return;
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        if ((issued.mask >> lane & 1U) == 0) continue;
        const Address address = issued.addresses[lane];
        const auto node = static_cast<std::uint32_t>(block.value * 512 + warp * kLanes + lane);
        const bool store = issued.code->operation == Operation::kStore;
        if (store && address >= kMask && address < kMask + kNodes) {
          if (launch == 1) traced.source = node;
          traced.edges[node];
        }
        if (!store && address >= kVisited && address < kVisited + kNodes)
          traced.edges[node].push_back(static_cast<std::uint32_t>(address - kVisited));
      }
    });
    run_functionally(watched, program.header().blocks, program.header().shape);
    traced.launches.push_back(accesses);
  }
  return traced;
}

class OwnSearch {
 public:
  explicit OwnSearch(const Traced& traced) {
    const auto module = std::make_shared<const ptx::Module>(
        ptx::load_module(heddle::test::source_directory() + "/stimuli/kernels/breadth_first_search.ptx"));
    ptx::Image image = ptx::lay_out_image(module, memory_.allocate(ptx::image_bytes(*module), "image"));
    memory_.write(image.address, image.bytes.data(), image.bytes.size());
    code_ = ptx::make_executable(image);
    std::vector<std::uint32_t> offsets{0};
    std::vector<std::uint32_t> columns;
    for (std::uint32_t node = 0; node < kNodes; ++node) {
      const auto known = traced.edges.find(node);
      if (known != traced.edges.end())
        columns.insert(columns.end(), known->second.begin(), known->second.end());
      offsets.push_back(static_cast<std::uint32_t>(columns.size()));
    }
    columns.resize(std::max<std::size_t>(columns.size(), 1));
    std::vector<std::uint8_t> flags(kNodes);
    flags[traced.source] = 1;
    std::vector<std::int32_t> levels(kNodes, -1);
    levels[traced.source] = 0;
    offsets_ = put("row_offsets", offsets);
    columns_ = put("columns", columns);
    frontier_ = put("frontier", flags);
    touched_ = put("touched", std::vector<std::uint8_t>(kNodes));
    visited_ = put("visited", flags);
    levels_ = put("levels", levels);
    go_on_ = put("go_on", std::vector<std::uint32_t>(1));
  }

  // Runs one level and adds the accesses of its two launches. Returns false after the last level.
  bool level(std::vector<Accesses>& launches) {
    memory_.fill(go_on_, std::byte{0}, 4);
    launches.push_back(launch("bfs_expand", {offsets_, columns_, frontier_, touched_, visited_, levels_}));
    launches.push_back(launch("bfs_update", {frontier_, touched_, visited_, go_on_}));
    std::uint32_t go_on = 0;
    memory_.read(go_on_, &go_on, sizeof(go_on));
    return go_on != 0;
  }

 private:
  template <typename Value>
  Address put(const char* name, const std::vector<Value>& values) {
    const Address at = memory_.allocate(values.size() * sizeof(Value), name);
    memory_.write(at, values.data(), values.size() * sizeof(Value));
    return at;
  }

  Accesses launch(const char* entry, const std::vector<Address>& arguments) {
    const ptx::Module& module = *ptx::image_of(*code_).module;
    ptx::Launch launch;
    launch.code = code_;
    while (module.functions[launch.entry].name != entry) ++launch.entry;
    launch.grid = {kNodes / 512, 1, 1};
    launch.block = {512, 1, 1};
    launch.parameters.resize(module.functions[launch.entry].parameter_bytes);
    std::memcpy(launch.parameters.data(), arguments.data(), arguments.size() * sizeof(Address));
    std::memcpy(launch.parameters.data() + arguments.size() * sizeof(Address), &kNodes, sizeof(kNodes));
    EXPECT_EQ(ptx::launch_problem(launch), "");
    Accesses accesses;
    const std::unique_ptr<KernelProgram> program = ptx::make_program(launch, memory_);
    Watched watched(*program,
                    [&](BlockId, std::uint32_t, const IssuedInstruction& issued) { accesses.add(issued); });
    run_functionally(watched, launch.grid.count(), ptx::shape_of(launch));
    return accesses;
  }

  DeviceMemory memory_;
  std::shared_ptr<const ptx::Executable> code_;
  Address offsets_ = 0;
  Address columns_ = 0;
  Address frontier_ = 0;
  Address touched_ = 0;
  Address visited_ = 0;
  Address levels_ = 0;
  Address go_on_ = 0;
};

TEST(BfsTrace, IsOfAGraphOfTheSizeThatWasCopied) {
  const Traced traced = read_trace();
  ASSERT_EQ(traced.launches.size(), 16u);
  std::size_t edges = 0;
  for (const auto& [node, targets] : traced.edges) edges += targets.size();
  EXPECT_EQ(traced.edges.size(), 4096u);
  EXPECT_EQ(edges, kEdges);
  EXPECT_EQ(traced.source, 0u);
}

TEST(BfsTrace, OwnSearchOnTheTracedGraphHasTheSameLoadsAndStores) {
  const Traced traced = read_trace();
  OwnSearch own(traced);
  std::vector<Accesses> launches;
  while (own.level(launches)) {
  }
  ASSERT_EQ(launches.size(), traced.launches.size());
  for (std::size_t i = 0; i < launches.size(); i += 2) {
    // Accesses are compared per node of the frontier, per edge, and per edge to an unvisited node. All stores
    // are equal. The loads that the program requests are equal, but each compiler keeps some values in
    // registers and loads others again.
    EXPECT_EQ(Accesses::counts(launches[i].stores), Accesses::counts(traced.launches[i].stores)) << i;
    const std::vector<std::uint64_t> theirs = Accesses::counts(traced.launches[i].loads);
    const std::vector<std::uint64_t> ours = Accesses::counts(launches[i].loads);
    EXPECT_EQ(std::set<std::uint64_t>(ours.begin(), ours.end()),
              std::set<std::uint64_t>(theirs.begin(), theirs.end()))
        << i;
    // Where a node is found, each program loads an array that the other one does not load. Both set the
    // flags.
    EXPECT_EQ(launches[i + 1].loads.begin()->second, traced.launches[i + 1].loads.begin()->second) << i;
    EXPECT_EQ(Accesses::sum(launches[i + 1].stores), Accesses::sum(traced.launches[i + 1].stores)) << i;
  }
}

}  // namespace
}  // namespace heddle
