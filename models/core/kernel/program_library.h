#pragma once
// A ProgramLibrary holds the programs of launched kernels. A program is opened when the first SM is set up
// for its launch, and closed when the launch has ended, of which the library learns as an observer of the
// engine (Gpu::observe). All pieces of a launch have one program, which is opened for the first one and
// closed when all of them have ended.
//
// A launch names its program by its context and its tag. What else the program depends on, such as the
// parameters of a kernel, the driver keeps under the number that it passes as KernelLaunch::arguments:
//
//   programs.add_application({                                     // context 0
//       [&](const KernelLaunch& launch) {                          // tag 0: an entry in PTX
//         return ptx::make_program(launches.at(launch.arguments), gpu.device_memory()[0]);
//       },
//       [](const KernelLaunch&) {                                  // tag 1: a trace of Accel-Sim
//         return std::make_unique<TraceProgram>("kernel-1.traceg");
//       }});

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "models/core/kernel/instruction.h"
#include "models/core/kernel/kernel.h"
#include "models/core/kernel/observer.h"

namespace heddle {

class ProgramLibrary : public EngineObserver {
 public:
  using Open = std::function<std::unique_ptr<KernelProgram>(const KernelLaunch&)>;

  // The application is that of context `contexts()`, so they are added in the order of the contexts. Its
  // kernels have the tags 0 .. kernels - 1; null stands for a kernel that is not launched on cycle SMs.
  void add_application(std::vector<Open> kernels) { kernels_.push_back(std::move(kernels)); }
  std::size_t contexts() const { return kernels_.size(); }

  KernelProgram& program(const KernelLaunch& launch);
  // Calls visit(context, tag, program) for each open program, in the order of the launches and then in that
  // of those in pieces.
  using Visit = std::function<void(ContextId context, std::uint32_t tag, KernelProgram& program)>;
  void visit(const Visit& visit) const;
  void reset();  // Closes every open program. The applications stay.

  void kernel_event(Cycle now, KernelEvent event, KsrId ksr, const KernelLaunch& launch) override;

 private:
  struct Opened {
    std::unique_ptr<KernelProgram> program;
    std::uint32_t context = 0;
    std::uint32_t tag = 0;
  };
  // A launch in pieces, from the load of its first piece to the end of the last one that ends.
  struct Pieces {
    Opened opened;
    std::uint64_t loaded_blocks = 0;  // of all pieces that came
    std::uint64_t grid_blocks = 0;    // 0 until the piece with the last blocks has come
    std::uint32_t open = 0;           // pieces that came and have not ended
  };
  using CutLaunch = std::pair<std::uint32_t, std::uint32_t>;  // context and KernelLaunch::cut
  static CutLaunch cut_launch(const KernelLaunch& launch) { return {launch.context.value, launch.cut}; }
  std::unique_ptr<KernelProgram> open(const KernelLaunch& launch) const;

  std::vector<std::vector<Open>> kernels_;    // by context and tag
  std::map<std::uint64_t, Opened> launched_;  // by kernel number
  std::map<CutLaunch, Pieces> pieces_;
};

}  // namespace heddle
