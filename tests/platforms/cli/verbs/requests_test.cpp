// Servers: applications whose requests arrive over time, from their YAML to what a run tells of them.

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/platforms/cli/cli.h"
#include "tests/support/test_size.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

class RequestsTest : public CliTest {
 protected:
  // One kernel that fills the GPU, which is the whole service.
  void write_server(const std::string& arrivals, const std::string& time = "10ms",
                    const std::string& parameters = "") const {
    write("server.yaml", fmt::format("application: server\n"
                                     "measured_on: k20-cusched\n"
                                     "kernels:\n"
                                     "  work: {{blocks: 13, threads: 256, registers: 20, time: {}}}\n"
                                     "arrivals: {}\n"
                                     "{}"
                                     "program:\n"
                                     "  - launch: work\n"
                                     "  - synchronise: all\n",
                                     time, arrivals, parameters));
  }

  Json requests_of(const std::string& options) const {
    const Outcome run = heddle("run server.yaml --json --out results " + options);
    EXPECT_EQ(run.code, 0) << run.err;
    std::filesystem::remove_all(directory_ / "results");
    return run.code == 0 ? Json::parse(run.out)["runs"][0]["applications"][0]["requests"] : Json();
  }

  std::string problem_of(const std::string& command) const {
    const Outcome run = heddle(command);
    EXPECT_EQ(run.code, 2) << run.out;
    EXPECT_FALSE(exists("results"));
    return run.err;
  }
};

// The mean waiting time of a queue with one server and Poisson arrivals is load / (1 - load) times half the
// mean service time, and twice that for exponential service times (Pollaczek and Khinchine). The interval is
// that of the means of ten seeds with Student's distribution, 99.9 % (4.781 for nine degrees of freedom).
void expect_waiting(const std::function<Json(const std::string&)>& run, double factor) {
  constexpr int kSeeds = 10;
  constexpr double kStudent = 4.781;
  for (const double load : {0.3, 0.6, 0.9}) {
    double sum = 0;
    double squares = 0;
    double service = 0;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const Json requests = run(
          fmt::format("--seed {} --set applications[0].arrivals.rate={}Hz", seed, std::lround(load * 100)));
      const double waiting = requests["queueing"]["mean_ps"].get<double>();
      sum += waiting;
      squares += waiting * waiting;
      service += requests["service"]["mean_ps"].get<double>() / kSeeds;
    }
    const double mean = sum / kSeeds;
    const double deviation = std::sqrt((squares / kSeeds - mean * mean) * kSeeds / (kSeeds - 1));
    const double half = kStudent * deviation / std::sqrt(kSeeds);
    const double rate = static_cast<double>(std::lround(load * 100));
    const double exact_load = rate * service * 1e-12;
    const double expected = factor * service * exact_load / (1 - exact_load);
    EXPECT_NEAR(mean, expected, half) << "load " << load;
    EXPECT_LT(half, (load < 0.9 ? 0.25 : 0.75) * expected) << "load " << load;  // the test can fail
    if (full_size() || std::getenv("HEDDLE_PRINT_TABLE") != nullptr)
      fmt::print("load {}: waiting {:.3f} ms +- {:.3f}, expected {:.3f}\n", load, mean * 1e-9, half * 1e-9,
                 expected * 1e-9);
  }
}

std::string poisson() {
  return fmt::format("{{kind: poisson, rate: 30Hz, requests: {}, warm_up: 200}}", cases(2000));
}

TEST_F(RequestsTest, WaitAsLongAsInAQueueWithConstantServiceTimes) {
  write_server(poisson());
  write("one.yaml", "experiment: one\nplatform: k20-cusched\napplications: [{application: ./server.yaml}]\n");
  expect_waiting(
      [this](const std::string& options) {
        const Outcome run = heddle("run one.yaml --json --out results " + options);
        EXPECT_EQ(run.code, 0) << run.err;
        std::filesystem::remove_all(directory_ / "results");
        return Json::parse(run.out)["runs"][0]["applications"][0]["requests"];
      },
      0.5);
}

