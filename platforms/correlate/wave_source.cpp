#include "platforms/correlate/wave_source.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace heddle::correlate {

namespace {

constexpr std::uint64_t kMostPeriods = 1'000'000'000;           // of a clock that is a period
constexpr std::uint64_t kMostTime = 9'000'000'000'000'000'000;  // in femtoseconds
constexpr std::uint64_t kPicosecond = 1000;                     // in femtoseconds

// The level of a clock or a reset.
enum class Level : std::uint8_t { kLow, kHigh, kUnknown };

Level level_of(const Operand& bit, const SignalValue& value) {
  const Reading reading = read_operand(bit, value);
  if (!reading.is_known) return Level::kUnknown;
  return reading.bits == 0 ? Level::kLow : Level::kHigh;
}

void set_value(SignalValue& value, bool is_real, std::string_view text) {
  if (!is_real) {
    value.bits.assign(text);
    return;
  }
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  value.real = std::isfinite(number) ? std::optional<double>(number) : std::nullopt;
}

// A bit that is followed from block to block; a block has all changes of one time.
struct FollowedBit {
  Operand bit;
  SignalValue value;
  Level before = Level::kUnknown;  // at the start of the block

  Level now() const { return level_of(bit, value); }
};

// Turns the changes of a waveform into moments.
class Sampler final : public VcdListener {
 public:
  Sampler(const VcdHeader& header, const MappedClock& clock, const std::optional<Operand>& clock_bit,
          const std::optional<MappedReset>& reset, const std::optional<Operand>& reset_bit, MomentSink& sink)
      : header_(header), clock_(clock), sink_(sink) {
    if (clock_bit) follow(clock_bit_, *clock_bit);
    if (reset_bit) follow(reset_bit_, *reset_bit);
    if (reset) reset_level_ = reset->high ? Level::kHigh : Level::kLow;
    if (!clock_bit) period_ = clock.period_ps * kPicosecond;
    next_edge_ = period_;
  }

  // Adds a watched variable of the header.
  void watch(std::size_t variable) {
    const std::uint32_t value = header_.variables[variable].value;
    places_[watched_index(value)].push_back(values_.size());
    values_.push_back(initial(value));
    is_real_.push_back(header_.values[value].kind == VcdValue::Kind::kReal);
  }

  const std::vector<std::uint32_t>& watched() const { return watched_; }
  std::uint64_t cycles() const { return cycle_; }

  void advance(std::uint64_t time) override {
    end_block();
    if (period_ != 0) sample_until(time);
  }

  void change(std::size_t watched, std::string_view text) override {
    for (FollowedBit* followed : followed_[watched]) set_value(followed->value, false, text);
    for (const std::size_t place : places_[watched]) pending_.emplace_back(place, text);
  }

  void finish() {
    end_block();
    pause();
  }

 private:
  SignalValue initial(std::uint32_t value) const {
    SignalValue made;
    if (header_.values[value].kind == VcdValue::Kind::kBits)
      made.bits = LogicVector(header_.values[value].width);
    return made;
  }

  std::size_t watched_index(std::uint32_t value) {
    const auto [found, is_new] = indices_.emplace(value, watched_.size());
    if (is_new) {
      watched_.push_back(value);
      places_.emplace_back();
      followed_.emplace_back();
    }
    return found->second;
  }

  void follow(std::optional<FollowedBit>& followed, const Operand& bit) {
    const std::uint32_t value = header_.variables[bit.signal].value;
    followed = FollowedBit{bit, initial(value), Level::kUnknown};
    followed_[watched_index(value)].push_back(&*followed);
  }

  bool is_in_reset(Level level) const { return level == reset_level_ || level == Level::kUnknown; }
  bool is_in_reset() const { return reset_bit_ && is_in_reset(reset_bit_->before); }

  // Takes the sample of an edge, with the values that stand before it.
  void take_edge() {
    if (is_in_reset()) return sink_.reset_edge(values_);
    sink_.moment(cycle_++, values_);
    is_counting_ = true;
  }

  void pause() {
    if (is_counting_) sink_.pause(cycle_, values_);
    is_counting_ = false;
  }

  void apply_changes() {
    for (const auto& [place, text] : pending_) set_value(values_[place], is_real_[place], text);
    pending_.clear();
  }

