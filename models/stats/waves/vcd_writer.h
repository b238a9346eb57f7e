#pragma once
// A VcdWriter writes a waveform as text, a value change dump (VCD) as IEEE 1364 defines it. All viewers read
// it.

#include <fmt/format.h>

#include <iosfwd>
#include <string>
#include <vector>

#include "models/stats/waves/wave_writer.h"

namespace heddle {

class VcdWriter final : public WaveWriter {
 public:
  explicit VcdWriter(std::ostream& out);  // must outlive the writer

 private:
  void write_scope(const std::string& name) override;
  void write_scope_end() override;
  void write_variable(WaveId id, const std::string& name) override;
  void write_start() override;
  void write_time(std::uint64_t ps) override;
  void write_change(WaveId id) override;
  void write_end() override;
  void flush();

  std::ostream& out_;
  fmt::memory_buffer text_;           // not in the stream yet
  std::vector<std::string> symbols_;  // by id: what stands for the variable in changes
};

}  // namespace heddle
