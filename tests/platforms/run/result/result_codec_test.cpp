#include "platforms/run/result/result_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <nlohmann/json.hpp>
#include <tuple>

#include "tests/platforms/run/result/random_result.h"

namespace heddle {

bool operator==(const ThrottleResult& a, const ThrottleResult& b) {
  const auto tied = [](const ThrottleResult& of) {
    return std::tie(of.slices, of.settled, of.most_blocks, of.caps, of.samples, of.cycles,
                    of.cycles_to_settle);
  };
  return tied(a) == tied(b);
}
bool operator==(const KernelResult& a, const KernelResult& b) {
  const auto tied = [](const KernelResult& of) {
    return std::tie(of.kernel, of.ended, of.cycles, of.wait_cycles, of.blocks_done, of.warp_instructions,
                    of.throttle);
  };
  return tied(a) == tied(b);
}
bool operator==(const ApplicationResult& a, const ApplicationResult& b) {
  const auto tied = [](const ApplicationResult& of) {
    return std::tie(of.application, of.turnaround_ps, of.completions, of.kernels_launched, of.bytes_copied,
                    of.warp_instructions, of.shared_ps, of.shared_instructions, of.kernels);
  };
  return tied(a) == tied(b);
}
bool operator==(const ShareResult& a, const ShareResult& b) {
  return std::tie(a.application, a.kernel, a.blocks, a.performance) ==
         std::tie(b.application, b.kernel, b.blocks, b.performance);
}
bool operator==(const DecisionResult& a, const DecisionResult& b) {
  return std::tie(a.cycle, a.kind, a.loss, a.shares) == std::tie(b.cycle, b.kind, b.loss, b.shares);
}
bool operator==(const SmResult& a, const SmResult& b) {
  const auto tied = [](const SmResult& of) {
    return std::tie(of.icnt_hz, of.l2_hz, of.dram_hz, of.sm_cycles, of.issue_slots, of.units, of.registers,
                    of.shared_memory, of.schedulable_warps, of.registers_hit_rate, of.shared_memory_hit_rate,
                    of.registers_use, of.shared_memory_use, of.l1_miss_rate, of.l2_miss_rate, of.l2_mpki);
  };
  return tied(a) == tied(b);
}
bool operator==(const RunResult& a, const RunResult& b) {
  const auto tied = [](const RunResult& of) {
    return std::tie(of.simulated_ps, of.cycles, of.warp_instructions, of.core_hz, of.pcie_hz, of.sms,
                    of.occupancy, of.fill, of.decisions, of.quotas, of.applications, of.transactions);
  };
  return tied(a) == tied(b);
}

namespace {

using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;

// Returns a result that contains every key.
RunResult full_result() {
  RunResult run;
  run.simulated_ps = 1000;
  run.cycles = 12;
  run.warp_instructions = 34;
  run.core_hz = 7e8;
  run.pcie_hz = 2.5e8;
  run.sms.emplace();
  for (auto& unit : run.sms->units) unit = Ratio{0.5, 1, 2};
  run.decisions = {{5, PartitionDecision::Kind::kQuotas, 0.25, {{"a", "k", 3, {0.5, 1}}}}};
  run.quotas = {3, std::nullopt};
  run.applications = {{"a", 100, 1, 2, 3, 4, 5, 6, {{"k", 1, 2, 3, 4, 5, {}}}},
                      {"b", 200, 0, 0, 0, 0, 0, 0, {}}};
  run.transactions = 9;
  return run;
}

std::string problem_of(const std::string& text) {
  try {
    read_result(text);
  } catch (const CodecError& error) {
    return error.what();
  }
  return "none";
}

std::string problem_of(const std::string& pointer, const Json& value) {
  Json json = Json::parse(result_text(full_result()));
  json[Pointer(pointer)] = value;
  return problem_of(json.dump());
}

// Converts "/applications/0/kernels" to "applications[0].kernels".
std::string place_of(const std::string& pointer) {
  std::string place;
  for (std::size_t at = 1; at < pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', at), pointer.size());
    const std::string part = pointer.substr(at, end - at);
    const bool is_index = std::isdigit(static_cast<unsigned char>(part[0])) != 0;
    place += is_index ? "[" + part + "]" : (place.empty() ? "" : ".") + part;
    at = end + 1;
  }
  return place;
}

void walk(const Json& json, const std::string& pointer,
          const std::function<void(const Json&, const std::string&)>& visit) {
  visit(json, pointer);
  if (json.is_object())
    for (const auto& [key, value] : json.items()) walk(value, pointer + "/" + key, visit);
  if (json.is_array())
    for (std::size_t i = 0; i < json.size(); ++i) walk(json[i], pointer + "/" + std::to_string(i), visit);
}

TEST(ResultCodec, ATimedRunHasTheKeysOfReadmeInTheirOrder) {
  RunResult run;
  run.simulated_ps = 1000;
  run.cycles = 12;
  run.core_hz = 7e8;
  run.pcie_hz = 0.1;
  run.occupancy = {0.75, 3, 4};
  run.applications = {{"sgemm", 100, 1, 2, 3, 0, 6, 7, {{"k", 1, 2, 3, 4, 5, {}}}}};
  EXPECT_EQ(
      Json::parse(result_text(run)).dump(),
      R"({"simulated_ps":1000,"cycles":12,"warp_instructions":0,"core_hz":700000000.0,"pcie_hz":0.1,)"
      R"("occupancy":{"value":0.75,"numerator":3,"denominator":4},)"
      R"("fill":{"value":null,"numerator":0,"denominator":0},)"
      R"("applications":[{"application":"sgemm","turnaround_ps":100,"completions":1,)"
      R"("kernels_launched":2,"bytes_copied":3,"warp_instructions":0,"shared_ps":6,"shared_instructions":7,)"
      R"("kernels":[{"kernel":"k","ended":1,"cycles":2,"wait_cycles":3,"blocks_done":4,)"
      R"("warp_instructions":5}]}],"transactions":0})");
}

TEST(ResultCodec, CycleSmsAndDecisionsAreReadBackToo) {
  const Json json = Json::parse(result_text(full_result()));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"simulated_ps",
                                            "cycles",
                                            "warp_instructions",
                                            "core_hz",
                                            "pcie_hz",
                                            "icnt_hz",
                                            "l2_hz",
                                            "dram_hz",
                                            "sm_cycles",
                                            "issue_slots",
                                            "utilisation",
                                            "schedulable_warps",
                                            "resource_hit_rate",
                                            "resource_use",
                                            "l1_miss_rate",
                                            "l2_miss_rate",
                                            "l2_mpki",
                                            "occupancy",
                                            "fill",
                                            "decisions",
                                            "quotas",
                                            "applications",
                                            "transactions"}));
  EXPECT_EQ(json["decisions"][0].dump(),
            R"({"cycle":5,"kind":"quotas","loss":0.25,"shares":[{"application":"a","kernel":"k","blocks":3,)"
            R"("performance":[0.5,1.0]}]})");
  EXPECT_EQ(json["quotas"].dump(), "[3,null]");
}

