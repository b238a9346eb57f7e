// Servers that serve many requests at a time in the whole machine: steps take the time of their kernels, and
// requests go from a server of prompts to one of decodes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "models/host/requests/batch_service.h"
#include "models/machine/machine.h"
#include "tests/support/k20.h"

namespace heddle::test {
namespace {

using Kind = ApiCall::Kind;
using Phase = BatchSpec::Phase;

constexpr std::uint64_t kUs = 1'000'000;

// A server whose steps are one launch each, of a block for each token. The requests have prompts of 26 tokens
// and answers of 4, and arrive each `period_us`.
HostProcessSpec server(const char* name, Phase phase, std::uint64_t requests, std::uint64_t period_us) {
  HostProcessSpec process;
  process.program.name = name;
  process.program.streams = {"s"};
  process.program.kernels.resize(1);
  ApiKernel& kernel = process.program.kernels[0];
  kernel.name = "step";
  kernel.blocks = 1;
  kernel.shape = {1024, 32, 0};
  kernel.block_cycles = 10'000;
  process.program.calls.resize(1);
  process.program.calls[0].kind = Kind::kLaunch;
  process.program.set_request = [](const RequestValues& values, ApiProgram& of) {
    of.kernels[0].blocks = static_cast<std::uint64_t>(values[0] + values[3]);
  };
  process.tokens = 13;
  RequestSpec& spec = process.requests.emplace();
  spec.arrivals.kind = ArrivalSpec::Kind::kPeriodic;
  spec.arrivals.least_ps = period_us * kUs;
  spec.most_requests = requests;
  spec.parameters = {{"prompt", Distribution::constant(26), std::nullopt},
                     {"output", Distribution::constant(4), std::nullopt}};
  BatchSpec& batch = spec.batch.emplace();
  batch.phase = phase;
  batch.prompt = 0;
  batch.output = 1;
  return process;
}

MachineSpec machine_of(std::vector<HostProcessSpec> processes) {
  MachineSpec spec;
  spec.gpu = k20_spec();
  spec.gpu.policies["sm_partitioner"] = {"left-over", {}};
  spec.starvation_limit_ps = 1'000'000 * kUs;
  spec.processes = std::move(processes);
  for (std::uint32_t i = 0; i < spec.processes.size(); ++i) spec.processes[i].number = i;
  return spec;
}

class BatchRun {
 public:
  explicit BatchRun(const MachineSpec& spec) : machine_("machine", spec) {
    machine_.request_log().observe([this](const RequestRecord& record) {
      records_.push_back(record);
      records_.back().account = nullptr;
    });
    sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_SEC));
  }
  Machine& machine() { return machine_; }
  const TokenTotals& tokens(std::size_t process) { return *machine_.process(process).service()->tokens(); }
  std::vector<RequestRecord> records_of(std::uint32_t process) const {
    std::vector<RequestRecord> found;
    for (const RequestRecord& record : records_)
      if (record.process == process) found.push_back(record);
    return found;
  }

 private:
  Machine machine_;
  std::vector<RequestRecord> records_;
};

TEST(BatchServers, RequestsThatComeDuringAStepShareTheNextOnes) {
  BatchRun run(machine_of({server("chat", Phase::kBoth, 8, 3)}));
  EXPECT_EQ(run.machine().failure(), "");
  const TokenTotals& tokens = run.tokens(0);
  EXPECT_EQ(tokens.generated, 8U * 4);
  EXPECT_EQ(tokens.prefill_tokens, 8U * 26);
  EXPECT_LT(tokens.steps, 8U * 4);
  EXPECT_GT(tokens.most_sequences, 3U);
  EXPECT_EQ(run.machine().request_log().totals(0).all.served, 8U);
  EXPECT_EQ(run.machine().results()[0].completions, 8U);
  for (const RequestRecord& record : run.records_of(0)) {
    ASSERT_TRUE(record.tokens);
    EXPECT_EQ(record.tokens->tokens, 4U);
    EXPECT_GT(record.tokens->first_ps, record.start_ps);
    EXPECT_LT(record.tokens->first_ps, record.end_ps);
  }
}

TEST(BatchServers, OneOfPromptsHandsItsRequestsOverToOneOfDecodes) {
  std::vector<HostProcessSpec> processes{server("prompts", Phase::kPrefill, 20, 40),
                                         server("decodes", Phase::kDecode, 1, 1)};
  processes[1].takes_over = HandOverSpec{0, 7 * kUs, kUs / 2};
  BatchRun run(machine_of(processes));
  EXPECT_EQ(run.machine().failure(), "");
  EXPECT_TRUE(run.machine().process(1).has_finished());
  const std::vector<RequestRecord> prompts = run.records_of(0);
  const std::vector<RequestRecord> decodes = run.records_of(1);
  ASSERT_EQ(prompts.size(), 20U);
  ASSERT_EQ(decodes.size(), 20U);
  std::uint64_t link_ps = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(prompts[i].tokens->tokens, 1U);
    EXPECT_EQ(decodes[i].tokens->tokens, 4U);
    EXPECT_EQ(decodes[i].tokens->first_ps, prompts[i].end_ps);
    link_ps = std::max(link_ps, prompts[i].end_ps) + 13 * kUs;
    EXPECT_EQ(decodes[i].arrival_ps, link_ps + 7 * kUs);
  }
  EXPECT_EQ(run.tokens(1).prefill_tokens, 0U);
  EXPECT_EQ(run.tokens(0).generated, 20U);
  EXPECT_EQ(run.tokens(1).generated, 60U);
}

TEST(BatchServers, APolicySplitsTheSmsBetweenPromptsAndAnswers) {
  std::vector<HostProcessSpec> processes{server("prompts", Phase::kPrefill, 30, 15),
                                         server("answers", Phase::kDecode, 1, 1)};
  processes[1].takes_over = HandOverSpec{0, 0, 0};
  MachineSpec spec = machine_of(processes);
  spec.gpu.policies["sm_partitioner"] = {"resized-sets", {}};
  spec.gpu.policies["submission"] = {"nexus", {}};
  BatchRun run(spec);
  EXPECT_EQ(run.machine().failure(), "");
  EXPECT_EQ(run.records_of(0).size(), 30U);
  EXPECT_EQ(run.records_of(1).size(), 30U);
  EXPECT_EQ(run.tokens(1).generated, 90U);
  const Counter* const splits = run.machine().stats().find("submitter.splits");
  ASSERT_NE(splits, nullptr);
  EXPECT_GT(splits->value(), 1U);
}

}  // namespace
}  // namespace heddle::test
