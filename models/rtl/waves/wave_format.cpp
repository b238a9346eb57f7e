#include "models/rtl/waves/wave_format.h"

#include <filesystem>

#include "models/rtl/waves/fst_writer.h"
#include "models/rtl/waves/vcd_writer.h"

namespace heddle {

namespace {

std::string ending_of(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

}  // namespace

bool is_wave_file(const std::string& path) {
  return ending_of(path) == ".fst" || ending_of(path) == ".vcd";
}

std::unique_ptr<WaveWriter> make_wave_writer(const std::string& path, std::ostream& out) {
  if (ending_of(path) == ".fst") return std::make_unique<FstWriter>(out);
  return std::make_unique<VcdWriter>(out);
}

}  // namespace heddle
