// Input that is wrong: one clear message that names the place, the right exit code, nothing left behind.

#include <utility>

#include "tests/platform/cli/cli.h"

namespace heddle::test {

namespace {

struct Edit {
  std::string file;
  std::string from;  // replaced where it first stands; empty: the whole file
  std::string to;
};

struct Bad {
  std::string name;
  std::vector<Edit> edits;
  std::string words;               // empty: run small.yaml
  std::vector<std::string> parts;  // of standard error
  int code = 2;
};

std::ostream& operator<<(std::ostream& out, const Bad& bad) {
  return out << bad.name;
}

// One message: its first line, alone, starts with the program's name.
void expect_one_message(const std::string& text) {
  EXPECT_EQ(text.rfind("heddle: ", 0), 0u) << text;
  EXPECT_EQ(text.find("\nheddle: "), std::string::npos) << text;
  EXPECT_EQ(text.back(), '\n') << text;
}

class BadInput : public CliTest, public testing::WithParamInterface<Bad> {
 protected:
  void apply(const Edit& edit) const {
    if (edit.from.empty()) return write(edit.file, edit.to);
    std::string text = read(edit.file);
    const std::size_t at = text.find(edit.from);
    ASSERT_NE(at, std::string::npos) << edit.from;
    write(edit.file, text.replace(at, edit.from.size(), edit.to));
  }
};

TEST_P(BadInput, IsOneMessageAndLeavesNothing) {
  write_small();
  write("gpu.yaml", read_file(std::string(HEDDLE_SOURCE_DIR) + "/platforms/k20-cusched.yaml"));
  std::filesystem::create_directory(directory_ / "folder.yaml");
  for (const Edit& edit : GetParam().edits) apply(edit);
  const std::vector<std::string> before = files();
  const Outcome outcome = heddle(GetParam().words.empty() ? "run small.yaml" : GetParam().words);
  EXPECT_EQ(outcome.code, GetParam().code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  expect_one_message(outcome.err);
  for (const std::string& part : GetParam().parts)
    EXPECT_NE(outcome.err.find(part), std::string::npos) << part << " in\n" << outcome.err;
  EXPECT_EQ(files(), before);
}

std::string program_of(const std::string& calls) {
  return "application: tiny\ndescription: d\nsource: s\nmeasured_on: k20-cusched\nbuffers: {data: 16KiB}\n"
         "kernels: {k: {blocks: 10, time: 20us, threads: 64, registers: 8, shared_memory: 0B}}\nprogram:\n" +
         calls;
}

// An application whose calls are these; they start on line 8.
std::vector<Edit> calls(const std::string& list) {
  return {{"tiny.yaml", "", program_of(list)}};
}

std::vector<Edit> own_platform(const std::string& from, const std::string& to) {
  return {{"small.yaml", "k20-cusched", "gpu.yaml"}, {"gpu.yaml", from, to}};
}

const std::vector<Bad> kUsage{
    {"NoVerb", {}, " ", {"run, check or list"}},
    {"UnknownVerb", {}, "walk", {"walk"}},
    {"NoExperiment", {}, "run", {"experiment is required"}},
    {"NoFileToCheck", {}, "check", {"file is required"}},
    {"NothingToList", {}, "list", {"what is required"}},
    {"UnknownList", {}, "list sockets", {"sockets"}},
    {"UnknownOption", {}, "run small.yaml --fast", {"--fast"}},
    {"MissingArgument", {}, "run small.yaml --seed", {"--seed"}},
    {"NegativeSeed", {}, "run small.yaml --seed -1", {"--seed", "-1"}},
    {"HugeSeed", {}, "run small.yaml --seed 99999999999999999999", {"--seed"}},
    {"NegativeJobs", {}, "run small.yaml --jobs -1", {"--jobs"}},
    {"TwoExperiments", {}, "run small.yaml tiny.yaml", {"tiny.yaml"}},
    {"LogLevel", {}, "run small.yaml --log-level loud", {"loud"}},
    {"LogFile", {}, "run small.yaml --log-file no/such/folder", {"no/such/folder"}},
    {"SetWithoutValue", {}, "run small.yaml --set seed", {"--set seed: must be written key=value"}},
    {"SetEmpty", {}, "run small.yaml --set seed=", {"--set seed=: no value"}},
    {"SetUnknown",
     {},
     "run small.yaml --set sm.cuont=8",
     {"--set sm.cuont=8: sm.cuont: unknown key; did you mean 'count'?"}},
    {"SetMisspelt", {}, "run small.yaml --set jiter=0.1", {"jiter: unknown key; did you mean 'jitter'?"}},
    {"SetOutOfRange", {}, "run small.yaml --set sm.count=0", {"--set sm.count=0: sm.count:"}},
    {"SetThroughScalar", {}, "run small.yaml --set seed.x=1", {"--set seed.x=1", "section"}},
    {"SetBadIndex", {}, "run small.yaml --set applications[7]=x", {"applications"}},
    {"PolicyWithoutName", {}, "run small.yaml --policy token", {"--policy token: expected decision=name"}},
    {"PolicyUnknown",
     {},
     "run small.yaml --policy sm_partitioner=tokn",
     {"--policy", "did you mean 'token'?"}},
    {"PolicyDecision", {}, "run small.yaml --policy sm_partitoner=token", {"did you mean 'sm_partitioner'?"}},
    {"SingleQueueOnManyQueues",
     {},
     "run small.yaml --policy command_arbiter=single-queue",
     {"command_arbiter single-queue needs queues.count: 1, which is 32"}},
    {"UnknownName", {}, "run parboil-ate", {"parboil-ate", "parboil-eight"}},
    {"MissingFile", {}, "run nowhere.yaml", {"nowhere.yaml"}},
    {"MissingCheckedFile", {}, "check nowhere.yaml", {"nowhere.yaml"}},
    {"Directory", {}, "run folder.yaml", {"folder.yaml", "directory"}},
    {"ResultsExist",
     {{"taken", "", "x"}},
     "run small.yaml --out taken",
     {"taken: the results directory exists"}},
    {"ResultsExistAsDirectory",
     {},
     "run small.yaml --out folder.yaml",
     {"folder.yaml: the results directory exists"}},
    {"ResultsBelowAFile", {}, "run small.yaml --out tiny.yaml/deep/er", {"cannot make tiny.yaml/deep/er"}, 3},
    {"ResultsBelowProc", {}, "run small.yaml --out /proc/x/y", {"cannot make /proc/x/y"}, 3},
    {"ResultsNameTooLong",
     {},
     "run small.yaml --out new/" + std::string(300, 'x'),
     {"cannot make new/xxx"},
     3},
};

const std::vector<Bad> kExperiments{
    {"UnknownKey",
     {{"small.yaml", "prioritised:", "prioritized:"}},
     "",
     {"small.yaml:5:1: prioritized: unknown key; did you mean 'prioritised'?"}},
    {"TwoProblems",
     {{"small.yaml", "prioritised: tiny", "jitter: 2\ncopies: 3"}},
     "",
     {"small.yaml:5:9: jitter:", "small.yaml:6:9: copies: needs true or false"}},
    {"NoPlatformKey",
     {{"small.yaml", "platform: k20-cusched\n", ""}},
     "",
     {"small.yaml:1:1: platform: needs a name"}},
    {"NoSuchPlatform",
     {{"small.yaml", "k20-cusched", "k20-cushed"}},
     "",
     {"small.yaml:3:11: platform: 'k20-cushed' is not in platforms, did you mean 'k20-cusched'?"}},
    {"NoSuchPlatformFile",
     {{"small.yaml", "k20-cusched", "./none.yaml"}},
     "",
     {"small.yaml:3:11: platform: there is no file"}},
    {"NoSuchApplication",
     {{"small.yaml", "[tiny.yaml", "[sgemn"}},
     "",
     {"small.yaml:4:16: applications[0]: 'sgemn'", "did you mean 'sgemm'?"}},
    {"NoSuchApplicationFile",
     {{"small.yaml", "[tiny.yaml", "[tinny.yaml"}},
     "",
     {"small.yaml:4:16: applications[0]: there is no file 'tinny.yaml'"}},
    {"NoApplication",
     {{"small.yaml", "[tiny.yaml, other.yaml]", "[]"}},
     "",
     {"small.yaml:4:15: applications: no application"}},
    {"ApplicationsAndMix",
     {{"small.yaml", "prioritised: tiny", "mix: {size: 1, from: [tiny.yaml]}"}},
     "",
     {"either"}},
    {"MixTooLarge",
     {{"small.yaml", "applications: [tiny.yaml, other.yaml]\nprioritised: tiny",
       "mix: {size: 3, from: [tiny.yaml, other.yaml]}"}},
     "",
     {"small.yaml:4:1: mix: a mix of 3 from 2"}},
    {"MixNamesTwice",
     {{"small.yaml", "applications: [tiny.yaml, other.yaml]\nprioritised: tiny",
       "mix: {size: 1, from: [tiny.yaml, tiny.yaml]}"}},
     "",
     {"mix.from[1]: named twice"}},
    {"TwoOfOneName",
     {{"other.yaml", "application: other", "application: tiny"}},
     "",
     {"small.yaml:4:27: applications[1]: another application of this experiment is named 'tiny' too"}},
    {"PrioritisedUnknown",
     {{"small.yaml", "prioritised: tiny", "prioritised: nobody"}},
     "",
     {"small.yaml:5:14: prioritised: 'nobody'"}},
    {"NameOfAPath",
     {{"small.yaml", "experiment: small", "experiment: ../../small"}},
     "",
     {"small.yaml:1:13: experiment: a name is"}},
    {"NameEmpty",
     {{"small.yaml", "experiment: small", "experiment: ''"}},
     "",
     {"small.yaml:1:13: experiment: a name is"}},
    {"PolicyUnknownInCompare",
     {{"small.yaml", "fcfs-s", "fcfs-x"}},
     "",
     {"small.yaml:7:22: compare[0].sm_partitioner: unknown sm_partitioner policy 'fcfs-x'"}},
    {"PolicyUnknownInPolicies",
     {{"small.yaml", "compare:", "policies: {dma_arbiter: lifo}\ncompare:"}},
     "",
     {"small.yaml:6:25: policies.dma_arbiter:"}},
    {"DecisionUnknown",
     {{"small.yaml", "{sm_partitioner: fcfs-s}", "{sm_partition: fcfs-s}"}},
     "",
     {"compare[0].sm_partition: unknown decision", "did you mean 'sm_partitioner'?"}},
    {"ParameterOutOfRange",
     {{"small.yaml", "imbalance: 2", "imbalance: 0"}},
     "",
     {"small.yaml:8:6: compare[1].sm_partitioner: token parameter 'imbalance' is 0"}},
    {"ParameterNotWhole", {{"small.yaml", "imbalance: 2", "imbalance: 1.5"}}, "", {"whole number"}},
    {"ParameterUnknown", {{"small.yaml", "imbalance: 2", "inbalance: 2"}}, "", {"did you mean 'imbalance'?"}},
    {"PolicyWithoutName",
     {{"small.yaml", "{name: token, imbalance: 2}", "{imbalance: 2}"}},
     "",
     {"compare[1].sm_partitioner.name: missing key"}},
    {"WrongUnit",
     {{"small.yaml", "prioritised: tiny", "starvation_limit: 5MHz"}},
     "",
     {"small.yaml:5:19: starvation_limit:", "MHz"}},
    {"NoUnit",
     {{"small.yaml", "prioritised: tiny", "starvation_limit: 5"}},
     "",
     {"small.yaml:5:19: starvation_limit:"}},
    {"Truncated", {{"small.yaml", "imbalance: 2}}\n", "imbal"}}, "", {"small.yaml:"}},
    {"Duplicate",
     {{"small.yaml", "prioritised: tiny", "seed: 1\nseed: 2"}},
     "",
     {"small.yaml:6:1: seed: duplicate key; first at small.yaml:5:1"}},
    {"Empty", {{"small.yaml", "", "\n"}}, "", {"small.yaml:1:1"}},
    {"NulByte",
     {{"small.yaml", "tiny\n", std::string("ti\0ny\n", 6)}},
     "",
     {"small.yaml:5:16: the byte 0x00 is a control character"}},
    {"BinaryJunk",
     {{"small.yaml", "",
       "\x7f"
       "ELF\x02\x01\x01\xff\xfe\x80junk"}},
     "",
     {"small.yaml:1:1: the byte 0x7f"}},
    {"NotUtf8", {{"small.yaml", "Which?", "\xc3\x28"}}, "", {"small.yaml:2:11", "UTF-8"}},
    {"DeepNesting",
     {{"small.yaml", "Which?", std::string(200, '[') + std::string(200, ']')}},
     "",
     {"small.yaml:2:", "nested deeper than"}},
    {"NestingBomb", {{"small.yaml", "Which?", std::string(1000000, '[')}}, "", {"brackets are open"}},
    {"Huge", {{"small.yaml", "Which?", std::string(17 << 20, 'x')}}, "", {"larger than 16 MiB"}},
    {"ManyProblems",
     {{"small.yaml", "compare:",
       [] {
         std::string s;
         for (int i = 0; i < 5000; ++i) s += "k" + std::to_string(i) + ": 1\n";
         return s + "compare:";
       }()}},
     "",
     {"and 4000 more problems"}},
    {"Anchor", {{"small.yaml", "Which?", "&a Which?"}}, "", {"anchors are not supported"}},
    {"NoName",
     {{"small.yaml", "experiment:", "experience:"}},
     "check small.yaml",
     {"small.yaml:1:1: experiment: missing key", "experience: unknown key; did you mean 'experiment'?"}},
    {"NeitherOfThree",
     {{"small.yaml", "", "colour: red\n"}},
     "check small.yaml",
     {"small.yaml:1:1: neither a platform, an application nor an experiment"}},
    {"EmptyPlatform",
     {{"small.yaml", "", "platform: p\n"}},
     "check small.yaml",
     {"small.yaml:1:1: pcie: missing key"}},
};

const std::vector<Bad> kPlatforms{
    {"PlatformUnknownKey",
     own_platform("  count: 13 ", "  cuont: 13 "),
     "",
     {"gpu.yaml:", "sm.count: missing key", "sm.cuont: unknown key; did you mean 'count'?"}},
    {"PlatformUnit", own_platform("core: 706MHz", "core: 706ms"), "", {"gpu.yaml:6:9: clocks.core:"}},
    {"PlatformNoUnit", own_platform("latency: 250cycles", "latency: 250"), "", {"pcie.latency:"}},
    {"PlatformClockTooFast",
     own_platform("core: 706MHz", "core: 5000GHz"),
     "",
     {"gpu.yaml:6:9: clocks.core: must lie in 1kHz .. 10GHz"}},
    {"PlatformClockTooSlow",
     own_platform("core: 706MHz", "core: 0.001Hz"),
     "",
     {"clocks.core: must lie in 1kHz"}},
    {"PlatformPolicy",
     own_platform("preemption: drain", "preemption: train"),
     "",
     {"policies.preemption: unknown preemption policy 'train'", "'drain'"}},
    {"PlatformPolicyMissing",
     own_platform("  preemption: drain", "  # drain"),
     "",
     {"policies: no policy for the decision 'preemption'"}},
    {"PlatformLanes", own_platform("lanes: 32", "lanes: 31"), "", {"pcie.lanes: must be even"}},
    {"PlatformContexts",
     own_platform("contexts: 32", "contexts: 1"),
     "",
     {"small.yaml:4:27: applications[1]: more applications than the platform's 1 contexts"}},
    {"PlatformChecked",
     own_platform("threads_per_block: 1024", "threads_per_block: 4096"),
     "check gpu.yaml",
     {"sm.threads_per_block: more threads than the SM has"}},
    {"PlatformIsADirectory",
     {{"small.yaml", "k20-cusched", "folder.yaml"}},
     "",
     {"folder.yaml", "directory"}},
};

const std::vector<Bad> kApplications{
    {"UnknownKey",
     {{"tiny.yaml", "threads:", "thread:"}},
     "",
     {"tiny.yaml:", "kernels.first.thread: unknown key; did you mean 'threads'?"}},
    {"WrongUnit", {{"tiny.yaml", "16KiB", "16s"}}, "", {"tiny.yaml:6:9: buffers.data:"}},
    {"MeasuredNowhere",
     {{"tiny.yaml", "measured_on: k20-cusched", "measured_on: k21"}},
     "",
     {"tiny.yaml:4:14: measured_on: 'k21' is not in platforms"}},
    {"MeasuredNowhereChecked",
     {{"tiny.yaml", "measured_on: k20-cusched\n", ""}},
     "check tiny.yaml",
     {"measured_on"}},
    {"NameOfAPath",
     {{"tiny.yaml", "application: tiny", "application: ../tiny"}},
     "",
     {"tiny.yaml:1:14: application: a name is"}},
    {"TooManyThreads",
     {{"tiny.yaml", "threads: 256", "threads: 1025"}},
     "",
     {"kernels.first: a block does not fit an SM of 'k20-cusched': too much of its threads"}},
    {"TooManyRegisters",
     {{"tiny.yaml", "registers: 16", "registers: 256"}},
     "",
     {"does not fit", "registers"}},
    {"TooManyRegistersInAll",
     {{"tiny.yaml", "threads: 256\n    registers: 16", "threads: 1024\n    registers: 128"}},
     "",
     {"does not fit", "registers"}},
    {"TooMuchShared", {{"tiny.yaml", "1KiB", "49KiB"}}, "", {"does not fit", "shared"}},
    {"TimeTooShort",
     {{"tiny.yaml", "20us", "1us"}},
     "",
     {"tiny.yaml:10:11: kernels.first.time: no time is left"}},
    {"TimeTooShortChecked",
     {{"tiny.yaml", "20us", "1us"}},
     "check tiny.yaml",
     {"tiny.yaml:10:11: kernels.first.time: no time is left"}},
    {"TimeTooLong",
     {{"tiny.yaml", "20us", "9000000s"}},
     "",
     {"kernels.first.time: a block of more than 2^48 cycles"}},
    {"BuffersTooLarge",
     {{"tiny.yaml", "16KiB", "1000GiB"}},
     "",
     {"tiny.yaml:6:9: buffers.data: the buffers come to more than"}},
    {"UnknownKernel",
     {{"tiny.yaml", "launch: first", "launch: frist"}},
     "",
     {"no kernel 'frist'; did you mean 'first'?"}},
    {"UnknownCall",
     {{"tiny.yaml", "copy_up:", "copyup:"}},
     "",
     {"program[1]: no such call, did you mean 'copy_up'?"}},
    {"CallIsText", {{"tiny.yaml", "- copy_up: data", "- copy_up"}}, "", {"program[1]: needs a section"}},
    {"NoProgram",
     {{"tiny.yaml", "program:", "programme:"}},
     "",
     {"program: missing key", "programme: unknown key"}},
    {"CopyTooLarge",
     {{"tiny.yaml", "- copy_up: data", "- {copy_up: data, bytes: 17KiB}"}},
     "",
     {"tiny.yaml:16:15: program[1].copy_up: a copy of 17408 bytes; the buffer has 16384"}},
    {"CopyOfNothing",
     {{"tiny.yaml", "- copy_up: data", "- {copy_up: data, bytes: 0B}"}},
     "",
     {"a copy of 0 bytes"}},
    {"CopyNotAllocated",
     {{"tiny.yaml", "  - allocate: data\n", ""}},
     "",
     {"program[0].copy_up: it is not allocated"}},
    {"AllocatedTwice",
     {{"tiny.yaml", "- copy_up: data", "- allocate: data"}},
     "",
     {"program[1].allocate: it is allocated already"}},
    {"FreedTwice",
     {{"tiny.yaml", "- free: data", "- free: data\n  - free: data"}},
     "",
     {"program[5].free: it is not allocated"}},
    {"FreedInALoop",
     calls("  - allocate: data\n  - repeat: 2\n    body:\n      - launch: k\n      - free: data\n"),
     "",
     {"tiny.yaml:11:7: program[1].body: it leaves 'data' free"}},
    {"AllocatedInALoop",
     calls("  - repeat: 2\n    body: [{launch: k}, {allocate: data}]\n"),
     "",
     {"program[0].body: it leaves 'data' allocated"}},
    {"TooManyRepeats",
     calls("  - repeat: 100000\n    body:\n      - repeat: 100000\n        body: [{launch: k}]\n"),
     "",
     {"program[0].body[0].repeat: more than 1000000000 repetitions in all"}},
    {"NoCalls", calls("  []\n"), "", {"program: none of its calls reaches the GPU"}},
    {"OnlyCpu", calls("  - cpu: 1ms\n"), "", {"tiny.yaml:8:3: program: none of its calls reaches the GPU"}},
    {"NothingWithoutCopies",
     calls("  - allocate: data\n  - copy_up: data\n"),
     "run small.yaml --set copies=off",
     {"applications[0]: without copies nothing is left of 'tiny'"}},
    {"NeverRecorded",
     calls("  - launch: k\n  - wait: done\n"),
     "",
     {"tiny.yaml:9:11: program[1].wait: event 'done' is never recorded"}},
    {"StreamNobodyUses",
     calls("  - launch: k\n  - synchronise: odd\n"),
     "",
     {"program[1].synchronise: no call uses the stream 'odd'"}},
    {"StreamNamedAll",
     calls("  - {launch: k, stream: all}\n"),
     "",
     {"program[0].stream: 'all' stands for every stream"}},
    {"WaitForItself",
     calls("  - wait: e\n  - record: e\n"),
     "",
     {"program: a cycle between streams", "tiny.yaml:9:5, tiny.yaml:8:5"}},
    {"TwoStreamsCross",
     calls("  - {wait: b, stream: x}\n  - {record: a, stream: x}\n  - {wait: a, stream: y}\n  - {record: b, "
           "stream: y}\n"),
     "",
     {"a cycle between streams", "tiny.yaml:8:5", "tiny.yaml:9:5", "tiny.yaml:10:5", "tiny.yaml:11:5"}},
    {"ThreeStreamsCross",
     calls("  - {wait: c, stream: x}\n  - {record: a, stream: x}\n  - {wait: a, stream: y}\n  - {record: b, "
           "stream: y}\n"
           "  - {wait: b, stream: z}\n  - {record: c, stream: z}\n"),
     "",
     {"a cycle between streams", "tiny.yaml:13:5"}},
    {"CycleByHost",
     calls("  - {wait: e, stream: x}\n  - synchronise: x\n  - {record: e, stream: y}\n"),
     "",
     {"a cycle between streams", "tiny.yaml:9:5"}},
    {"CycleByHostForAll",
     calls("  - {wait: e, stream: x}\n  - synchronise: all\n  - record: e\n"),
     "",
     {"a cycle between streams"}},
    {"CycleByCopy",
     calls("  - allocate: data\n  - {wait: e, stream: x}\n  - {copy_up: data, stream: x}\n  - {record: e, "
           "stream: y}\n"),
     "",
     {"a cycle between streams", "tiny.yaml:10:5"}},
    {"TooManyEvents",
     calls([] {
       std::string s;
       for (int i = 0; i < 257; ++i) s += "  - record: e" + std::to_string(i) + "\n";
       return s;
     }()),
     "",
     {"257 events; the platform has 256"}},
};

const std::vector<Bad> kFailures{
    {"DeviceMemory",
     {{"tiny.yaml", "16KiB", "6GiB"}},
     "",
     {"tiny alone: tiny: device memory has no 6442450944 bytes left for 'data'"},
     3},
    {"Deadlock",
     calls("  - {wait: e, stream: x}\n  - {launch: k, stream: y}\n  - {record: e, stream: y}\n  - "
           "synchronise: all\n"),
     "run small.yaml --set queues.count=1",
     {"small, fcfs-s: deadlock: ", "tiny waits for stream 'x'"},
     3},
    {"Starvation",
     {{"busy.yaml", "",
       "application: busy\ndescription: d\nsource: s\nmeasured_on: k20-cusched\nkernels:\n"
       "  k: {blocks: 208, time: 200us, threads: 256, registers: 16, shared_memory: 0B}\n"
       "program:\n  - repeat: 2\n    body: [{launch: k}]\n"},
      {"small.yaml", "",
       "experiment: small\nplatform: k20-cusched\napplications:\n"
       "  - {application: busy.yaml, priority: 1}\n  - {application: busy.yaml, priority: 1, start: 50us}\n"
       "  - {application: busy.yaml, priority: 1, start: 90us}\n  - {application: tiny.yaml, start: 100us}\n"
       "policies: {sm_partitioner: ppq}\nreplay_priority: keep\nstarvation_limit: 4ms\n"}},
     "",
     {"small, ppq: starvation: no thread block of an unfinished application",
      "; tiny waits for stream 'default'\n"},
     3},
};

const auto kNameOf = [](const testing::TestParamInfo<Bad>& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Usage, BadInput, testing::ValuesIn(kUsage), kNameOf);
INSTANTIATE_TEST_SUITE_P(Experiment, BadInput, testing::ValuesIn(kExperiments), kNameOf);
INSTANTIATE_TEST_SUITE_P(Platform, BadInput, testing::ValuesIn(kPlatforms), kNameOf);
INSTANTIATE_TEST_SUITE_P(Application, BadInput, testing::ValuesIn(kApplications), kNameOf);
INSTANTIATE_TEST_SUITE_P(Run, BadInput, testing::ValuesIn(kFailures), kNameOf);

}  // namespace

}  // namespace heddle::test
