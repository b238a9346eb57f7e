#include "stimuli/ptx/execute/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "models/core/base/launch_limits.h"
#include "models/core/config/config.h"
#include "stimuli/ptx/analysis/call_graph.h"
#include "stimuli/ptx/analysis/register_estimate.h"
#include "stimuli/ptx/analysis/restart.h"
#include "stimuli/ptx/execute/block_stream.h"
#include "stimuli/ptx/steps/live_registers.h"
#include "stimuli/ptx/text/kernel_name.h"

namespace heddle::ptx {

// Decodes an entry at its first launch, and anew for launches with phases that give it other resources.
class Executable {
 public:
  explicit Executable(Image image)
      : image_(std::move(image)),
        registers_(register_estimates(*image_.module)),
        restarts_(image_.module->functions.size()) {}

  const Image& image() const { return image_; }
  std::uint32_t registers(std::uint32_t entry) const { return registers_[entry]; }
  const EntryCode& code(std::uint32_t entry, const CodeForm& form, bool in_clusters = false) const {
    std::unique_ptr<EntryCode>& code = entries_[{entry, form, in_clusters}];
    if (code == nullptr) code = std::make_unique<EntryCode>(decode_entry(image_, entry, form, in_clusters));
    return *code;
  }
  // Returns the live registers by step of the code. The code is that of code() or of code_with_phases().
  const std::vector<std::uint32_t>& live(const EntryCode& code, std::uint32_t registers) const {
    const auto [at, is_new] = live_.try_emplace({&code, registers});
    if (is_new) at->second = live_registers(*image_.module, code, registers);
    return at->second;
  }
  const RestartAnalysis& restart(std::uint32_t entry) const {
    if (restarts_[entry] == nullptr)
      restarts_[entry] =
          std::make_unique<RestartAnalysis>(analyse_restart(*image_.module, image_.module->functions[entry]));
    return *restarts_[entry];
  }
  const EntryCode& code_with_phases(std::uint32_t entry, const PhaseLimits& limits,
                                    const CodeForm& form) const {
    std::unique_ptr<EntryCode>& code = specified_[{entry, limits.registers, limits.dynamic_shared, form}];
    if (code == nullptr)
      code = std::make_unique<EntryCode>(decode_entry_with_phases(image_, entry, limits, form));
    return *code;
  }

 private:
  const Image image_;
  const std::vector<std::uint32_t> registers_;  // by function
  // By entry and form, and whether blocks form clusters.
  mutable std::map<std::tuple<std::uint32_t, CodeForm, bool>, std::unique_ptr<EntryCode>> entries_;
  mutable std::vector<std::unique_ptr<RestartAnalysis>> restarts_;  // by function; null: not asked for yet
  // By entry, registers of a thread and bytes of dynamic shared memory.
  mutable std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, CodeForm>,
                   std::unique_ptr<EntryCode>>
      specified_;
  // The live registers by the code and by the number of registers of a thread.
  mutable std::map<std::pair<const EntryCode*, std::uint32_t>, std::vector<std::uint32_t>> live_;
};

namespace {

constexpr std::uint64_t kMostLocal = std::uint64_t{512} << 10U;  // bytes

const Function& entry_of(const Launch& launch) {
  return image_of(*launch.code).module->functions[launch.entry];
}

std::string shown(const Dim3& dim) {
  return fmt::format("({}, {}, {})", dim.x, dim.y, dim.z);
}

bool is_empty(const Dim3& dim) {
  return dim.x == 0 || dim.y == 0 || dim.z == 0;
}

// Searches the entry and the functions that it may call for the first statement for which name(statement) is
// not empty. Returns this name with the place of the statement, or an empty string if there is none.
template <typename Name>
std::string place_of_first(const Executable& code, std::uint32_t entry, Name name) {
  const Module& module = *image_of(code).module;
  for (const std::uint32_t function : CallGraph(module).reached_from(entry))
    for (const Statement& statement : module.functions[function].code)
      if (const std::string_view found = name(statement); !found.empty())
        return fmt::format("{} at {}:{}", found, module.file, statement.line);
  return "";
}

class PtxProgram final : public KernelProgram {
 public:
  PtxProgram(Launch launch, DeviceMemory& memory, const CodeOptions& options)
      : launch_(std::move(launch)),
        state_(launch_, code_of(launch_, options), memory, has_independent_threads(launch_, options)),
        clusters_(static_cast<std::uint32_t>(state_.cluster.count())) {
    if (options.knows_live_registers)
      state_.live_registers = &launch_.code->live(state_.code, shape_of(launch_).registers_per_thread);
  }

