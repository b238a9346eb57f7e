#include "platforms/correlate/correlation_codec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "models/stats/writers.h"

namespace heddle::correlate {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostOpen = 10;  // names of open counters in a line

template <class Number>
Json number_or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json(nullptr);
}

std::string text_of(const SideValue& value) {
  return value ? fmt::format("{:.10g}", *value) : "";
}

std::string percent(const std::optional<double>& fraction) {
  return fraction ? fmt::format("{:.2f}", 100 * *fraction) : "";
}

std::optional<double> error_of(const SideValue& rtl, const SideValue& model) {
  if (!rtl || !model) return std::nullopt;
  return relative_error(*rtl, *model);
}

Json json_of(const PairResult& pair) {
  Json json{{"name", pair.name}, {"rtl_expression", pair.rtl_text}, {"model_expression", pair.model_text}};
  json["tolerance"] = {{"absolute", pair.tolerance.absolute}, {"relative", pair.tolerance.relative}};
  json["result"] = name_of(pair.verdict);
  json["rtl"] = number_or_null(pair.rtl);
  json["model"] = number_or_null(pair.model);
  json["relative_error"] = number_or_null(error_of(pair.rtl, pair.model));
  json["unknown_cycle"] = number_or_null(pair.unknown_cycle);
  json["windows_off"] = pair.windows_off;
  json["pearson"] = number_or_null(pair.pearson);
  json["mean_relative_error"] = number_or_null(pair.mean_relative_error);
  json["worst_window"] = number_or_null(pair.worst_window);
  json["windows"] = Json::array();
  for (const WindowResult& window : pair.windows)
    json["windows"].push_back({{"begin", window.begin},
                               {"end", window.end},
                               {"rtl", number_or_null(window.rtl)},
                               {"model", number_or_null(window.model)}});
  return json;
}

Json json_of(const Coverage& coverage) {
  return {{"known", coverage.known()},
          {"mapped", coverage.mapped},
          {"exercised", coverage.exercised},
          {"unmapped_with_reason", coverage.reasoned},
          {"open", coverage.open}};
}

// Quotes a cell that holds a comma, a quote or a line break.
void write_row(const std::string& pair, const std::string& window, const SideValue& rtl,
               const SideValue& model, const std::string& result, std::ostream& out) {
  const auto number = [](const SideValue& value) { return value ? fmt::format("{}", *value) : ""; };
  out << fmt::format("{},{},{},{},{},{}\n", quoted_csv(pair), window, number(rtl), number(model),
                     number(error_of(rtl, model)), result);
}

void print_pairs(const Correlation& correlation, std::ostream& out) {
  using Align = Table::Align;
  std::vector<Table::Column> columns{
      {"pair"}, {"RTL", Align::kRight}, {"model", Align::kRight}, {"error (%)", Align::kRight}, {"result"}};
  if (correlation.has_window_pairs)
    columns.insert(columns.end(), {{"windows off", Align::kRight},
                                   {"Pearson's r", Align::kRight},
                                   {"mean error (%)", Align::kRight},
                                   {"worst window"}});
  Table table(columns);
  for (const PairResult& pair : correlation.pairs) {
    std::string result = name_of(pair.verdict);
    if (pair.unknown_cycle) result += fmt::format(" (x or z in cycle {})", *pair.unknown_cycle);
    std::vector<std::string> cells{pair.name, text_of(pair.rtl), text_of(pair.model),
                                   percent(error_of(pair.rtl, pair.model)), result};
    if (correlation.has_window_pairs) {
      cells.push_back(fmt::format("{} of {}", pair.windows_off, pair.windows.size()));
      cells.push_back(pair.pearson ? fmt::format("{:.4f}", *pair.pearson) : "");
      cells.push_back(percent(pair.mean_relative_error));
      const WindowResult* worst = pair.worst_window ? &pair.windows[*pair.worst_window] : nullptr;
      cells.push_back(worst == nullptr ? ""
                                       : fmt::format("{} .. {}: {} and {}", worst->begin, worst->end,
                                                     text_of(worst->rtl), text_of(worst->model)));
    }
    table.add_row(std::move(cells));
  }
  table.print(out);
}

void print_coverage(const std::string& side, const Coverage& coverage, std::ostream& out) {
  const std::size_t known = coverage.known(), closed = coverage.mapped + coverage.reasoned;
  const auto share = [](std::size_t part, std::size_t whole) {
    return whole == 0
               ? "-"
               : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  };
  out << fmt::format(
      "{}: {} of {} counters have a partner or a reason ({}); of {} with a partner {} are exercised ({})\n",
      side, closed, known, share(closed, known), coverage.mapped, coverage.exercised,
      share(coverage.exercised, coverage.mapped));
  if (coverage.open.empty()) return;
  const std::size_t shown = std::min(coverage.open.size(), kMostOpen);
  const auto end = coverage.open.begin() + static_cast<std::ptrdiff_t>(shown);
  out << fmt::format(
      "  neither: {}{}\n", fmt::join(coverage.open.begin(), end, ", "),
      shown == coverage.open.size() ? "" : fmt::format(" and {} more", coverage.open.size() - shown));
}

}  // namespace

Json to_json(const Correlation& correlation) {
  Json json{{"schema", kCorrelationSchema}, {"name", correlation.name}, {"rtl_format", correlation.format}};
  json["rtl_cycles"] = correlation.cycles;
  json["windows"] = correlation.windows;
  json["windows_are_compared"] = correlation.has_window_pairs;
  json["results"] = Json::object();
  for (const Verdict verdict : kVerdicts) json["results"][name_of(verdict)] = correlation.count(verdict);
  json["pairs"] = Json::array();
  for (const PairResult& pair : correlation.pairs) json["pairs"].push_back(json_of(pair));
  json["coverage"] = {{"rtl", json_of(correlation.rtl)}, {"model", json_of(correlation.model)}};
  return json;
}

void write_correlation_csv(const Correlation& correlation, std::ostream& out) {
  out << "pair,begin,end,rtl,model,relative_error,result\n";
  for (const PairResult& pair : correlation.pairs) {
    write_row(pair.name, ",", pair.rtl, pair.model, name_of(pair.verdict), out);
    for (const WindowResult& window : pair.windows)
      write_row(pair.name, fmt::format("{},{}", window.begin, window.end), window.rtl, window.model,
                correlation.has_window_pairs ? name_of(window.verdict) : "", out);
  }
}

void print_correlation(const Correlation& correlation, std::ostream& out) {
  print_pairs(correlation, out);
  out << "\n";
  std::vector<std::string> counts;
  counts.reserve(kVerdicts.size());
  for (const Verdict verdict : kVerdicts)
    counts.push_back(fmt::format("{} {}", correlation.count(verdict), name_of(verdict)));
  out << fmt::format("{}\n", fmt::join(counts, ", "));
  print_coverage("RTL", correlation.rtl, out);
  print_coverage("model", correlation.model, out);
}

}  // namespace heddle::correlate
