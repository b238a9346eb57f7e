#pragma once
// The state of the runtime library in the program that loaded it.

#include <sys/types.h>

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/capture/cudart/managed_memory.h"
#include "stimuli/capture/cudart/types.h"
#include "stimuli/capture/runtime/session.h"

namespace heddle::capture {

struct FatBinary {
  const void* wrapper = nullptr;
  std::string name;                     // "saxpy: module 0"
  std::optional<std::uint32_t> module;  // has a value once the program uses the binary
};

struct Symbol {
  FatBinary* binary = nullptr;
  std::string name;
};

struct Reference {  // a texture reference
  Symbol symbol;
  bool normalized_values = false;
};

struct Stream {
  std::uint32_t number = 0;
  unsigned flags = 0;
};

struct Event {
  std::uint32_t number = 0;
  bool timed = true;
  bool recorded = false;
  std::uint64_t time_ps = 0;
};

struct Array {
  ChannelFormat channel{};
  Rows rows;  // rows of texels on the device
  std::uint32_t width = 0;
  std::uint32_t height = 0;  // 0 if the array has one dimension
};

class Runtime final : public ptx::Console {
 public:
  // The caller must hold the lock of guarded().
  static Runtime& get();
  void print(std::string_view text) override;

  // Returns the session, which the first call opens. Throws std::runtime_error in a forked process.
  Session& session();
  void finish();
  void hide_progress();

  // Returns the module of a fat binary, and loads it if necessary. Throws config::Error.
  std::uint32_t module_of(FatBinary& binary);
  const Symbol* function(const void* handle) const;  // null if unknown
  // Returns the index of a function in its module. Throws std::runtime_error if the module lacks it.
  std::uint32_t entry_of(const Symbol& function, std::uint32_t module);
  // Returns all bytes of a variable as one row, or none if there is no such variable.
  std::optional<Rows> symbol(const void* handle);
  // Returns the number of a stream, or none if there is no such stream.
  std::optional<std::uint32_t> stream(const void* handle) const;
  // Returns the workspace of cooperative launches, or 0 without enough memory.
  Address workspace();
  void forget_workspace() { workspace_ = 0; }

  std::vector<std::unique_ptr<FatBinary>> binaries;
  std::map<const void*, Symbol> functions;  // by the program's handle
  std::map<const void*, Symbol> variables;
  std::map<const void*, Reference> references;
  std::map<const void*, BoundTexture> bound;  // bound references only
  std::map<const void*, std::unique_ptr<Stream>> streams;
  std::map<const void*, std::unique_ptr<Event>> events;
  std::map<const void*, std::unique_ptr<Array>> arrays;
  std::map<const void*, std::size_t> pinned;  // host memory, sizes in bytes
  ManagedMemory managed;                      // and mapped host memory
  std::uint32_t next_event = 0;

 private:
  void open();

  std::unique_ptr<CaptureWriter> writer_;
  std::unique_ptr<LaunchProgress> progress_;  // null: none is shown
  std::unique_ptr<Session> session_;
  pid_t process_ = 0;
  Address workspace_ = 0;
};

// Prints the message and ends the program with kStoppedStatus, because the program cannot be captured.
[[noreturn]] void stop(const std::string& message);

std::recursive_mutex& runtime_lock();
// Stores an error, but not a success, as the last error of this thread. Returns `error`.
int remember(int error);
// with `name`. An access outside device memory returns kInvalidValue.
template <typename Act>
int guarded(const char* name, const Act& act) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  try {
    return remember(act(Runtime::get()));
  } catch (const std::out_of_range&) {
    return remember(kInvalidValue);
  } catch (const std::exception& error) {
    stop(std::string(name) + ": " + error.what());
  }
}

}  // namespace heddle::capture
