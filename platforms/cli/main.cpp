// The heddle program: it parses the command line, sets up the log, runs a verb and maps errors to exit codes.

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <systemc>

#include "models/core/base/log.h"
#include "models/core/config/config.h"
#include "platforms/cli/exit_code.h"
#include "platforms/cli/verb.h"
#include "platforms/run/child.h"
#include "platforms/run/output.h"
#include "platforms/run/provenance.h"

namespace {

struct LogOptions {
  std::string filter = "warning";
  std::string file;  // empty: the console alone
};

// Verbs inherit the footer and fallthrough, so these are set before verbs are declared.
void declare_program(CLI::App& app, LogOptions& log) {
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", heddle::version());
  app.add_option(
      "--log-level", log.filter,
      "trace, debug, info, warning, error or off; engine=debug for one component; several with commas");
  app.add_option("--log-file", log.file, "write the log there too");
  app.fallthrough();
  app.footer(
      "Start with: heddle run parboil-eight\n"
      "Exit codes: 0 well, 1 batch diff found a difference, 2 bad usage or input, 3 a run failed, 130 "
      "interrupted.");
}

// Standard output may be a full disk; output that is lost there must not look like success.
int after_output(int exit_code) {
  std::cout.flush();
  if (std::cout || exit_code != 0) return exit_code;
  throw heddle::OutputError("cannot write to the standard output");
}

}  // namespace

int sc_main(int argc, char** argv) {
  CLI::App app{"Heddle: a virtual platform of a multiprogrammed GPU.", "heddle"};
  LogOptions log;
  declare_program(app, log);
  const heddle::VerbTable verbs(heddle::VerbRegistry::instance(), app);
  try {
    app.parse(argc, argv);
    if (const std::string error = heddle::log::configure(log.filter, log.file); !error.empty())
      throw heddle::config::Error({error});
    return after_output(verbs.run({argv, argv + argc}));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const std::string extras = verbs.explain_extras();
    std::cerr << "heddle: " << (extras.empty() ? error.what() + std::string("; see heddle --help") : extras)
              << "\n";
    return heddle::kExitUsage;
  } catch (const heddle::config::Error& error) {
    std::cerr << "heddle: " << error.what() << "\n";
    return heddle::kExitUsage;
  } catch (const heddle::Interrupted&) {
    std::cerr << "heddle: interrupted; nothing was kept\n";
    return heddle::kExitInterrupted;
  } catch (const std::exception& error) {
    std::cerr << "heddle: " << error.what() << "\n";
    return heddle::kExitFailed;
  }
}

int main(int argc, char** argv) {
  ::setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);  // standard output belongs to results
  return sc_core::sc_elab_and_sim(argc, argv);
}
