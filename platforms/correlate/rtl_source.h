#pragma once
// A source of values of an RTL simulation: a waveform, or a table of counters. A source plays moments to a
// sink. A moment is a cycle with the values of signals just before the clock edge of that cycle, which are
// those that a register samples there.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/stats/waves/logic_vector.h"
#include "platforms/correlate/correlation_map.h"

namespace heddle::correlate {

struct RtlSignal {
  std::string name;
  unsigned width = 1;                // in bits
  bool is_real = false;              // then it has no bits
  std::int64_t left = 0, right = 0;  // the declared range of its bits
};

// The value of a signal: bits, or a real number.
struct SignalValue {
  LogicVector bits{1};
  std::optional<double> real;  // empty if unknown
};

using SignalValues = std::vector<SignalValue>;  // of the watched signals, in their order

class MomentSink {
 public:
  MomentSink() = default;
  virtual ~MomentSink() = default;
  MomentSink(const MomentSink&) = delete;
  MomentSink& operator=(const MomentSink&) = delete;

  // The moment of a cycle. Cycles grow; those of a waveform by one each time, from 0.
  virtual void moment(std::uint64_t cycle, const SignalValues& values) = 0;
  // An edge in reset, which has no cycle.
  virtual void reset_edge(const SignalValues& values) = 0;
  // Counting stops, for a reset or at the end: the values are those behind the last edge. The cycle is the
  // next one.
  virtual void pause(std::uint64_t cycle, const SignalValues& values) = 0;
};

class RtlSource {
 public:
  RtlSource() = default;
  virtual ~RtlSource() = default;
  RtlSource(const RtlSource&) = delete;
  RtlSource& operator=(const RtlSource&) = delete;

  virtual std::string format() const = 0;  // as --format has it
  virtual bool is_waveform() const = 0;
  virtual std::optional<std::size_t> find(const std::string& name) const = 0;
  virtual std::size_t signals() const = 0;
  virtual RtlSignal signal(std::size_t index) const = 0;

  // Prepares for a map: its clock, its reset, its windows. Records problems at their places.
  virtual void set_up(const CorrelationMap& map) = 0;

  // Plays all moments of these signals. Throws WaveFileError or config::Error.
  virtual void play(const std::vector<std::size_t>& watched, MomentSink& sink) = 0;
};

// A part of a signal that an expression names.
struct Operand {
  std::size_t signal = 0;  // of the source
  unsigned low = 0, count = 1;
  bool is_real = false;
};

struct Reading {
  bool is_known = false;
  std::uint64_t bits = 0;  // unless the operand is real
  double value = 0;

  bool operator==(const Reading& other) const {
    return is_known == other.is_known && bits == other.bits && value == other.value;
  }
};

// Returns the present value of an operand, whose signal has this value.
Reading read_operand(const Operand& operand, const SignalValue& value);

// Finds the signal of a name in an expression, and its bits. Records a problem and returns nothing if there
// is no such signal, if it has no such bits, or if it has more than 64.
std::optional<Operand> bind_operand(const RtlSource& source, const Expression& name,
                                    const MappedExpression& place);

// Returns words that help to find a name that is not known: "; did you mean 'top.count'?", or nothing.
std::string nearest_signal(const RtlSource& source, const std::string& name);

}  // namespace heddle::correlate
