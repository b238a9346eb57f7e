#include "platforms/campaign/store/run_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "platforms/campaign/store/record_codec.h"
#include "platforms/campaign/store/run_files.h"
#include "platforms/run/output.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPartial = ".partial";
// Seconds. A heartbeat is renewed about every half second; the limit allows for clocks of hosts that differ
// and for file servers that report changes late.
constexpr double kLongestBeat = 60;
constexpr int kTries = 500;  // to take a lock, 10 ms apart

struct Owner {
  std::string host;
  pid_t pid = 0;
};

std::string host_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return host.data();
}

Owner read_owner(const std::string& file) {
  Owner owner;
  std::ifstream(file) >> owner.host >> owner.pid;
  return owner;
}

// A process that has ended but is not reaped yet is not alive.
bool is_alive(pid_t pid) {
  std::string stat;
  std::getline(std::ifstream(fmt::format("/proc/{}/stat", pid)), stat);
  const std::size_t name_end = stat.rfind(") ");
  return name_end != std::string::npos && stat.compare(name_end + 2, 1, "Z") != 0;
}

// Whether a process works at a draft. A process of another host is known by its heartbeat alone.
bool beats(const std::string& draft) {
  struct stat info {};
  const std::string heartbeat = draft + "/heartbeat";
  // A draft has no heartbeat file just after it is made and just before it is renamed.
  if (::stat(heartbeat.c_str(), &info) != 0 && ::stat(draft.c_str(), &info) != 0) return false;
  if (std::difftime(std::time(nullptr), info.st_mtime) > kLongestBeat) return false;
  const Owner owner = read_owner(heartbeat);
  return owner.host != host_name() || is_alive(owner.pid);
}

bool is_identity(const std::string& name) {
  return name.size() == 40 && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Returns the identity of the run whose draft has this name, or nothing.
std::string drafted_run(const std::string& name) {
  const std::size_t partial = name.find(kPartial);
  if (partial == std::string::npos || name.substr(partial) != kPartial) return {};
  const std::string id = name.substr(0, partial);
  return is_identity(id) ? id : std::string();
}

// The files that commands write to the directory of a campaign. The draft of one ends in the number of a
// process.
constexpr std::array kFiles{"campaign.yaml",  "points.json", "task",
                            "results.sqlite", "results.csv", "report.html"};

bool is_file_draft(const std::string& name) {
  const std::size_t partial = name.find(kPartial);
  if (partial == std::string::npos) return false;
  const std::string process = name.substr(partial + std::strlen(kPartial));
  return std::find(kFiles.begin(), kFiles.end(), name.substr(0, partial)) != kFiles.end() &&
         process.size() > 1 && process.front() == '-' &&
         process.find_first_not_of("0123456789", 1) == std::string::npos;
}

void make_directories(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw OutputError(fmt::format("cannot make {}: {}", path, error.message()));
}

// Returns the first result file of a run that is empty or missing, or nothing. Files are empty after a power
// failure of the host.
std::string lacking(const std::string& run) {
  std::vector<std::string> files = summed_files(run);
  files.insert(files.begin(), {"result.json", "stats.json", "provenance.json", "checksums"});
  for (const std::string& file : files) {
    struct stat info {};
    if (::stat(fmt::format("{}/{}", run, file).c_str(), &info) != 0 || info.st_size == 0) return file;
  }
  return {};
}

RunRecord read_state(const std::string& run) {
  RunRecord record;
  try {
    record = read_record(config::read_file(run + "/state.json"));
  } catch (const std::runtime_error&) {
    return {RunState::kLost, "state.json is damaged"};
  }
  const std::string file = record.state == RunState::kOk ? lacking(run) : "";
  if (!file.empty()) return {RunState::kLost, fmt::format("{} is empty or gone", file)};
  return record;
}

}  // namespace

