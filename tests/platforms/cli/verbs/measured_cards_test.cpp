// Cards that were measured, and their platforms: latencies, and the time of kernels without instructions. The
// sources of the figures are in the platforms' files.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/platforms/cli/cli.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

class MeasuredCards : public CliTest {
 protected:
  // Returns the cycles in which a kernel of the launch is on the GPU.
  double cycles(const std::string& words) const {
    const Outcome outcome = heddle("run " + words + " --json --out out");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::filesystem::remove_all(directory_ / "out");
    return outcome.code == 0 ? Json::parse(outcome.out)["runs"][0]["cycles"].get<double>() : 0;
  }
  // Returns the core cycles of each further step of a chase.
  double step(const std::string& platform, const std::string& chase, int first, int more) const {
    const auto run = [&](int steps) {
      return cycles(fmt::format("{} --platform {} --set parameters.steps={}", chase, platform, steps));
    };
    return (run(first + more) - run(first)) / more;
  }
};

struct Latencies {
  const char* platform;
  // Core cycles of a step. An addition of an address takes seven of those of L1 and L2. On sub-cores a load
  // of 4 bytes hits L1 two cycles earlier than one of 8 bytes, with which V100 and A100 were measured.
  double shared, l1, l2;
};

TEST_F(MeasuredCards, LatenciesAreThoseOfTheCards) {
  constexpr double kShare = 0.04;
  for (const Latencies& card :
       {Latencies{"v100", 23.5, 37, 222}, Latencies{"a100-40", 26, 43, 220},
        Latencies{"a100-80", 26, 43, 218}, Latencies{"h100-pcie", 29, 41, 272},
        Latencies{"h100-sxm", 28.6, 41, 279}, Latencies{"h200", 28.7, 41, 289},
        Latencies{"rtx4090", 24, 47, 303}, Latencies{"v100-subcore", 23.5, 35, 222},
        Latencies{"a100-40-subcore", 26, 41, 220}, Latencies{"h100-sxm-subcore", 28.6, 41, 279},
        Latencies{"rtx4090-subcore", 24, 47, 303}}) {
    SCOPED_TRACE(card.platform);
    EXPECT_NEAR(step(card.platform, "shared_chase", 512, 512), card.shared, kShare * card.shared);
    const std::string ring = "pointer_chase --set parameters.footprint=";
    EXPECT_NEAR(step(card.platform, ring + "16384", 128, 1024), card.l1, kShare * card.l1);
    EXPECT_NEAR(step(card.platform, ring + "1048576", 8192, 4096), card.l2, kShare * card.l2);
  }
}

