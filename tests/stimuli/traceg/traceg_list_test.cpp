// kernelslist.g, and the application that is made of it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stimuli/application/stream_cycles.h"
#include "stimuli/traceg/kernels_list.h"
#include "stimuli/traceg/trace_application.h"
#include "tests/support/paths.h"
#include "tests/support/trace_text.h"

namespace heddle {
namespace {

using test::TemporaryFile;
using test::trace_of;
using Kind = ApiCall::Kind;

const std::string kTraces = heddle::test::source_directory() + "/stimuli/traces/";

std::string trace_named(const std::string& name, int stream = 0) {
  return trace_of({"0000 ffffffff 0 EXIT 0 0"},
                  {"kernel name = " + name, "cuda stream id = " + std::to_string(stream)});
}

std::string problem_of_list(const std::string& file) {
  try {
    read_trace_application(file);
  } catch (const config::Error& error) {
    EXPECT_EQ(error.problems().size(), 1U);
    return error.what();
  }
  return "";
}

TEST(KernelsList, HoldsCopiesAndKernelsInOrder) {
  const TemporaryFile list("MemcpyHtoD,0x00007fc841500000,32768\n\nkernel-1.traceg\nMemcpyDtoH,0xA0,1\n",
                           "kernelslist.g");
  list.add("kernel-1.traceg.xz", "");
  const std::vector<TraceCommand> commands = read_kernels_list(list.path());
  ASSERT_EQ(commands.size(), 3U);
  EXPECT_EQ(commands[0].kind, TraceCommand::Kind::kCopyUp);
  EXPECT_EQ(commands[0].address, 0x7fc841500000U);
  EXPECT_EQ(commands[0].bytes, 32768U);
  EXPECT_EQ(commands[1].kind, TraceCommand::Kind::kKernel);
  EXPECT_EQ(commands[1].file, list.folder() + "/kernel-1.traceg.xz");
  EXPECT_EQ(commands[1].line, 3U);
  EXPECT_EQ(commands[2].kind, TraceCommand::Kind::kCopyDown);
  EXPECT_EQ(commands[2].address, 0xa0U);
}

TEST(KernelsList, PrefersTheFileThatItNames) {
  const TemporaryFile list("kernel-1.traceg\n", "kernelslist.g");
  list.add("kernel-1.traceg.xz", "");
  list.add("kernel-1.traceg", "");
  EXPECT_EQ(read_kernels_list(list.path())[0].file, list.folder() + "/kernel-1.traceg");
}

TEST(TraceApplication, HasTheChosenLaunchesAndNothingBehindThem) {
  const TemporaryFile list(
      "kernel-1.traceg\nMemcpyHtoD,0xA0,8\nkernel-2.traceg\nkernel-3.traceg\nMemcpyHtoD,0xB0,8\n"
      "kernel-4.traceg\n",
      "kernelslist.g");
  for (int i = 1; i <= 4; ++i)
    list.add(fmt::format("kernel-{}.traceg", i), trace_named(fmt::format("k{}", i)));
  const auto kernels = [&](const LaunchRanges& ranges) {
    std::vector<std::string> names;
    for (const ApiKernel& kernel : read_trace_application(list.path(), ranges).program.kernels)
      names.push_back(kernel.name);
    return names;
  };
  EXPECT_EQ(kernels({}), (std::vector<std::string>{"k1", "k2", "k3", "k4"}));
  EXPECT_EQ(kernels(LaunchRanges::read("2-3")), (std::vector<std::string>{"k2", "k3"}));
  EXPECT_EQ(kernels(LaunchRanges::read("1,3-")), (std::vector<std::string>{"k1", "k3", "k4"}));
  EXPECT_EQ(read_trace_application(list.path(), LaunchRanges::read("2-3")).program.buffers.size(), 1U);
  try {
    kernels(LaunchRanges::read("5-"));
    FAIL() << "no error";
  } catch (const config::Error& error) {
    EXPECT_EQ(error.what(), list.path() + ": it has 4 launches, none of which is one of 5-");
  }
}

TEST(TraceApplication, CopiesLaunchesWaitsAndFrees) {
  const Application application = read_trace_application(kTraces + "nvbit-romnn_vectoradd/kernelslist.g");
  const ApiProgram& program = application.program;
  EXPECT_EQ(program.name, "nvbit-romnn_vectoradd");
  ASSERT_EQ(program.buffers.size(), 3U);
  EXPECT_EQ(program.buffers[0].name, "0x7fd165500000");
  EXPECT_EQ(program.buffers[0].bytes, 400U);
  EXPECT_EQ(program.streams, std::vector<std::string>{"default"});
  ASSERT_EQ(program.kernels.size(), 1U);
  EXPECT_EQ(program.kernels[0].name, "_Z6vecAddIfEvPT_S1_S1_i");
  EXPECT_EQ(program.kernels[0].blocks, 1U);
  EXPECT_EQ(program.kernels[0].shape.threads, 1024U);
  EXPECT_EQ(program.kernels[0].shape.registers_per_thread, 8U);
  EXPECT_EQ(application.launches, std::vector<std::uint64_t>{1});
  EXPECT_EQ(application.kernel_time_ps, std::vector<std::uint64_t>{0});
  std::vector<Kind> kinds;
  for (const ApiCall& call : program.calls) kinds.push_back(call.kind);
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::kAllocate, Kind::kCopyUp, Kind::kAllocate, Kind::kCopyUp,
                                      Kind::kAllocate, Kind::kCopyUp, Kind::kLaunch, Kind::kSynchronise,
                                      Kind::kFree, Kind::kFree, Kind::kFree}));
  EXPECT_EQ(program.calls[7].stream, ApiCall::kAllStreams);
  const auto kernel = program.kernels[0].program({});
  EXPECT_EQ(kernel->start(BlockId{0}).peek(31, 0)->pc, 0x8U);
}

