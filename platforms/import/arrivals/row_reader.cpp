#include "platforms/import/arrivals/row_reader.h"

#include "models/core/config/config.h"
#include "platforms/import/arrivals/csv_rows.h"
#include "platforms/import/arrivals/json_rows.h"

namespace heddle::imported {

void RowReader::fail(const std::string& problem) const {
  throw config::Error({place() + ": " + problem});
}

std::unique_ptr<RowReader> open_rows(TextInput& input) {
  const auto is_blank = [](int c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (is_blank(input.peek())) input.take();
  if (input.peek() == TextInput::kEnd) input.fail("the file is empty");
  if (input.peek() == '[' || input.peek() == '{') return std::make_unique<JsonRows>(input);
  return std::make_unique<CsvRows>(input);
}

}  // namespace heddle::imported
