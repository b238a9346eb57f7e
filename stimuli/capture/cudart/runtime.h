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

#include "stimuli/capture/cudart/graph.h"
#include "stimuli/capture/cudart/managed_memory.h"
#include "stimuli/capture/cudart/memory_pool.h"
#include "stimuli/capture/cudart/operation.h"
#include "stimuli/capture/cudart/registration.h"
#include "stimuli/capture/cudart/streams.h"
#include "stimuli/capture/cudart/textures.h"
#include "stimuli/capture/cudart/types.h"
#include "stimuli/capture/runtime/session.h"
#include "stimuli/functional/interruption.h"

namespace heddle::capture {

struct Event {
  std::uint32_t number = 0;
  bool timed = true;
  bool recorded = false;
  std::uint64_t time_ps = 0;
  std::shared_ptr<StreamCapture> capture;  // not null: the event was recorded in a captured stream
  std::vector<Node*> nodes;                // of that capture, which it stands for
};

// An array lies on the device as slices of rows of texels. The layers of an array, and the faces of its
// cubes, are slices.
struct Array {
  enum Flag : unsigned { kLayered = 1, kSurface = 2, kCube = 4, kGather = 8 };

  ChannelFormat channel{};
  unsigned flags = 0;
  Extent extent{};  // in texels; a height or a depth of 0: the array has no such dimension
  Address address = 0;
  std::uint64_t texel = 0;  // bytes
  std::uint64_t pitch = 0;  // bytes from row to row
  std::uint64_t slice = 0;  // bytes from slice to slice

  std::uint64_t rows() const { return extent.height == 0 ? 1 : extent.height; }
  std::uint64_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
  std::uint64_t row_bytes() const { return extent.width * texel; }
  std::uint64_t bytes() const { return (slices() - 1) * slice + (rows() - 1) * pitch + row_bytes(); }
};

class Runtime final : public ptx::Console {
 public:
  // The caller must hold the lock of guarded().
  static Runtime& get();
  void print(std::string_view text) override;

  // Returns the session, which the first call opens. Throws std::runtime_error in a forked process.
  Session& session();
  bool is_open() const { return session_ != nullptr; }  // the program has used the GPU
  // Returns whether the program has called a function of the runtime, which makes a context.
  bool was_called() const { return called_; }
  void note_call() { called_ = true; }
  void finish();
  void hide_progress();

  // Returns the module of a fat binary, and loads it if necessary. Throws config::Error.
  std::uint32_t module_of(FatBinary& binary);
  // Loads the module of a fat binary from its containers, whose modules are linked. Throws config::Error.
  void load_containers(FatBinary& binary, const std::vector<std::string_view>& containers);
  // Frees a module that the program has loaded, and forgets its kernels.
  void unload(const LoadedModule& module);
  Kernel* function(const void* handle);  // null if unknown
  // Returns the index of a function in its module. Throws std::runtime_error if the module lacks it.
  std::uint32_t entry_of(const Symbol& function, std::uint32_t module);
  // These functions return all bytes of a variable as one row, or none if there is no such variable.
  std::optional<Rows> symbol(const void* handle);
  std::optional<Rows> variable_of(FatBinary& binary, const std::string& name);
  const Array* array(const void* handle) const;  // null if unknown
  // Returns a stream, or null if there is no such stream. The handle may be that of a default stream.
  Stream* stream(const void* handle);
  // Returns the workspace of cooperative launches, or 0 without enough memory.
  Address workspace();
  template <typename Visit>
  void for_each_stream(const Visit& visit) {
    for (auto& [handle, stream] : streams) visit(*stream);
    default_streams_.for_each_of_thread(visit);
  }
  // Returns a launch of a kernel, without its grid and parameters; none: there is no such kernel.
  std::optional<LaunchOperation> launch_of(const void* handle);
  const ptx::Function& entry(const LaunchOperation& launch);
  // Returns the call of the session that a launch makes, with the textures that are bound now.
  Call call_of(const LaunchOperation& launch);
  // Replaces pointers to pinned memory of the host in parameters by those of the device.
  void map_pinned(std::vector<std::byte>& parameters);
  // Frees everything that the program has on the device. A module is loaded again when the program uses it
  // again.
  void reset();

