#pragma once
// The reader of papers. A paper names the campaigns that repeat its experiments, and the figures that their
// results are compared with. The shipped papers lie in stimuli/papers.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/campaign/plan/campaign.h"

namespace heddle {

// One set of samples that the page shows beside the paper's numbers.
struct PaperArm {
  std::string name;
  std::vector<Assignment> where;  // which samples: values of axes
  std::string reason;             // why it is shown; may be empty
};

// A PaperNumber is a number that the paper prints.
struct PaperNumber {
  std::string row;
  std::string column;
  std::string over;
  double value = 0;
  std::string words;  // how the page spells it, where that is not the number
};

// A column more: the best of all columns and of all values of an axis.
struct PaperBest {
  std::string column;
  std::string of;  // the axis
};

// Each value of a figure is divided by the least or the most value of a group of samples, or with speed_up
// the other way round.
struct PaperNormalisation {
  std::string per;     // the axis whose values are the groups
  std::string to;      // least or most
  std::string column;  // whose samples count; empty: those of all columns
};

// A figure of the paper beside the results of campaigns. Texts that are not given are empty.
struct PaperFigure {
  std::string figure;
  std::string title;
  std::string finding;
  std::vector<std::string> campaigns;  // whose samples it is of; one or more
  std::string value;
  // What a number is of its values: mean, least, most, range, porting-loss, porting-growth.
  std::string statistic;
  std::string across;  // of porting: the axis of the machines
  std::string mean;
  std::string rows;
  std::string columns;
  std::string over;
  std::string ratio;
  bool speed_up = false;
  std::optional<PaperBest> best;
  std::optional<PaperNormalisation> normalise;
  bool mean_row = false;  // a last row `mean`: the arithmetic mean of the others
  std::string plot;       // bars, curves, box or scatter
  std::string against;    // of a scatter: the metric along x; `value` is the one along y
  std::vector<Assignment> where;
  std::string reason;
  std::vector<PaperNumber> theirs;
};

struct Paper {
  std::string name;
  std::string title;
  std::string source;
  std::vector<PaperArm> arms;        // one or more
  std::vector<PaperFigure> figures;  // one or more
  std::vector<Campaign> campaigns;
  bool has_window = false;  // its runs end after a number of cycles, which `window` replaces
  bool has_short = false;   // it has a short form
  // In the short form, what is run of each campaign that is not run whole, a line each; empty otherwise.
  std::vector<std::string> left_out;
  // Of its runs, where `size` or the short form replaces the campaigns' own; else 0.
  std::uint64_t window = 0;
  // Mean wall time of a run, for an estimate before any has ended; with a window, of a million of its cycles.
  std::optional<double> run_seconds;
};

// How much of a paper is run.
struct PaperSize {
  std::uint64_t window = 0;  // core cycles of each run that ends after a number of them; 0: the paper's own
  bool is_short = false;     // the campaigns as the paper's `short` changes them
};

// Loads a paper by name or file. The file of a campaign lies beside the paper's. Throws config::Error with
// every problem and its place, or with the problems of a campaign.
Paper load_paper(const std::string& name_or_file, PaperSize size = {});

}  // namespace heddle