TEST(TraceApplication, AnAddressCopiedOftenIsOneBufferAsLargeAsTheLargestCopy) {
  const TemporaryFile list("MemcpyHtoD,0x10,8\nMemcpyHtoD,0x10,64\nMemcpyDtoH,0x10,16\nk.traceg\n",
                           "kernelslist.g");
  list.add("k.traceg", trace_named("k"));
  const ApiProgram program = read_trace_application(list.path()).program;
  ASSERT_EQ(program.buffers.size(), 1U);
  EXPECT_EQ(program.buffers[0].bytes, 64U);
  ASSERT_EQ(program.calls.size(), 7U);
  EXPECT_EQ(program.calls[1].bytes, 8U);
  EXPECT_EQ(program.calls[2].bytes, 64U);
  EXPECT_EQ(program.calls[3].bytes, 16U);
  EXPECT_EQ(program.calls[3].kind, Kind::kCopyDown);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_FALSE(program.calls[i].asynchronous);
}

TEST(TraceApplication, KernelsGetNamesOfTheirOwnThatFilesMayHave) {
  const TemporaryFile list("a.traceg\nb.traceg\nc.traceg\nd.traceg\na.traceg\n", "kernelslist.g");
  list.add("a.traceg", trace_named("void f<int>(float*)"));
  list.add("b.traceg", trace_named("void f<int>(float&)"));
  list.add("c.traceg", trace_named(std::string(100, 'x')));
  list.add("d.traceg", trace_named(std::string(101, 'x')));
  const Application application = read_trace_application(list.path());
  std::vector<std::string> names;
  for (const ApiKernel& kernel : application.program.kernels) names.push_back(kernel.name);
  EXPECT_EQ(names, (std::vector<std::string>{"void_f_int__float__", "void_f_int__float__-2",
                                             std::string(64, 'x'), std::string(62, 'x') + "-2"}));
  EXPECT_EQ(application.launches, (std::vector<std::uint64_t>{2, 1, 1, 1}));
}

TEST(TraceApplication, EachCudaStreamIsAStream) {
  const TemporaryFile list("a.traceg\nb.traceg\nc.traceg\nd.traceg\n", "kernelslist.g");
  list.add("a.traceg", trace_named("a", 7));
  list.add("b.traceg", trace_named("b", 0));
  list.add("c.traceg", trace_named("c", 3));
  list.add("d.traceg", trace_named("d", 7));
  const ApiProgram program = read_trace_application(list.path()).program;
  EXPECT_EQ(program.streams, (std::vector<std::string>{"default", "stream-7", "stream-3"}));
  std::vector<std::uint32_t> streams;
  for (std::size_t i = 0; i < 4; ++i) streams.push_back(program.calls[i].stream);
  EXPECT_EQ(streams, (std::vector<std::uint32_t>{1, 0, 2, 1}));
  EXPECT_TRUE(stream_cycles(program, std::vector<std::string>(program.calls.size())).empty());
}