  void end_block() {
    bool is_edge = false;
    if (clock_bit_) {
      const Level from = clock_.rising ? Level::kLow : Level::kHigh;
      const Level to = clock_.rising ? Level::kHigh : Level::kLow;
      is_edge = clock_bit_->before == from && clock_bit_->now() == to;
      clock_bit_->before = clock_bit_->now();
    }
    if (is_edge) take_edge();
    const bool enters_reset = reset_bit_ && !is_in_reset() && is_in_reset(reset_bit_->now());
    // A reset between two edges may clear registers at once: what stood before counts. A reset that comes
    // with an edge acts at the next one.
    if (enters_reset && !is_edge) pause();
    apply_changes();
    if (enters_reset && is_edge) pause();
    if (reset_bit_) reset_bit_->before = reset_bit_->now();
  }

  // Takes the samples of a clock that is a period, up to and with the time.
  void sample_until(std::uint64_t time) {
    std::uint64_t now = 0;
    if (__builtin_mul_overflow(time, header_.time_unit_fs, &now) || now > kMostTime)
      fail("the waveform lasts longer than 9000 s");
    const std::uint64_t edges = now < next_edge_ ? 0 : (now - next_edge_) / period_ + 1;
    if (edges > kMostPeriods - edges_)
      fail(fmt::format("the waveform has more than {} periods", kMostPeriods));
    for (std::uint64_t edge = 0; edge < edges; ++edge) take_edge();
    edges_ += edges;
    next_edge_ += edges * period_;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw config::Error({fmt::format("{}: {}: {}", clock_.place.place(), clock_.place.path(), message)});
  }

  const VcdHeader& header_;
  const MappedClock& clock_;
  MomentSink& sink_;
  std::uint64_t period_ = 0;  // in femtoseconds; 0 if the clock is a signal
  std::uint64_t next_edge_ = 0;
  std::uint64_t edges_ = 0;  // of a period so far
  Level reset_level_ = Level::kHigh;
  std::optional<FollowedBit> clock_bit_, reset_bit_;

  std::vector<std::uint32_t> watched_;                      // values of the header, each once
  std::unordered_map<std::uint32_t, std::size_t> indices_;  // of a value in `watched_`
  std::vector<std::vector<std::size_t>> places_;            // by watched value: indices of `values_`
  std::vector<std::vector<FollowedBit*>> followed_;         // by watched value
  SignalValues values_;
  std::vector<bool> is_real_;                                      // by index of `values_`
  std::vector<std::pair<std::size_t, std::string_view>> pending_;  // changes of this block
  std::uint64_t cycle_ = 0;                                        // the next one
  bool is_counting_ = false;
};

}  // namespace

WaveSource::WaveSource(const std::string& file, const std::string& name, std::string format)
    : reader_(file, name), format_(std::move(format)) {}

std::optional<std::size_t> WaveSource::find(const std::string& name) const {
  const VcdHeader& header = reader_.header();
  const std::optional<std::size_t> found = header.find(name);
  if (!found || header.values[header.variables[*found].value].kind == VcdValue::Kind::kText)
    return std::nullopt;
  return found;
}

RtlSignal WaveSource::signal(std::size_t index) const {
  const VcdHeader& header = reader_.header();
  const VcdVariable& variable = header.variables[index];
  const VcdValue& value = header.values[variable.value];
  return {header.name_of(variable), value.width, value.kind == VcdValue::Kind::kReal, variable.range.left,
          variable.range.right};
}

void WaveSource::set_up(const CorrelationMap& map) {
  const auto bind_bit = [this](const MappedExpression& signal) {
    std::optional<Operand> bit = bind_operand(*this, signal.tree, signal);
    if (bit && (bit->is_real || bit->count != 1)) {
      signal.place.problem("needs a signal of one bit");
      bit.reset();
    }
    return bit;
  };
  clock_ = map.clock;
  reset_ = map.reset;
  if (clock_ && clock_->signal) clock_bit_ = bind_bit(*clock_->signal);
  if (reset_) reset_bit_ = bind_bit(reset_->signal);
}

void WaveSource::play(const std::vector<std::size_t>& watched, MomentSink& sink) {
  Sampler sampler(reader_.header(), *clock_, clock_bit_, reset_, reset_bit_, sink);
  for (const std::size_t index : watched) sampler.watch(index);
  reader_.read(sampler.watched(), sampler);
  sampler.finish();
  if (sampler.cycles() == 0) clock_->place.problem(reset_ ? "has no edge outside of reset" : "has no edge");
}

}  // namespace heddle::correlate
