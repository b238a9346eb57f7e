#pragma once
// What the runtime library keeps for the program that it was loaded into.

#include <sys/types.h>

#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "stimuli/capture/cudart/types.h"
#include "stimuli/capture/runtime/session.h"

namespace heddle::capture {

struct FatBinary {
  const void* wrapper = nullptr;
  std::string name;                     // "saxpy: module 0"
  std::optional<std::uint32_t> module;  // once something of it was used
};

struct Symbol {
  FatBinary* binary = nullptr;
  std::string name;
};

struct Reference {  // of a texture
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
  Rows rows;  // of texels
  std::uint32_t width = 0;
  std::uint32_t height = 0;  // 0: of one dimension
};

class Runtime final : public ptx::Console {
 public:
  // Called with the lock of guarded().
  static Runtime& get();
  void print(std::string_view text) override;

  // Opened by the first call that needs it.
  Session& session();
  void finish();

  // Loads what it needs. Throws config::Error.
  std::uint32_t module_of(FatBinary& binary);
  const Symbol* function(const void* handle) const;  // null: none such
  // The entry of a function: the module must have it.
  std::uint32_t entry_of(const Symbol& function, std::uint32_t module);
  // Rows of a symbol: all of its bytes. Nothing: no such symbol.
  std::optional<Rows> symbol(const void* handle);
  // The number of the stream's; nothing: no such stream.
  std::optional<std::uint32_t> stream(const void* handle) const;

  std::vector<std::unique_ptr<FatBinary>> binaries;
  std::map<const void*, Symbol> functions;  // by what the program calls them
  std::map<const void*, Symbol> variables;
  std::map<const void*, Reference> references;
  std::map<const void*, BoundTexture> bound;  // those that are bound
  std::map<const void*, std::unique_ptr<Stream>> streams;
  std::map<const void*, std::unique_ptr<Event>> events;
  std::map<const void*, std::unique_ptr<Array>> arrays;
  std::map<const void*, std::size_t> pinned;  // host memory, with its bytes
  std::uint32_t next_event = 0;

 private:
  void open();

  std::unique_ptr<CaptureWriter> writer_;
  std::unique_ptr<Session> session_;
  pid_t process_ = 0;
};

// Ends the program: it cannot be captured.
[[noreturn]] void stop(const std::string& message);

std::recursive_mutex& runtime_lock();
int remember(int error);  // as the last error of this thread, if it is one

// A call of the runtime. What goes wrong in the simulated GPU ends the program; `name` tells where.
template <typename Act>
int guarded(const char* name, const Act& act) {
  const std::lock_guard<std::recursive_mutex> lock(runtime_lock());
  try {
    return remember(act(Runtime::get()));
  } catch (const std::out_of_range&) {  // of device memory
    return remember(kInvalidValue);
  } catch (const std::exception& error) {
    stop(std::string(name) + ": " + error.what());
  }
}

}  // namespace heddle::capture
