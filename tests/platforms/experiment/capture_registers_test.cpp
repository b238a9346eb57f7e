// An experiment states the registers of a captured program's kernels.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "models/core/config/config.h"
#include "platforms/experiment/experiment.h"
#include "tests/support/capture/captures.h"

namespace heddle {
namespace {

class CaptureRegistersOfExperiments : public testing::Test {
 protected:
  CaptureRegistersOfExperiments() {
    std::filesystem::create_directory(folder_);
    std::ofstream(capture_, std::ios::binary)
        << capture::wrapped_capture(capture::packed_calls(capture::twice_calls()), capture::twice_blobs());
  }
  ~CaptureRegistersOfExperiments() override { std::filesystem::remove_all(folder_); }

  Experiment load(const std::string& file, const std::vector<std::string>& sets) const {
    Overrides overrides;
    overrides.platform = "gtx480";
    overrides.sets = sets;
    return load_experiment(file, overrides);
  }
  std::string experiment(const std::string& application) const {
    std::string file = folder_ / "stated.yaml";
    std::ofstream(file) << "experiment: stated\nplatform: gtx480\napplications: [" << application
                        << "]\ntermination: once-each\n";
    return file;
  }
  static std::uint32_t registers_of(const Experiment& experiment) {
    return experiment.applications[0].application.program.kernels[0].shape.registers_per_thread;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("heddle-registers-" + std::to_string(getpid()));
  const std::string capture_ = folder_ / "twice.hcap";
};

TEST_F(CaptureRegistersOfExperiments, AreThoseOfTheKernel) {
  const Experiment stated = load(experiment("{application: " + capture_ + ", registers: {twice: 40}}"), {});
  EXPECT_EQ(registers_of(stated), 40u);
  EXPECT_NE(resolved_yaml(stated).find("registers: {twice: 40}"), std::string::npos) << resolved_yaml(stated);
}

TEST_F(CaptureRegistersOfExperiments, AreSetOnTheCommandLine) {
  EXPECT_LT(registers_of(load(capture_, {})), 16u);
  EXPECT_EQ(registers_of(load(capture_, {"applications[0].registers.twice=40"})), 40u);
}

TEST_F(CaptureRegistersOfExperiments, AreRefusedWhereAThreadCannotHaveThem) {
  EXPECT_THROW(load(capture_, {"applications[0].registers.twice=64"}), config::Error);
  EXPECT_THROW(load(capture_, {"applications[0].registers.twice=0"}), config::Error);
}

TEST_F(CaptureRegistersOfExperiments, AreRefusedForOtherApplications) {
  EXPECT_THROW(load(experiment("{application: vector_add, registers: {vector_add: 40}}"), {}), config::Error);
}

}  // namespace
}  // namespace heddle