TEST(TraceApplication, AllSamplesAreApplications) {
  for (const char* name : {"fma32", "triad1m", "vecadd4k"})
    EXPECT_EQ(read_trace_application(kTraces + name + "/kernelslist.g").program.name, name);
}

struct Case {
  const char* name;
  std::string list;
  std::string problem;  // follows the name of the list
};

void PrintTo(const Case& hostile, std::ostream* out) {
  *out << hostile.name;
}

class HostileList : public testing::TestWithParam<Case> {};

TEST_P(HostileList, GivesOneErrorWithItsLine) {
  const TemporaryFile list(GetParam().list, "kernelslist.g");
  EXPECT_EQ(problem_of_list(list.path()), list.path() + GetParam().problem);
}

INSTANTIATE_TEST_SUITE_P(
    Lists, HostileList,
    testing::Values(
        Case{"Empty", "", ":1: the list has no commands"},
        Case{"Blank", "\n\n", ":3: the list has no commands"},
        Case{"UnknownCommand", "\nMemset,0x10,4\n",
             ":2: expected MemcpyHtoD, MemcpyDtoH or the name of a .traceg or .tracez file, found "
             "'Memset,0x10,4'"},
        Case{"CopyWithoutBytes", "MemcpyHtoD,0x10\n", ":1: expected Memcpy...,0x<address>,<bytes>"},
        Case{"CopyWithoutAddress", "MemcpyHtoD,,4\n", ":1: expected Memcpy...,0x<address>,<bytes>"},
        Case{"DecimalAddress", "MemcpyHtoD,16,4\n", ":1: expected Memcpy...,0x<address>,<bytes>"},
        Case{"AddressBeyond64Bits", "MemcpyHtoD,0x10000000000000000,4\n",
             ":1: expected Memcpy...,0x<address>,<bytes>"},
        Case{"AddressOfOtherDigits", "MemcpyHtoD,0x1g,4\n",
             ":1: expected a hexadecimal address, found '0x1g'"},
        Case{"NegativeBytes", "MemcpyHtoD,0x10,-4\n", ":1: expected the bytes of the copy, found '-4'"},
        Case{"NoBytes", "MemcpyHtoD,0x10,0\n", ":1: a copy of 0 bytes"},
        Case{"BytesBeyond64Bits", "MemcpyHtoD,0x10,18446744073709551616\n",
             ":1: the bytes of the copy is more than 18446744073709551615"},
        Case{"ATebibyte", "MemcpyHtoD,0x10,1\nMemcpyHtoD,0x20,1099511627776\n",
             ":2: the buffers come to more than 512 GiB"},
        Case{"SumBeyond64Bits", "MemcpyHtoD,0x10,274877906944\nMemcpyHtoD,0x20,274877906945\n",
             ":2: the buffers come to more than 512 GiB"},
        Case{"FourFields", "MemcpyHtoD,0x10,4,4\n", ":1: expected the bytes of the copy, found '4,4'"},
        Case{"CarriageReturn", "MemcpyHtoD,0x10,4\r\n", ":1: the line ends in CR LF; LF alone is wanted"},
        Case{"Garbage", "\x01\x02\n",
             ":1: expected MemcpyHtoD, MemcpyDtoH or the name of a .traceg or .tracez file, found '?\?'"}),
    [](const auto& tested) { return tested.param.name; });

TEST(HostileList, NamesAnAbsentTraceAtItsLine) {
  const TemporaryFile list("MemcpyHtoD,0x10,4\nno.traceg\n", "kernelslist.g");
  EXPECT_EQ(problem_of_list(list.path()), list.path() + ":2: no file '" + list.folder() + "/no.traceg'");
}

TEST(HostileList, ABrokenHeaderIsReportedBeforeAnythingRuns) {
  const TemporaryFile list("k.traceg\n", "kernelslist.g");
  list.add("k.traceg", "-kernel name = k\n");
  EXPECT_EQ(problem_of_list(list.path()),
            list.folder() + "/k.traceg:2: the file ends before '#traces format'");
}

TEST(HostileList, ThatIsNotThereSaysSo) {
  EXPECT_EQ(problem_of_list("/nowhere/kernelslist.g"), "/nowhere/kernelslist.g: No such file or directory");
}

}  // namespace
}  // namespace heddle
