// The messages between the processes of a run, and the files beside its result.

#include <gtest/gtest.h>

#include "platforms/campaign/backends/run_messages.h"
#include "platforms/campaign/store/record_codec.h"
#include "platforms/run/job_messages.h"
#include "platforms/run/provenance_codec.h"
#include "platforms/run/result/codec_error.h"
#include "platforms/run/result/result_codec.h"

namespace heddle {
namespace {

template <class Read>
std::string problem_of(Read read, const std::string& text) {
  try {
    read(text);
  } catch (const CodecError& error) {
    return error.what();
  }
  return "none";
}

TEST(JobMessages, ReadBackAsTheyWere) {
  JobMessage message;
  message.progress = JobProgress{3, 0.25, 1.5, 2e6};
  JobMessage again = read_job_message(line_of(message));
  EXPECT_EQ(again.progress->job, 3u);
  EXPECT_EQ(again.progress->cycles_per_second, 2e6);
  EXPECT_FALSE(again.failure || again.done);

  message = {};
  message.failure = "deadlock:\n\"sm0\" waits";
  EXPECT_EQ(line_of(message).find('\n'), std::string::npos);
  EXPECT_EQ(read_job_message(line_of(message)).failure, message.failure);

  message = {};
  message.done.emplace();
  message.done->result.cycles = 77;
  message.done->result.applications = {{"a", 1, 2, 3, 4, 5, 6, 7, {}}};
  message.done->cost = {0.5, 0.25};
  again = read_job_message(line_of(message));
  EXPECT_EQ(result_text(again.done->result), result_text(message.done->result));
  EXPECT_EQ(again.done->cost.cpu_seconds, 0.25);
  EXPECT_EQ(again.done->cost.cycles_per_second(again.done->result), 154);
}

TEST(JobMessages, DamagedOnesAreRefused) {
  EXPECT_EQ(problem_of(read_job_message, "garbage").rfind("is no JSON from byte 1", 0), 0u);
  EXPECT_EQ(problem_of(read_job_message, "{\"news\": 1}"), "news: is not known");
  EXPECT_EQ(problem_of(read_job_message, "{\"progress\": {\"job\": 0}}"), "progress.fraction: is missing");
  EXPECT_EQ(problem_of(read_job_message, "{}"), "must have one of progress, failure and done");
  JobMessage empty;
  empty.done.emplace();
  EXPECT_EQ(problem_of(read_job_message, line_of(empty)), "applications: is empty");
}

TEST(RunMessages, ReadBackAsTheyWere) {
  RunMessage message;
  message.ended = RunRecord{RunState::kFailed, "why"};
  EXPECT_EQ(line_of(message), R"({"ended":{"state":"failed","reason":"why"}})");
  const RunMessage again = read_run_message(line_of(message));
  EXPECT_EQ(again.ended->state, RunState::kFailed);
  EXPECT_EQ(again.ended->reason, "why");
  EXPECT_FALSE(again.fraction || again.unwritten);
  EXPECT_EQ(problem_of(read_run_message, R"({"ended":{"state":"fine","reason":""}})"),
            "ended.state: has the unknown name \"fine\"");
  EXPECT_EQ(problem_of(read_run_message, "{}"), "must have one of fraction, ended and unwritten");
}

TEST(RecordCodec, EveryStateReadsBack) {
  for (const RunState state : kRunStates) EXPECT_EQ(read_record(record_text({state, "r"})).state, state);
  EXPECT_EQ(record_text({RunState::kOk, ""}),
            "{\n  \"schema\": \"heddle-state-1\",\n  \"state\": \"ok\",\n  \"reason\": \"\"\n}\n");
  EXPECT_EQ(problem_of(read_record, R"({"schema":"heddle-state-2","state":"ok","reason":""})"),
            "schema: must be heddle-state-1, not heddle-state-2");
  EXPECT_EQ(problem_of(read_record, R"({"schema":"heddle-state-1","state":"ok"})"), "reason: is missing");
  EXPECT_EQ(problem_of(read_record, ""), "is no JSON from byte 1 on");
}

TEST(ProvenanceCodec, KeysAreThereAsFarAsTheyAreKnown) {
  Provenance origin{"1", "r", "b", "h", {"heddle", "run"}, {}, {}, {}, {}, {}, {}, {}};
  EXPECT_EQ(provenance_text(origin),
            "{\n  \"version\": \"1\",\n  \"revision\": \"r\",\n  \"build_id\": \"b\",\n  \"host\": \"h\",\n"
            "  \"argv\": [\n    \"heddle\",\n    \"run\"\n  ]\n}\n");
  EXPECT_EQ(wall_seconds_of(provenance_text(origin)), std::nullopt);
  origin.started = 5;
  origin.speed = {0.5, 100};
  origin.cpu_seconds = 0.25;
  origin.ended = 6;
  const std::string text = provenance_text(origin);
  EXPECT_EQ(wall_seconds_of(text), 0.5);
  const auto entries = provenance_entries(text);
  std::string keys;
  for (const auto& [key, value] : *entries) keys += key + "=" + value + " ";
  EXPECT_EQ(keys,
            "version=1 revision=r build_id=b host=h argv=[\"heddle\",\"run\"] started=5.0 wall_seconds=0.5 "
            "cpu_seconds=0.25 cycles_per_second=100.0 ended=6.0 ");
}

TEST(ProvenanceCodec, DamageIsNoProvenance) {
  for (const char* text : {"", "[1]", "{\"wall_seconds\": "}) {
    EXPECT_EQ(wall_seconds_of(text), std::nullopt);
    EXPECT_EQ(provenance_entries(text), std::nullopt);
  }
  EXPECT_EQ(wall_seconds_of("{\"wall_seconds\": \"long\"}"), std::nullopt);
}

}  // namespace
}  // namespace heddle
