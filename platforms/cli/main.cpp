// The heddle program: it parses the command line, sets up the log, runs a verb and maps errors to exit codes.

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <systemc>

#include "models/core/base/log.h"
#include "models/core/config/config.h"
#include "models/core/config/noted_inputs.h"
#include "models/core/config/result_file.h"
#include "platforms/cli/exit_code.h"
#include "platforms/cli/options.h"
#include "platforms/cli/verb.h"
#include "platforms/run/child.h"
#include "platforms/run/output.h"
#include "platforms/run/plugins.h"
#include "platforms/run/provenance.h"

namespace {

struct LogOptions {
  std::string filter = "warning";
  std::string file;  // empty: the console alone
};

struct ProgramOptions {
  LogOptions log;
  std::vector<std::string> plugins;
};

// Verbs inherit the footer and fallthrough, so these are set before verbs are declared.
void declare_program(CLI::App& app, ProgramOptions& options) {
  LogOptions& log = options.log;
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", heddle::version());
  app.add_option(
      "--log-level", log.filter,
      "trace, debug, info, warning, error or off; engine=debug for one component; several with commas");
  app.add_option("--log-file", log.file, "write the log there too, replaced where it exists")
      ->type_name("FILE");
  heddle::CommandLine line(app);
  heddle::add_repeated_option(line, "--plugin", options.plugins,
                              "a library with policies of yours; policies/README.md", "FILE.so");
  app.fallthrough();
  app.footer(
      "Start with: heddle run parboil-eight\n"
      "Exit codes: 0 well, 1 batch diff found a difference, 2 bad usage or input, 3 a run failed, 130 "
      "interrupted.");
}

// The log of --log-file. It is written beside its path while the command runs, and is there when the command
// has ended, whether well or not.
class LogFile {
 public:
  // Throws config::Error if the path is refused, and OutputError.
  LogFile(const std::string& path, const heddle::Words& argv) {
    if (path.empty()) return;
    note_inputs(path, argv);
    file_ = std::make_unique<heddle::ResultFile>(path, heddle::Existing::kReplaced, "--log-file");
  }

  std::string draft() const { return file_ ? file_->draft() : ""; }

  // Throws config::Error if the command has read the file meanwhile, and OutputError.
  void finish() {
    if (!file_) return;
    const std::string folder = std::filesystem::path(file_->path()).parent_path().string();
    if (heddle::is_disk_full(folder.empty() ? "." : folder))
      throw heddle::OutputError("cannot write " + file_->path() + ": No space left on device");
    file_->finish();
  }

 private:
  // A file that a second word of the command line names is an input before it is read.
  static void note_inputs(const std::string& path, const heddle::Words& argv) {
    std::error_code ignored;
    int named = 0;
    for (const std::string& word : argv) {
      const std::string value = word.rfind("--", 0) == 0 ? word.substr(word.find('=') + 1) : word;
      if (std::filesystem::equivalent(path, value, ignored) && ++named > 1) heddle::config::note_input(value);
    }
  }

  std::unique_ptr<heddle::ResultFile> file_;
};

// Standard output may be a full disk; output that is lost there must not look like success.
int after_output(int exit_code, LogFile& log) {
  log.finish();
  std::cout.flush();
  if (std::cout || exit_code != 0) return exit_code;
  throw heddle::OutputError("cannot write to the standard output");
}

// A command that fails keeps its log. An error of the log is told unless there is another one.
int run_verb(const heddle::VerbTable& verbs, const ProgramOptions& options, const heddle::Words& argv) {
  LogFile log(options.log.file, argv);
  if (const std::string error = heddle::log::configure(options.log.filter, log.draft()); !error.empty())
    throw heddle::config::Error({error});
  int exit_code = 0;
  try {
    heddle::load_plugins(options.plugins);
    exit_code = verbs.run(argv);
  } catch (...) {
    try {
      log.finish();
    } catch (const std::exception& error) {
      std::cerr << "heddle: " << error.what() << "\n";
    }
    throw;
  }
  return after_output(exit_code, log);
}

}  // namespace

int sc_main(int argc, char** argv) {
  CLI::App app{"Heddle: a virtual platform of a multiprogrammed GPU.", "heddle"};
  ProgramOptions options;
  declare_program(app, options);
  const heddle::Words words{argv, argv + argc};
  const heddle::VerbTable verbs(heddle::VerbRegistry::instance(), app, words);
  try {
    app.parse(argc, argv);
    return run_verb(verbs, options, words);
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
