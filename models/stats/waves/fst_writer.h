#pragma once
// An FstWriter writes a waveform in GTKWave's binary format, the fast signal trace (FST). The file is a
// header, blocks of value changes (fst_block.h), the geometry (the width of each variable) and the hierarchy
// (scopes and names). The format is described in "An unofficial specification of FST"
// (blog.timhutt.co.uk/fst_spec) and in the file block_format.txt of GTKWave.

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "models/stats/waves/fst_block.h"
#include "models/stats/waves/wave_writer.h"

namespace heddle {

class FstWriter final : public WaveWriter {
 public:
  // The stream is binary, can seek, and begins with this waveform. It must outlive the writer.
  explicit FstWriter(std::ostream& out);

 private:
  void write_scope(const std::string& name) override;
  void write_scope_end() override;
  void write_variable(WaveId id, const std::string& name) override;
  void write_start() override;
  void write_time(std::uint64_t ps) override;
  void write_change(WaveId id) override;
  void write_end() override;

  std::vector<unsigned> widths() const;  // in bits, or 0 for a real
  std::string frame() const;
  void write_block();
  void write_header();
  void write_geometry();
  void write_hierarchy();

  std::ostream& out_;
  std::string hierarchy_;
  std::optional<FstBlock> block_;
  std::uint64_t blocks_ = 0;  // written
  std::uint64_t begin_ps_ = 0;
};

}  // namespace heddle