  const std::vector<PhaseNeeds>& phases() const override { return state_.code.phases; }

  bool takes_turns() const override { return true; }

  BlockStream& start(BlockId block) override {
    if (unused_.empty()) {
      streams_.push_back(std::make_unique<PtxBlockStream>(state_));
      unused_.reserve(streams_.size());
      unused_.push_back(streams_.back().get());
    }
    PtxBlockStream& stream = *unused_.back();
    unused_.pop_back();
    stream.start(block, clusters_.cluster_of(block), clusters_.rank_of(block));
    return stream;
  }

  void finish(BlockStream& stream) override { stop(stream, true); }
  void drop(BlockStream& stream, BlockId) override { stop(stream, false); }

  void watch(bool is_watched) override {
    state_.is_watched = is_watched;
    for (const auto& stream : streams_) stream->watch(is_watched);
  }

  std::uint64_t changes() const override { return state_.memory.changes(); }

  bool is_stuck() const override {
    return state_.is_watched && unused_.size() < streams_.size() &&
           std::all_of(streams_.begin(), streams_.end(),
                       [](const auto& stream) { return stream->is_stuck(); });
  }

  std::string places() const override {
    PlaceList places;
    for (const auto& stream : streams_) stream->tell_places(places);
    return places.text();
  }

 private:
  void stop(BlockStream& stream, bool has_ended) {
    unused_.push_back(static_cast<PtxBlockStream*>(&stream));
    clusters_.release(unused_.back()->stop(has_ended));
  }

  // Other blocks of a cluster read shared memory that is dead for the block itself, and thus a launch with
  // clusters has one phase.
  static const EntryCode& code_of(const Launch& launch, const CodeOptions& options) {
    const bool in_clusters = cluster_of(launch).count() > 1;
    if (!options.with_phases || in_clusters)
      return launch.code->code(launch.entry, options.form, in_clusters);
    return launch.code->code_with_phases(
        launch.entry, {shape_of(launch).registers_per_thread, launch.dynamic_shared}, options.form);
  }

  // PTX for Volta or later may rely on independent threads, also if the platform is older.
  static bool has_independent_threads(const Launch& launch, const CodeOptions& options) {
    return options.independent_threads ||
           image_of(*launch.code).module->target >= CodeOptions::kIndependentThreads;
  }

