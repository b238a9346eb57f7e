#include "models/stats/waves/series_waves.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

namespace heddle {

namespace {

std::vector<std::string> names_of(const std::string& path) {
  std::vector<std::string> names(1);
  for (const char letter : path) {
    if (letter == '.')
      names.emplace_back();
    else
      names.back() += letter;
  }
  return names;
}

// Closes and opens scopes until `scopes` are open.
void change_scopes(WaveWriter& waves, std::vector<std::string>& open,
                   const std::vector<std::string>& scopes) {
  const auto length = static_cast<std::ptrdiff_t>(std::min(open.size(), scopes.size()));
  const auto differs = std::mismatch(open.begin(), open.begin() + length, scopes.begin());
  for (auto scope = differs.first; scope != open.end(); ++scope) waves.close_scope();
  for (auto scope = differs.second; scope != scopes.end(); ++scope) waves.open_scope(*scope);
  open = scopes;
}

}  // namespace

// The columns are in canonical order, in which those of a scope stand together.
SeriesWaves::SeriesWaves(const Series& series, WaveWriter& waves) : series_(series), waves_(waves) {
  std::vector<std::string> open;
  for (const Series::Column& column : series_.columns()) {
    std::vector<std::string> names = names_of(column.path);
    const std::string variable = names.back();
    names.pop_back();
    change_scopes(waves_, open, names);
    ids_.push_back(std::string_view(column.kind) == "counter" ? waves_.add_integer(variable)
                                                              : waves_.add_real(variable));
  }
  change_scopes(waves_, open, {});
}

void SeriesWaves::draw(std::uint64_t begin_ps) {
  waves_.advance(begin_ps);
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    const Series::Value& value = series_.columns()[i].value;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      waves_.set_integer(ids_[i], *whole);
    } else {
      const auto* real = std::get_if<double>(&value);
      waves_.set_real(ids_[i], real != nullptr ? *real : std::numeric_limits<double>::quiet_NaN());
    }
  }
}

}  // namespace heddle
