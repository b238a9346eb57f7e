// Every kernel of CUsched's Table II. Alone on the platform of the measurement it takes the measured time,
// and on k SMs the time that the arithmetic of waves gives, exact to the cycle.

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <systemc>

#include "models/machine/machine.h"
#include "platforms/experiment/experiment.h"
#include "tests/support/test_size.h"

namespace heddle {
namespace {

const std::vector<std::string> kApplications{"bfs", "cutcp", "histo", "lbm",     "mri-gridding", "mri-q",
                                             "sad", "sgemm", "spmv",  "stencil", "tpacf"};
constexpr std::uint32_t kMeasuredSms = 13;

struct Alone {
  Experiment experiment;
  std::uint32_t sms;
  std::unique_ptr<Machine> machine;
};

Alone alone(const std::string& application, std::uint32_t sms) {
  Overrides overrides;
  overrides.sets = {"applications=[" + application + "]", "sm.count=" + std::to_string(sms)};
  Alone made{load_experiment("parboil-alone", overrides), sms, nullptr};
  const std::string name = "m" + std::to_string(sms) + "_" + application;
  made.machine = std::make_unique<Machine>(name.c_str(), machine_alone(made.experiment, 0));
  return made;
}

void simulate(std::vector<Alone>& machines) {
  const auto unfinished = [&] {
    return std::any_of(machines.begin(), machines.end(), [](const Alone& a) { return !a.machine->done(); });
  };
  for (int ms = 0; unfinished() && ms < 20000; ms += 50) sc_core::sc_start(50, sc_core::SC_MS);
  for (const Alone& a : machines) {
    ASSERT_TRUE(a.machine->done()) << a.machine->name();
    ASSERT_EQ(a.machine->failure(), "");
    a.machine->check_conservation();
  }
}

// Returns the core cycles from the load of the KSR to the last block of residence r. The first wave waits for
// launch and set-up. Every wave takes one issue and one residence. The last block of the last wave is issued
// in the last turn of that wave.
std::uint64_t closed_form(const ApiKernel& kernel, std::uint32_t sms, const GpuSpec& spec) {
  const std::uint64_t resident = std::uint64_t{sms} * residency_of(kernel.shape, spec.sm.limits).blocks;
  const std::uint64_t waves = (kernel.blocks + resident - 1) / resident;
  const std::uint64_t last = kernel.blocks - (waves - 1) * resident;
  return spec.engine.kernel_launch_latency + spec.engine.set_up_cycles() +
         waves * (spec.engine.block_issue_latency + kernel.block_cycles) + (last + sms - 1) / sms - 1;
}

TEST(TableII, EveryKernelTakesItsMeasuredTimeAloneAndTheWaveArithmeticOnFewerSms) {
  std::vector<Alone> machines;
  for (std::uint32_t sms = 1; sms <= kMeasuredSms; ++sms) {
    if (!full_size() && sms != 1 && sms != 5 && sms != kMeasuredSms) continue;
    for (const std::string& application : kApplications)
      // At reduced size, the two applications with the most blocks run on the whole GPU only.
      if (full_size() || sms == kMeasuredSms || (application != "lbm" && application != "sad"))
        machines.push_back(alone(application, sms));
  }
  simulate(machines);

  const bool print = std::getenv("HEDDLE_PRINT_TABLE") != nullptr;
  if (print)
    std::cout << "| kernel | measured (us) | simulated (us) | difference |\n| --- | --- | --- | --- |\n";
  std::size_t kernels = 0;
  for (const Alone& a : machines) {
    const Application& application = a.experiment.applications[0].application;
    for (std::size_t i = 0; i < application.program.kernels.size(); ++i) {
      const ApiKernel& kernel = application.program.kernels[i];
      const KernelLog::KernelCounters& log = a.machine->kernel_log().kernels(0)[i];
      ASSERT_EQ(log.ended.value(), application.launches[i]) << kernel.name;
      EXPECT_EQ(log.cycles.value(), log.ended.value() * closed_form(kernel, a.sms, a.experiment.platform))
          << kernel.name << " on " << a.sms << " SMs";
      if (a.sms != kMeasuredSms) continue;
      ++kernels;
      const double measured = static_cast<double>(application.kernel_time_ps[i]) * 1e-6;
      const double simulated = static_cast<double>(log.cycles.value()) /
                               static_cast<double>(log.ended.value()) /
                               a.machine->gpu().core().frequency_hz() * 1e6;
      EXPECT_NEAR(simulated / measured, 1.0, 0.005) << kernel.name;
      if (print)
        std::cout << "| " << application.program.name << " " << kernel.name << " | " << measured << " | "
                  << simulated << " | " << 100 * (simulated / measured - 1) << " % |\n";
    }
  }
  EXPECT_EQ(kernels, 26U);
}

}  // namespace
}  // namespace heddle
