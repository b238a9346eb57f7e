#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/core/config/input_file.h"
#include "platforms/cli/exit_code.h"
#include "platforms/cli/options.h"
#include "platforms/cli/print_json.h"
#include "platforms/cli/verb.h"
#include "platforms/cli/verbs/fst_conversion.h"
#include "platforms/correlate/correlation_codec.h"
#include "platforms/correlate/rtl_format.h"
#include "platforms/correlate/table_source.h"
#include "platforms/correlate/wave_source.h"
#include "platforms/run/output.h"
#include "platforms/run/script.h"

namespace heddle {

namespace {

namespace fs = std::filesystem;
using correlate::Correlation;

constexpr std::size_t kStart = 65536;                      // bytes by which a format is found
constexpr std::size_t kMostTable = std::size_t{1} << 28U;  // bytes of a table

struct CorrelateOptions {
  std::string map;
  std::string model;
  std::string rtl;
  std::string format;
  std::string csv;
  std::string report;
  bool json = false;
};

// The RTL's side, with what it is read from.
struct OpenedRtl {
  std::unique_ptr<ConvertedFst> converted;
  std::unique_ptr<correlate::RtlSource> source;
};

OpenedRtl open_rtl(const CorrelateOptions& options) {
  const std::string& file = options.rtl;
  const std::string format =
      options.format.empty() ? correlate::rtl_format(config::read_file(file, kStart)) : options.format;
  OpenedRtl opened;
  if (format == "fst") {
    opened.converted = std::make_unique<ConvertedFst>(file);
    opened.source = std::make_unique<correlate::WaveSource>(opened.converted->path(),
                                                            file + " (as text of fst2vcd)", format);
  } else if (format == "vcd") {
    opened.source = std::make_unique<correlate::WaveSource>(file, file, format);
  } else {
    std::string text = config::read_file(file, kMostTable);
    if (text.size() > kMostTable) throw config::Error({file + ": is larger than 256 MiB"});
    opened.source = std::make_unique<correlate::TableSource>(std::move(text), file, format);
  }
  return opened;
}

Correlation correlate_files(const CorrelateOptions& options) {
  config::Document document = config::Document::load(options.map);
  try {
    const OpenedRtl rtl = open_rtl(options);
    correlate::ModelSource model(options.model);
    correlate::Correlator correlator(document.root(), *rtl.source, model);
    document.finish();
    Correlation correlation = correlator.run();
    document.finish();
    return correlation;
  } catch (const WaveFileError& error) {
    throw config::Error({error.what()});
  }
}

// Writes the page. Returns the exit code of its program.
int write_page(const Correlation& correlation, const std::string& directory) {
  check_result_folder(directory, "--report");
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw OutputError("cannot make " + directory + ": " + error.message());
  write_result(directory + "/correlation.json", Existing::kReplaced, "--report",
               correlate::to_json(correlation).dump() + "\n");
  return run_script("correlate_page", {directory});
}

int correlate_counters(const CorrelateOptions& options) {
  const Correlation correlation = correlate_files(options);
  if (!options.csv.empty())
    write_result(options.csv, Existing::kReplaced, "--csv",
                 [&](std::ostream& out) { correlate::write_correlation_csv(correlation, out); });
  if (options.json) {
    print_json(correlate::to_json(correlation));
  } else {
    correlate::print_correlation(correlation, std::cout);
  }
  if (!options.report.empty()) {
    const int code = write_page(correlation, options.report);
    if (code != 0) return code;
    if (!options.json) std::cout << "report: " << options.report << "/report.html\n";
  }
  return correlation.is_off() ? kExitDifferent : 0;
}

void declare_correlate(CommandLine& verb, CorrelateOptions& options) {
  verb.add_option("map", options.map, "YAML that pairs signals of the RTL with statistics of the run")
      .required();
  verb.add_option("--model", options.model,
                  "directory that heddle run has written, the folder of one of its runs")
      .required()
      .type_name("RUN");
  verb.add_option("--rtl", options.rtl, "waveform (VCD, FST) or table of counters (CSV)")
      .required()
      .type_name("FILE");
  verb.add_option("--format", options.format,
                  "format of the RTL's file, which is otherwise found from its content")
      .one_of(correlate::rtl_formats());
  verb.add_option("--csv", options.csv, "write pairs and windows to this file").type_name("FILE");
  verb.add_option("--report", options.report, "write a page with plots into this directory").type_name("DIR");
  add_json_flag(verb, options.json, "the result as one JSON object");
  verb.footer(
      "Exit code 1: a pair is off.\n"
      "Examples:\n"
      "  heddle correlate map.yaml --model results/vector_add --rtl sim.vcd\n"
      "  heddle correlate map.yaml --model results/vector_add --rtl counters.csv --report page");
}

const VerbRegistration kCorrelate("correlate", 55,
                                  "Compare counters of an RTL simulation with those of a run",
                                  declare_correlate, correlate_counters);

}  // namespace

}  // namespace heddle