  const Launch launch_;
  LaunchState state_;
  ClusterTable clusters_;
  std::vector<std::unique_ptr<PtxBlockStream>> streams_;
  std::vector<PtxBlockStream*> unused_;
};

}  // namespace

std::shared_ptr<const Executable> make_executable(Image image) {
  if (image.module->address_bytes != 8)
    throw config::Error({fmt::format("{}: has addresses of 32 bits; compile it for addresses of 64 bits",
                                     image.module->file)});
  return std::make_shared<Executable>(std::move(image));
}

const Image& image_of(const Executable& executable) {
  return executable.image();
}

const RestartAnalysis& restart_of(const Executable& executable, std::uint32_t entry) {
  return executable.restart(entry);
}

std::string describe(const StrayAccesses& strays) {
  return fmt::format("{} outside of allocations {} passed, the first: {}",
                     strays.count == 1 ? "1 access" : fmt::format("{} accesses", strays.count),
                     strays.count == 1 ? "has" : "have", strays.first);
}

std::string describe(const DivergentBarriers& arrivals) {
  return fmt::format(
      "{} in divergent code, the first: {}",
      arrivals.count == 1 ? "1 arrival at a barrier" : fmt::format("{} arrivals at barriers", arrivals.count),
      arrivals.first);
}

void check_is_read(const Launch& launch) {
  const Module& module = *image_of(*launch.code).module;
  if (std::all_of(module.functions.begin(), module.functions.end(),
                  [](const Function& function) { return function.problems.empty(); }))
    return;
  std::vector<std::string> texts;
  for (const std::uint32_t function : CallGraph(module).reached_from(launch.entry)) {
    const std::vector<std::string>& problems = module.functions[function].problems;
    texts.insert(texts.end(), problems.begin(), problems.end());
  }
  if (texts.empty()) return;
  texts.insert(texts.begin(),
               fmt::format("kernel '{}' cannot be executed, because its PTX has forms that are "
                           "not read:",
                           kernel_name(entry_of(launch).name)));
  texts.emplace_back(
      "compile the kernel without them, or for a lower compute capability; stimuli/PTX_FORMS.md lists the "
      "forms "
      "that are read");
  throw config::Error(std::move(texts));
}

std::string matrix_product_of(const Executable& code, std::uint32_t entry) {
  return place_of_first(code, entry, [](const Statement& statement) {
    if (!is_matrix_product(statement.opcode)) return "";
    if (statement.opcode == Opcode::kWgmmaMma) return "wgmma.mma_async";
    return statement.opcode == Opcode::kMma ? "mma.sync" : "wmma.mma";
  });
}

std::string group_product_of(const Executable& code, std::uint32_t entry) {
  return place_of_first(code, entry, [](const Statement& statement) {
    return statement.opcode == Opcode::kWgmmaMma ? "wgmma.mma_async" : "";
  });
}

std::string bulk_copy_of(const Executable& code, std::uint32_t entry) {
  return place_of_first(code, entry, [](const Statement& statement) {
    return loads_in_bulk(statement.opcode) || stores_in_bulk(statement.opcode) ? "cp.async.bulk" : "";
  });
}

Dim3 cluster_of(const Launch& launch) {
  if (launch.cluster) return *launch.cluster;
  const std::array<std::uint32_t, 3>& stated = entry_of(launch).cluster;
  return stated[0] == 0 ? Dim3{} : Dim3{stated[0], stated[1], stated[2]};
}

Dim3 position_of(const Dim3& grid, const Dim3& cluster, BlockId block) {
  const auto place = [](std::uint64_t number, std::uint64_t x, std::uint64_t y) {
    return std::array<std::uint64_t, 3>{number % x, number / x % y, number / x / y};
  };
  const std::array<std::uint64_t, 3> of_cluster =
      place(block.value / cluster.count(), grid.x / cluster.x, grid.y / cluster.y);
  const std::array<std::uint64_t, 3> inside = place(block.value % cluster.count(), cluster.x, cluster.y);
  return {static_cast<std::uint32_t>(of_cluster[0] * cluster.x + inside[0]),
          static_cast<std::uint32_t>(of_cluster[1] * cluster.y + inside[1]),
          static_cast<std::uint32_t>(of_cluster[2] * cluster.z + inside[2])};
}

std::string cluster_problem(const Launch& launch) {
  const Function& entry = entry_of(launch);
  const std::string name = kernel_name(entry.name);
  const Dim3 cluster = cluster_of(launch);
  const std::array<std::uint32_t, 3> blocks{cluster.x, cluster.y, cluster.z};
  if (entry.cluster[0] != 0 && entry.cluster != blocks)
    return fmt::format("clusters of {} blocks; '{}' asks for ({}, {}, {})", shown(cluster), name,
                       entry.cluster[0], entry.cluster[1], entry.cluster[2]);
  if (entry.explicit_cluster && entry.cluster[0] == 0 && !launch.cluster)
    return fmt::format("no blocks of a cluster, which a launch of '{}' states (.explicitcluster)", name);
  if (is_empty(cluster)) return fmt::format("clusters of {} blocks", shown(cluster));
  const std::uint64_t most = launch.is_any_cluster_size ? BlockShape::kMostCluster : kMostPortableCluster;
  if (cluster.x > most || cluster.y > most || cluster.z > most || cluster.count() > most)
    return fmt::format(
        "clusters of {} blocks; the most are {}{}", shown(cluster), most,
        launch.is_any_cluster_size ? "" : ", or 16 where a launch allows sizes that are not portable");
  if (entry.most_cluster != 0 && cluster.count() > entry.most_cluster)
    return fmt::format("clusters of {} blocks; '{}' takes at most {} (.maxclusterrank)", shown(cluster), name,
                       entry.most_cluster);
  const Dim3& grid = launch.grid;
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return fmt::format("a grid of {} blocks, which is no multiple of clusters of {} blocks", shown(grid),
                       shown(cluster));
  const std::uint64_t shared = entry.static_shared_bytes + launch.dynamic_shared;
  if (cluster.count() > 1 && shared >= ClusterMember::kMostShared)
    return fmt::format("{} bytes of shared memory of a block of a cluster; there are fewer than {}", shared,
                       ClusterMember::kMostShared);
  return "";
}

std::string launch_problem(const Launch& launch) {
  const Function& entry = entry_of(launch);
  if (!entry.entry || entry.code.empty()) return fmt::format("'{}' is no entry", kernel_name(entry.name));
  if (is_empty(launch.grid) || launch.grid.x > kMostBlocksInX || launch.grid.y > kMostBlocksInYz ||
      launch.grid.z > kMostBlocksInYz)
    return fmt::format("a grid of {} blocks", shown(launch.grid));
  const std::uint64_t threads = launch.block.count();
  if (is_empty(launch.block) || launch.block.x > kMostThreadsOfBlock ||
      launch.block.y > kMostThreadsOfBlock || threads > kMostThreadsOfBlock)
    return fmt::format("a block of {} threads; the most are {}", shown(launch.block), kMostThreadsOfBlock);
  const std::array<std::uint32_t, 3> block{launch.block.x, launch.block.y, launch.block.z};
  if (entry.reqntid[0] != 0 && entry.reqntid != block)
    return fmt::format("a block of {} threads; '{}' asks for ({}, {}, {})", shown(launch.block),
                       kernel_name(entry.name), entry.reqntid[0], entry.reqntid[1], entry.reqntid[2]);
  const std::uint64_t most = std::uint64_t{entry.maxntid[0]} * entry.maxntid[1] * entry.maxntid[2];
  if (most != 0 && threads > most)
    return fmt::format("a block of {} threads; '{}' takes at most {}", threads, kernel_name(entry.name),
                       most);
  if (std::string problem = cluster_problem(launch); !problem.empty()) return problem;
  if (launch.parameters.size() != entry.parameter_bytes)
    return fmt::format("{} bytes of parameters; '{}' takes {}", launch.parameters.size(),
                       kernel_name(entry.name), entry.parameter_bytes);
  if (entry.parameter_bytes > Image::kMostParameterBytes)
    return fmt::format("{} bytes of parameters; the most are {}", entry.parameter_bytes,
                       Image::kMostParameterBytes);
  if (entry.static_shared_bytes + launch.dynamic_shared > ~std::uint32_t{0})
    return fmt::format("{} bytes of shared memory", entry.static_shared_bytes + launch.dynamic_shared);
  const std::uint64_t local = launch.code->code(launch.entry, {}).local_bytes;
  if (local > kMostLocal)
    return fmt::format("{} bytes of local memory of a thread; the most are {}", local, kMostLocal);
  return "";
}

// Compilers ignore setmaxnreg where neither .maxnreg nor the most threads of a block say how many registers a
// thread has at its start. With the most threads, these share the registers of an SM.
std::uint32_t registers_to_share(const Launch& launch) {
  const Function& entry = entry_of(launch);
  const bool shares = std::any_of(entry.code.begin(), entry.code.end(), [](const Statement& statement) {
    return statement.opcode == Opcode::kSetmaxnreg;
  });
  if (!shares) return 0;
  if (launch.registers != 0) return launch.registers;
  if (entry.maxnreg != 0) return entry.maxnreg;
  const std::array<std::uint32_t, 3>& most = entry.reqntid[0] != 0 ? entry.reqntid : entry.maxntid;
  const std::uint32_t threads = most[0] * most[1] * most[2] * std::max(1U, entry.minnctapersm);
  if (threads == 0) return 0;
  const std::uint32_t each =
      kRegistersOfSm / threads / RegisterPool::kGranularity * RegisterPool::kGranularity;
  return std::min(each, kMostRegistersOfThread);
}

BlockShape shape_of(const Launch& launch) {
  const Function& entry = entry_of(launch);
  BlockShape shape;
  shape.threads = static_cast<std::uint32_t>(launch.block.count());
  shape.registers_per_thread =
      launch.registers != 0 ? launch.registers : launch.code->registers(launch.entry);
  if (launch.registers == 0 && entry.maxnreg != 0)
    shape.registers_per_thread = std::min(shape.registers_per_thread, entry.maxnreg);
  if (const std::uint32_t stated = registers_to_share(launch); stated != 0)
    shape.registers_per_thread = stated;
  shape.shared_bytes = static_cast<std::uint32_t>(entry.static_shared_bytes) + launch.dynamic_shared;
  shape.carve_out = launch.carve_out;
  shape.cluster = static_cast<std::uint32_t>(cluster_of(launch).count());
  return shape;
}

std::unique_ptr<KernelProgram> make_program(Launch launch, DeviceMemory& memory, const CodeOptions& options) {
  return std::make_unique<PtxProgram>(std::move(launch), memory, options);
}

}  // namespace heddle::ptx