// A file that processes lock with flock().
class LockFile {
 public:
  explicit LockFile(const std::string& path)
      : path_(path), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ < 0) throw OutputError(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  ~LockFile() { ::close(file_); }
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  // Calls flock(). Returns false if another process has the lock and `how` does not wait.
  bool lock(int how) const {
    while (::flock(file_, how) != 0) {
      if (errno == EWOULDBLOCK) return false;
      if (errno != EINTR) throw OutputError(fmt::format("cannot lock {}: {}", path_, std::strerror(errno)));
    }
    return true;
  }

  void write(const std::string& text) const {
    if (::ftruncate(file_, 0) != 0 ||
        ::pwrite(file_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
      throw OutputError(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
  }

 private:
  std::string path_;
  int file_;
};

const char* name_of(RunState state) {
  switch (state) {
    case RunState::kQueued:
      return "queued";
    case RunState::kRunning:
      return "running";
    case RunState::kOk:
      return "ok";
    case RunState::kFailed:
      return "failed";
    case RunState::kTimeout:
      return "timeout";
    case RunState::kOutOfMemory:
      return "out-of-memory";
    case RunState::kLost:
      return "lost";
  }
  return "";
}

bool is_due(const RunRecord& record, bool again) {
  switch (record.state) {
    case RunState::kOk:
      return false;
    case RunState::kFailed:
    case RunState::kTimeout:
    case RunState::kOutOfMemory:
      return again;
    default:
      return true;
  }
}

CampaignLock::CampaignLock(const std::string& directory, Mode mode) {
  make_directories(directory);
  const std::string path = directory + "/lock";
  file_ = std::make_unique<LockFile>(path);
  // The simulations of a killed driver hold the lock until they end, which takes a moment.
  for (int tries = 0; !file_->lock((mode == Mode::kAlone ? LOCK_EX : LOCK_SH) | LOCK_NB); ++tries) {
    const Owner owner = read_owner(path);
    if (owner.host != host_name() || is_alive(owner.pid) || tries == kTries)
      throw config::Error({fmt::format("{}: process {} on {} works at this campaign", directory, owner.pid,
                                       owner.host.empty() ? "another host" : owner.host)});
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  file_->write(fmt::format("{} {}\n", host_name(), ::getpid()));
}

CampaignLock::~CampaignLock() = default;

RunStore::RunStore(const std::string& directory) : directory_(directory), runs_(directory + "/runs") {}

std::string RunStore::path_of(const std::string& id) const {
  return runs_ + "/" + id;
}

std::string RunStore::draft_of(const std::string& id) const {
  return path_of(id) + kPartial;
}

RunRecord RunStore::find(const std::string& id) const {
  const std::string path = path_of(id);
  return ::access(path.c_str(), F_OK) == 0 ? read_state(path) : RunRecord{};
}

std::map<std::string, RunRecord> RunStore::find_all() const {
  std::map<std::string, RunRecord> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(runs_, error)) {
    const std::string name = entry.path().filename();
    if (is_identity(name))
      found[name] = read_state(entry.path());
    else if (const std::string id = drafted_run(name); !id.empty())
      // A run that ended meanwhile takes precedence over its draft.
      found.emplace(id, beats(entry.path()) ? RunRecord{RunState::kRunning, ""}
                                            : RunRecord{RunState::kLost, "its process is gone"});
  }
  return found;
}

void RunStore::sweep() const {
  make_directories(runs_);
  for (const fs::directory_entry& entry : drafts()) remove(entry.path());
}

std::vector<fs::directory_entry> RunStore::drafts() const {
  std::vector<fs::directory_entry> drafts;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, error))
    if (is_file_draft(entry.path().filename()) && entry.is_regular_file(error)) drafts.push_back(entry);
  for (const fs::directory_entry& entry : fs::directory_iterator(runs_, error))
    if (!drafted_run(entry.path().filename()).empty()) drafts.push_back(entry);
  return drafts;
}

void RunStore::remove(const std::string& path) const {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) throw OutputError(fmt::format("cannot remove {}: {}", path, error.message()));
}

std::vector<std::string> RunStore::leftovers(const std::set<std::string>& named) const {
  std::vector<std::string> paths;
  std::error_code error;
  for (const fs::directory_entry& entry : drafts())
    if (!beats(entry.path())) paths.push_back(entry.path());
  for (const fs::directory_entry& entry : fs::directory_iterator(runs_, error)) {
    const std::string name = entry.path().filename();
    if (is_identity(name) && named.count(name) == 0) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void RunStore::discard(const std::string& path) const {
  const fs::path run = path;
  if (!is_identity(run.filename())) return remove(path);  // it is a draft already
  const std::string draft = draft_of(run.filename());
  if (::rename(path.c_str(), draft.c_str()) != 0)
    throw OutputError(fmt::format("cannot rename {} to {}: {}", path, draft, std::strerror(errno)));
  remove(draft);
}

bool RunStore::begin(const std::string& id) const {
  const std::string draft = draft_of(id);
  const LockFile claims(directory_ + "/claims");
  claims.lock(LOCK_EX);
  // The draft is tested first: a run that ends between the two tests is then found under its name.
  if (beats(draft) || find(id).state == RunState::kOk) return false;
  remove(draft);
  remove(path_of(id));
  make_directories(draft);
  write_file(draft + "/heartbeat",
             [&](std::ostream& out) { out << host_name() << " " << ::getpid() << "\n"; });
  return true;
}

void RunStore::beat(const std::string& id) const {
  ::utimensat(AT_FDCWD, (draft_of(id) + "/heartbeat").c_str(), nullptr, 0);
}

void RunStore::finish(const std::string& id, const RunRecord& record) const {
  const std::string draft = draft_of(id);
  write_file(draft + "/state.json", record_text(record));
  std::error_code ignored;
  fs::remove(draft + "/heartbeat", ignored);
  const std::string path = path_of(id);
  if (::rename(draft.c_str(), path.c_str()) != 0)
    throw OutputError(fmt::format("cannot rename {} to {}: {}", draft, path, std::strerror(errno)));
}

}  // namespace heddle
