#include "platforms/run/output.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "models/core/config/config.h"

namespace heddle {

namespace fs = std::filesystem;

namespace {

constexpr int kTries = 100;  // to make a draft in a folder that other runs remove

}  // namespace

void OutputFile::Buffer::note(bool is_good) {
  if (!is_good && reason_ == 0) reason_ = errno != 0 ? errno : EIO;
}

void OutputFile::Buffer::open_for(const std::string& path, std::ios::openmode mode) {
  errno = 0;
  note(open(path, std::ios::out | std::ios::binary | mode) != nullptr);
}

void OutputFile::Buffer::finish() {
  if (!is_open()) return;
  errno = 0;
  note(close() != nullptr);
}

OutputFile::Buffer::int_type OutputFile::Buffer::overflow(int_type next) {
  errno = 0;
  const int_type result = std::filebuf::overflow(next);
  note(!traits_type::eq_int_type(result, traits_type::eof()));
  return result;
}

std::streamsize OutputFile::Buffer::xsputn(const char* data, std::streamsize size) {
  errno = 0;
  const std::streamsize written = std::filebuf::xsputn(data, size);
  note(written == size);
  return written;
}

OutputFile::OutputFile(const std::string& path, std::ios::openmode mode)
    : std::ostream(nullptr), path_(path) {
  rdbuf(&buffer_);
  buffer_.open_for(path, mode);
  if (buffer_.reason() != 0) setstate(failbit);
}

void OutputFile::finish() {
  buffer_.finish();
  if (buffer_.reason() == 0) return;
  throw OutputError(fmt::format("cannot write {}: {}", path_, std::strerror(buffer_.reason())));
}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  OutputFile file(path);
  if (file) write(file);
  file.finish();
}

void write_file(const std::string& path, const std::string& text) {
  write_file(path, [&](std::ostream& out) { out << text; });
}

void write_result(const std::string& path, Existing existing, const std::string& option,
                  const std::function<void(std::ostream&)>& write) {
  ResultFile file(path, existing, option);
  write_file(file.draft(), write);
  file.finish();
}

void write_result(const std::string& path, Existing existing, const std::string& option,
                  const std::string& text) {
  write_result(path, existing, option, [&](std::ostream& out) { out << text; });
}

void write_inputs(const Experiment& experiment, const std::string& directory) {
  write_file(directory + "/experiment.yaml", resolved_yaml(experiment));
  write_file(directory + "/platform.yaml", experiment.platform_yaml);
  const std::string applications = directory + "/applications";
  std::error_code error;
  fs::create_directories(applications, error);
  if (error) throw OutputError(fmt::format("cannot make {}: {}", applications, error.message()));
  for (const ExperimentApplication& use : experiment.applications) {
    if (!use.yaml.empty())
      write_file(fmt::format("{}/{}.yaml", applications, use.application.program.name), use.yaml);
    for (const auto& [name, file] : use.files) {
      const fs::path copy = fs::path(applications) / name;
      fs::create_directories(copy.parent_path(), error);
      if (!error) fs::copy_file(file, copy, fs::copy_options::overwrite_existing, error);
      if (error) throw OutputError(fmt::format("cannot write {}: {}", copy.string(), error.message()));
    }
  }
}

ResultsDirectory::ResultsDirectory(const std::string& path) {
  switch (claim(path)) {
    case Claim::kMade:
      return;
    case Claim::kExists:
      throw config::Error(
          {fmt::format("{}: the results directory exists; choose another with --out", path_)});
    case Claim::kTaken:
      throw config::Error(
          {fmt::format("{}: {}.partial exists: another run writes there, or one was killed; choose another "
                       "directory with --out",
                       path_, path_)});
  }
}

std::unique_ptr<ResultsDirectory> ResultsDirectory::numbered(const std::string& path) {
  std::unique_ptr<ResultsDirectory> directory(new ResultsDirectory);
  for (int i = 1; directory->claim(i == 1 ? path : fmt::format("{}-{}", path, i)) != Claim::kMade;) ++i;
  return directory;
}

// Every run makes the draft of a path before the path. So if the path does not exist after this run has made
// the draft, no other run makes it.
ResultsDirectory::Claim ResultsDirectory::claim(const std::string& path) {
  path_ = fs::path(path).lexically_normal().string();
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  std::error_code error;
  const auto exists = [this, &error] { return fs::exists(fs::symlink_status(path_, error)); };
  if (exists()) return Claim::kExists;
  const std::string draft = path_ + ".partial";
  make_folders();
  for (int tries = 0; ::mkdir(draft.c_str(), 0777) != 0; ++tries) {
    if (errno == EEXIST) return Claim::kTaken;
    const int reason = errno;
    if (reason == ENOENT && tries < kTries) {  // another run has failed and removed the folder
      make_folders();
      continue;
    }
    remove();
    throw OutputError(fmt::format("cannot make {}: {}", draft, std::strerror(reason)));
  }
  if (exists()) {
    ::rmdir(draft.c_str());
    return Claim::kExists;
  }
  draft_ = draft;
  return Claim::kMade;
}

void ResultsDirectory::make_folders() {
  std::error_code error;
  made_.clear();
  const fs::path folder = fs::path(path_).parent_path();
  for (fs::path above = folder; !above.empty() && !fs::exists(above, error); above = above.parent_path())
    made_.push_back(above.string());
  error.clear();
  if (!folder.empty()) fs::create_directories(folder, error);
  if (!error) return;
  remove();
  throw OutputError(fmt::format("cannot make {}.partial: {}", path_, error.message()));
}

ResultsDirectory::~ResultsDirectory() {
  if (!finished_) remove();
}

void ResultsDirectory::remove() {
  std::error_code ignored;
  if (!draft_.empty()) fs::remove_all(draft_, ignored);
  for (const std::string& above : made_) fs::remove(above, ignored);  // removes empty folders only
}

void ResultsDirectory::finish() {
  finished_ = true;
  if (::rename(draft_.c_str(), path_.c_str()) != 0)
    throw OutputError(fmt::format("cannot rename {} to {}: {}; the results stay in {}", draft_, path_,
                                  std::strerror(errno), draft_));
}

}  // namespace heddle
