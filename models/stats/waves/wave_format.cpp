#include "models/stats/waves/wave_format.h"

#include <filesystem>

#include "models/stats/waves/fst_writer.h"
#include "models/stats/waves/vcd_writer.h"

namespace heddle {

std::optional<WaveFormat> wave_format(const std::string& path) {
  const std::filesystem::path ending = std::filesystem::path(path).extension();
  if (ending == ".fst") return WaveFormat::kFst;
  if (ending == ".vcd") return WaveFormat::kVcd;
  return {};
}

std::unique_ptr<WaveWriter> make_wave_writer(WaveFormat format, std::ostream& out) {
  if (format == WaveFormat::kFst) return std::make_unique<FstWriter>(out);
  return std::make_unique<VcdWriter>(out);
}

}  // namespace heddle
