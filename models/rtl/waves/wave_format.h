#pragma once
// The formats of waveforms, each with its writer, by the ending of a file's name.

#include <iosfwd>
#include <memory>
#include <string>

#include "models/rtl/waves/wave_writer.h"

namespace heddle {

bool is_wave_file(const std::string& path);  // its name ends in .fst or .vcd

// Returns the writer for a file of that name, which is_wave_file(). The stream is binary, is empty, and must
// outlive the writer.
std::unique_ptr<WaveWriter> make_wave_writer(const std::string& path, std::ostream& out);

}  // namespace heddle
