#pragma once
// The formats of waveforms and their writers.

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "models/stats/waves/wave_writer.h"

namespace heddle {

enum class WaveFormat : std::uint8_t { kFst, kVcd };

// Returns the format of a file whose name ends in .fst or .vcd, and nothing for any other name.
std::optional<WaveFormat> wave_format(const std::string& path);

// The stream is binary, is empty, and must outlive the writer.
std::unique_ptr<WaveWriter> make_wave_writer(WaveFormat format, std::ostream& out);

}  // namespace heddle
