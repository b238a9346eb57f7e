#pragma once
// The host script of a captured program: its data, its launches, and the checks of the bytes that it reads
// back.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/host/host_script.h"
#include "stimuli/capture/format/capture.h"
#include "stimuli/ptx/execute/launch.h"

namespace heddle::capture {

// A Replay is shared by all processes that replay one program. It does not change after it is built.
struct Replay {
  struct Staged {  // data that is in host memory from the start
    std::uint32_t buffer = 0;
    Capture::Blob bytes;
  };
  struct Launch {
    ptx::Launch launch;
    std::size_t call = 0;     // index of the call in the capture
    bool is_skipped = false;  // it is executed at once; see SkippedLaunch
  };
  // A Check compares a buffer with the capture: its device address, or the bytes that were copied into its
  // host memory.
  struct Check {
    std::size_t call = 0;  // index of the call in the capture
    std::uint32_t buffer = 0;
    Address address = 0;  // expected device address; 0: the bytes are checked
    Rows rows;            // rows.address is an offset in the buffer
    CapturedCall::Digest digest{};
  };

  std::string name;
  bool exact = true;     // see Capture
  bool lenient = false;  // see Capture
  // See bytes_under_capture().
  std::function<std::vector<std::byte>(std::size_t call)> recall;
  std::shared_ptr<ptx::StreamConsole> console =
      std::make_shared<ptx::StreamConsole>();  // to which kernels print
  std::vector<Staged> staged;
  std::vector<Launch> launches;             // index: ApiCall::number
  std::vector<std::vector<Check>> actions;  // index: ApiCall::action
};

// The checks of copies to the host that have not completed, with the streams of the copies.
class PendingChecks {
 public:
  // Adds a check. A copy that overwrites the bytes of an earlier copy removes the check of the earlier copy.
  void add(std::uint32_t stream, const Replay::Check& check);
  std::vector<Replay::Check> take(std::uint32_t stream);
  std::vector<Replay::Check> take_all();

 private:
  struct Pending {
    std::uint32_t stream = 0;
    Replay::Check check;
  };
  std::vector<Pending> pending_;
};

// Bytes that differ from those under capture fail the run if the capture is exact; else the log tells of the
// first of them, and of their number at the end. It tells of stray accesses, too.
std::unique_ptr<HostScript> make_replay_script(std::shared_ptr<const Replay> replay);

// A Recall takes the bytes that a checked call brings down.
struct Recall {
  std::size_t call = 0;
  std::vector<std::byte> bytes;
};
struct RecallEnd {};  // is thrown when the bytes have been taken

// Returns a script that compares no bytes, and that throws RecallEnd at the check of the call.
std::unique_ptr<HostScript> make_recall_script(std::shared_ptr<const Replay> replay, Recall& recall);

}  // namespace heddle::capture
