#pragma once
// The directory of a campaign: campaign.yaml, points.json, lock, and runs/ID/ for every run that has ended,
// whatever way. A run is written into runs/ID.partial and takes its name in the end.

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace heddle {

enum class RunState {
  kQueued,   // nothing there
  kRunning,  // a draft whose heartbeat is touched
  kOk,
  kFailed,
  kTimeout,
  kOutOfMemory,
  kLost,  // a draft that nobody works at
};
constexpr RunState kRunStates[] = {RunState::kQueued, RunState::kRunning, RunState::kOk,
                                   RunState::kFailed, RunState::kTimeout, RunState::kOutOfMemory,
                                   RunState::kLost};
const char* name_of(RunState state);

struct RunRecord {
  RunState state = RunState::kQueued;
  std::string reason;  // empty where it went well
};

// Whether a run is to be done: what is not there, and, if it is tried again, what went wrong.
bool is_due(const RunRecord& record, bool again);

class LockFile;

// That this process, with those it forks, works at a campaign: as the only one, or beside others that share
// it. It ends with the last of them.
class CampaignLock {
 public:
  enum class Mode { kAlone, kShared };

  // Makes the directory. Throws config::Error that says who has it, OutputError where it cannot be made.
  CampaignLock(const std::string& directory, Mode mode);
  ~CampaignLock();
  CampaignLock(const CampaignLock&) = delete;
  CampaignLock& operator=(const CampaignLock&) = delete;

 private:
  std::unique_ptr<LockFile> file_;
};

class RunStore {
 public:
  explicit RunStore(const std::string& directory);

  const std::string& directory() const { return directory_; }
  std::string path_of(const std::string& id) const;
  std::string draft_of(const std::string& id) const;

  RunRecord find(const std::string& id) const;        // of a run that has ended; else queued
  std::map<std::string, RunRecord> find_all() const;  // by identity; drafts too

  // The rest is for who has the lock.
  void sweep() const;  // for who has it alone: drafts that were left go
  void remove(const std::string& path) const;
  // What may go, sorted: runs that are not among `named`, and drafts that nobody works at.
  std::vector<std::string> leftovers(const std::set<std::string>& named) const;
  void discard(const std::string& path) const;  // no half of a run is left under its name
  // Makes the draft of a run that has no result; what another end left of it goes. False where the run is ok
  // by now, or another process works at it.
  bool begin(const std::string& id) const;
  void beat(const std::string& id) const;  // of a draft, at least every second
  // Writes state.json and gives the draft its name. Throws OutputError; the draft is still there then.
  void finish(const std::string& id, const RunRecord& record) const;

 private:
  std::string directory_;
  std::string runs_;
};

// As write_file, beside the file that it then replaces. Of several files none is replaced before all are
// written.
void replace_file(const std::string& path, const std::string& text);
void replace_files(const std::vector<std::pair<std::string, std::string>>& texts);  // by path

}  // namespace heddle