// Times of kernels without instructions on an H100 PCIe, as Nsight Systems shows them, and the cycles that
// Nsight Compute counts of them.
TEST_F(MeasuredCards, KernelsWithoutInstructionsLastAsLongAsOnAnH100) {
  write("empty.ptx",
        ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry empty()\n{\n  ret;\n}\n");
  write("empty.yaml",
        "launch: empty\ndescription: no instruction but the end\nptx: empty.ptx\n"
        "parameters: {blocks: 1, threads: 32}\nbuffers:\n  unused: {type: u32, count: 1}\nprogram:\n"
        "  - launch: empty\n    grid: [blocks]\n    block: [threads]\n    arguments: []\n");
  struct Measured {
    const char* platform;
    int threads, blocks;
    double cycles;
  };
  constexpr double kMhz = 1755;
  for (const Measured& measured :
       {Measured{"h100-pcie", 256, 4096, 3.776 * kMhz}, Measured{"h100-pcie", 256, 8192, 6.496 * kMhz},
        Measured{"h100-pcie", 512, 8192, 7.008 * kMhz}, Measured{"h100-pcie", 768, 4096, 7.296 * kMhz},
        Measured{"h100-pcie", 1024, 2048, 4.576 * kMhz}, Measured{"h100-pcie", 1024, 8192, 14.688 * kMhz},
        Measured{"h100-pcie-ncu", 256, 1024, 5055}, Measured{"h100-pcie-ncu", 640, 4096, 8246},
        Measured{"h100-pcie-ncu", 1024, 2048, 7048}}) {
    const double simulated = cycles(
        fmt::format("./empty.yaml --platform {} --set parameters.threads={} --set parameters.blocks={}",
                    measured.platform, measured.threads, measured.blocks));
    EXPECT_NEAR(simulated, measured.cycles, 0.05 * measured.cycles)
        << measured.platform << ": " << measured.threads << " x " << measured.blocks;
  }
}

// Rounds of 128 dependent multiply-adds and a branch on an H100 PCIe, as Nsight Systems shows them.
TEST_F(MeasuredCards, ALoopOfMultiplyAddsLastsAsLongAsOnAnH100) {
  std::string chain;
  for (int i = 0; i < 128; ++i) chain += "  fma.rn.f32 %f1, %f1, %f1, %f1;\n";
  write("ffma.ptx",
        ".version 7.0\n.target sm_52\n.address_size 64\n"
        ".visible .entry ffma(.param .u64 out, .param .u32 rounds)\n{\n"
        "  .reg .f32 %f<2>; .reg .b32 %r<3>; .reg .b64 %rd<3>; .reg .pred %p<2>;\n"
        "  ld.param.u64 %rd1, [out];\n  ld.param.u32 %r1, [rounds];\n  cvta.to.global.u64 %rd2, %rd1;\n"
        "  mov.f32 %f1, 0f3F000000;\n  mov.u32 %r2, 0;\nROUND:\n  .pragma \"nounroll\";\n" +
            chain +
            "  add.s32 %r2, %r2, 1;\n  setp.lt.u32 %p1, %r2, %r1;\n  @%p1 bra ROUND;\n"
            "  st.global.f32 [%rd2], %f1;\n  ret;\n}\n");
  write("ffma.yaml",
        "launch: ffma\ndescription: rounds of dependent multiply-adds\nptx: ffma.ptx\n"
        "parameters: {rounds: 10}\nbuffers:\n  out: {type: f32, count: 1}\nprogram:\n"
        "  - launch: ffma\n    grid: [1]\n    block: [32]\n    arguments: [out, rounds]\n");
  const auto with = [this](int rounds) {
    return cycles(fmt::format("./ffma.yaml --platform h100-pcie --set parameters.rounds={}", rounds));
  };
  EXPECT_EQ(with(30) - with(10), 20 * 524);
}

// Each SM reads data that L2 has. One SM of an H100 SXM reads 1 MiB in 4.9 us, which is what a harvest
// measured less the time of a kernel without instructions.
TEST_F(MeasuredCards, OneSmReadsL2AsFastAsOnAnH100) {
  const auto with = [this](int each) {
    return cycles(
        fmt::format("stream_read --platform h100-sxm --set parameters.n=65536 --set parameters.blocks=1 "
                    "--set parameters.each={}",
                    each));
  };
  EXPECT_NEAR((65536 - 32768) * 16 / (with(65536) - with(32768)), 108, 0.05 * 108);
}

// Each thread reads one number of eight bytes. Two blocks fit on an SM, so that they fill a part of its slots
// for threads. The bandwidths are those of gpu-benches on an H100 PCIe.
TEST_F(MeasuredCards, TheBandwidthOfAFewWarpsIsThatOfAnH100) {
  write("read.ptx",
        ".version 7.0\n.target sm_52\n.address_size 64\n"
        ".visible .entry read(.param .u64 values, .param .u64 found)\n{\n"
        "  .reg .f64 %f<2>; .reg .b32 %r<5>; .reg .b64 %rd<6>; .reg .pred %p<2>;\n"
        "  ld.param.u64 %rd1, [values];\n  ld.param.u64 %rd2, [found];\n"
        "  mov.u32 %r1, %ntid.x;\n  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %tid.x;\n"
        "  mad.lo.s32 %r4, %r2, %r1, %r3;\n  mul.wide.s32 %rd3, %r4, 8;\n"
        "  add.s64 %rd4, %rd1, %rd3;\n  ld.global.f64 %f1, [%rd4];\n"
        "  setp.neu.f64 %p1, %f1, 0d4000000000000000;\n  @%p1 bra END;\n"
        "  st.global.f64 [%rd2], %f1;\nEND:\n  ret;\n}\n");
  write("read.yaml",
        "launch: read\ndescription: one number a thread\nptx: read.ptx\n"
        "parameters: {blocks: 228, threads: 32}\nbuffers:\n"
        "  values: {type: f64, count: blocks * threads, uniform: [0, 1]}\n  found: {type: f64, count: 1}\n"
        "program:\n  - launch: read\n    grid: [blocks]\n    block: [threads]\n"
        "    shared_memory: 100000\n    arguments: [values, found]\n");
  struct Measured {
    int threads;
    double gigabytes;  // a second
  };
  for (const Measured& measured : {Measured{32, 96}, Measured{128, 368}, Measured{256, 702}}) {
    const auto with = [this, &measured](int blocks) {
      return cycles(fmt::format(
          "./read.yaml --platform h100-pcie --set l2.copies=dram --set parameters.threads={} --set "
          "parameters.blocks={}",
          measured.threads, blocks));
    };
    const double nanoseconds = (with(5700) - with(2280)) / 1.755;
    EXPECT_NEAR((5700 - 2280) * measured.threads * 8 / nanoseconds, measured.gigabytes,
                0.05 * measured.gigabytes)
        << measured.threads << " threads a block";
  }
}

}  // namespace
}  // namespace heddle::test
