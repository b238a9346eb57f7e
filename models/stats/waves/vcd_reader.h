#pragma once
// A VcdReader reads a value change dump (VCD, IEEE 1364) of any simulator as a stream: the changes of the
// values that are watched, in the order of time.
//
//   VcdReader reader("run.vcd");
//   const auto index = reader.header().find("top.core0.valid");
//   reader.read({reader.header().variables[*index].value}, listener);
//
// The file is mapped. Memory is proportional to the declarations, and does not depend on the number of
// changes. A damaged file is a WaveFileError that names the file and the position of the byte.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/stats/waves/mapped_file.h"
#include "models/stats/waves/vcd_header.h"

namespace heddle {

class VcdListener {
 public:
  VcdListener() = default;
  virtual ~VcdListener() = default;
  VcdListener(const VcdListener&) = delete;
  VcdListener& operator=(const VcdListener&) = delete;

  // The changes that follow are at this time, in units of the header. Times grow.
  virtual void advance(std::uint64_t time) = 0;
  // The watched value with this index has changed. The text is valid as long as the reader. Of bits it has
  // the digits 0, 1, x and z, the highest first, at most as many as there are bits; of a real it is a number.
  virtual void change(std::size_t watched, std::string_view text) = 0;
};

class VcdReader {
 public:
  explicit VcdReader(const std::string& file) : VcdReader(file, file) {}
  // Reads the declarations. Messages call the file `name`.
  VcdReader(const std::string& file, const std::string& name);

  const VcdHeader& header() const { return header_; }

  // Reads all changes. `watched` has indices of header().values, each at most once. The first
  // change of a value is its first dump. Each call reads the file from its beginning.
  void read(const std::vector<std::uint32_t>& watched, VcdListener& listener);

 private:
  MappedFile file_;
  VcdHeader header_;
};

}  // namespace heddle
