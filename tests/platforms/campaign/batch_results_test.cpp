// The results of a campaign as collect and diff process them.

#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "models/core/config/config.h"
#include "platforms/campaign/results/database.h"
#include "platforms/campaign/results/tables.h"
#include "platforms/campaign/store/run_files.h"
#include "tests/platforms/campaign/batch_results_rig.h"

namespace heddle::test {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

TEST_F(BatchResults, MetricsAreThoseOfHeddleRunToTheLastDigit) {
  run_campaign();
  const Outcome outcome = heddle("batch collect kept");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "c-1: 4 samples, 4 complete; kept/results.sqlite and kept/results.csv\n");
  Database database("kept/results.sqlite");
  Statement rows(database, "SELECT * FROM \"c-1\"");
  for (const char* count : {"4", "13"}) {
    const std::string out = std::string("single") + count;
    const Outcome run = heddle(std::string("run small.yaml --json --cache none --seed 3 --set sm.count=") +
                               count + " --out " + out);
    ASSERT_EQ(run.code, 0) << run.err;
    const Json summary = Json::parse(run.out);
    for (const Json& expected : summary["runs"]) {
      ASSERT_TRUE(rows.step());
      EXPECT_EQ(rows.text(2), count);
      EXPECT_EQ(rows.integer(3), 3);
      EXPECT_EQ(rows.text(4), expected["label"].get<std::string>());
      EXPECT_EQ(rows.real(8), expected["antt"].get<double>());
      EXPECT_EQ(rows.real(9), expected["fill"]["value"].get<double>());
      EXPECT_EQ(rows.real(10), expected["cycles"].get<double>());
      EXPECT_EQ(rows.real(11), expected["prioritised_turnaround_ps"].get<double>());
      EXPECT_EQ(rows.real(12), expected["cycles"].get<double>());
    }
  }
  EXPECT_FALSE(rows.step());
  const Json summary = Json::parse(read("single4/summary.json"));
  Statement ntt(database, "SELECT value FROM application_metrics WHERE sample = 2 AND metric = 'ntt'");
  for (const Json& application : summary["runs"][1]["applications"]) {
    ASSERT_TRUE(ntt.step());
    EXPECT_EQ(ntt.real(0), application["ntt"].get<double>());
  }
}

TEST_F(BatchResults, DatabaseHasTheCampaign) {
  run_campaign();
  ASSERT_EQ(heddle("batch collect kept --quiet").out, "");
  EXPECT_EQ(csv("SELECT * FROM campaign"), "c-1|How, \"now\"?|heddle-results-1|2|8|8|0\n");
  EXPECT_EQ(csv("SELECT * FROM plots"), "1|bars|sm.count|antt|\n2|timeline|||\n");
  EXPECT_EQ(csv("SELECT * FROM keys"), "1|sm.count|axis\n2|seed|seed\n");
  EXPECT_EQ(csv("SELECT * FROM points"), "1|sm.count=4 seed=3|3\n2|sm.count=13 seed=3|3\n");
  EXPECT_EQ(csv("SELECT * FROM parameters"), "1|sm.count|4\n2|sm.count|13\n");
  EXPECT_EQ(csv("SELECT label, alone, state, reason FROM runs LIMIT 3"),
            "sm.count=4 seed=3, fcfs-s|0|ok|\nsm.count=4 seed=3, token, imbalance=2|0|ok|\n"
            "sm.count=4 seed=3, tiny alone|1|ok|\n");
  EXPECT_EQ(csv("SELECT point, application, name FROM baselines"),
            "1|0|tiny\n1|1|other\n2|0|tiny\n2|1|other\n");
  EXPECT_EQ(
      csv("SELECT DISTINCT name, unit FROM metrics ORDER BY name"),
      "antt|ratio\ncycles|cycle\nfill|ratio\ngpu.engine.active_cycles|cycle\nprioritised_turnaround_ps|ps\n");
  EXPECT_EQ(csv("SELECT DISTINCT metric, unit FROM application_metrics"),
            "ntt|ratio\nturnaround_ps|ps\ncompletions|count\n");
  EXPECT_EQ(csv("SELECT count(*) FROM provenance WHERE key IN ('started', 'ended', 'host')"), "24\n");
  const std::string table = read("kept/results.csv");
  EXPECT_EQ(table.substr(0, table.find('\n')),
            "sample,point,sm.count,seed,variant,state,complete,directory,antt,fill,cycles,"
            "prioritised_turnaround_ps,gpu.engine.active_cycles");
  EXPECT_NE(table.find("\n2,1,4,3,\"token, imbalance=2\",ok,1,runs/"), std::string::npos) << table;
}

