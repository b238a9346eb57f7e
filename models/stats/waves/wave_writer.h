#pragma once
// A WaveWriter writes a waveform: variables in a tree of scopes, and the changes of their values over time.
// Viewers such as GTKWave and Surfer open the file.
//
//   VcdWriter waves(file);  // or FstWriter
//   waves.open_scope("gpu");
//   const WaveId reads = waves.add_integer("reads");
//   const WaveId miss_rate = waves.add_real("miss_rate");
//   waves.close_scope();
//   waves.advance(0);
//   waves.set_integer(reads, 3);
//   waves.set_real(miss_rate, 0.25);
//   waves.finish(1000);
//
// Times are in picoseconds. A variable has no value before it is first set. A value that is equal to the
// present one is no change. The same calls give the same bytes.
//
// Memory is proportional to the number of variables, and does not depend on the length of the waveform. To
// detect a failure of the stream (a full disk), the caller looks at the stream's state after finish().
//
// Misuse throws a std::logic_error: a width that is not 1 to 64, a declaration after the first advance(), a
// value before it, a value that is wider than its variable, and a time that is before the last one.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

enum class WaveId : std::uint32_t {};

class WaveWriter {
 public:
  WaveWriter() = default;
  virtual ~WaveWriter() = default;
  WaveWriter(const WaveWriter&) = delete;
  WaveWriter& operator=(const WaveWriter&) = delete;

  // Declarations. In names, a blank or a control character becomes '_', because the formats have no such
  // names.
  void open_scope(std::string_view name);
  void close_scope();
  WaveId add_bits(std::string_view name, unsigned width);  // a vector of 1 to 64 bits
  WaveId add_integer(std::string_view name);  // a vector of 64 bits, which viewers show as a decimal number
  WaveId add_real(std::string_view name);

  void advance(std::uint64_t ps);  // the changes that follow are at this time
  void set_bits(WaveId id, std::uint64_t value);
  void set_integer(WaveId id, std::int64_t value);
  void set_real(WaveId id, double value);
  void finish(std::uint64_t end_ps);  // the last values stand until then

 protected:
  enum class Kind : std::uint8_t { kBits, kInteger, kReal };

  struct Variable {
    Kind kind;
    unsigned width;  // in bits
    bool has_value = false;
    std::uint64_t value = 0;  // the bits, or those of the real
  };

  const std::vector<Variable>& variables() const { return variables_; }
  unsigned scopes() const { return scopes_; }

 private:
  virtual void write_scope(const std::string& name) = 0;
  virtual void write_scope_end() = 0;
  virtual void write_variable(WaveId id, const std::string& name) = 0;
  virtual void write_start() = 0;                 // the declarations are complete
  virtual void write_time(std::uint64_t ps) = 0;  // a change follows, or the end
  virtual void write_change(WaveId id) = 0;       // to the value that variables() has
  virtual void write_end() = 0;

  WaveId add(std::string_view name, Kind kind, unsigned width);
  void begin_time();
  void set(WaveId id, std::uint64_t value);

  std::vector<Variable> variables_;  // by id
  unsigned scopes_ = 0;
  bool is_started_ = false;
  bool is_time_written_ = false;
  std::uint64_t now_ps_ = 0;
};

}  // namespace heddle
