#pragma once
// A campaign's YAML -> the points to run: one experiment under every combination of its axes' values. The
// shipped ones lie in stimuli/campaigns.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/campaign/plan/axes.h"
#include "platforms/campaign/plan/slurm_spec.h"
#include "platforms/experiment/experiment.h"

namespace heddle {

struct CampaignPoint {
  std::uint64_t number = 0;        // from 1, in the order of running
  std::vector<Assignment> values;  // in the order of the axes
  std::optional<std::uint64_t> seed;
};

struct PlotSpec {
  std::string kind;  // bars, heat-map, curves, box, cdf or timeline
  std::string x;     // each the key of an axis, seed, variant or a metric; y and series may be empty. A
                     // timeline has none of them: it shows runs by host and worker over wall time
  std::string y;
  std::string series;
};

struct Campaign {
  static constexpr std::uint64_t kMostPoints = 1000000;  // before exclusions

  std::string name;
  std::string question;
  std::string file;
  std::string experiment;                      // a name, or a file's absolute path
  std::vector<std::string> keys;               // of the axes, in order; seeds are none
  std::vector<CampaignPoint> points;           // at least one
  std::optional<std::uint64_t> time_limit_ps;  // of each run
  std::optional<std::uint64_t> memory_bytes;
  std::vector<std::string> metrics;  // of run_metrics(), or full names of counters
  std::vector<PlotSpec> plots;
  bool on_slurm = false;  // where it goes on: `backend`
  SlurmSpec slurm;
  std::string yaml;  // resolved: sets applied, files by absolute paths; loads as this campaign from anywhere
};

// Loads by name or file. `sets` change the campaign's own YAML. Each value of each axis is tried in one point
// by load_experiment. Throws config::Error with every problem, at its place in the campaign.
Campaign load_campaign(const std::string& name_or_file, const std::vector<std::string>& sets = {});

// The campaign that a directory was made for. Whether its points load, and whether the files that it names
// are there, is not checked again. Throws config::Error, too where there is none.
Campaign load_kept_campaign(const std::string& directory, const std::vector<std::string>& sets = {});

std::string experiment_of(const Campaign& campaign, const CampaignPoint& point);  // for load_experiment
ExperimentOverrides overrides_of(const CampaignPoint& point);
std::string label_of(
    const CampaignPoint& point);  // "sm.count=4 mix.size=2 seed=1"; "base" where all is as is

}  // namespace heddle
