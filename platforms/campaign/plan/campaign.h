#pragma once
// The reader of campaigns. A campaign is one experiment under every combination of its axes' values. The
// shipped campaigns lie in stimuli/campaigns.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/campaign/plan/axes.h"
#include "platforms/campaign/plan/slurm_spec.h"
#include "platforms/experiment/experiment.h"
#include "platforms/experiment/series_request.h"

namespace heddle {

struct CampaignPoint {
  std::uint64_t number = 0;        // from 1, in the order in which the points run
  std::vector<Assignment> values;  // in the order of the axes
  std::optional<std::uint64_t> seed;
};

struct PlotSpec {
  std::string kind;  // bars, heat-map, curves, box, cdf or timeline
  std::string x;  // x, y and series name the key of an axis, seed, variant or a metric; y and series may be
                  // empty. A timeline has none: it shows runs by host and worker over wall time
  std::string y;
  std::string series;
};

struct Campaign {
  static constexpr std::uint64_t kMostPoints = 1000000;  // of the product, before exclusions

  std::string name;
  std::string question;
  std::string file;
  std::string experiment;             // a name, or a file's absolute path
  std::vector<std::string> keys;      // of the axes in their order, without the seeds
  std::vector<Assignment> values;     // of all axes, each once, also those that no point is left with
  std::uint64_t product = 0;          // points of the axes, also those that are left out
  std::vector<CampaignPoint> points;  // at least one
  std::optional<std::uint64_t> time_limit_ps;  // of each run
  std::optional<std::uint64_t> memory_bytes;
  std::vector<std::string> metrics;  // of run_metrics(), or full names of counters
  std::vector<PlotSpec> plots;
  SeriesRequest series;            // of each run, those of applications alone too
  bool has_default_series = true;  // it names no patterns, so that `series` has those of default_series()
  bool on_slurm = false;           // the backend that `backend` names, slurm or local
  SlurmSpec slurm;
  bool trusted = false;  // options in its files that run commands are allowed: the user has said so
  std::string yaml;      // with sets applied and absolute paths: it loads as this campaign from any directory
};

// Loads a campaign by name or file. `sets` change the campaign's own YAML. load_experiment() checks each
// value of each axis in one point at least. Throws config::Error with every problem and its place in the
// campaign.
Campaign load_campaign(const std::string& name_or_file, const std::vector<std::string>& sets = {});

// Loads the campaign of a results directory. Its points and the files that it names are not checked again.
// Throws config::Error if the directory has no campaign or the file has problems.
Campaign load_kept_campaign(const std::string& directory, const std::vector<std::string>& sets = {});

// Makes a campaign from the text of a YAML document. All paths in the text must be absolute. The function
// does not check the points of the campaign or the files that the text names. `name` stands for the document
// in error messages. Throws config::Error if the text has problems.
Campaign make_campaign(const std::string& yaml, const std::string& name);

// The arguments of load_experiment() for a point.
std::string experiment_of(const Campaign& campaign, const CampaignPoint& point);
Overrides overrides_of(const CampaignPoint& point);

// "sm.count=4 mix.size=2 seed=1", or "base" for a point that sets nothing.
std::string label_of(const CampaignPoint& point);

}  // namespace heddle
