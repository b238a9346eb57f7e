#pragma once
// RequestAmounts has the sizes, blocks, times and rounds of an application that depend on the parameters of a
// request. A reader reads each such value with the functions here. A value that names a parameter is an
// expression (stimuli/expression/expression.h); the reader gets its typical value, and apply() gives the
// program the value of a request.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "models/host/api_program.h"
#include "stimuli/expression/expression.h"

namespace heddle {

class RequestAmounts {
 public:
  // The values of one request, beside those of the program: kernel times in picoseconds, by kernel, and the
  // step of a language model, by number of kStepParameters (models/host/requests/batch_spec.h).
  struct Present {
    std::vector<std::uint64_t> kernel_time_ps;
    std::vector<std::uint64_t> step;
  };
  using Set = std::function<void(ApiProgram& program, Present& present, std::uint64_t value)>;
  using Derive = std::function<void(ApiProgram& program, const Present& present)>;

  // `arrivals` has the table that parameters are columns of; null without arrivals. `of_steps` says that the
  // parameters are those of the steps of a batch, in which a kernel may have no blocks.
  RequestAmounts(const std::vector<RequestParameter>& parameters, const ArrivalSpec* arrivals,
                 bool of_steps = false);
  bool are_of_steps() const { return of_steps_; }

  // Returns whether there is a parameter of that name.
  bool has(const std::string& name) const;
  // Returns whether the value is an expression of parameters.
  bool depends(const config::Value& value) const;

  // These functions return the value. If it depends on parameters, they return the typical one, and `set`
  // gets that of each request. `least` is the least value allowed; more than 2^62 never is.
  std::uint64_t bytes(const config::Value& value, std::uint64_t least, Set set);
  std::uint64_t time_ps(const config::Value& value, std::uint64_t least, Set set);
  std::uint64_t whole(const config::Value& value, config::Range range, Set set);
  // The same for a parameter. `place` is the key that needs it.
  std::uint64_t whole_parameter(const std::string& name, const config::Value& place, config::Range range,
                                Set set);

  // Adds a step that follows the amounts of a request, in the order of these calls. It throws
  // std::runtime_error where the value that it makes cannot be; `place` is that of its key.
  void derive(const config::Value& place, Derive step);

  bool is_empty() const { return amounts_.empty(); }
  void set_kernel_times(std::vector<std::uint64_t> ps) { typical_.kernel_time_ps = std::move(ps); }
  void set_step(std::vector<std::uint64_t> step) { typical_.step = std::move(step); }

  // Gives the program the values for the parameters. Throws std::runtime_error with the place of the key and
  // the parameters for a value that cannot be.
  void apply(const RequestValues& values, ApiProgram& program) const;

 private:
  struct Amount {
    Expression expression;
    bool is_time = false;
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    std::string place;
    Set set;
  };
  struct Step {
    std::string place;
    Derive derive;
  };

  std::uint64_t add(const config::Value& place, const std::string& text, bool is_time, config::Range range,
                    Set set);
  std::uint64_t value_of(const Amount& amount, const std::vector<Number>& parameters) const;
  std::vector<Number> numbers_of(const RequestValues& values) const;
  std::string text_of(const std::vector<Number>& parameters) const;

  const bool of_steps_;
  std::vector<std::string> names_;  // by parameter
  std::vector<bool> is_whole_;
  RequestValues typical_values_{};
  Present typical_;
  std::vector<Amount> amounts_;
  std::vector<Step> steps_;
};

}  // namespace heddle
