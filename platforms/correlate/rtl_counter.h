#pragma once
// Counts measures over the moments of an RTL source: in every window, and in all windows together. Without
// windows it counts over all cycles.

#include <cstdint>
#include <optional>
#include <vector>

#include "platforms/correlate/measure.h"
#include "platforms/correlate/rtl_source.h"

namespace heddle::correlate {

struct CountedWindow {
  std::uint64_t begin = 0, end = 0;  // in cycles; the end is not in the window
  std::vector<MeasureState> states;  // by measure
};

class RtlCounter final : public MomentSink {
 public:
  // The measures and the windows must outlive the counter. `operands` are those that the measures index;
  // `watched` says for each operand which of the played values it is a part of. The operand `window` is that
  // of a map whose windows are a signal.
  RtlCounter(const std::vector<Measure>& measures, std::vector<Operand> operands,
             std::vector<std::size_t> watched, const std::optional<MappedWindows>& windows,
             std::optional<std::size_t> window);

  void moment(std::uint64_t cycle, const SignalValues& values) override;
  void reset_edge(const SignalValues& values) override;
  void pause(std::uint64_t cycle, const SignalValues& values) override;

  // Closes the last window; called when the source has been played. Windows of a fixed length go on until
  // this cycle, with what stands at the end of the RTL. Records problems of windows that the source does not
  // have.
  void finish(std::uint64_t until);

  const std::vector<MeasureState>& total() const { return total_; }
  const std::vector<CountedWindow>& windows() const { return counted_; }
  std::uint64_t cycles() const { return last_cycle_; }  // the length of the RTL

 private:
  void read(const SignalValues& values);
  void move_windows(std::uint64_t cycle);
  bool is_end(std::uint64_t cycle) const;
  void check_end(std::uint64_t cycle) const;
  bool is_begin(std::uint64_t cycle);
  void open(std::uint64_t cycle);
  void close(std::uint64_t cycle);
  void begin_states(std::uint64_t cycle);
  void end_states(std::uint64_t cycle);
  bool window_signal(std::uint64_t cycle);

  const std::vector<Measure>& measures_;
  std::vector<Operand> operands_;
  std::vector<std::size_t> watched_;
  const std::optional<MappedWindows>& windows_;
  std::optional<std::size_t> window_operand_;

  std::vector<Reading> readings_;      // by operand, of the present moment
  std::vector<Reading> now_, before_;  // by measure
  std::vector<MeasureState> total_;
  std::vector<CountedWindow> counted_;  // the last one is open if is_open_
  bool is_open_ = false;
  bool is_counting_ = false;  // not in a pause
  std::size_t next_range_ = 0;
  std::uint64_t last_cycle_ = 0;
  std::optional<std::uint64_t> unknown_window_;  // the first cycle in which their signal was x or z
};

}  // namespace heddle::correlate
