// Invalid ways to share a GPU, and servers that make no sense. bad_input_test.cpp states the requirements.

#include "tests/platforms/cli/bad_input/bad_input.h"

namespace heddle::test {

namespace {

// The second set of policies has this partitioner.
std::vector<Edit> partitioner(const std::string& text) {
  return {{"small.yaml", "{name: token, imbalance: 2}", text}};
}

std::vector<Edit> submission(const std::string& text) {
  return {{"small.yaml", "imbalance: 2}", "imbalance: 2}, submission: " + text}};
}

// tiny.yaml is a server, whose arrivals stand on its first line.
std::vector<Edit> arrivals(const std::string& text) {
  return {{"tiny.yaml", "application: tiny", "arrivals: " + text + "\napplication: tiny"}};
}

std::vector<Edit> parameters(const std::string& text) {
  std::vector<Edit> edits = arrivals("{kind: poisson, rate: 3Hz, requests: 5}");
  edits.push_back({"tiny.yaml", "application: tiny", "parameters: " + text + "\napplication: tiny"});
  return edits;
}

std::vector<Edit> columns(const std::string& csv) {
  std::vector<Edit> edits = arrivals("{kind: times, file: times.csv}");
  edits.push_back({"tiny.yaml", "application: tiny", "parameters: {n: {column: size}}\napplication: tiny"});
  edits.push_back({"times.csv", "", csv});
  return edits;
}

const std::vector<Bad> kSharing{
    {"MpsPercentAboveAll",
     partitioner("{name: mps, active_threads: [50, 101]}"),
     "",
     {"small.yaml:8:55: compare[1].sm_partitioner.active_threads[1]: ", "100"}},
    {"MpsPercentOfNothing",
     partitioner("{name: mps, active_threads: [0]}"),
     "",
     {"small.yaml:8:6: compare[1].sm_partitioner: mps: "}},
    {"MpsPercentBelowNothing",
     partitioner("{name: mps, active_threads: [-5]}"),
     "",
     {"compare[1].sm_partitioner.active_threads[0]: "}},
    {"MpsOfMoreApplicationsThanThereAre",
     partitioner("{name: mps, active_threads: [10, 10, 10]}"),
     "",
     {"small.yaml:8:6: compare[1].sm_partitioner: mps: "}},
    {"GreenContextsOfMoreSmsThanThereAre",
     partitioner("{name: green-context, sms: [8, 6]}"),
     "",
     {"small.yaml:8:6: compare[1].sm_partitioner: green-context: ", "13"}},
    {"GreenContextThatLeavesNoSm",
     partitioner("{name: green-context, sms: [13], minimum: 1, multiple: 1}"),
     "",
     {"small.yaml:8:6: compare[1].sm_partitioner: green-context: "}},
    {"TpcThatTheGpuDoesNotHave",
     partitioner("{name: tpc-mask, tpcs: [[0, 7]]}"),
     "",
     {"small.yaml:8:6: compare[1].sm_partitioner: tpc-mask: ", "TPC 7"}},
    {"TpcBelowNothing",
     partitioner("{name: tpc-mask, tpcs: [[-2]]}"),
     "",
     {"compare[1].sm_partitioner.tpcs[0][0]: "}},
    {"SliceOfNothing",
     partitioner("{name: time-slice, quantum: 0}"),
     "",
     {"small.yaml:8:6: compare[1].sm_partitioner: ", "quantum"}},
    {"SliceOfMoreThanTenSeconds",
     partitioner("{name: time-slice, quantum: 11s}"),
     "",
     {"small.yaml:8:6: compare[1].sm_partitioner: ", "quantum"}},
    {"SliceInHertz",
     partitioner("{name: time-slice, quantum: 5Hz}"),
     "",
     {"compare[1].sm_partitioner.quantum: "}},
    {"WeightOfNothing",
     partitioner("{name: time-slice, weights: [0, 1]}"),
     "",
     {"compare[1].sm_partitioner.weights[0]: "}},
    {"BoundOfNothing",
     submission("{name: in-flight, bound: 0}"),
     "",
     {"small.yaml:8:51: compare[1].submission: ", "bound"}},
    {"BoundNotWhole", submission("{name: in-flight, bound: 1.5}"), "", {"compare[1].submission: ", "bound"}},
    {"BatchAboveTheBound",
     submission("{name: in-flight, bound: 2, batch: 3}"),
     "",
     {"small.yaml:8:51: compare[1].submission: in-flight: a batch of 3 launches, and the bound is 2"}},
    {"WeightsOfMoreProcessesThanThereAre",
     submission("{name: in-flight, weights: [1, 2, 3]}"),
     "",
     {"compare[1].submission: in-flight: weights names 3 processes, of which there are 2"}},
    {"BudgetOfNothing",
     submission("{name: slicing, budget: 0}"),
     "",
     {"small.yaml:8:51: compare[1].submission: ", "budget"}},
    {"BudgetBelowNothing",
     submission("{name: slicing, budget: -1}"),
     "",
     {"compare[1].submission: ", "budget"}},
    {"MoreSmsForEachThanThereAre",
     submission("{name: pd-mux, least: 7}"),
     "",
     {"compare[1].submission: pd-mux: 2 processes with a least of 7 SMs each, and the GPU has 13 SMs"}},
};

const std::vector<Bad> kServers{
    {"UnknownKind",
     arrivals("{kind: poison, rate: 3Hz, requests: 1}"),
     "",
     {"tiny.yaml:1:18: arrivals.kind: ", "did you mean 'poisson'?"}},
    {"ThinkTimeBelowNothing",
     arrivals("{kind: closed, think_time: -1ms, requests: 5}"),
     "",
     {"tiny.yaml:1:38: arrivals.think_time: needs a time such as 1.5us, has '-1ms'"}},
    {"DeadlineOfNothing",
     arrivals("{kind: poisson, rate: 3Hz, requests: 5, deadline: 0s}"),
     "",
     {"tiny.yaml:1:61: arrivals.deadline: must be above zero"}},
    {"RateOfNothing",
     arrivals("{kind: poisson, rate: 0Hz, requests: 5}"),
     "",
     {"tiny.yaml:1:33: arrivals.rate: "}},
    {"UnknownDistribution",
     parameters("{n: {distribution: gausian, mean: 4}}"),
     "",
     {"tiny.yaml:2:32: parameters.n.distribution: "}},
    {"DeviationBelowNothing",
     parameters("{n: {distribution: normal, mean: 4, deviation: -1}}"),
     "",
     {"parameters.n.deviation: "}},
    {"ColumnThatTheFileLacks",
     columns("time [ms],length\n1,2\n"),
     "",
     {"tiny.yaml:2:26: parameters.n.column: the file of arrivals has no column 'size'; it has: length"}},
    {"TimesAreNotSorted",
     columns("time [ms],size\n2,2\n1,2\n"),
     "",
     {"times.csv:3: the time 1 is before that of the line above"}},
    {"TimeBelowNothing", columns("time [ms],size\n-1,2\n"), "", {"times.csv:2: the time -1 is negative"}},
    {"RowWithoutItsColumn",
     columns("time [ms],size\n1\n"),
     "",
     {"times.csv:2: 1 fields; there are 2 columns"}},
    {"FileWithoutTimes", columns("size\n1\n"), "", {"times.csv:1: no column 'time [UNIT]'"}},
};

INSTANTIATE_TEST_SUITE_P(Sharing, BadInput, testing::ValuesIn(kSharing), name_of);
INSTANTIATE_TEST_SUITE_P(Servers, BadInput, testing::ValuesIn(kServers), name_of);

}  // namespace
}  // namespace heddle::test
