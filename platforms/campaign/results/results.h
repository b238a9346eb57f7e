#pragma once
// The verbs `heddle batch collect`, `report`, `diff` and `gc`. Each returns the exit code: 0 all is well, 1
// results that differ, 2 usage or bad input (thrown as config::Error), 3 what could not be written
// (OutputError).

#include <string>

namespace heddle {

struct CollectOptions {
  std::string directory;
  bool strict = false;  // all runs, or nothing: OutputError
  bool json = false;
  bool quiet = false;
};

// Writes results.sqlite (see batch_tables.h) and results.csv, its view, into the campaign's directory from
// the runs that have ended well; others may still be under way.
int batch_collect(const CollectOptions& options);

// Collects; then scripts/report writes report.html and plots/ there.
int batch_report(const CollectOptions& options);

struct DiffOptions {
  std::string a;  // the directory of a campaign, or what collect wrote there
  std::string b;
  double tolerance = 0;  // how far two values may be apart, as a share of the larger
  bool json = false;
};

// Prints what differs between two campaigns' samples, paired by point and variant. What the campaigns are
// called, and who computed them, is no difference.
int batch_diff(const DiffOptions& options);

struct GcOptions {
  std::string directory;
  bool dry_run = false;  // only print
};

// Removes runs that points.json does not name and drafts that nobody works at.
int batch_gc(const GcOptions& options);

}  // namespace heddle
