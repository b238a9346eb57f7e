#include "tests/platforms/cli/cli.h"
#include "tests/support/paths.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace heddle::test {

namespace fs = std::filesystem;

namespace {

// Removes notes of the address sanitizer. It loses track of the stack when SystemC switches between threads,
// and prints a note when a simulation ends. Its error reports are not affected.
std::string without_sanitizer_notes(const std::string& text) {
  std::string kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find("ASan is ignoring requested __asan_handle_no_return") == std::string::npos &&
        line != "False positive error reports may follow" &&
        line.find("github.com/google/sanitizers/issues/189") == std::string::npos)
      kept += line + "\n";
  return kept;
}

fs::path fresh_directory(const char* pattern) {
  std::string path = fs::temp_directory_path() / pattern;
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary directory");
  return path;
}

void redirect(int descriptor, const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
}

int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int await(pid_t child, std::chrono::seconds longest) {
  const auto deadline = std::chrono::steady_clock::now() + longest;
  for (int status = 0;;) {
    if (waitpid(child, &status, WNOHANG) == child) return code_of(status);
    if (std::chrono::steady_clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      ADD_FAILURE() << "the program hangs";
      return code_of(status);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
}

}  // namespace

Outcome execute_program(std::vector<std::string> arguments, const fs::path& captured,
                        std::chrono::seconds longest, const Surroundings& surroundings) {
  const std::string out = surroundings.out_path.empty() ? captured / "out" : fs::path(surroundings.out_path);
  const std::string err = captured / "err";
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
    redirect(STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC);
    redirect(STDERR_FILENO, err, O_WRONLY | O_CREAT | O_TRUNC);
    if (surroundings.prepare) surroundings.prepare();
    execvp(argv[0], argv.data());
    _exit(126);
  }
  if (surroundings.meanwhile) surroundings.meanwhile(child);
  Outcome outcome;
  outcome.code = await(child, longest);
  if (surroundings.out_path.empty()) outcome.out = read_file(out);
  outcome.err = without_sanitizer_notes(read_file(err));
  return outcome;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<pid_t> children_of(pid_t parent) {
  const std::string number = std::to_string(parent);
  std::istringstream list(read_file("/proc/" + number + "/task/" + number + "/children"));
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 60'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

CliTest::CliTest()
    : directory_(fresh_directory("heddle-cli-XXXXXX")), captured_(fresh_directory("heddle-out-XXXXXX")) {}

CliTest::~CliTest() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
  fs::remove_all(captured_, ignored);
}

Outcome CliTest::heddle(const std::string& words, const Surroundings& surroundings) const {
  std::istringstream stream(words);
  std::vector<std::string> arguments;
  for (std::string word; stream >> word;) arguments.push_back(word);
  return execute(std::move(arguments), surroundings);
}

Outcome CliTest::execute(std::vector<std::string> arguments, const Surroundings& surroundings) const {
  arguments.insert(arguments.begin(), heddle_program());
  Surroundings inside = surroundings;
  inside.prepare = [&] {
    if (chdir(directory_.c_str()) != 0) _exit(126);
    setenv("HEDDLE_CACHE", (directory_ / "cache").c_str(), 1);
    if (surroundings.prepare) surroundings.prepare();
  };
  return execute_program(std::move(arguments), captured_, longest_, inside);
}

void CliTest::write(const std::string& name, const std::string& text) const {
  std::ofstream file(directory_ / name, std::ios::binary);
  file << text;
}

std::vector<std::string> CliTest::files() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(directory_)) {
    const std::string name = entry.path().lexically_relative(directory_);
    if (name.rfind("cache", 0) != 0) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string small_experiment() {
  return R"(experiment: small
question: Which?
platform: k20-cusched
applications: [tiny.yaml, other.yaml]
prioritised: tiny
compare:
  - {sm_partitioner: fcfs-s}
  - {sm_partitioner: {name: token, imbalance: 2}}
)";
}

std::string small_application(const std::string& name, int blocks) {
  return "application: " + name + R"(
description: a small one
source: made for this test
measured_on: k20-cusched
buffers:
  data: 16KiB
kernels:
  first:
    blocks: )" +
         std::to_string(blocks) + R"(
    time: 20us
    threads: 256
    registers: 16
    shared_memory: 1KiB
program:
  - allocate: data
  - copy_up: data
  - repeat: 2
    body:
      - launch: first
  - copy_down: data
  - free: data
)";
}

void CliTest::write_small() const {
  write("small.yaml", small_experiment());
  write("tiny.yaml", small_application("tiny", 30));
  write("other.yaml", small_application("other", 300));
}

}  // namespace heddle::test