TEST_F(BatchResults, WhatCycleSmsUsedAreMetricsByTheirPlaceInASummary) {
  write("cycle.yaml",
        "experiment: cycle\nplatform: gtx480\napplications: [latency-bound]\ntermination: once-each\n");
  write("d.yaml",
        "campaign: d\nexperiment: cycle.yaml\naxes:\n  - product: {sm.count: [15]}\nmetrics: [ipc, "
        "utilisation.memory, utilisation.dp, share_of.active, l2_mpki, gpu.l2_mpki]\n");
  ASSERT_EQ(heddle("batch run d.yaml --quiet --dir other").code, 0);
  ASSERT_EQ(heddle("batch collect other").code, 0);
  const std::string file = "other/results.sqlite";
  EXPECT_EQ(csv("SELECT name, unit FROM metrics ORDER BY name", file),
            "gpu.l2_mpki|line/1000 instruction\nipc|instruction/cycle\nl2_mpki|line/1000 instruction\n"
            "share_of.active|ratio\nutilisation.memory|ratio\n");  // the SMs have no dp
  const Outcome run = heddle("run cycle.yaml --json --out run");
  const Json summary = Json::parse(run.out)["runs"][0];
  const auto value = [&](const std::string& name) {
    return std::stod(csv("SELECT printf('%!.17g', value) FROM metrics WHERE name = '" + name + "'", file));
  };
  EXPECT_DOUBLE_EQ(value("utilisation.memory"), summary["utilisation"]["memory"]["value"]);
  EXPECT_DOUBLE_EQ(value("share_of.active"), summary["share_of"]["active"]);
  EXPECT_DOUBLE_EQ(value("ipc"),
                   summary["warp_instructions"].get<double>() / summary["cycles"].get<double>());
  EXPECT_DOUBLE_EQ(value("l2_mpki"), summary["l2_mpki"]["value"]);
  EXPECT_DOUBLE_EQ(value("gpu.l2_mpki"), value("l2_mpki"));
}

TEST_F(BatchResults, APartialSetIsReportedAndStrictRefusesIt) {
  run_campaign();
  give_state(run_path(0, "runs", 1), "timeout");
  give_state(run_path(1, "alone", 0), "failed");
  const Outcome strict = heddle("batch collect kept --strict");
  EXPECT_EQ(strict.code, 3);
  EXPECT_EQ(strict.err,
            "heddle: kept: partial: 6 of 8 runs ok; missing: 1 failed, 1 timeout; nothing was written\n");
  EXPECT_FALSE(exists("kept/results.sqlite") || exists("kept/results.csv"));
  const Outcome outcome = heddle("batch collect kept");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.rfind("partial: 6 of 8 runs ok; missing: 1 failed, 1 timeout\n", 0), 0u)
      << outcome.out;
  EXPECT_EQ(csv("SELECT runs, runs_ok, partial FROM campaign"), "8|6|1\n");
  EXPECT_EQ(csv("SELECT state, complete, cycles IS NULL FROM \"c-1\""),
            "ok|1|0\ntimeout|0|1\nok|0|1\nok|0|1\n");
  EXPECT_NE(
      read("kept/results.csv").find(",timeout,0,runs/" + point(0)["runs"][1].get<std::string>() + ",,,,,\n"),
      std::string::npos);
  EXPECT_EQ(csv("SELECT count(*) FROM application_metrics"), "6\n");
  fs::remove_all("kept/runs");
  EXPECT_EQ(heddle("batch collect kept").out.rfind("partial: 0 of 8 runs ok; missing: 8 queued\n", 0), 0u);
  EXPECT_EQ(csv("SELECT count(*) FROM runs WHERE state = 'queued' AND directory IS NULL"), "8\n");
}

