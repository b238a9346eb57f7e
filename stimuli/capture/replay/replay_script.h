#pragma once
// The script of a captured program: its data, its launches, and what must have come down.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/host/host_script.h"
#include "stimuli/capture/format/capture.h"

namespace heddle::capture {

// What all processes that replay one program share. Immutable once built.
struct Replay {
  struct Staged {  // what lies in host memory from the start
    std::uint32_t buffer = 0;
    Capture::Blob bytes;
  };
  struct Launch {
    ptx::Launch launch;
    std::size_t call = 0;  // of the capture
  };
  // A buffer lies where it lay, or the bytes that came down into its host memory are those of the capture.
  struct Check {
    std::size_t call = 0;  // of the capture
    std::uint32_t buffer = 0;
    Address address = 0;  // 0: the bytes
    Rows rows;            // address: the offset in the buffer
    CapturedCall::Digest digest{};
  };

  std::string name;
  std::vector<Staged> staged;
  std::vector<Launch> launches;             // by ApiCall::number
  std::vector<std::vector<Check>> actions;  // by ApiCall::action
};

// Checks of bytes that are still on their way, by the stream that brings them.
class PendingChecks {
 public:
  // What comes down over another's bytes is all that will be seen of them.
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

std::unique_ptr<HostScript> make_replay_script(std::shared_ptr<const Replay> replay);

}  // namespace heddle::capture
