#pragma once
// An RtlDump writes some cycles of one instance of a block as a waveform: every signal of the RTL, and beside
// it, in the scope "beside", what the RTL and the model have answered. Beside FILE it writes FILE.gtkw, a
// view for GTKWave with the pins of the role and a marker at the first difference.
//
// The library writes its own file, beside the draft of FILE, while the cycles pass. At the end it is merged
// with the answers, and vcd2fst of GTKWave packs it if an FST is wanted. A failure at the end is an error in
// the log, and there is no file.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/core/config/result_file.h"
#include "models/rtl/rtl_divergence.h"
#include "models/rtl/rtl_library.h"
#include "models/rtl/rtl_spec.h"

namespace heddle {

class RtlDump {
 public:
  // Begins the waveform. The instance has not been evaluated. `pins` are shown in the view in this order.
  // Throws an RtlError if a file exists or cannot be written, if vcd2fst is needed and not installed, or if
  // the library has no waveforms.
  RtlDump(const RtlDumpSpec& spec, RtlInstance& instance, std::vector<std::string> pins);
  ~RtlDump();
  RtlDump(const RtlDump&) = delete;
  RtlDump& operator=(const RtlDump&) = delete;

  // The instance has been evaluated in this cycle, before or at the rising edge.
  void evaluated(Cycle cycle, bool risen);
  void answered(const RtlEvent& event);

 private:
  std::uint64_t time_of(Cycle cycle) const { return cycle.value * spec_.period_ps; }
  bool has(Cycle cycle) const { return cycle.value >= spec_.from && cycle.value <= spec_.to; }
  void close();
  std::string raw() const { return wave_->draft() + ".rtl.vcd"; }
  std::string text() const { return spec_.fst ? wave_->draft() + ".vcd" : wave_->draft(); }
  void merge() const;
  void pack() const;
  void write_view() const;

  const RtlDumpSpec spec_;
  RtlInstance& instance_;
  const std::vector<std::string> pins_;
  std::unique_ptr<ResultFile> wave_;
  std::unique_ptr<ResultFile> view_;
  std::vector<RtlEvent> events_;
  bool is_used_ = false;  // the instance has ticked
};

}  // namespace heddle