TEST_F(BatchResults, ARunWhoseFilesThePowerTookIsLostAndRunAgain) {
  run_campaign();
  const std::string file = run_path(0, "runs", 0) + "/result.json";
  const std::string whole = read(file);
  write(file, "");
  fs::remove(run_path(1, "alone", 1) + "/stats.json");
  EXPECT_EQ(heddle("batch collect kept").out.rfind("partial: 6 of 8 runs ok; missing: 2 lost\n", 0), 0u);
  EXPECT_NE(heddle("batch run c.yaml --dir kept").out.find("\n2/2 ok: "), std::string::npos);
  EXPECT_EQ(read(file), whole);
}

TEST_F(BatchResults, CollectWorksBesideARunningCampaign) {
  run_campaign();
  const CampaignLock lock("kept", CampaignLock::Mode::kAlone);
  const std::string id = point(1)["runs"][0];
  RunStore("kept").discard("kept/runs/" + id);
  RunStore("kept").begin(id);
  EXPECT_EQ(heddle("batch collect kept").out.rfind("partial: 7 of 8 runs ok; missing: 1 running\n", 0), 0u);
  EXPECT_EQ(csv("SELECT count(*) FROM runs WHERE state = 'running' AND directory IS NULL"), "1\n");
}

TEST_F(BatchResults, ACounterThatNoRunHasIsRefused) {
  std::string text = kCampaign;
  write("c.yaml", text.replace(text.find("active_cycles"), 13, "active_cycle"));
  run_campaign();
  const Outcome outcome = heddle("batch collect kept");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(
      outcome.err,
      "heddle: kept/campaign.yaml: metrics: no run has a counter 'gpu.engine.active_cycle'; did you mean "
      "'gpu.engine.active_cycles'?\n");
  EXPECT_FALSE(exists("kept/results.sqlite") || exists("kept/results.csv"));
  fs::remove_all("kept/runs");  // the provenance is lost
  EXPECT_EQ(heddle("batch collect kept").code, 0);
}

TEST_F(BatchResults, DamagedFilesAreNamed) {
  run_campaign();
  expect_damage(run_path(0, "runs", 0) + "/result.json");
  expect_damage(run_path(1, "alone", 1) + "/result.json");
  const std::string stats = run_path(0, "runs", 0) + "/stats.json";
  const std::string whole = read(stats);
  write(stats, whole.substr(0, whole.size() / 2));
  EXPECT_EQ(heddle("batch collect kept").err.rfind("heddle: " + stats + ": is damaged: ", 0), 0u);
  std::string later = whole;
  write(stats, later.replace(later.find("stats-1"), 7, "stats-2"));
  write_checksums(run_path(0, "runs", 0));
  EXPECT_EQ(heddle("batch collect kept").err,
            "heddle: " + stats + ": is of the schema heddle-stats-2; this program reads heddle-stats-1\n");
  write(stats, whole);
  write_checksums(run_path(0, "runs", 0));
  const std::string points = read("kept/points.json");
  write("kept/points.json", "{\"schema\": \"heddle-points-1\"}");
  EXPECT_EQ(heddle("batch collect kept").err,
            "heddle: kept/points.json: is of the schema heddle-points-1; this program reads heddle-points-2; "
            "heddle batch run writes it again\n");
  for (const std::string& text : {std::string(), points.substr(0, 200)}) {
    write("kept/points.json", text);
    const Outcome outcome = heddle("batch collect kept");
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err.rfind("heddle: kept/points.json: is damaged", 0), 0u) << outcome.err;
  }
  write("kept/points.json", points);
  write("kept/campaign.yaml", "campaign: d\nexperiment: small.yaml\n");
  EXPECT_EQ(heddle("batch collect kept").code, 2);
  EXPECT_EQ(heddle("batch collect nowhere").err,
            "heddle: nowhere: there is no campaign; heddle batch run makes one\n");
  EXPECT_FALSE(exists("kept/results.sqlite") || exists("nowhere"));
}

