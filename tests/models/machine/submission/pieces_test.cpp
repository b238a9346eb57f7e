// Kernels with instructions whose launches run in pieces: memory is that of whole launches, byte by byte, and
// the counters of their work have the same sums.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "platforms/experiment/experiment.h"
#include "stimuli/launch/launch_application.h"
#include "tests/support/forwarding_script.h"
#include "tests/support/machine/cycle_machine.h"
#include "tests/support/paths.h"

namespace heddle::test {
namespace {

// A host script that reads the memory of the process after the inner script has checked it.
class Reading final : public ForwardingScript {
 public:
  Reading(std::unique_ptr<HostScript> script, std::vector<ApiBuffer> buffers,
          std::shared_ptr<std::vector<std::vector<unsigned char>>> contents)
      : ForwardingScript(std::move(script)), buffers_(std::move(buffers)), contents_(std::move(contents)) {}

  void finish(HostMemory& memory) override {
    ForwardingScript::finish(memory);
    for (std::uint32_t i = 0; i < buffers_.size(); ++i) {
      contents_->emplace_back(buffers_[i].bytes);
      memory.read(i, 0, contents_->back().data(), buffers_[i].bytes);
    }
  }

 private:
  const std::vector<ApiBuffer> buffers_;
  const std::shared_ptr<std::vector<std::vector<unsigned char>>> contents_;
};

struct Outcome {
  CycleRun run;
  std::size_t memory = 0;  // a hash of all buffers
};

// Runs the program beside a process with a higher priority that computes nothing on the GPU until late.
Outcome outcome_of(ApiProgram program, const std::vector<std::string>& settings) {
  const auto contents = std::make_shared<std::vector<std::vector<unsigned char>>>();
  if (program.make_script)
    program.make_script = [inner = program.make_script, buffers = program.buffers, contents] {
      return std::make_unique<Reading>(inner(), buffers, contents);
    };
  ApiProgram first = synthetic("[{op: int_add}]", {1, 32, 16, 0});
  first.name = "first";
  ApiCall compute;
  compute.kind = ApiCall::Kind::kCpu;
  compute.time_ps = 3'000'000'000;
  first.calls.insert(first.calls.begin(), compute);
  std::vector<std::string> all{"sm.count=1"};
  all.insert(all.end(), settings.begin(), settings.end());
  Outcome outcome;
  outcome.run = run(shared_gtx480("fcfs-m", all), {process_of(std::move(program)), process_of(first, 1)},
                    Build::kPlain, [&](Gpu&) {
                      std::uint64_t digest = 0xcbf29ce484222325;
                      for (const std::vector<unsigned char>& buffer : *contents)
                        for (const unsigned char byte : buffer) digest = (digest ^ byte) * 0x100000001b3;
                      return fmt::format("{} {:016x}", contents->size(), digest);
                    });
  EXPECT_EQ(outcome.run.failure, "");
  return outcome;
}

std::vector<std::string> sliced(int pieces) {
  return {"policies.submission.name=slicing", "policies.submission.budget=1",
          fmt::format("policies.submission.pieces={}", pieces)};
}

void expect_same_work(const Outcome& whole, const Outcome& cut, const std::string& name) {
  EXPECT_EQ(whole.run.note, cut.run.note) << "memory";
  for (const char* field :
       {"launched", "ended", "blocks_issued", "blocks_done", "warp_instructions", "thread_instructions"}) {
    const std::string path = fmt::format("applications.{}.*.{}", name, field);
    EXPECT_EQ(whole.run.sum(path), cut.run.sum(path)) << path;
  }
  for (const char* path : {"gpu.sm*.blocks_done", "applications.*.*.sm.stores"})
    EXPECT_EQ(whole.run.sum(path), cut.run.sum(path)) << path;
  EXPECT_GT(cut.run.sum(fmt::format("applications.{}.*.pieces", name)),
            cut.run.sum(fmt::format("applications.{}.*.launched", name)));
}

class PiecesOfPtx : public testing::TestWithParam<const char*> {};

TEST_P(PiecesOfPtx, LeaveTheMemoryOfWholeLaunches) {
  Overrides overrides;
  overrides.platform = "gtx480";
  const std::string file = fmt::format("{}/stimuli/launches/{}.yaml", source_directory(), GetParam());
  const ApiProgram program = load_experiment(file, overrides).applications[0].application.program;
  const Outcome whole = outcome_of(program, {});
  for (const int pieces : {1, 2}) expect_same_work(whole, outcome_of(program, sliced(pieces)), program.name);
}

INSTANTIATE_TEST_SUITE_P(, PiecesOfPtx,
                         testing::Values("vector_add", "histogram", "reduction", "matrix_multiply_tiled"));

TEST(Pieces, OfSyntheticKernelsDoTheSameWork) {
  const ApiProgram program = synthetic("[{loop: 20, body: [{op: int_add}]}]", {64, 96, 16, 0});
  expect_same_work(outcome_of(program, {}), outcome_of(program, sliced(1)), program.name);
}

TEST(Pieces, OfATraceReadTheTraceOnce) {
  Overrides overrides;
  overrides.platform = "gtx480";
  const ApiProgram program =
      load_experiment(source_directory() + "/stimuli/traces/vecadd4k/kernelslist.g", overrides)
          .applications[0]
          .application.program;
  const Outcome whole = outcome_of(program, {});
  for (const int pieces : {1, 2}) expect_same_work(whole, outcome_of(program, sliced(pieces)), program.name);
}

}  // namespace
}  // namespace heddle::test
