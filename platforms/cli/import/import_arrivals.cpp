#include <fmt/format.h>

#include <iostream>

#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"
#include "platforms/import/arrivals/arrival_import.h"
#include "platforms/import/arrivals/arrival_text.h"
#include "platforms/import/arrivals/trace_format.h"
#include "platforms/run/output.h"

namespace heddle {

namespace {

struct ArrivalsOptions {
  std::string input;
  std::string output;
  imported::ArrivalOptions chosen;
};

int import_arrivals(const ArrivalsOptions& options) {
  const imported::ArrivalImport result = imported::import_arrivals(options.input, options.chosen);
  write_result(options.output, Existing::kReplaced, "--out",
               [&](std::ostream& out) { imported::write_arrivals(out, result.table); });
  std::cout << imported::summary_of(result, options.input, options.output) << "\n"
            << imported::entry_for(result.table, options.output);
  return 0;
}

void declare_part(CommandLine& verb, imported::ArrivalOptions& chosen) {
  verb.add_option(
          "--from", chosen.from,
          "leave out earlier requests: a time since the first one, or a date; times then count from it")
      .type_name("TIME");
  verb.add_option("--to", chosen.to, "leave out requests of this time or date, and later ones")
      .type_name("TIME");
  verb.add_option("--requests", chosen.requests, "keep so many requests at most")
      .check(check_positive_count)
      .type_name("N");
  verb.add_option("--thin", chosen.thin, "keep each request with this probability").range(1e-9, 1.0);
  verb.add_option("--seed", chosen.seed, "of the draws of --thin and --place (default: 1)")
      .check(check_count);
  verb.add_option("--rate-scale", chosen.rate_scale, "divide the times by this number").range(1e-9, 1e9);
}

void declare_import_arrivals(CommandLine& verb, ArrivalsOptions& options) {
  imported::ArrivalOptions& chosen = options.chosen;
  verb.add_option("file", options.input, "trace of requests as CSV or JSON, also packed by gzip").required();
  verb.add_option("-o,--out", options.output, "the CSV file of arrivals, replaced where it exists")
      .required()
      .type_name("FILE");
  verb.add_option("--format", chosen.format, "of the trace; otherwise the names of its columns tell")
      .one_of(imported::trace_format_names());
  declare_part(verb, chosen);
  verb.add_option("--model", chosen.model, "only the requests of this model");
  verb.add_option("--function", chosen.function, "only this function: its name, or APP/FUNCTION");
  verb.add_option("--place", chosen.place,
                  "where the requests of a minute are put: in equal steps (default), or at uniform times")
      .one_of({"even", "uniform"});
  verb.add_flag("--with-failed", chosen.with_failed, "also keep the requests that failed");
  verb.add_option("--time-column", chosen.time_column, "the column or key of times of another table");
  verb.add_option("--time-unit", chosen.time_unit, "its unit, where the name of the column states none")
      .one_of(imported::time_unit_names());
  std::string formats;
  for (const std::string& format : imported::described_formats()) formats += fmt::format("  {}\n", format);
  verb.footer(
      "Formats, with the columns or keys that tell them:\n" + formats +
      "  table: one column or key of times, as in time [ms], time_ms, or a date; numbers are parameters\n"
      "Example:\n"
      "  heddle import arrivals AzureLLMInferenceTrace_conv.csv -o arrivals.csv --from 60s --to 360s");
}

const VerbRegistration kImportArrivals("import arrivals", 4, "Arrivals of requests of a public trace",
                                       declare_import_arrivals, import_arrivals);

}  // namespace

}  // namespace heddle