TEST_F(BatchResults, AChangedDigitInAResultIsNoticed) {
  run_campaign();
  for (const std::string& run : {run_path(0, "runs", 0), run_path(1, "alone", 1)})
    for (const char* name : {"result.json", "stats.json"}) {
      const std::string file = run + "/" + name;
      const std::string whole = read(file);
      std::string text = whole;
      const std::size_t digit = text.find_first_of("123456789", text.size() / 2);
      text[digit] = text[digit] == '9' ? '8' : static_cast<char>(text[digit] + 1);
      write(file, text);
      const Outcome outcome = heddle("batch collect kept");
      const bool is_read = name == std::string("result.json") || run == run_path(0, "runs", 0);
      EXPECT_EQ(outcome.code, is_read ? 2 : 0) << file;
      const std::string message =
          "heddle: " + file + ": is damaged: its content does not agree with " + run + "/checksums\n";
      if (is_read) {
        EXPECT_EQ(outcome.err, message);
      }
      write(file, whole);
    }
  EXPECT_EQ(heddle("batch collect kept").code, 0);
  EXPECT_EQ(std::system(("cd " + run_path(0, "runs", 0) + " && sha1sum --check --quiet checksums").c_str()),
            0);
  fs::remove(run_path(0, "runs", 0) + "/checksums");
  EXPECT_EQ(heddle("batch collect kept").out.rfind("partial: 7 of 8 runs ok; missing: 1 lost\n", 0), 0u);
}

TEST_F(BatchResults, TheSameRunsGiveTheSameBytes) {
  run_campaign();
  ASSERT_EQ(heddle("batch collect kept").code, 0);
  const std::string database = read("kept/results.sqlite");
  const std::string table = read("kept/results.csv");
  ASSERT_EQ(heddle("batch collect kept", {[] { setenv("MALLOC_PERTURB_", "165", 1); }, nullptr, ""}).code, 0);
  EXPECT_TRUE(read("kept/results.sqlite") == database);
  EXPECT_EQ(read("kept/results.csv"), table);
}

TEST_F(BatchResults, CampaignsThatAreAlikeDifferInProvenanceAlone) {
  for (const char* place : {"one", "another"}) {
    fs::create_directory(place);
    for (const char* file : {"small.yaml", "tiny.yaml", "other.yaml"}) fs::copy(file, place);
    fs::copy("small.yaml", std::string(place) + "/second.yaml");
    write(std::string(place) + "/c.yaml",
          "campaign: c\nexperiment: small.yaml\naxes:\n  - product: {experiment: [./small.yaml, "
          "./second.yaml]}\n");
    ASSERT_EQ(heddle(std::string("batch run ") + place + "/c.yaml --quiet --dir " + place + "/kept").code, 0);
    ASSERT_EQ(heddle(std::string("batch collect ") + place + "/kept").code, 0);
  }
  EXPECT_EQ(read("one/kept/results.csv"), read("another/kept/results.csv"));
  EXPECT_EQ(csv("SELECT label FROM points", "one/kept/results.sqlite"),
            "experiment=small.yaml\nexperiment=second.yaml\n");
  const auto tables = tables_of("one/kept/results.sqlite");
  EXPECT_EQ(tables.size(), 21u);
  EXPECT_EQ(tables, tables_of("another/kept/results.sqlite"));
  for (const auto& [name, rows] : tables) EXPECT_EQ(rows.find(directory_), std::string::npos) << name;
  EXPECT_NE(csv("SELECT * FROM provenance", "one/kept/results.sqlite"),
            csv("SELECT * FROM provenance", "another/kept/results.sqlite"));
  EXPECT_EQ(heddle("batch diff one/kept another/kept").out, "nothing differs\n");
}

