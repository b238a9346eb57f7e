#pragma once
// The directory of a campaign: campaign.yaml, points.json, lock, and runs/ID/ for every run that has ended,
// whether well or not. A run in progress writes its draft, runs/ID.partial, which is renamed when the run
// ends.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle {

enum class RunState {
  kQueued,   // the run has no directory and no draft
  kRunning,  // the run has a draft with a recent heartbeat
  kOk,
  kFailed,
  kTimeout,
  kOutOfMemory,
  kLost,  // the run has a draft without a recent heartbeat, or a damaged result
};
constexpr RunState kRunStates[] = {RunState::kQueued, RunState::kRunning, RunState::kOk,
                                   RunState::kFailed, RunState::kTimeout, RunState::kOutOfMemory,
                                   RunState::kLost};
const char* name_of(RunState state);

struct RunRecord {
  RunState state = RunState::kQueued;
  std::string reason;  // empty if the run is ok
};

// Whether a run is to be done. A run without a result is; a run that failed, took too long or took too much
// memory is if `again` is set.
bool is_due(const RunRecord& record, bool again);

class LockFile;

// The right of this process and its children to work at a campaign, alone or beside other processes that
// share it. The lock is released when the last of them ends.
class CampaignLock {
 public:
  enum class Mode { kAlone, kShared };

  // Makes the directory. Throws config::Error that names the process that holds the lock, OutputError if the
  // directory cannot be made.
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

  RunRecord find(const std::string& id) const;        // a run that has not ended is queued
  std::map<std::string, RunRecord> find_all() const;  // by identity, with the drafts

  // The functions below need a CampaignLock.
  // Removes all drafts, and nothing that the program has not written. It needs the lock alone.
  void sweep() const;
  void remove(const std::string& path) const;
  // Returns the paths of runs that are not among `named` and of drafts that no process works at, sorted.
  std::vector<std::string> leftovers(const std::set<std::string>& named) const;
  // Removes a leftover. A run is renamed to a draft first, so that its name never has a part of a run.
  void discard(const std::string& path) const;
  // Makes the draft of a run and removes an earlier result that is not ok. Returns false if the run is ok or
  // another process works at it.
  bool begin(const std::string& id) const;
  void beat(const std::string& id) const;  // renews the heartbeat of a draft, once a second at least
  // Writes state.json and renames the draft to the run. If it throws OutputError, the draft still exists.
  void finish(const std::string& id, const RunRecord& record) const;

 private:
  std::vector<std::filesystem::directory_entry> drafts() const;  // of runs, and of the campaign's own files

  std::string directory_;
  std::string runs_;
};

}  // namespace heddle
