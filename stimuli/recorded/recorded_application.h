#pragma once
// An application as a profiler has recorded it: its kernels with their times, and its calls in the order in
// which the GPU started them.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "stimuli/recorded/folded_calls.h"
#include "stimuli/recorded/recorded_event.h"

namespace heddle::imported {

// Launches of one kernel.
struct KernelTimes {
  std::uint64_t launches = 0;
  std::uint64_t sum_ps = 0;
  std::uint64_t least_ps = 0;
  std::uint64_t most_ps = 0;
  std::uint64_t overlapped = 0;  // launches that started while something else of the application ran

  std::uint64_t mean_ps() const { return (sum_ps + launches / 2) / launches; }
};

struct RecordedKernel {
  KernelShape shape;
  KernelTimes times;
};

struct CopyTotals {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t most_bytes = 0;  // of one
  std::uint64_t time_ps = 0;
};

struct RecordedCall {
  enum class Kind : std::uint8_t { kLaunch, kCopy, kFill };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  Kind kind = Kind::kLaunch;
  CopyKind copy = CopyKind::kUp;
  std::uint8_t value = 0;    // kFill
  std::uint32_t kernel = 0;  // kLaunch
  std::uint64_t bytes = 0;   // kCopy, kFill
  std::uint32_t stream = 0;  // index in RecordedApplication::streams
  // The stream whose work ended last before this call started, if that is another stream and nothing else was
  // running: the call may depend on it, and is kept behind it. kNone otherwise.
  std::uint32_t after = kNone;

  friend bool operator<(const RecordedCall& a, const RecordedCall& b) {
    const auto key = [](const RecordedCall& c) {
      return std::tie(c.kind, c.copy, c.value, c.kernel, c.bytes, c.stream, c.after);
    };
    return key(a) < key(b);
  }
};

struct RecordedApplication {
  std::vector<RecordedKernel> kernels;        // in the order of their first launches
  std::array<CopyTotals, kCopyKinds> copies;  // by CopyKind
  CopyTotals fills;
  std::vector<std::uint64_t> streams;  // the profiler's numbers, in the order of first use
  std::vector<RecordedCall> calls;     // distinct ones; FoldedItem::call is an index
  FoldedCalls program;
  std::uint64_t empty_copies = 0;  // copies and fills of no bytes, which are left out
  std::uint64_t span_ps = 0;       // from the first start to the last end
  std::uint64_t gaps_ps = 0;       // within it, when nothing ran
};

// Makes an application of events that are added in the order of their starts.
class ApplicationBuilder {
 public:
  // Returns the number of the kernel of this shape.
  std::uint32_t kernel(const KernelShape& shape);

  // Add an event. `stream` is the profiler's number of its stream. Throw std::invalid_argument if the event
  // ends before it starts, or starts before the event that was added last; the text has no place.
  void launch(std::uint32_t kernel, std::uint64_t stream, Span span);
  void copy(CopyKind kind, std::uint64_t bytes, std::uint64_t stream, Span span);
  void fill(std::uint8_t value, std::uint64_t bytes, std::uint64_t stream, Span span);

  bool has_launch() const { return launches_ > 0; }
  RecordedApplication finish() { return std::move(result_); }

 private:
  void transfer(CopyTotals& totals, const RecordedCall& call, std::uint64_t stream, Span span);
  void add(RecordedCall call, std::uint64_t stream, Span span);
  std::uint32_t stream_index(std::uint64_t stream);
  void check(Span span) const;

  RecordedApplication result_;
  std::map<KernelShape, std::uint32_t> kernels_;
  std::map<std::uint64_t, std::uint32_t> streams_;
  std::map<RecordedCall, std::uint32_t> calls_;
  std::uint64_t launches_ = 0;
  bool has_event_ = false;
  std::uint64_t first_start_ps_ = 0;
  std::uint64_t last_start_ps_ = 0;
  std::uint64_t last_end_ps_ = 0;  // the latest of all
  std::uint32_t last_stream_ = 0;  // the stream of that end
};

}  // namespace heddle::imported
