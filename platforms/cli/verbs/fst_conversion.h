#pragma once
// A waveform in GTKWave's binary format (FST), converted to text. Public readers of the format crash on
// damaged files, so that GTKWave's fst2vcd does it, as a process of its own with limits of time and size.

#include <string>

namespace heddle {

class ConvertedFst {
 public:
  // Throws config::Error if fst2vcd is not installed or fails, and OutputError if there is no room for its
  // output.
  explicit ConvertedFst(const std::string& fst);
  ~ConvertedFst();
  ConvertedFst(const ConvertedFst&) = delete;
  ConvertedFst& operator=(const ConvertedFst&) = delete;

  // Returns a path of the VCD. It has no name in a directory, so that nothing of it stays behind.
  std::string path() const;

 private:
  int file_ = -1;
};

}  // namespace heddle