TEST_F(BatchResults, NamesOfAnyKindAreColumnsOfTheView) {
  Results results;
  results.campaign.name = "it's a \"name\", is it";
  results.campaign.keys = {"a'b", "c\"d", "e,f; DROP TABLE points; --"};
  results.campaign.metrics = {"m\"n'o"};
  results.units = {"ratio"};
  PointRecord record;
  record.point.number = 1;
  record.point.values = {{"a'b", "1, \"2\""}, {"c\"d", "x'y"}, {"e,f; DROP TABLE points; --", "line\nbreak"}};
  record.names.variants = {"fcfs-s"};
  record.runs = {"id"};
  results.points = {record};
  results.runs = {{"id", "label", false, {RunState::kOk, ""}, true, {}}};
  results.alone = {{}};
  results.samples = {{0, 0, 0, true, {0.1}, {}}};
  Database database;
  write_tables(results, database);
  EXPECT_EQ(csv_of(database, view_of(results.campaign.name)),
            "sample,point,a'b,\"c\"\"d\",\"e,f; DROP TABLE points; "
            "--\",variant,state,complete,directory,\"m\"\"n'o\"\n"
            "1,1,\"1, \"\"2\"\"\",x'y,\"line\nbreak\",fcfs-s,ok,1,runs/id,0.1\n");
}

TEST_F(BatchResults, ACampaignNamedAsATableHasAViewOfItsOwn) {
  EXPECT_EQ(view_of("Points"), "results_Points");
  EXPECT_EQ(view_of("sqlite_x"), "results_sqlite_x");
  EXPECT_EQ(view_of("point"), "point");
}