TEST(ResultCodec, RandomResultsReadBackAsTheyWere) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const RunResult run = RandomResult(seed).make_preempted();
    const std::string text = result_text(run);
    const RunResult again = read_result(text);
    ASSERT_TRUE(again == run) << text;
    ASSERT_EQ(result_text(again), text);
  }
}

TEST(ResultCodec, BytesThatAreNoUtf8AreReplaced) {
  RunResult run = full_result();
  run.applications[0].application = "a\xff";
  EXPECT_EQ(read_result(result_text(run)).applications[0].application, "a\xEF\xBF\xBD");
}

TEST(ResultCodec, EveryValueOfAnotherTypeIsNamed) {
  const Json whole = Json::parse(result_text(full_result()));
  std::size_t tried = 0;
  walk(whole, "", [&](const Json&, const std::string& pointer) {
    const std::string place = place_of(pointer);
    const std::string problem = problem_of(pointer, true);
    EXPECT_EQ(problem.rfind(place.empty() ? "must be" : place + ": must be", 0), 0u)
        << place << ": " << problem;
    EXPECT_NE(problem.find("not true"), std::string::npos) << problem;
    ++tried;
  });
  EXPECT_GT(tried, 100u);
}

TEST(ResultCodec, EveryMissingKeyIsNamed) {
  const Json whole = Json::parse(result_text(full_result()));
  walk(whole, "", [&](const Json& json, const std::string& pointer) {
    if (!json.is_object()) return;
    for (const auto& [key, value] : json.items()) {
      Json lacking = whole;
      lacking[Pointer(pointer)].erase(key);
      const std::string problem = problem_of(lacking.dump());
      const bool is_optional = key == "decisions" || key == "quotas" || key == "shares" || key == "kernels" ||
                               pointer == "/resource_hit_rate" || pointer == "/resource_use" ||
                               (pointer == "/utilisation" && key != "registers" && key != "shared_memory");
      std::string expected = place_of(pointer + "/" + key) + ": is missing";
      if (is_optional) expected = "none";
      // Without sm_cycles the reader takes the SMs as timed.
      if (key == "sm_cycles") expected = "icnt_hz: is not known";
      EXPECT_EQ(problem, expected);
    }
  });
}

