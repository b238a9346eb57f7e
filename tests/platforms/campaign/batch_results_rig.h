#pragma once
// A small campaign, for tests of what is made of its results.

#include <nlohmann/json.hpp>

#include "tests/platforms/campaign/batch_rig.h"

namespace heddle::test {

inline constexpr const char* kCampaign =
    "campaign: c-1\nquestion: How, \"now\"?\nexperiment: small.yaml\naxes:\n  - product: {sm.count: [4, "
    "13]}\n"
    "seeds: [3]\nmetrics: [antt, fill, cycles, prioritised_turnaround_ps, gpu.engine.active_cycles]\n"
    "plots: [{kind: bars, x: sm.count, y: antt}, {kind: timeline}]\n";

class BatchResults : public BatchTest {
 protected:
  using Json = nlohmann::ordered_json;

  BatchResults() { write("c.yaml", kCampaign); }

  void run_campaign(const std::string& directory = "kept") const {
    const Outcome outcome = heddle("batch run c.yaml --quiet --jobs 2 --dir " + directory);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  static Json point(std::size_t number, const std::string& directory = "kept") {
    return Json::parse(read_file(directory + "/points.json"))["points"][number];
  }
  static std::string run_path(std::size_t number, const char* kind, std::size_t index) {
    return "kept/runs/" + point(number)[kind][index].get<std::string>();
  }
  void give_state(const std::string& run, const std::string& state) const {
    write(run + "/state.json",
          R"({"schema": "heddle-state-1", "state": ")" + state + R"(", "reason": "why"})");
  }
  static std::string csv(const std::string& query, const std::string& file = "kept/results.sqlite") {
    return rows_of(file, query);
  }
  void expect_damage(const std::string& file) const {
    const std::string whole = read(file);
    for (const auto& [text, problem] :
         {std::pair{whole.substr(0, whole.size() / 2), "is no JSON from byte"},
          std::pair{std::string("[]"), "must be an object, not []\n"},
          std::pair{std::string("{\"cycles\": 3}"), "simulated_ps: is missing\n"}}) {
      write(file, text);
      const Outcome outcome = heddle("batch collect kept");
      EXPECT_EQ(outcome.code, 2) << file;
      EXPECT_EQ(outcome.err.rfind("heddle: " + file + ": is damaged: " + problem, 0), 0u) << outcome.err;
      EXPECT_FALSE(exists("kept/results.sqlite") || exists("kept/results.csv"));
    }
    write(file, whole);
  }
};

}  // namespace heddle::test
