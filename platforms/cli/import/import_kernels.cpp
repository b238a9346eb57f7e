#include <filesystem>

#include "models/core/config/input_file.h"
#include "platforms/cli/import/import_output.h"
#include "platforms/cli/verb.h"
#include "platforms/import/kernels_table.h"

namespace heddle {

namespace {

int import_kernels(const ApplicationOptions& options) {
  imported::TableOptions chosen;
  chosen.context = options.context;
  chosen.from_ps = options.from_ps();
  chosen.to_ps = options.to_ps();
  const imported::RecordedApplication application =
      imported::read_kernels_table(config::read_file(options.input), options.input, chosen);
  write_application(application, options, std::filesystem::path(options.input).filename().string(), {});
  return 0;
}

void declare_import_kernels(CommandLine& verb, ApplicationOptions& options) {
  declare_application_options(verb, options, "CSV file with a row for each launch of a kernel");
  verb.footer(
      "Columns: name, start_UNIT, end_UNIT or duration_UNIT, grid, block; optional: registers,\n"
      "shared_memory_UNIT, stream, context. Times are in ps, ns, us, ms or s, memory in bytes or kib;\n"
      "grid and block are 8, 8x66 or 8x66x1. The order of columns and of rows is free.");
}

const VerbRegistration kImportKernels("import kernels", 2, "An application of a table of launches",
                                      declare_import_kernels, import_kernels);

}  // namespace

}  // namespace heddle
