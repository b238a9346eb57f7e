#pragma once
// The files that a run writes while it simulates, as its job asks for them: one list in run_files.cpp says in
// which order they are opened. They are finished in the reverse order, because the series draws into the
// timeline.

#include <memory>
#include <vector>

#include "models/gpu/gpu.h"
#include "models/machine/machines.h"
#include "platforms/run/job.h"

namespace heddle {

class StimuliFile;
class TraceLog;

class RunFile {
 public:
  virtual ~RunFile() = default;
  virtual void write() {}     // what has happened until now; called between two cycles
  virtual void finish() = 0;  // after machines.run(); throws OutputError if the file is not complete
};

class RunFiles {
 public:
  explicit RunFiles(const Job& job) : job_(job) {}
  ~RunFiles();
  RunFiles(const RunFiles&) = delete;
  RunFiles& operator=(const RunFiles&) = delete;

  void observe(GpuOptions& options);  // before the machines are made
  void open(Machines& machines);      // before machines.run()
  void write();                       // between two cycles
  void finish();                      // after machines.run(); throws OutputError

 private:
  const Job& job_;
  StimuliFile* stimuli_ = nullptr;   // one of files_; null: the job asks for none
  std::unique_ptr<TraceLog> trace_;  // null: the job asks for none
  std::vector<std::unique_ptr<RunFile>> files_;
};

}  // namespace heddle
