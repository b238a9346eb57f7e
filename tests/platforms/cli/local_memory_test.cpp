// Local arrays and spilled registers, as a user runs such kernels.

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

const char* const kHead = ".version 6.0\n.target sm_35\n.address_size 64\n";

// Each thread writes 840 words of local memory and reads them in another order.
const char* const kArrays =
    ".visible .entry arrays(.param .u64 out)\n{\n.local .align 4 .b8 a[3360];\n"
    ".reg .u64 %rd<8>; .reg .u32 %r<12>; .reg .pred %p<3>;\nld.param.u64 %rd1, [out]; mov.u64 %rd2, a;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n"
    "mov.u32 %r5, 0;\nFILL:\nmul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd2, %rd3; add.u32 %r6, %r5, %r4;\n"
    "st.local.u32 [%rd3], %r6; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 840; @%p1 bra FILL;\n"
    "mov.u32 %r5, 0; mov.u32 %r7, 0; mov.u32 %r8, 0;\nSUM:\nmul.wide.u32 %rd3, %r8, 4;\n"
    "add.u64 %rd3, %rd2, %rd3; ld.local.u32 %r9, [%rd3]; add.u32 %r7, %r7, %r9; add.u32 %r8, %r8, 11;\n"
    "setp.ge.u32 %p2, %r8, 840; @%p2 sub.u32 %r8, %r8, 840; add.u32 %r5, %r5, 1;\n"
    "setp.lt.u32 %p1, %r5, 840; @%p1 bra SUM;\ncvta.to.global.u64 %rd4, %rd1; mul.wide.u32 %rd5, %r4, 4;\n"
    "add.u64 %rd4, %rd4, %rd5; st.global.u32 [%rd4], %r7;\nret;\n}\n";

// Holds 90 words across a barrier, more than the 63 registers that a thread of a GTX 480 may have.
std::string many_values() {
  std::string text =
      ".visible .entry many(.param .u64 out)\n{\n.reg .u64 %rd<3>; .reg .u32 %r<95>;\n"
      "ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x;\n";
  for (int i = 1; i <= 90; ++i)
    text += "ld.global.u32 %r" + std::to_string(i) + ", [%rd1+" + std::to_string(4 * i) + "];\n";
  text += "bar.sync 0;\n";
  for (int i = 1; i <= 90; ++i) text += "add.u32 %r0, %r0, %r" + std::to_string(i) + ";\n";
  return text + "st.global.u32 [%rd1], %r0;\nret;\n}\n";
}

class LocalMemoryCli : public CliTest {
 protected:
  // Runs the kernel and returns the folder of its run.
  std::string run(const std::string& platform, std::string& errors) const {
    const Outcome outcome =
        heddle("run launch.yaml --quiet --stats full --platform " + platform + " --out " + platform);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    errors = outcome.err;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / platform))
      if (std::filesystem::exists(entry.path() / "stats.csv")) return entry.path();
    return "";
  }
  // Returns the values of the statistics whose path begins and ends like this.
  static std::vector<double> values(const std::string& run, const std::string& begin,
                                    const std::string& end) {
    std::ifstream file(run + "/stats.csv");
    std::vector<double> found;
    for (std::string line; std::getline(file, line);) {
      const std::string path = line.substr(0, line.find(','));
      if (path.rfind(begin, 0) != 0 || path.size() < end.size() ||
          path.compare(path.size() - end.size(), end.size(), end) != 0)
        continue;
      found.push_back(std::stod(line.substr(path.size() + 1)));
    }
    return found;
  }
};

TEST_F(LocalMemoryCli, ALocalArrayLoadsAllSlicesOfTheL2) {
  write("kernel.ptx", std::string(kHead) + kArrays);
  write("launch.yaml",
        "launch: arrays\ndescription: 840 words a thread\nptx: kernel.ptx\n"
        "buffers: {out: {type: u32, count: 448, zero: true}}\n"
        "program:\n  - {launch: arrays, grid: [14], block: [32], arguments: [out]}\n");
  std::string errors;
  for (const char* const platform : {"gtx480", "k20", "kepler-titan", "gtx1080", "t4", "gp100"}) {
    const std::vector<double> slices = values(run(platform, errors), "gpu.l2_", ".accesses");
    ASSERT_GT(slices.size(), 5u) << platform;
    double sum = 0;
    for (const double accesses : slices) sum += accesses;
    const double share = sum / static_cast<double>(slices.size());
    EXPECT_GT(sum, 14 * 840) << platform;
    EXPECT_LT(*std::max_element(slices.begin(), slices.end()), 1.5 * share) << platform;
    EXPECT_EQ(errors.find("spilled"), std::string::npos) << errors;
  }
}

TEST_F(LocalMemoryCli, SpilledRegistersAreNotedCountedAndInTheProvenance) {
  write("kernel.ptx", kHead + many_values());
  write("launch.yaml",
        "launch: many\ndescription: more values than registers\nptx: kernel.ptx\n"
        "buffers: {out: {type: u32, count: 128, zero: true}}\n"
        "program:\n  - {launch: many, grid: [2], block: [64], arguments: [out]}\n");
  std::string errors;
  const std::string results = run("gtx480", errors);
  EXPECT_NE(errors.find("note: kernel 'many' needs "), std::string::npos) << errors;
  EXPECT_NE(errors.find("and has 63: "), std::string::npos) << errors;
  const Json provenance = Json::parse(read("gtx480/provenance.json"));
  ASSERT_EQ(provenance["notes"].size(), 1u);
  EXPECT_NE(errors.find(provenance["notes"][0].get<std::string>()), std::string::npos);
  const std::vector<double> spills = values(results, "applications.many.many.sm.spill_instructions", "");
  ASSERT_EQ(spills.size(), 1u);
  EXPECT_GT(spills[0], 4 * 2 * 20);  // warps, a store and a load, values
  const std::vector<double> wide =
      values(run("k20", errors), "applications.many.many.sm.spill_instructions", "");
  ASSERT_EQ(wide.size(), 1u);
  EXPECT_EQ(wide[0], 0);
  EXPECT_EQ(errors.find("spilled"), std::string::npos) << errors;
}

}  // namespace
}  // namespace heddle::test