TEST_F(RequestsTest, WaitAsLongAsInAQueueWithExponentialServiceTimes) {
  write_server(poisson(), "us * 1us",
               "parameters: {us: {distribution: exponential, mean: 10000, least: 10}}\n");
  write("one.yaml", "experiment: one\nplatform: k20-cusched\napplications: [{application: ./server.yaml}]\n");
  expect_waiting(
      [this](const std::string& options) {
        const Outcome run = heddle("run one.yaml --json --out results " + options);
        EXPECT_EQ(run.code, 0) << run.err;
        std::filesystem::remove_all(directory_ / "results");
        return Json::parse(run.out)["runs"][0]["applications"][0]["requests"];
      },
      1.0);
}

TEST_F(RequestsTest, PeriodicOnesAreServedOneByOneWithoutWaiting) {
  write_server("{kind: periodic, period: 20ms, requests: 50, deadline: 11ms}");
  const Json requests = requests_of("");
  EXPECT_EQ(requests["measured"]["served"], 50);
  EXPECT_EQ(requests["in_time"], 50);
  EXPECT_EQ(requests["queueing"]["mean_ps"], 0.0);
  EXPECT_EQ(requests["response"]["mean_ps"], requests["response"]["max_ps"]);  // all alike
  EXPECT_EQ(requests["unstable"], false);
}

TEST_F(RequestsTest, AQueueThatGrowsWithoutBoundIsTold) {
  write_server("{kind: periodic, period: 9ms, requests: 200}");
  const Outcome run = heddle("run server.yaml --out results");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE((run.out + run.err).find("grows without bound"), std::string::npos) << run.out << run.err;
}

TEST_F(RequestsTest, AreShedWhereTheQueueIsFull) {
  write_server("{kind: periodic, period: 1ms, requests: 100, queue: {limit: 2, when_full: shed}}");
  const Json requests = requests_of("");
  EXPECT_EQ(requests["all"]["arrived"], 100);
  EXPECT_EQ(requests["all"]["served"].get<int>() + requests["all"]["shed"].get<int>(), 100);
  EXPECT_GT(requests["all"]["shed"], 80);
  EXPECT_EQ(requests["offered_load"].get<double>() > 1, true);
}

TEST_F(RequestsTest, AFileHasTheirTimesAndParameters) {
  write("times.csv", "time [ms],length\n0,1\n30,2\n60,3\n");
  write_server("{kind: times, file: times.csv}", "length * 5ms", "parameters: {length: {column: length}}\n");
  const Outcome run = heddle("run server.yaml --out results --stats full");
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string rows = read("results/1-k20-cusched/requests.csv");
  std::istringstream lines(rows);
  std::string line;
  std::getline(lines, line);
  EXPECT_NE(line.find("arrival [ps],start [ps],end [ps],deadline [ps],outcome,in_time"), std::string::npos);
  std::vector<std::uint64_t> services;
  while (std::getline(lines, line)) {
    std::vector<std::string> cells;
    std::istringstream of(line);
    for (std::string cell; std::getline(of, cell, ',');) cells.push_back(cell);
    ASSERT_GE(cells.size(), 9U) << line;
    services.push_back(std::stoull(cells[5]) - std::stoull(cells[4]));
  }
  ASSERT_EQ(services.size(), 3U);
  // Each request takes 5 ms more than the one before, at the core clock as rounded to picoseconds.
  const double more_ps = 5e9 * 706e6 / 706214689.27;
  EXPECT_NEAR(static_cast<double>(services[1] - services[0]), more_ps, 3e3);
  EXPECT_NEAR(static_cast<double>(services[2] - services[1]), more_ps, 3e3);

  // The results repeat the run.
  const Outcome again = heddle("run results/experiment.yaml --out again");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read("again/1-k20-cusched/requests.csv"), rows);
}

