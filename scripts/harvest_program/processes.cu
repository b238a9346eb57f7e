// Two processes at once, which the driver gives the GPU in turn: how long each has it, and how long a launch
// of each takes beside the other. The second process is this program again.

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <iostream>
#include <optional>
#include <sstream>

#include "scripts/harvest_program/parts.h"
#include "scripts/harvest_program/works.h"

extern char** environ;

namespace harvest {

namespace {

constexpr unsigned kMostGaps = 4096;
constexpr unsigned long long kGapNs = 20000;  // a longer time without the GPU is a gap
constexpr const char* kWatch = "watch";

// One thread reads the timer all the time, and keeps from when to when it did not run.
__global__ void watch(unsigned long long nanoseconds, unsigned long long* edges, unsigned* gaps) {
  unsigned long long start = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  unsigned long long last = start;
  unsigned found = 0;
  while (last - start < nanoseconds) {
    unsigned long long now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (now - last > kGapNs && found < kMostGaps) {
      edges[2 * found] = last;
      edges[2 * found + 1] = now;
      ++found;
    }
    last = now;
  }
  *gaps = found;
}

// Prints "run US" and "gap US" in turn. What lies before the first gap and behind the last one is cut off.
void watch_gaps(bool quick) {
  unsigned long long* edges = nullptr;
  unsigned* gaps = nullptr;
  require(cudaMalloc(&edges, 2 * kMostGaps * sizeof(*edges)), "memory for gaps");
  require(cudaMalloc(&gaps, sizeof(*gaps)), "memory for gaps");
  watch<<<1, 1>>>(quick ? 1000 : 1000000000, edges, gaps);
  unsigned found = 0;
  require(cudaMemcpy(&found, gaps, sizeof(found), cudaMemcpyDeviceToHost), "kernel that watches");
  std::vector<unsigned long long> of(2 * kMostGaps);
  require(cudaMemcpy(of.data(), edges, of.size() * sizeof(of[0]), cudaMemcpyDeviceToHost), "copy");
  for (unsigned i = 0; i < found; ++i) {
    if (i > 0) std::cout << "run " << 1e-3 * static_cast<double>(of[2 * i] - of[2 * i - 1]) << "\n";
    std::cout << "gap " << 1e-3 * static_cast<double>(of[2 * i + 1] - of[2 * i]) << "\n";
  }
}

// Launches a work all the time, and prints "launch US": the mean time of a launch in each batch.
void launch_all_the_time(const Work& work, bool quick) {
  constexpr unsigned kBatch = 20;
  using Clock = std::chrono::steady_clock;
  const std::chrono::duration<double> most(quick ? 0.01 : 1.0);
  const Clock::time_point start = Clock::now();
  do {
    const Clock::time_point batch = Clock::now();
    for (unsigned i = 0; i < kBatch; ++i) work.launch(nullptr);
    require(cudaDeviceSynchronize(), "kernels of a process");
    const std::chrono::duration<double, std::micro> time = Clock::now() - batch;
    std::cout << "launch " << time.count() / kBatch << "\n";
  } while (Clock::now() - start < most);
}

class Child {
 public:
  Child(const std::string& task, bool quick) {
    int to[2];
    int from[2];
    if (pipe(to) != 0 || pipe(from) != 0) fail("no pipe to a second process");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    for (const int file : {to[0], to[1], from[0], from[1]}) posix_spawn_file_actions_addclose(&actions, file);
    std::string program = "/proc/self/exe";
    std::string option = "--child";
    std::string task_word = task;
    std::string size = quick ? "quick" : "whole";
    const std::array<char*, 5> words{program.data(), option.data(), task_word.data(), size.data(), nullptr};
    if (posix_spawn(&process_, program.c_str(), &actions, nullptr, words.data(), environ) != 0)
      fail("no second process");
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    to_ = to[1];
    from_ = from[0];
  }
  ~Child() {
    close(to_);
    close(from_);
    waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Waits until the child has its memory on the GPU.
  bool is_ready() const {
    char sign = 0;
    return read(from_, &sign, 1) == 1;
  }
  void go() const {
    if (write(to_, "g", 1) != 1) fail("no pipe to a second process");
  }
  // Returns what it prints until it ends.
  std::string output() const {
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t bytes = 0; (bytes = read(from_, part.data(), part.size())) > 0;)
      text.append(part.data(), static_cast<std::size_t>(bytes));
    return text;
  }

 private:
  pid_t process_ = 0;
  int to_ = -1;
  int from_ = -1;
};

std::vector<double> values_of(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  std::vector<double> values;
  std::string name;
  for (double value = 0; lines >> name >> value;)
    if (name == word) values.push_back(value);
  return values;
}

// Runs two children at once. Returns what each printed, and nothing where the GPU takes one process alone.
std::optional<std::array<std::string, 2>> beside(const std::string& first, const std::string& second,
                                                 bool quick) {
  const Child one(first, quick);
  const Child other(second, quick);
  if (!one.is_ready() || !other.is_ready()) return std::nullopt;
  one.go();
  other.go();
  return std::array<std::string, 2>{one.output(), other.output()};
}

}  // namespace

void measure_processes(Session& session) {
  if (session.is_over()) return;
  std::signal(SIGPIPE, SIG_IGN);  // a process that has ended is told by write()
  const auto slices = beside(kWatch, kWatch, session.quick());
  if (!slices) {
    std::fprintf(stderr, "left out, because the GPU does not take a second process; ");
    return;
  }
  session.row("time_slice", "part=run", "us", values_of((*slices)[0], "run"));
  session.row("time_slice", "part=gap", "us", values_of((*slices)[0], "gap"));
  const std::vector<Work> works = make_pair_works(session.sms(), true);  // their names
  for (std::size_t i = 0; i < works.size() && !session.is_over(); ++i) {
    const std::size_t j = (i + 1) % works.size();
    const auto texts = beside(std::to_string(i), std::to_string(j), session.quick());
    if (!texts) return;
    const std::string pair = "first=" + works[i].name + " second=" + works[j].name + " way=processes";
    session.row("pair", pair + " part=first", "us", values_of((*texts)[0], "launch"));
    session.row("pair", pair + " part=second", "us", values_of((*texts)[1], "launch"));
  }
}

int run_child(const char* task, bool quick) {
  int sms = 0;
  require(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "number of SMs");
  const std::vector<Work> works = make_pair_works(static_cast<unsigned>(sms), quick);
  const bool watches = std::strcmp(task, kWatch) == 0;
  const std::size_t number = watches ? 0 : std::stoul(task);
  if (number >= works.size()) fail("there is no such task of a second process");
  works[number].launch(nullptr);
  require(cudaDeviceSynchronize(), "first kernel of a process");
  std::cout << "r" << std::flush;
  std::cin.get();
  if (watches)
    watch_gaps(quick);
  else
    launch_all_the_time(works[number], quick);
  if (!watches) require_right(works[number]);
  return 0;
}

}  // namespace harvest
