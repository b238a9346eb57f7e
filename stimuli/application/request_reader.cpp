#include "stimuli/application/request_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "models/core/config/config_names.h"
#include "stimuli/application/arrival_file.h"
#include "stimuli/application/batch_reader.h"
#include "stimuli/application/distribution_reader.h"

namespace heddle {

namespace {

using Kind = ArrivalSpec::Kind;
using Value = config::Value;

constexpr double kPs = 1e12;  // in a second
constexpr std::int64_t kMostRequests = std::int64_t{1} << 48;

struct KindOfArrivals {
  const char* name;
  Kind kind;
  std::vector<std::string> keys;
};

const std::vector<KindOfArrivals>& kinds() {
  static const std::vector<KindOfArrivals> all{
      {"closed", Kind::kClosed, {"think_time", "think", "least", "most", "clients"}},
      {"periodic", Kind::kPeriodic, {"period", "offset", "jitter"}},
      {"poisson", Kind::kPoisson, {"rate"}},
      {"uniform", Kind::kUniform, {"least", "most"}},
      {"gamma", Kind::kGamma, {"rate", "shape", "variation"}},
      {"times", Kind::kTimes, {"file"}}};
  return all;
}

const std::vector<std::string> kCommonKeys{"kind",  "requests", "duration", "deadline",
                                           "queue", "warm_up",  "window",   "seed"};

bool is_among(const std::string& key, const std::vector<std::string>& keys) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// The keys of arrivals that hold, each from the place that states it.
class ArrivalKeys {
 public:
  ArrivalKeys(const std::optional<config::Section>& own, const std::optional<config::Section>& stated) {
    const bool replaces = stated && stated->has("kind");
    if (own) take(*own, !replaces);
    if (stated) take(*stated, true);
  }

  const config::Section& place() const { return *last_; }
  std::optional<Value> find(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  const std::map<std::string, Value>& all() const { return values_; }

 private:
  // Keys that do not hold are known, and their values are not read.
  void take(const config::Section& section, bool holds) {
    last_ = section;
    for (const std::string& key : section.keys()) {
      const Value value = section.value(key);
      if (holds) values_.insert_or_assign(key, value);
      if (!holds && value.is_section())
        for (const std::string& inner : value.section().keys()) value.section().has(inner);
    }
  }

  std::map<std::string, Value> values_;
  std::optional<config::Section> last_;
};

class ArrivalReader {
 public:
  ArrivalReader(const ArrivalKeys& keys, RequestReading& reading)
      : keys_(keys), reading_(reading), spec_(reading.spec.emplace()) {}

  void read() {
    const KindOfArrivals* const kind = read_kind();
    if (kind == nullptr) return;
    check_keys(*kind);
    spec_.arrivals.kind = kind->kind;
    read_times();
    read_end();
    read_queue();
    if (const auto deadline = keys_.find("deadline")) spec_.deadline_ps = time_above_zero(*deadline);
    if (const auto seed = keys_.find("seed")) reading_.seed = static_cast<std::uint64_t>(seed->integer());
    read_window();
  }

 private:
  const KindOfArrivals* read_kind() {
    std::vector<std::string> names;
    for (const KindOfArrivals& kind : kinds()) names.emplace_back(kind.name);
    const auto stated = keys_.find("kind");
    const std::string name = stated ? stated->choice(names) : keys_.place().value("kind").text();
    const auto found = std::find_if(kinds().begin(), kinds().end(),
                                    [&](const KindOfArrivals& kind) { return kind.name == name; });
    return found == kinds().end() ? nullptr : &*found;
  }

  void check_keys(const KindOfArrivals& kind) const {
    std::vector<std::string> known = kind.keys;
    known.insert(known.end(), kCommonKeys.begin(), kCommonKeys.end());
    for (const auto& [key, value] : keys_.all()) {
      if (is_among(key, known)) continue;
      value.problem(fmt::format("arrivals of the kind '{}' have no '{}'{}", kind.name, key,
                                config::suggestion_and_known(key, known)));
    }
  }

  Value needed(const char* key) const {
    if (const auto found = keys_.find(key)) return *found;
    return keys_.place().value(key);  // records that it is missing
  }

  static std::uint64_t time_above_zero(const Value& value) {
    const std::uint64_t ps = value.time_ps();
    if (ps == 0) value.problem("must be above zero");
    return ps;
  }

  std::uint64_t time_or(const char* key, std::uint64_t fallback) const {
    const auto found = keys_.find(key);
    return found ? found->time_ps() : fallback;
  }

  double mean_of_rate() const {
    const double hz = needed("rate").frequency_hz();
    return hz > 0 ? kPs / hz : 0;
  }

