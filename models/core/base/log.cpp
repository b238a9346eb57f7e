#include "models/core/base/log.h"

#include <fmt/ranges.h>

#include <boost/core/null_deleter.hpp>
#include <boost/log/attributes/value_extraction.hpp>
#include <boost/log/core.hpp>
#include <boost/log/expressions.hpp>
#include <boost/log/sinks/sync_frontend.hpp>
#include <boost/log/sinks/text_ostream_backend.hpp>
#include <boost/log/sources/record_ostream.hpp>
#include <boost/log/sources/severity_channel_logger.hpp>
#include <boost/make_shared.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

namespace heddle::log {

int threshold = static_cast<int>(Severity::kWarning);

namespace {

namespace bl = boost::log;
using Logger = bl::sources::severity_channel_logger<int, std::string>;
using Sink = bl::sinks::synchronous_sink<bl::sinks::text_ostream_backend>;

constexpr std::array<const char*, 6> kNames{"trace", "debug", "info", "warning", "error", "off"};

std::optional<int> level_of(const std::string& name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<int>(found - kNames.begin());
}

void format(const bl::record_view& record, bl::formatting_ostream& stream) {
  const auto severity = bl::extract_or_default<int>("Severity", record, 0);
  stream << kNames[static_cast<std::size_t>(severity)] << " ["
         << bl::extract_or_default<std::string>("Channel", record, std::string()) << "] "
         << record[bl::expressions::smessage];
}

void add_sink(const boost::shared_ptr<std::ostream>& stream) {
  auto sink = boost::make_shared<Sink>();
  sink->locked_backend()->add_stream(stream);
  sink->locked_backend()->auto_flush(true);
  sink->set_formatter(&format);
  bl::core::get()->add_sink(sink);
}

}  // namespace

std::string configure(const std::string& filter, const std::string& file) {
  int general = static_cast<int>(Severity::kWarning);
  std::map<std::string, int> by_component;
  std::istringstream parts(filter);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t equals = part.find('=');
    const std::optional<int> level = level_of(equals == std::string::npos ? part : part.substr(equals + 1));
    if (!level)
      return fmt::format("unknown log level in '{}'; known: {}", part,
                         "trace, debug, info, warning, error, off");
    if (const std::string component = part.substr(0, equals);
        equals != std::string::npos && !is_component(component))
      return fmt::format("unknown log component '{}'; known: {}", component, fmt::join(kComponents, ", "));
    (equals == std::string::npos ? general : by_component[part.substr(0, equals)]) = *level;
  }
  threshold = general;
  for (const auto& [component, level] : by_component) threshold = std::min(threshold, level);

  bl::core::get()->remove_all_sinks();
  add_sink(boost::shared_ptr<std::ostream>(&std::clog, boost::null_deleter()));
  if (!file.empty()) {
    auto stream = boost::make_shared<std::ofstream>(file);
    if (!*stream) return fmt::format("cannot write the log to '{}'", file);
    add_sink(stream);
  }
  bl::core::get()->set_filter([general, by_component](const bl::attribute_value_set& values) {
    const auto component = bl::extract<std::string>("Channel", values);
    const auto severity = bl::extract<int>("Severity", values);
    if (!component || !severity) return true;
    const auto found = by_component.find(*component);
    return *severity >= (found == by_component.end() ? general : found->second);
  });
  return {};
}

void write(Severity severity, const char* component, const std::string& message) {
  static Logger logger;
  BOOST_LOG_CHANNEL_SEV(logger, component, static_cast<int>(severity)) << message;
}

}  // namespace heddle::log