TEST_F(RequestsTest, AnExperimentMayStateThem) {
  write("plain.yaml",
        "application: plain\nmeasured_on: k20-cusched\nkernels: {work: {blocks: 13, threads: 256, registers: "
        "20, "
        "time: 1ms}}\nprogram:\n  - launch: work\n  - synchronise: all\n");
  write("two.yaml",
        "experiment: two\nplatform: k20-cusched\napplications:\n"
        "  - {application: ./plain.yaml, name: server, arrivals: {kind: closed, think_time: 1ms, requests: "
        "20}}\n"
        "  - {application: ./plain.yaml, name: beside}\n");
  const Outcome run = heddle("run two.yaml --json --out results");
  ASSERT_EQ(run.code, 0) << run.err;
  const Json applications = Json::parse(run.out)["runs"][0]["applications"];
  EXPECT_EQ(applications[0]["requests"]["all"]["served"], 20);
  EXPECT_FALSE(applications[1].contains("requests") && !applications[1]["requests"].is_null());
  const Outcome again = heddle("run results/experiment.yaml --json --out again");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(Json::parse(again.out)["runs"][0]["applications"], applications);
}

TEST_F(RequestsTest, SameSeedSameBytesAndAnotherSeedOthers) {
  write_server("{kind: poisson, rate: 80Hz, requests: 200}");
  const Json first = requests_of("--seed 3");
  EXPECT_EQ(first, requests_of("--seed 3"));
  EXPECT_NE(first, requests_of("--seed 4"));
}

TEST_F(RequestsTest, BadOnesAreOneMessageWithItsPlace) {
  struct Case {
    const char* arrivals;
    const char* message;
  };
  for (const Case& bad : std::vector<Case>{
           {"{kind: poison, rate: 3Hz, requests: 1}", "did you mean 'poisson'"},
           {"{kind: poisson, requests: 1}", "rate"},
           {"{kind: poisson, rate: 3Hz}", "what ends the arrivals?"},
           {"{kind: poisson, rate: 3Hz, requests: 1, duration: 1s}", "either 'requests' or a 'duration'"},
           {"{kind: closed, rate: 3Hz, think_time: 1ms, requests: 1}", "have no 'rate'"},
           {"{kind: closed, think_time: 1ms, most: 2ms, requests: 1}", "uniform think times have"},
           {"{kind: closed, think: uniform, think_time: 1ms, least: 0us, most: 2ms, requests: 1}",
            "uniform think times have"},
           {"{kind: closed, think: uniform, least: 3ms, most: 2ms, requests: 1}", "is below 'least'"},
           {"{kind: poisson, rate: 3Hz, requests: 10, deadline: 0}", "must be above zero"},
           {"{kind: poisson, rate: 3Hz, requests: 10, window: 11}", "longer than the 10 requests"},
           {"{kind: poisson, rate: 3Hz, duration: 1s, window: 2s}", "longer than the duration"},
           {"{kind: gamma, rate: 3Hz, requests: 10}", "either a 'shape' or a 'variation'"},
           {"{kind: times, file: none.csv}", "there is no file"}}) {
    write_server(bad.arrivals);
    const std::string message = problem_of("run server.yaml --out results");
    EXPECT_NE(message.find("server.yaml:5:"), std::string::npos) << bad.arrivals << "\n" << message;
    EXPECT_NE(message.find(bad.message), std::string::npos) << bad.arrivals << "\n" << message;
  }
}

TEST_F(RequestsTest, ABadFileOfTimesIsOneMessageWithItsLine) {
  struct Case {
    const char* text;
    const char* place;
  };
  for (const Case& bad : std::vector<Case>{{"", "times.csv:1"},
                                           {"when\n1\n", "times.csv:1"},
                                           {"time [ms]\n5\n4\n", "times.csv:3"},
                                           {"time [ms]\n-1\n", "times.csv:2"},
                                           {"time [ms],a\n1\n", "times.csv:2"},
                                           {"time [ms]\nx\n", "times.csv:2"}}) {
    write("times.csv", bad.text);
    write_server("{kind: times, file: times.csv}");
    const std::string message = problem_of("run server.yaml --out results");
    EXPECT_NE(message.find(bad.place), std::string::npos) << bad.text << "\n" << message;
  }
}

}  // namespace
}  // namespace heddle::test