  void read_times() {
    ArrivalSpec& arrivals = spec_.arrivals;
    switch (arrivals.kind) {
      case Kind::kClosed:
        read_think_time();
        if (const auto clients = keys_.find("clients"))
          arrivals.clients = static_cast<std::uint32_t>(clients->integer({1, 1000000}));
        break;
      case Kind::kPeriodic:
        arrivals.least_ps = time_above_zero(needed("period"));
        arrivals.offset_ps = time_or("offset", 0);
        arrivals.jitter_ps = time_or("jitter", 0);
        if (arrivals.jitter_ps >= arrivals.least_ps && arrivals.jitter_ps > 0)
          keys_.find("jitter")->problem("must be below the period");
        break;
      case Kind::kPoisson:
        arrivals.mean_ps = mean_of_rate();
        break;
      case Kind::kUniform:
        read_range();
        break;
      case Kind::kGamma:
        arrivals.mean_ps = mean_of_rate();
        read_variation();
        break;
      case Kind::kTimes:
        read_file();
    }
  }

  void read_range() {
    ArrivalSpec& arrivals = spec_.arrivals;
    arrivals.least_ps = needed("least").time_ps();
    arrivals.most_ps = time_above_zero(needed("most"));
    if (arrivals.most_ps < arrivals.least_ps) keys_.find("most")->problem("is below 'least'");
  }

  // Uniform think times have a range, and all others a mean.
  void read_think_time() {
    using Think = ArrivalSpec::Think;
    static const std::vector<std::string> names{"fixed", "exponential", "uniform"};
    ArrivalSpec& arrivals = spec_.arrivals;
    if (const auto think = keys_.find("think")) {
      const auto found = std::find(names.begin(), names.end(), think->choice(names));
      arrivals.think = static_cast<Think>(found == names.end() ? 0 : found - names.begin());
    }
    const bool has_range = arrivals.think == Think::kUniform;
    for (const char* key : {"think_time", "least", "most"})
      if (const auto value = keys_.find(key); value && has_range == (std::string_view(key) == "think_time"))
        value->problem("uniform think times have 'least' and 'most', all others a 'think_time'");
    if (has_range)
      read_range();
    else
      arrivals.mean_ps = static_cast<double>(needed("think_time").time_ps());
  }

  // The shape of a gamma distribution is one over the square of its variation.
  void read_variation() {
    const auto shape = keys_.find("shape");
    const auto variation = keys_.find("variation");
    if (shape.has_value() == variation.has_value())
      return keys_.place().problem("gamma has either a 'shape' or a 'variation'");
    if (shape)
      spec_.arrivals.variation = 1 / std::sqrt(shape->real({1e-3, 1e6}));
    else
      spec_.arrivals.variation = variation->real({1e-3, 30});
  }

  void read_file() {
    const Value value = needed("file");
    if (!value.is_scalar()) return;
    const std::string place = value.place();
    const std::filesystem::path folder =
        std::filesystem::path(place.substr(0, place.rfind(':', place.rfind(':') - 1))).parent_path();
    const std::string file = std::filesystem::absolute(folder / value.text()).lexically_normal().string();
    if (!std::filesystem::is_regular_file(file))
      return value.problem(fmt::format("there is no file {}", file));
    spec_.arrivals.table = read_arrivals(file);
    reading_.file = value;
    reading_.file_path = file;
  }

  void read_end() {
    const auto requests = keys_.find("requests");
    const auto duration = keys_.find("duration");
    if (requests && duration) return duration->problem("either 'requests' or a 'duration' ends the arrivals");
    if (requests)
      spec_.most_requests = static_cast<std::uint64_t>(requests->integer({1, kMostRequests}));
    else if (duration)
      spec_.duration_ps = time_above_zero(*duration);
    else if (spec_.arrivals.kind != Kind::kTimes)
      keys_.place().problem("what ends the arrivals? 'requests: N' or 'duration: TIME'");
    if (!spec_.arrivals.table || duration) return;
    const std::uint64_t rows = spec_.arrivals.table->times_ps.size();
    if (requests && spec_.most_requests > rows)
      requests->problem(fmt::format("the file of arrivals has {}", rows));
    spec_.most_requests = std::min<std::uint64_t>(spec_.most_requests, rows);
  }

  void read_queue() {
    const auto value = keys_.find("queue");
    if (!value) return;
    const config::Section queue = value->section();
    spec_.queue_limit = static_cast<std::uint64_t>(queue.integer("limit", {0, kMostRequests}));
    spec_.sheds = queue.choice("when_full", {"shed", "wait"}) == "shed";
    const ArrivalSpec& arrivals = spec_.arrivals;
    if (arrivals.is_closed() && spec_.sheds && arrivals.mean_ps == 0 && arrivals.most_ps == 0 &&
        spec_.queue_limit + 1 < arrivals.clients)
      queue.value("limit").problem("clients without a think time would be shed again at once, without end");
  }

