#include "stimuli/recorded/application_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "models/core/config/config.h"
#include "stimuli/application/application.h"

namespace heddle::imported {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kUs = 1000000;  // ps

KernelShape shape_of(const std::string& name, std::uint64_t blocks = 8) {
  KernelShape shape;
  shape.name = name + "<float>(float*)";
  shape.short_name = name;
  shape.grid = {blocks, 1, 1};
  shape.block = {32, 4, 1};
  shape.registers = 24;
  shape.static_shared = 1024;
  return shape;
}

// Adds launches to an application. The starts and ends in the list are microseconds.
struct Record {
  ApplicationBuilder builder;

  void launch(const std::string& name, std::uint64_t start, std::uint64_t end, std::uint64_t stream = 7) {
    builder.launch(builder.kernel(shape_of(name)), stream, {start * kUs, end * kUs});
  }
};

TextOptions options_of(std::uint64_t least_gap_us = 10) {
  TextOptions options;
  options.name = "mine";
  options.source = "made for this test";
  options.measured_on = "k20-cusched";
  options.least_gap_ps = least_gap_us * kUs;
  return options;
}

// Reads the YAML text with the program's application reader.
Application read(const std::string& text) {
  const config::Document document = config::Document::parse(text, "mine.yaml");
  Application application = read_application(document.root(), HostSpec());
  document.finish();
  return application;
}

std::string program_of(const std::string& text) {
  return text.substr(text.find("program:"));
}

TEST(RecordedApplication, HasTheMeanTimeOfEqualLaunches) {
  Record record;
  record.launch("k", 0, 10);
  record.launch("k", 20, 50);
  record.launch("k", 60, 80);
  const RecordedApplication application = record.builder.finish();
  ASSERT_EQ(application.kernels.size(), 1u);
  EXPECT_EQ(application.kernels[0].times.launches, 3u);
  EXPECT_EQ(application.kernels[0].times.mean_ps(), 20 * kUs);
  EXPECT_EQ(application.kernels[0].times.least_ps, 10 * kUs);
  EXPECT_EQ(application.kernels[0].times.most_ps, 30 * kUs);
  EXPECT_EQ(application.span_ps, 80 * kUs);
  EXPECT_EQ(application.gaps_ps, 20 * kUs);
}

TEST(RecordedApplication, TakesOtherShapesForOtherKernels) {
  ApplicationBuilder builder;
  const std::uint32_t first = builder.kernel(shape_of("k", 8));
  EXPECT_EQ(builder.kernel(shape_of("k", 8)), first);
  EXPECT_NE(builder.kernel(shape_of("k", 9)), first);
  KernelShape registers = shape_of("k", 8);
  registers.registers = 25;
  EXPECT_NE(builder.kernel(registers), first);
}

TEST(RecordedApplication, RefusesWhatEndsBeforeItStartsAndWhatIsOutOfOrder) {
  Record record;
  record.launch("k", 10, 20);
  EXPECT_THROW(record.launch("k", 30, 29), std::invalid_argument);
  EXPECT_THROW(record.launch("k", 9, 29), std::invalid_argument);
  record.launch("k", 10, 29);
}

TEST(RecordedApplication, CountsLaunchesBesideOtherWork) {
  Record record;
  record.launch("k", 0, 100, 1);
  record.launch("k", 50, 150, 2);
  record.launch("k", 150, 160, 1);
  EXPECT_EQ(record.builder.finish().kernels[0].times.overlapped, 1u);
}

TEST(ApplicationText, IsReadAsWhatWasRecorded) {
  Record record;
  record.builder.copy(CopyKind::kUp, 4096, 7, {0, 2 * kUs});
  for (std::uint64_t round = 0; round < 10; ++round) {
    record.launch("scale", 3 + 30 * round, 13 + 30 * round);
    record.launch("sum", 14 + 30 * round, 24 + 30 * round);
  }
  record.builder.fill(7, 512, 7, {310 * kUs, 311 * kUs});
  record.builder.copy(CopyKind::kAcross, 2048, 7, {312 * kUs, 313 * kUs});
  record.builder.copy(CopyKind::kDown, 1024, 7, {314 * kUs, 315 * kUs});
  const RecordedApplication recorded = record.builder.finish();
  TextSummary summary;
  const std::string text = application_text(recorded, options_of(), summary);
  const Application application = read(text);
  ASSERT_EQ(application.program.kernels.size(), 2u);
  EXPECT_EQ(application.program.name, "mine");
  EXPECT_EQ(application.measured_on, "k20-cusched");
  EXPECT_EQ(application.launches, (std::vector<std::uint64_t>{10, 10}));
  EXPECT_EQ(application.kernel_time_ps, (std::vector<std::uint64_t>{10 * kUs, 10 * kUs}));
  EXPECT_EQ(application.program.kernels[0].blocks, 8u);
  EXPECT_EQ(application.program.kernels[0].shape.threads, 128u);
  EXPECT_EQ(application.program.kernels[0].shape.registers_per_thread, 24u);
  EXPECT_EQ(application.program.kernels[0].shape.shared_bytes, 1024u);
  EXPECT_EQ(application.program.streams.size(), 1u);
  EXPECT_THAT(program_of(text), HasSubstr("  - repeat: 10\n    body:\n      - {launch: scale}\n"
                                          "      - {launch: sum}\n"));
  std::map<ApiCall::Kind, std::uint64_t> bytes;
  for (const ApiCall& call : application.program.calls) bytes[call.kind] += call.bytes;
  EXPECT_EQ(bytes[ApiCall::Kind::kCopyUp], 4096u);
  EXPECT_EQ(bytes[ApiCall::Kind::kFill], 512u);
  EXPECT_EQ(bytes[ApiCall::Kind::kCopyAcross], 2048u);
  EXPECT_EQ(bytes[ApiCall::Kind::kCopyDown], 1024u);
}

TEST(ApplicationText, IsTheSameBytesEachTime) {
  const auto text = [] {
    Record record;
    record.launch("b", 0, 10);
    record.launch("a", 30, 40, 9);
    TextSummary summary;
    return application_text(record.builder.finish(), options_of(), summary);
  };
  EXPECT_EQ(text(), text());
}

TEST(ApplicationText, AGapIsCpuTimeBehindAWaitLessTheHostsOwnCalls) {
  Record record;
  record.launch("k", 0, 10);
  record.launch("j", 110, 120);
  TextOptions options = options_of();
  options.host.launch_ps = 5 * kUs;
  options.host.return_ps = 6 * kUs;
  TextSummary summary;
  const std::string text = application_text(record.builder.finish(), options, summary);
  EXPECT_THAT(text, HasSubstr("  - {launch: k}\n  - synchronise: all\n  - cpu: 89us\n  - {launch: j}\n"));
  EXPECT_EQ(summary.cpu_ps, 89 * kUs);
  EXPECT_EQ(summary.host_ps, 11 * kUs);
  EXPECT_EQ(summary.left_out_gaps_ps, 0u);
  read(text);
}

TEST(ApplicationText, AShortGapIsLeftToThePlatform) {
  Record record;
  record.launch("k", 0, 10);
  record.launch("j", 19, 29);
  const RecordedApplication recorded = record.builder.finish();
  TextSummary summary;
  EXPECT_THAT(application_text(recorded, options_of(10), summary), Not(HasSubstr("cpu")));
  EXPECT_EQ(summary.left_out_gaps_ps, 9 * kUs);
  EXPECT_THAT(application_text(recorded, options_of(9), summary), HasSubstr("cpu: 9us"));
  TextOptions slow = options_of(1);
  slow.host.launch_ps = 9 * kUs;
  EXPECT_THAT(application_text(recorded, slow, summary), Not(HasSubstr("cpu")));
}

TEST(ApplicationText, GapsOfALoopAreTheirMeanAndAddUpToWhatWasRecorded) {
  Record record;
  std::uint64_t now = 0;
  std::uint64_t gaps = 0;
  for (std::uint64_t round = 0; round < 8; ++round) {
    record.launch("k", now, now + 10);
    record.launch("j", now + 10, now + 20);
    now += 20 + 100 + 10 * round;
    gaps += round < 7 ? 100 + 10 * round : 0;
  }
  const RecordedApplication recorded = record.builder.finish();
  TextSummary summary;
  const std::string text = application_text(recorded, options_of(), summary);
  EXPECT_THAT(text, HasSubstr("  - repeat: 8\n    body:\n      - synchronise: all\n      - cpu: 113.75us\n"));
  EXPECT_EQ(gaps, 910u);
  EXPECT_EQ(summary.cpu_ps, gaps * kUs);
  EXPECT_EQ(recorded.gaps_ps, gaps * kUs);
}

TEST(ApplicationText, OverlapsKeepTheirStreamsAndWhatWasSerialStaysSo) {
  Record record;
  record.launch("k", 0, 100, 13);
  record.launch("j", 50, 150, 14);   // beside k
  record.launch("i", 151, 160, 13);  // behind j
  TextSummary summary;
  const std::string text = application_text(record.builder.finish(), options_of(), summary);
  EXPECT_THAT(text, HasSubstr("  - {launch: k, stream: s13}\n  - {launch: j, stream: s14}\n"
                              "  - {record: order, stream: s14}\n  - {wait: order, stream: s13}\n"
                              "  - {launch: i, stream: s13}\n"));
  EXPECT_EQ(read(text).program.streams, (std::vector<std::string>{"default", "s13", "s14"}));
}

TEST(ApplicationText, NamesAreLegalAndDistinct) {
  ApplicationBuilder builder;
  for (const std::string& name : {std::string("true"), std::string("operator()"), std::string("k"),
                                  std::string("k"), std::string("7up"), std::string("naïve"),
                                  std::string(300, 'x'), std::string("a: b # c"), std::string("\n")}) {
    KernelShape shape = shape_of(name, builder.has_launch() ? 9 : 8);
    shape.name = name + std::to_string(shape.grid[0]);
    shape.grid[1] = 1 + name.size();
    builder.launch(builder.kernel(shape), 7, {0, kUs});
  }
  KernelShape again = shape_of("k", 77);
  builder.launch(builder.kernel(again), 7, {0, kUs});
  TextSummary summary;
  const std::string text = application_text(builder.finish(), options_of(), summary);
  const Application application = read(text);
  std::set<std::string> names;
  for (const ApiKernel& kernel : application.program.kernels) {
    EXPECT_LE(kernel.name.size(), 64u);
    EXPECT_EQ(
        kernel.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."),
        std::string::npos)
        << kernel.name;
    names.insert(kernel.name);
  }
  EXPECT_EQ(names.size(), application.program.kernels.size());
  EXPECT_EQ(names.count("k-2"), 1u);
}

TEST(ApplicationText, TimesAreExact) {
  EXPECT_EQ(time_text(0), "0ps");
  EXPECT_EQ(time_text(999), "999ps");
  EXPECT_EQ(time_text(1000), "1ns");
  EXPECT_EQ(time_text(12345678), "12.345678us");
  EXPECT_EQ(time_text(1500000000), "1.5ms");
  EXPECT_EQ(time_text(1000000000001), "1.000000000001s");
}

TEST(KernelShape, OfNoBlocksOrTooManyIsAProblem) {
  EXPECT_EQ(problem_of(shape_of("k")), "");
  KernelShape shape = shape_of("k");
  shape.grid = {4294967295, 65535, 65535};
  EXPECT_THAT(problem_of(shape), HasSubstr("a grid of 4294967295 x 65535 x 65535 blocks"));
  shape = shape_of("k");
  shape.block = {0, 1, 1};
  EXPECT_THAT(problem_of(shape), HasSubstr("a block of 0 x 1 x 1 threads"));
  shape = shape_of("k");
  shape.registers = 65537;
  EXPECT_THAT(problem_of(shape), HasSubstr("65537 registers"));
  shape = shape_of("k");
  shape.dynamic_shared = ~std::uint64_t{0};
  EXPECT_THAT(problem_of(shape), HasSubstr("shared memory"));
}

}  // namespace
}  // namespace heddle::imported
