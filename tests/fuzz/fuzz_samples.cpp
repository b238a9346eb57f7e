#include "tests/fuzz/fuzz_samples.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "stimuli/capture/format/capture_file.h"
#include "stimuli/traceg/text_source.h"
#include "tests/fuzz/ptx_execution.h"
#include "tests/support/capture/captures.h"
#include "tests/support/capture/elf_files.h"
#include "tests/support/capture/fat_binaries.h"
#include "tests/support/paths.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSampleBytes = 12000;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string decoded(const std::string& file, std::size_t most) {
  TextSource source(file);
  std::string text;
  for (std::string_view line; text.size() < most && source.find(line); source.take())
    text.append(line).append("\n");
  return text;
}

// Returns a trace with all forms of addresses and all memory spaces, in three blocks of two warps.
std::string hand_written(const char* binary, const char* tracer) {
  const bool immediates = tracer[0] >= '5';
  std::string text = fmt::format(
      "-kernel name = f<int>\n-kernel id = 1\n-grid dim = (3,1,1)\n-block dim = (16,2,2)\n-shmem = "
      "64\n-nregs = 8\n"
      "-binary version = {}\n-cuda stream id = 2\n-shmem base_addr = 0x00007f0000000000\n"
      "-local mem base_addr = 0x00007f1000000000\n-accelsim tracer version = {}\n#traces format = PC\n",
      binary, tracer);
  const char* lines[] = {"0000 ffffffff 1 R1 MOV 0 0",
                         "0010 0000000f 1 R1 LD.E 1 R2 4 2 0x7f0000000100 4 -8 12",
                         "0010 00000001 1 R1 LD.E 1 R2 4 0 0x7f1000000200",
                         "0020 00000ff0 1 R1 LDG.E.CG 1 R2 4 1 0xc0000000 -4",
                         "0030 ffffffff 1 R255 FFMA 3 R1 R255 R2 0",
                         "0040 00000000 0 ST.E.64 2 R1 R2 8 1 0x0 0",
                         "0010 00000003 1 R1 LD.E 1 R2 4 0 0x10 0x7f1000000200",
                         "0050 ffffffff 0 BAR.SYNC 0 0",
                         "0060 0000ffff 0 EXIT 0 0"};
  for (int block = 0; block < 3; ++block) {
    text += fmt::format("\n#BEGIN_TB\n\nthread block = {},0,0\n", block);
    for (int warp = 0; warp < 2; ++warp) {
      text += fmt::format("\nwarp = {}\ninsts = {}\n", warp, std::size(lines));
      for (const char* line : lines)
        text += (tracer[0] == '2' ? fmt::format("{} 0 0 {} ", block, warp) : "") + line +
                (immediates ? " -1 \n" : " \n");
    }
    text += "\n#END_TB\n";
  }
  return text;
}

}  // namespace

const char* const kLinkedText = R"(.version 6.0
.target sm_35
.address_size 64
.extern .func (.param .b32 r) twice(.param .b32 a);
.extern .global .align 4 .u32 x;
.weak .global .align 4 .u32 w[2] = {1, 2};
.common .global .u32 common;
.global .align 1 .b8 text[4] = {65, 66, 0}; // { a comment
.weak .func odd() { ret; }
.visible .entry k(.param .u64 p) { .reg .b32 %r<2>; ld.global.u32 %r1, [x+4]; /* ; } */
{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), twice, (a); ld.param.b32 %r1, [b]; }
st.global.u32 [w], %r1; call.uni odd; ret; }
)";

std::vector<Samples> load_samples() {
  const fs::path source = heddle::test::source_directory();
  std::vector<Samples> samples(kReaders);
  samples[0] = {hand_written("35", "2"), hand_written("70", "3"), hand_written("86", "5"),
                hand_written("90", "5"), hand_written("90", "6")};
  for (const char* name : {"vecadd4k", "nvbit-romnn_vectoradd", "triad1m"}) {
    const fs::path folder = source / "stimuli/traces" / name;
    const std::string trace = (folder / "kernel-1.traceg.xz").string();
    samples[0].push_back(decoded(trace, kMostSampleBytes));
    if (fs::file_size(trace) < kMostSampleBytes) samples[1].push_back(read_file(trace));
    samples[2].push_back(read_file(folder / "kernelslist.g"));
  }
  samples[2].emplace_back("MemcpyHtoD,0x10,4\nMemcpyDtoH,0x10,4\nkernel.traceg\n");
  for (const char* name : {"k20", "gtx480"})
    samples[3].push_back(read_file(source / "platforms" / (std::string(name) + ".yaml")));
  for (const char* file : {"bfs.yaml", "histo.yaml", "sgemm.yaml"})
    samples[4].push_back(read_file(source / "stimuli/applications" / file));
  for (const char* name : {"basic.sm_35", "basic.sm_75", "control.sm_35", "control.sm_75"})
    samples[5].push_back(read_file(source / "tests/data/ptx" / (std::string(name) + ".ptx")));
  for (const char* name :
       {"vector_add", "lu_decomposition", "breadth_first_search", "two_point_correlation"}) {
    std::string text = read_file(source / "stimuli/launches" / (std::string(name) + ".yaml"));
    const std::string folder = "../kernels/";
    text.replace(text.find(folder), folder.size(), (source / "stimuli/kernels/").string());
    samples[6].push_back(text);
  }
  for (const Packing packing : {Packing::kPlain, Packing::kLz4, Packing::kZstd})
    samples[7].push_back(fat_binary(fat_entry(2, 50, "code", Packing::kPlain) +
                                    fat_entry(1, 35, capture::kDoubleText, packing)));
  samples[8] = {capture::packed_calls(capture::twice_calls()),
                capture::packed_calls(capture::read_capture(capture::small_capture(), "small").calls)};
  samples[9] = {capture::small_capture(), capture::wrapped_capture(samples[8][0], capture::twice_blobs())};
  samples[10] = {program_file({"libcudart.so.13", "libcublas.so.12"}, {"cudaMalloc", "cuInit", "malloc"},
                              {fat_binary(""), samples[7][0], samples[7][1]}),
                 program_file({"libc.so.6"}, {}, {samples[7][2], samples[7][0]}, "__nv_relfatbin")};
  samples[11] = {cubin({{"first", 37, 37}, {"second", 0, 21}}), cubin({{"third", 90, 0}}), cubin({}, ET_REL)};
  for (const char* name : {"basic.sm_75", "control.sm_75"})
    samples[12].push_back(read_file(source / "tests/data/ptx" / (std::string(name) + ".ptx")));
  samples[12].emplace_back(kLinkedText);
  for (const std::string& text : executed_samples()) samples[5].push_back(text);
  return samples;
}

}  // namespace heddle
