#include "policies/sm_partitioner/profile_curves.h"

#include <algorithm>

namespace heddle {

namespace {

std::vector<double> straight_line(std::uint32_t residency) {
  std::vector<double> line(residency);
  for (std::uint32_t i = 0; i < residency; ++i) line[i] = (i + 1.0) / residency;
  return line;
}

}  // namespace

bool ProfileCurves::knows(const KernelKey& key) const {
  const Entry* found = find(key);
  return found != nullptr && found->known;
}

std::vector<double> ProfileCurves::curve(const KernelKey& key) const {
  return knows(key) ? find(key)->curve : straight_line(key.residency);
}

void ProfileCurves::forget(const KernelKey& key) {
  if (find(key) != nullptr) entry(key).known = false;
}

void ProfileCurves::forget(ContextId context) {
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [context](const Entry& entry) { return entry.key.context == context; }),
                 entries_.end());
}

void ProfileCurves::begin() {
  for (Entry& entry : entries_) std::fill(entry.measured.begin(), entry.measured.end(), Mean{});
}

void ProfileCurves::add_measurement(const KernelKey& key, std::uint32_t blocks, double performance) {
  Mean& mean = entry(key).measured[blocks - 1];
  mean.sum += performance;
  ++mean.count;
}

void ProfileCurves::finish(const KernelKey& key) {
  Entry& finished = entry(key);
  const bool some = std::any_of(finished.measured.begin(), finished.measured.end(),
                                [](const Mean& mean) { return mean.count > 0; });
  if (some)
    make_curve(finished);
  else if (finished.curve.empty())
    finished.curve = straight_line(key.residency);
  finished.known = true;
}

void ProfileCurves::make_curve(Entry& entry) {
  const std::vector<Mean>& measured = entry.measured;
  std::vector<double>& curve = entry.curve;
  curve.resize(measured.size());
  const auto least = static_cast<std::uint32_t>(
      std::find_if(measured.begin(), measured.end(), [](const Mean& mean) { return mean.count > 0; }) -
      measured.begin());
  for (std::size_t i = least; i < curve.size(); ++i)
    curve[i] = measured[i].count > 0 ? measured[i].sum / measured[i].count : curve[i - 1];
  for (std::uint32_t i = 0; i < least; ++i) curve[i] = curve[least] * (i + 1.0) / (least + 1.0);
  const double best = *std::max_element(curve.begin(), curve.end());
  if (best <= 0) {
    curve = straight_line(entry.key.residency);
    return;
  }
  for (double& performance : curve) performance /= best;
}

const ProfileCurves::Entry* ProfileCurves::find(const KernelKey& key) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&key](const Entry& entry) { return entry.key == key; });
  return found == entries_.end() ? nullptr : &*found;
}

ProfileCurves::Entry& ProfileCurves::entry(const KernelKey& key) {
  if (const Entry* found = find(key)) return entries_[static_cast<std::size_t>(found - entries_.data())];
  entries_.push_back({key, false, {}, std::vector<Mean>(key.residency)});
  return entries_.back();
}

}  // namespace heddle
