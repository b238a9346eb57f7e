
#include "platforms/cli/import/import_output.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"
#include "platforms/import/nsys/nsys_report.h"

namespace heddle {

namespace {

struct NsysImportOptions {
  ApplicationOptions application;
  std::optional<std::uint64_t> process;
};

int import_nsys(const NsysImportOptions& options) {
  imported::NsysOptions chosen;
  chosen.context = options.application.context;
  chosen.process = options.process;
  chosen.from_ps = options.application.from_ps();
  chosen.to_ps = options.application.to_ps();
  const imported::NsysRecord record = imported::read_nsys_report(options.application.input, chosen);
  write_application(record.application, options.application, record.source, record.notes);
  return 0;
}

void declare_import_nsys(CommandLine& verb, NsysImportOptions& options) {
  declare_application_options(verb, options.application,
                              "database that nsys export --type sqlite has written of a report");
  verb.add_option("--process", options.process, "the process whose context it is, where two have that number")
      .check(check_count);
  verb.footer(
      "Example:\n"
      "  nsys profile --trace=cuda --cuda-graph-trace=node -o app ./app\n"
      "  nsys export --type sqlite app.nsys-rep\n"
      "  heddle import nsys app.sqlite -o app.yaml --measured-on my-card.yaml");
}

const VerbRegistration kImportNsys("import nsys", 1, "An application of a report of Nsight Systems",
                                   declare_import_nsys, import_nsys);

}  // namespace

}  // namespace heddle
