#pragma once
// A waveform as a source: signals are sampled at the edges of a clock, or once in a period.
//
// A moment has the values before all changes at the time of its edge, which a register samples there. An edge
// at which the reset is active, or x or z, has no cycle.

#include <string>

#include "models/stats/waves/vcd_reader.h"
#include "platforms/correlate/rtl_source.h"

namespace heddle::correlate {

class WaveSource final : public RtlSource {
 public:
  // Reads the declarations of a VCD, which messages call `name`. Throws WaveFileError.
  WaveSource(const std::string& file, const std::string& name, std::string format);

  std::string format() const override { return format_; }
  bool is_waveform() const override { return true; }
  std::optional<std::size_t> find(const std::string& name) const override;
  std::size_t signals() const override { return reader_.header().variables.size(); }
  RtlSignal signal(std::size_t index) const override;
  void set_up(const CorrelationMap& map) override;
  void play(const std::vector<std::size_t>& watched, MomentSink& sink) override;

 private:
  VcdReader reader_;
  std::string format_;
  std::optional<MappedClock> clock_;
  std::optional<MappedReset> reset_;
  std::optional<Operand> clock_bit_, reset_bit_;
};

}  // namespace heddle::correlate