TEST_F(BatchResults, DiffShowsWhatDiffers) {
  run_campaign();
  ASSERT_EQ(heddle("batch collect kept").code, 0);
  fs::rename("kept/results.sqlite", "before.sqlite");
  const Outcome same = heddle("batch diff before.sqlite kept");
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  EXPECT_EQ(same.out, "nothing differs\n");

  const std::string result = run_path(1, "runs", 0) + "/result.json";
  Json changed = Json::parse(read(result));
  const auto cycles = changed["cycles"].get<std::uint64_t>();
  changed["cycles"] = cycles + 10;
  write(result, changed.dump());
  write_checksums(run_path(1, "runs", 0));
  give_state(run_path(0, "runs", 1), "failed");
  const Outcome outcome = heddle("batch diff before.sqlite kept --json");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  const Json diff = Json::parse(outcome.out);
  ASSERT_EQ(diff["differences"].size(), 1u) << outcome.out;
  EXPECT_EQ(diff["differences"][0], (Json{{"label", "sm.count=13 seed=3"},
                                          {"variant", "fcfs-s"},
                                          {"metric", "cycles"},
                                          {"a", static_cast<double>(cycles)},
                                          {"b", static_cast<double>(cycles + 10)},
                                          {"difference", 10.0},
                                          {"relative", 10.0 / static_cast<double>(cycles)}}));
  EXPECT_EQ(diff["a"]["complete_alone"],
            (Json::array({{{"label", "sm.count=4 seed=3"}, {"variant", "token, imbalance=2"}}})));
  const Outcome text = heddle("batch diff before.sqlite kept");
  EXPECT_NE(text.out.find("sm.count=13 seed=3  fcfs-s   cycles  "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("\ncomplete only in before.sqlite: sm.count=4 seed=3, token, imbalance=2\n"),
            std::string::npos)
      << text.out;
  give_state(run_path(0, "runs", 1), "ok");
  EXPECT_EQ(heddle("batch diff before.sqlite kept").code, 1);
  EXPECT_EQ(heddle("batch diff before.sqlite kept --tolerance 0.5").code, 0);
}

TEST_F(BatchResults, DiffDistinguishesCampaignsMetricsAndPoints) {
  run_campaign();
  write("d.yaml",
        "campaign: d\nexperiment: small.yaml\naxes:\n  - product: {sm.count: [4, 8]}\nseeds: [3]\n"
        "metrics: [antt, stp]\n");
  ASSERT_EQ(heddle("batch run d.yaml --quiet --dir other").code, 0);
  const Outcome outcome = heddle("batch diff kept other");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(
      outcome.out,
      "two campaigns: kept is c-1, other is d\n"
      "only in kept: metric cycles\nonly in kept: metric fill\n"
      "only in kept: metric gpu.engine.active_cycles\nonly in kept: metric prioritised_turnaround_ps\n"
      "only in kept: sm.count=13 seed=3, fcfs-s\nonly in kept: sm.count=13 seed=3, token, imbalance=2\n"
      "only in other: metric stp\n"
      "only in other: sm.count=8 seed=3, fcfs-s\nonly in other: sm.count=8 seed=3, token, imbalance=2\n");
}

// SQLite reads a text as 0, and 0 would be a difference, or none.
TEST_F(BatchResults, DiffRefusesATextInPlaceOfANumber) {
  run_campaign();
  ASSERT_EQ(heddle("batch collect kept --quiet").code, 0);
  for (const auto& [change, message] :
       {std::pair<std::string, std::string>{
            "UPDATE metrics SET value = 'fast' WHERE sample = 1 AND name = 'antt'",
            "metric antt of sample 1 is no number: 'fast'"},
        {"UPDATE metrics SET value = NULL WHERE sample = 1 AND name = 'antt'",
         "metric antt of sample 1 is empty"},
        {"UPDATE samples SET complete = 'yes' WHERE sample = 1",
         "'complete' of sample 1 is no number: 'yes'"}}) {
    fs::copy_file("kept/results.sqlite", "changed.sqlite", fs::copy_options::overwrite_existing);
    {
      sqlite3* handle = nullptr;
      ASSERT_EQ(sqlite3_open("changed.sqlite", &handle), SQLITE_OK);
      ASSERT_EQ(sqlite3_exec(handle, change.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << change;
      sqlite3_close(handle);
    }
    const Outcome outcome = heddle("batch diff kept changed.sqlite");
    EXPECT_EQ(outcome.code, 2) << outcome.out << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }
}

TEST_F(BatchResults, DiffRefusesWhatAreNoResults) {
  run_campaign();
  write("text.sqlite", std::string(5000, 'x'));
  write("empty.sqlite", "");
  for (const char* other : {"nowhere", "text.sqlite", "empty.sqlite", "c.yaml", "."}) {
    const Outcome outcome = heddle(std::string("batch diff kept ") + other);
    EXPECT_EQ(outcome.code, 2) << other;
    EXPECT_EQ(outcome.err.rfind(std::string("heddle: ") + other + ": ", 0), 0u) << outcome.err;
  }
  EXPECT_EQ(heddle("batch diff kept kept --tolerance -1").code, 2);
  ASSERT_EQ(heddle("batch collect kept").code, 0);
  const std::string whole = read("kept/results.sqlite");
  write("half.sqlite", whole.substr(0, whole.size() / 2));
  EXPECT_EQ(heddle("batch diff kept half.sqlite").code, 2);
}

TEST_F(BatchResults, PlanShowsWhatIsLeft) {
  const Json none = Json::parse(heddle("batch plan c.yaml --dir kept --json").out);
  EXPECT_EQ(none["done"], (Json{{"queued", 8}}));
  EXPECT_EQ(none["left"], 8);
  EXPECT_TRUE(none["estimate_seconds"].is_null());
  run_campaign();
  double sum = 0;
  fs::remove_all(run_path(0, "runs", 1));
  fs::remove_all(run_path(0, "alone", 1));
  for (const auto& run : fs::directory_iterator("kept/runs")) {
    Json origin = Json::parse(read_file(run.path() / "provenance.json"));
    origin["wall_seconds"] = 3.0;
    write(run.path().lexically_relative(".").string() + "/provenance.json", origin.dump());
    sum += 3;
  }
  EXPECT_EQ(sum, 18);
  const std::vector<std::string> before = files();
  const Json plan = Json::parse(heddle("batch plan c.yaml --dir kept --json --jobs 4").out);
  EXPECT_EQ(plan["done"], (Json{{"queued", 2}, {"ok", 6}}));
  EXPECT_EQ(plan["left"], 2);
  EXPECT_EQ(plan["estimate_seconds"], 1.5);
  const std::string text = heddle("batch plan c.yaml --dir kept --jobs 1").out;
  EXPECT_NE(
      text.find("\n    1  4            3     2     1\n    2  13           3     2     0\n\nkept, with the "
                "applications alone: 2 queued, 6 ok; 2 left, about 0:00:06 with 1 at a time\n"),
      std::string::npos)
      << text;
  EXPECT_EQ(files(), before);
}

}  // namespace

}  // namespace heddle::test
