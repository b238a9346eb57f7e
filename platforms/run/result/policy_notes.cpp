#include "platforms/run/result/policy_notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/core/config/config_units.h"
#include "policies/sm_partitioner/i_sm_partitioner.h"

namespace heddle {

namespace {

constexpr double kPsOfUs = 1e6;

// Returns the shortest slice in picoseconds; 0: the policy has none.
double shortest_slice(const PolicyChoice& choice) {
  const PolicyCatalogue& catalogue = PolicyCatalogue::instance();
  if (catalogue.find(SmPartitioner::kDecision, choice.name, "quantum") == nullptr) return 0;
  const PolicyParameters parameters = catalogue.resolve(SmPartitioner::kDecision, choice);
  return kPsOfUs * parameters["quantum"];  // weights make slices longer
}

}  // namespace

std::vector<std::string> policy_notes(const Summary& summary) {
  std::vector<std::string> notes;
  for (const RunSummary& run : summary.runs) {
    const auto choice = run.policies.find(SmPartitioner::kDecision);
    if (choice == run.policies.end() || summary.alone.size() < 2) continue;
    const double slice = shortest_slice(choice->second);
    const std::uint64_t simulated_ps = run.measures.run.simulated_ps;
    if (slice > 0 && slice >= static_cast<double>(simulated_ps))
      notes.push_back(fmt::format("{}: no time slice came to its end: a slice lasts {}, and the run {} ms",
                                  run.label, config::detail::time_text(static_cast<std::uint64_t>(slice)),
                                  static_cast<double>(simulated_ps) * 1e-9));
  }
  return notes;
}

}  // namespace heddle
