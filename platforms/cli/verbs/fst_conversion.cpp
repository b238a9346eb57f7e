#include "platforms/cli/verbs/fst_conversion.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/process.hpp>
#include <boost/process/extend.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "models/core/config/result_file.h"

namespace heddle {

namespace {

namespace bp = boost::process;
namespace fs = std::filesystem;

constexpr rlim_t kLeastSeconds = 5;                    // of CPU time
constexpr std::uintmax_t kBytesPerSecond = 1U << 20U;  // of the file; fst2vcd converts thirty times as many
constexpr rlim_t kMostMemory = rlim_t{8} << 30U;       // bytes
constexpr std::uintmax_t kMostGrowth = 256;            // times the size of the file
constexpr std::uintmax_t kLeastLimit = 1ULL << 30U;    // bytes

void limit(decltype(RLIMIT_CPU) resource, rlim_t most) {
  const rlimit limits{most, most};
  ::setrlimit(resource, &limits);
}

// Opens a new file that has no name.
int open_nameless() {
  std::string path = (fs::temp_directory_path() / "heddle-fst-XXXXXX").string();
  const int file = ::mkstemp(path.data());
  if (file < 0)
    throw OutputError(
        fmt::format("cannot make {} for the output of fst2vcd: {}", path, std::strerror(errno)));
  ::unlink(path.c_str());
  return file;
}

}  // namespace

ConvertedFst::ConvertedFst(const std::string& fst) {
  config::check_file(fst);
  const auto program = bp::search_path("fst2vcd");
  if (program.empty())
    throw config::Error({fst + ": needs the program fst2vcd; Debian: apt install gtkwave"});
  std::error_code error;
  const std::uintmax_t size = fs::file_size(fst, error);
  if (error) throw config::Error({fmt::format("{}: cannot be read: {}", fst, error.message())});
  file_ = open_nameless();
  const rlim_t most = std::max(kLeastLimit, kMostGrowth * size);
  const rlim_t seconds = kLeastSeconds + size / kBytesPerSecond;
  const auto set_limits = [most, seconds](auto&) {
    limit(RLIMIT_CPU, seconds);
    limit(RLIMIT_AS, kMostMemory);
    limit(RLIMIT_FSIZE, most);
    limit(RLIMIT_CORE, 0);
  };
  bp::child child(program, "-f", fst, "-o", path(), bp::std_in<bp::null, bp::std_out> bp::null,
                  bp::std_err > bp::null, bp::extend::on_exec_setup = set_limits, error);
  if (!error) child.wait(error);
  if (error) throw config::Error({fmt::format("cannot start fst2vcd: {}", error.message())});
  if (const std::string folder = fs::temp_directory_path().string(); is_disk_full(folder))
    throw OutputError(fmt::format(
        "{}: its text does not fit {}: No space left on device; $TMPDIR names another folder", fst, folder));
  const int status = child.native_exit_code();
  if (WIFSIGNALED(status))
    throw config::Error({fmt::format("{}: is damaged: signal {} ended fst2vcd", fst, WTERMSIG(status))});
  if (WEXITSTATUS(status) != 0)
    throw config::Error(
        {fmt::format("{}: is damaged: fst2vcd refuses it (exit code {})", fst, WEXITSTATUS(status))});
}

ConvertedFst::~ConvertedFst() {
  if (file_ >= 0) ::close(file_);
}

std::string ConvertedFst::path() const {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), file_);
}

}  // namespace heddle
