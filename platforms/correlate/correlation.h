#pragma once
// A correlation compares the counters of an RTL simulation with those of a run, by a map.
//
//   config::Document document = config::Document::load("map.yaml");
//   Correlator correlator(document.root(), rtl, model);
//   document.finish();  // the map is right, and names what there is
//   const Correlation result = correlator.run();
//   document.finish();  // throws if the RTL has no edge of the map's clock, or none of its windows

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/correlate/agreement.h"
#include "platforms/correlate/correlation_map.h"
#include "platforms/correlate/measure.h"
#include "platforms/correlate/model_source.h"
#include "platforms/correlate/rtl_counter.h"
#include "platforms/correlate/rtl_source.h"

namespace heddle::correlate {

struct WindowResult {
  std::uint64_t begin = 0, end = 0;  // in cycles of the RTL; the end is not in the window
  SideValue rtl, model;              // no value of the model where windows are not compared one by one
  Verdict verdict = Verdict::kNotExercised;
};

struct PairResult {
  std::string name;
  std::string rtl_text, model_text;  // the expressions
  Tolerance tolerance;
  SideValue rtl, model;  // of all windows together
  Verdict verdict = Verdict::kNotExercised;
  std::optional<std::uint64_t> unknown_cycle;  // the first one with x or z
  std::vector<WindowResult> windows;
  // Of the windows, if they are compared one by one, and without those that are unknown.
  std::size_t windows_off = 0;
  std::optional<double> pearson;
  std::optional<double> mean_relative_error;
  std::optional<std::size_t> worst_window;  // an index of `windows`
};

// A Coverage counts the counters of one side that the map pairs with a counter of the other side, and those
// that the map leaves out with a reason.
struct Coverage {
  std::size_t mapped = 0;         // in a pair
  std::size_t exercised = 0;      // of these, in a pair that is agree or off
  std::size_t reasoned = 0;       // unmapped, with a reason
  std::vector<std::string> open;  // neither, sorted

  std::size_t known() const { return mapped + reasoned + open.size(); }
};

struct Correlation {
  std::string name;               // of the map
  std::string format;             // of the RTL
  std::uint64_t cycles = 0;       // of the RTL; 0 for a table without positions
  bool has_window_pairs = false;  // windows are compared one by one
  std::size_t windows = 0;
  std::vector<PairResult> pairs;
  Coverage rtl, model;

  std::size_t count(Verdict verdict) const;
  bool is_off() const { return count(Verdict::kOff) != 0; }
};

class Correlator {
 public:
  // Binds the names of the map; problems are recorded in its document. The sources must outlive the
  // correlator.
  Correlator(const config::Section& root, RtlSource& rtl, ModelSource& model);

  // Reads the file of the RTL from its beginning to its end, and compares its counters with the model's.
  // Throws config::Error and WaveFileError.
  Correlation run();

 private:
  void bind_rtl(MappedPair& pair);
  void bind_measure(Expression& leaf, MappedPair& pair);
  void bind_model(MappedPair& pair);
  void bind_coverage();
  std::size_t watch(const Operand& operand);
  std::vector<CycleRange> model_ranges(const RtlCounter& counter) const;
  PairResult compare(const MappedPair& pair, const RtlCounter& counter, const ModelWindows& parts) const;
  void compare_windows(const MappedPair& pair, const RtlCounter& counter, const ModelWindows& parts,
                       PairResult& result) const;
  SideValue rtl_value(const MappedPair& pair, const std::vector<MeasureState>& states) const;
  bool is_unknown(const MappedPair& pair, const std::vector<MeasureState>& states) const;
  SideValue model_value(const MappedPair& pair, const std::vector<SideValue>& statistics) const;
  void cover(const std::vector<PairResult>& pairs, Correlation& result) const;

  RtlSource& rtl_;
  ModelSource& model_;
  CorrelationMap map_;
  std::vector<Measure> measures_;
  std::vector<Operand> operands_;
  std::vector<std::size_t> watched_;        // signals of the source, each once
  std::vector<std::size_t> watched_place_;  // by operand: in `watched_`
  std::optional<std::size_t> window_operand_;
  std::vector<std::size_t> statistics_;                    // of the model that pairs name, each once
  std::vector<std::vector<std::size_t>> groups_;           // by leaf of a model expression: in `statistics_`
  std::vector<std::vector<std::size_t>> pair_signals_;     // by pair: signals of the source
  std::vector<std::vector<std::size_t>> pair_statistics_;  // by pair: statistics of the model
  std::vector<bool> reasoned_rtl_, reasoned_model_;        // by signal, by statistic
  std::vector<bool> covered_rtl_, covered_model_;
};

}  // namespace heddle::correlate
