#pragma once
// The kernels of an application that names a language model:
//
//   model: llama-7b             # stimuli/language_models, or a file; or {base: llama-7b, layers: 16}
//   fusions: {qkv: off}         # optional: which operations of a layer are one kernel
//   layers_at_once: 8           # optional, default 1: layers that one kernel stands for
//   step: {prefill_tokens: batch * length}     # optional: numbers, or expressions of parameters
//   program: [forward]          # launches the kernels of one step; takes stream and priority as a section
//
// The numbers of a step are those of StepWork (stimuli/transformer/forward.h). One that `step` does not state
// is the parameter of that name, or 0. A kernel that has nothing to do in a step is not launched.
//
// `layers_at_once` makes a run faster to simulate. Each kernel of a layer then stands for that kernel in so
// many layers: it has as many blocks as in one layer, and each block takes so many times as long and moves so
// many times the bytes. A step that runs alone takes as long as before, less the gaps between the kernels
// that are left out. A kernel of another process that waits for one of these blocks to end waits longer than
// it would.

#include <cstddef>
#include <memory>
#include <vector>

#include "models/core/config/config.h"
#include "models/gpu/gpu_spec.h"
#include "models/host/api_program.h"
#include "stimuli/application/request_amounts.h"
#include "stimuli/transformer/forward.h"

namespace heddle {

class ModelKernels {
 public:
  // Reads `model` and `fusions`, and adds the kernels to the program behind those that it has. Problems are
  // recorded in the document. Null without a model.
  static std::shared_ptr<ModelKernels> read(const config::Section& root, RequestAmounts& amounts,
                                            ApiProgram& program);

  // Adds the calls of one step to the program, with the stream and priority of `launch`.
  void add_calls(const ApiCall& launch, ApiProgram& program);

  // Whether the kernel with this number is one of the model.
  bool has(std::size_t kernel) const { return kernel >= first_ && kernel < first_ + forward_.kernels.size(); }

  // Sets the calls of a step. Throws std::runtime_error if there can be no such step.
  void set_calls(const std::vector<std::uint64_t>& step, ApiProgram& program) const;
  // The same, and the blocks of the kernels, on this GPU.
  void set(const std::vector<std::uint64_t>& step, const GpuSpec& gpu, ApiProgram& program) const;
  const std::vector<std::uint64_t>& typical_step() const { return typical_; }
  bool is_possible() const;  // whether a batch can have the typical step

 private:
  // A repeat around launches of the kernels, which are left out if `kernel` has nothing to do.
  struct Guard {
    std::size_t call = 0;
    std::size_t kernel = 0;  // of forward_; that of the whole step: none
    bool is_step = false;
    std::uint64_t rounds = 1;
  };

  void read_step(const config::Section& root, RequestAmounts& amounts);
  void read_layers_at_once(const config::Section& root);
  bool is_of_layer(std::size_t kernel) const;
  static StepWork work_of_step(const std::vector<std::uint64_t>& step);
  static StepWork checked(const std::vector<std::uint64_t>& step);
  void add_launches(const std::vector<std::size_t>& kernels, const ApiCall& launch, ApiProgram& program);
  void begin(const Guard& guard, const ApiCall& launch, ApiProgram& program);
  static void end(const ApiCall& launch, ApiProgram& program);

  LanguageModel model_;
  Forward forward_;
  std::uint32_t layers_at_once_ = 1;    // a divisor of the layers
  std::size_t first_ = 0;               // number of its first kernel in the program
  std::vector<std::uint64_t> typical_;  // step
  std::vector<Guard> guards_;
};

// Sets the kernels of the application's model for runs on `gpu`, also for each request. A platform that does
// not say what its SMs compute is a problem, and so is a step that cannot be.
void set_model(const config::Section& root, const std::shared_ptr<const ModelKernels>& model,
               RequestAmounts& amounts, ApiProgram& program, const GpuSpec& gpu);

}  // namespace heddle
