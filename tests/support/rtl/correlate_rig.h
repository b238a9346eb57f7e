#pragma once
// A folder with a map, an RTL simulation and a run, which are compared without the program.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "models/core/config/input_file.h"
#include "platforms/correlate/correlation.h"
#include "platforms/correlate/rtl_format.h"
#include "platforms/correlate/table_source.h"
#include "platforms/correlate/wave_source.h"

namespace heddle::correlate::test {

// Ten cycles after two edges in reset. The reset falls between two edges, at 20 ns. The values of the signals
// just before the edges of the cycles 0 to 9, and at the end:
//
//   valid   0 1 1 0 1 0 0 1 1 1   0
//   count   5 5 6 7 7 0 0 0 1 2   3     three bits; it grows where valid is 1
//   mixed   0x..x. until cycle 2, then 10 (eight bits)
//   level   0.5 until cycle 4, then 1.25 (a real)
inline const char* ten_cycles() {
  return "$date today $end\n$timescale 1 ns $end\n"
         "$scope module top $end\n$var wire 1 ! clk $end\n$var wire 1 \" rst $end\n"
         "$scope module dut $end\n$var wire 1 # valid $end\n$var reg 3 $ count [2:0] $end\n"
         "$var reg 8 % mixed [7:0] $end\n$var real 64 & level $end\n$var wire 1 # ready $end\n"
         "$upscope $end\n$upscope $end\n$enddefinitions $end\n"
         "#0\n$dumpvars\n0!\n1\"\n0#\nb101 $\nb0x00x0 %\nr0.5 &\n$end\n"
         "#5\n1!\n#10\n0!\n#15\n1!\n#20\n0!\n0\"\n"
         "#25\n1!\n1#\n#30\n0!\n"
         "#35\n1!\nb110 $\n#40\n0!\n"
         "#45\nb111 $\n0#\nb1010 %\n1!\n#50\n0!\n"
         "#55\n1!\n1#\n#60\n0!\n"
         "#65\n1!\n0#\nb0 $\nr1.25 &\n#70\n0!\n"
         "#75\n1!\n#80\n0!\n"
         "#85\n1!\n1#\n#90\n0!\n"
         "#95\n1!\nb1 $\n#100\n0!\n"
         "#105\n1!\nb10 $\n#110\n0!\n"
         "#115\n1!\nb11 $\n0#\n#120\n0!\n";
}

// A run whose counters gpu.unit0.valid and gpu.unit1.valid count 3 in each half of ten cycles.
inline const char* six_valid() {
  return R"({"schema": "heddle-stats-1", "statistics": [
    {"unit": "event", "description": "valid cycles", "values": {"gpu.unit[0-1].valid": [6, 6]}},
    {"unit": "event", "description": "wraps", "values": {"gpu.wraps": 3}, "zero": ["gpu.idle"]},
    {"unit": "1", "description": "share", "numerator": ["idle"], "denominator": ["idle"], "scale": 1,
     "undefined": ["gpu.share"]}]})";
}

class CorrelateRig : public testing::Test {
 protected:
  CorrelateRig()
      : folder_(std::filesystem::temp_directory_path() / fmt::format("heddle-correlate-{}", getpid())) {
    std::filesystem::create_directory(folder_);
    write("stats.json", six_valid());
    write("series.csv", "cycle,ps,gpu.unit0.valid [event],gpu.wraps [event]\n5,50,3,1\n10,100,3,2\n");
    write("series_columns.csv",
          "path,unit,kind,description\ngpu.unit0.valid,event,counter,a\ngpu.wraps,event,counter,\"b, c\"\n");
    write("sim.vcd", ten_cycles());
  }
  ~CorrelateRig() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  // Compares the run of the folder with one of its files. Throws config::Error and WaveFileError.
  Correlation correlate(const std::string& map, const std::string& rtl = "sim.vcd",
                        const std::string& forced_format = "") const {
    const std::string file = path(rtl), text = config::read_file(file);
    const std::string format = forced_format.empty() ? rtl_format(text) : forced_format;
    std::unique_ptr<RtlSource> source;
    if (format == "vcd")
      source = std::make_unique<WaveSource>(file, file, format);
    else
      source = std::make_unique<TableSource>(text, file, format);
    config::Document document = config::Document::parse(map, "map.yaml");
    ModelSource model(folder_.string());
    Correlator correlator(document.root(), *source, model);
    document.finish();
    Correlation result = correlator.run();
    document.finish();
    return result;
  }

  // Returns the map with the clock and the reset of ten_cycles() and one pair.
  static std::string map_of(const std::string& rtl, const std::string& model, const std::string& more = "") {
    return "clock: {signal: top.clk}\nreset: {signal: top.rst, level: high}\n" + more +
           fmt::format("pairs: [{{name: p, rtl: '{}', model: '{}'}}]\n", rtl, model);
  }

  // Compares one pair with the waveform.
  PairResult pair_of(const std::string& rtl, const std::string& model, const std::string& more = "") const {
    return correlate(map_of(rtl, model, more)).pairs.at(0);
  }

  std::filesystem::path folder_;
};

}  // namespace heddle::correlate::test