  // A number of requests, or a time.
  static void read_span(const Value& value, std::uint64_t least, std::uint64_t& requests, std::uint64_t& ps) {
    const bool is_number = value.is_scalar() && !value.text().empty() &&
                           value.text().find_first_not_of("0123456789") == std::string::npos;
    if (is_number)
      requests = static_cast<std::uint64_t>(value.integer({static_cast<std::int64_t>(least), kMostRequests}));
    else
      ps = least == 0 ? value.time_ps() : time_above_zero(value);
  }

  void read_window() {
    const auto warm_up = keys_.find("warm_up");
    const auto window = keys_.find("window");
    if (warm_up) read_span(*warm_up, 0, spec_.warm_up_requests, spec_.warm_up_ps);
    if (window) read_span(*window, 1, spec_.window_requests, spec_.window_ps);
    const Value* const last = window ? &*window : warm_up ? &*warm_up : nullptr;
    if (last == nullptr) return;
    const auto beyond = [](std::uint64_t before, std::uint64_t length, std::uint64_t end, bool is_limited) {
      return is_limited && (before >= end || (length <= end && before + length > end));
    };
    const bool counts = spec_.most_requests != RequestSpec::kUnlimited;
    const bool lasts = spec_.duration_ps != kNoTime;
    if (beyond(spec_.warm_up_requests,
               spec_.window_requests == RequestSpec::kUnlimited ? 0 : spec_.window_requests,
               spec_.most_requests, counts) ||
        (counts && spec_.window_requests != RequestSpec::kUnlimited &&
         spec_.window_requests > spec_.most_requests))
      last->problem(fmt::format("warm-up and window are longer than the {} requests", spec_.most_requests));
    if (beyond(spec_.warm_up_ps, spec_.window_ps == kNoTime ? 0 : spec_.window_ps, spec_.duration_ps,
               lasts) ||
        (lasts && spec_.window_ps != kNoTime && spec_.window_ps > spec_.duration_ps))
      last->problem("warm-up and window are longer than the duration");
  }

  const ArrivalKeys& keys_;
  RequestReading& reading_;
  RequestSpec& spec_;
};

void read_parameters(const std::optional<config::Section>& own, const std::optional<config::Section>& stated,
                     RequestReading& reading) {
  std::vector<std::string> names;
  std::map<std::string, Value> values;
  for (const auto* section : {&own, &stated}) {
    if (!*section) continue;
    for (const std::string& name : (*section)->keys()) {
      const Value value = (*section)->value(name);
      if (!is_among(name, names)) {
        if (section == &stated && own) value.problem("the application has no such parameter");
        names.push_back(name);
      } else {
        accept_all(values.at(name));
      }
      values.insert_or_assign(name, value);
    }
  }
  const ArrivalTable* const table =
      reading.spec && reading.spec->arrivals.table ? reading.spec->arrivals.table.get() : nullptr;
  for (const std::string& name : names)
    reading.parameters.push_back(read_parameter(name, values.at(name), table));
  if (names.size() > kMostRequestParameters)
    values.at(names[kMostRequestParameters])
        .problem(fmt::format("more than {} parameters", kMostRequestParameters));
}

std::optional<config::Section> section_of(const std::optional<config::Section>& root, const char* key) {
  return root && root->has(key) ? std::optional(root->section(key)) : std::nullopt;
}

void read_batch(const std::optional<config::Section>& own, const std::optional<config::Section>& stated,
                RequestReading& reading) {
  if (!own && !stated) return;
  if (!reading.spec)
    return (own ? *own : *stated).problem("it is of requests; 'arrivals' says when requests come");
  reading.spec->batch = read_batching(own, stated, reading.parameters);
  if (reading.spec->queue_limit == 0)
    (own ? *own : *stated).problem("a queue of 0 requests; those of a batch wait for its next step");
  if (!reading.parameters.empty()) reading.pass_parameters = step_parameters(*reading.spec);
}

}  // namespace

RequestReading read_requests(const std::optional<config::Section>& own, const StatedRequests& stated) {
  RequestReading reading;
  const auto own_arrivals = section_of(own, "arrivals");
  if (own_arrivals || stated.arrivals)
    ArrivalReader(ArrivalKeys(own_arrivals, stated.arrivals), reading).read();
  read_parameters(section_of(own, "parameters"), stated.parameters, reading);
  reading.parameters.resize(std::min(reading.parameters.size(), kMostRequestParameters));
  reading.pass_parameters = reading.parameters;
  if (reading.spec) reading.spec->parameters = reading.parameters;
  read_batch(section_of(own, "batching"), stated.batching, reading);
  return reading;
}

}  // namespace heddle