  std::vector<std::unique_ptr<FatBinary>> binaries;
  std::map<const void*, std::unique_ptr<LoadedModule>> modules;
  std::uint32_t loads = 0;                  // of such modules, so far
  std::map<const void*, Kernel> functions;  // by the program's handle
  std::map<const void*, Symbol> variables;
  std::vector<ManagedVariable> managed_variables;
  TextureReferences references;
  std::map<const void*, std::unique_ptr<Stream>> streams;
  std::map<const void*, std::unique_ptr<GreenContext>> green_contexts;
  std::map<const void*, std::unique_ptr<Event>> events;
  std::map<const void*, std::unique_ptr<Array>> arrays;
  std::map<const void*, std::size_t> pinned;  // host memory, sizes in bytes
  ManagedMemory managed;                      // and mapped host memory
  MemoryPools pools;
  Graphs graphs;
  std::uint32_t next_event = 0;
  std::uint64_t captures = 0;  // of streams to graphs, so far

 private:
  void open();
  std::string read_container(const FatBinary& binary, std::string_view container, bool is_first,
                             std::map<std::string, std::uint32_t>& registers);
  void share_variables(FatBinary& binary);

  std::unique_ptr<CaptureWriter> writer_;
  std::unique_ptr<LaunchProgress> progress_;  // null: none is shown
  std::unique_ptr<Session> session_;
  bool called_ = false;
  pid_t process_ = 0;
  Address workspace_ = 0;
  DefaultStreams default_streams_;
};

// Creates a stream and returns its handle, or null for flags that are unknown.
void* create_stream(Runtime& runtime, unsigned flags, int priority, const GreenContext* green);

// The settings of a launch that a program states as launch attributes.
struct LaunchSettings {
  bool cooperative = false;
  std::optional<int> priority;  // none: the stream's
  std::optional<Dim3> cluster;  // blocks; none: that of the kernel
};
// Reads the attributes of a launch. `call` is the function that the program has called. Ends the program
// where an attribute is not supported.
LaunchSettings settings_of(const char* call, const LaunchAttribute* attributes, unsigned count);

// Prints the message and ends the program with kStoppedStatus, because the program cannot be captured.
[[noreturn]] void stop(const std::string& message);
// The same where the user has interrupted the program, which ends as by the signal.
[[noreturn]] void stop_interrupted(const std::string& message);
[[noreturn]] void refuse_call(const char* name);  // the same for a call that is not supported

std::recursive_mutex& runtime_lock();
// Stores an error, but not a success, as the last error of this thread. Returns `error`.
int remember(int error);
// Notes that the program has called a function of the runtime, unless a function of the driver calls it.
void note_runtime_call();

// Keeps the last error of this thread as it is, for calls of the driver, which have another way to tell
// theirs.
class KeptLastError {
 public:
  KeptLastError();
  ~KeptLastError();
  KeptLastError(const KeptLastError&) = delete;
  KeptLastError& operator=(const KeptLastError&) = delete;

 private:
  const int kept_;
};

// Calls act(runtime), which returns an error, under the lock. What it throws ends the program with a message
// with `name`. An access outside device memory returns kInvalidValue.
template <typename Act>
int guarded(const char* name, const Act& act) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  try {
    note_runtime_call();
    return remember(act(Runtime::get()));
  } catch (const std::out_of_range&) {
    return remember(kInvalidValue);
  } catch (const InterruptedRun& interrupted) {
    stop_interrupted(interrupted.what());
  } catch (const std::exception& error) {
    stop(std::string(name) + ": " + error.what());
  }
}

}  // namespace heddle::capture
