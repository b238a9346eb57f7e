// Local arrays, as a user runs such kernels.

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

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

}  // namespace
}  // namespace heddle::test