TEST(ResultCodec, EveryUnknownKeyIsNamed) {
  const Json whole = Json::parse(result_text(full_result()));
  walk(whole, "", [&](const Json& json, const std::string& pointer) {
    if (!json.is_object()) return;
    EXPECT_EQ(problem_of(pointer + "/surplus", 1), place_of(pointer + "/surplus") + ": is not known");
  });
}

TEST(ResultCodec, ValuesOutOfRangeAreNamed) {
  EXPECT_EQ(problem_of("/cycles", -1), "cycles: must be a count, not -1");
  EXPECT_EQ(problem_of("/cycles", 1.5), "cycles: must be a count, not 1.5");
  EXPECT_EQ(problem_of("/core_hz", "fast"), "core_hz: must be a number, not \"fast\"");
  EXPECT_EQ(problem_of("/quotas/0", UINT64_C(1) << 32),
            "quotas[0]: must be at most 4294967295, not 4294967296");
  EXPECT_EQ(problem_of("/decisions/0/kind", "luck"), "decisions[0].kind: has the unknown name \"luck\"");
  EXPECT_EQ(problem_of("/fill", nullptr), "fill: must be an object, not null");
  EXPECT_EQ(problem_of("/quotas", Json::array({1})), "quotas: has 1 values for 2 applications");
  EXPECT_EQ(problem_of("/applications", Json::array()), "applications: is empty");
  EXPECT_EQ(problem_of("/cycles", std::string(1000, 'x')).size(),
            std::string("cycles: must be a count, not ").size() + 43);
}

TEST(ResultCodec, TextCutAnywhereIsRefused) {
  const std::string text = result_text(full_result());
  for (std::size_t size = 0; size + 2 < text.size(); ++size)
    ASSERT_EQ(problem_of(text.substr(0, size)).rfind("is no JSON from byte ", 0), 0u) << size;
  EXPECT_EQ(problem_of("[]"), "must be an object, not []");
  EXPECT_EQ(problem_of(text + "{}"), "is no JSON from byte " + std::to_string(text.size() + 1) + " on");
  EXPECT_EQ(problem_of(std::string(100000, '[')).rfind("is no JSON", 0), 0u);
  EXPECT_EQ(problem_of("{\"cycles\": 1e999}"), "is no JSON that can be read");
}

}  // namespace
}  // namespace heddle
