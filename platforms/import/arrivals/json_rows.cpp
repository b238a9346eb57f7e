#include "platforms/import/arrivals/json_rows.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "models/core/config/config_units.h"

namespace heddle::imported {

namespace {

using Json = nlohmann::ordered_json;

bool is_space(int c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

}  // namespace

JsonRows::JsonRows(TextInput& input) : RowReader(input), element_(std::make_unique<Json>()) {
  is_list_ = input_.peek() == '[';
  if (is_list_) input_.take();
  has_element_ = read_element();
  if (!has_element_) input_.fail("the list is empty");
  is_object_ = element_->is_object();
  if (is_object_)
    for (const auto& [key, value] : element_->items()) names_.push_back(key);
  else
    names_.emplace_back();
  cells_.resize(names_.size());
}

JsonRows::~JsonRows() = default;

std::string JsonRows::place() const {
  return fmt::format("{}:{}: element {}", input_.file(), line_, count_);
}

bool JsonRows::next(Cells& cells) {
  if (!has_element_ && !read_element()) return false;
  has_element_ = false;
  if (element_->is_object() != is_object_)
    fail(is_object_ ? "is no object, as the first one is" : "is an object, and the first one is none");
  for (std::size_t i = 0; i < names_.size(); ++i) set_cell(names_[i], cells_[i]);
  cells.assign(cells_.begin(), cells_.end());
  return true;
}

void JsonRows::set_cell(const std::string& key, std::string& cell) const {
  cell.clear();
  const Json* value = element_.get();
  if (is_object_) {
    const auto found = element_->find(key);
    if (found == element_->end()) return;
    value = &*found;
  }
  if (value->is_string()) cell = value->get_ref<const std::string&>();
  if (value->is_number()) cell = value->dump();
}

bool JsonRows::read_element() {
  if (!skip_to_element()) return false;
  ++count_;
  take_element();
  try {
    *element_ = Json::parse(text_);
  } catch (const Json::exception&) {
    fail(fmt::format("'{}' is no JSON", config::detail::shown(text_)));
  }
  return true;
}

// Skips what stands between elements. Returns false behind the last one.
bool JsonRows::skip_to_element() {
  const auto skip_blanks = [&] {
    while (is_space(input_.peek())) input_.take();
    return input_.peek();
  };
  if (!is_list_) return skip_blanks() != TextInput::kEnd;
  const auto fail_at_next = [&](const std::string& problem) {
    input_.take();
    input_.fail(problem);
  };
  const bool is_first = count_ == 0;
  int next = skip_blanks();
  if (next == ',' && !is_first) {
    input_.take();
    next = skip_blanks();
    if (next == ']' || next == ',') fail_at_next("an element is missing behind the comma");
  } else if (next == ']') {
    input_.take();
    if (skip_blanks() != TextInput::kEnd) fail_at_next("there is text behind the list");
    return false;
  } else if (!is_first && next != TextInput::kEnd) {
    fail_at_next(fmt::format("a comma is missing behind element {}", count_));
  }
  if (next == TextInput::kEnd) input_.fail("the file ends within the list");
  return true;
}

// Takes the text of one element, whose first character is the next one.
void JsonRows::take_element() {
  text_.clear();
  take();
  line_ = input_.line();
  if (text_[0] == '"') return take_text();
  if (text_[0] == '{' || text_[0] == '[') return take_structure();
  for (int next = input_.peek(); next != TextInput::kEnd && !is_space(next) && next != ',' && next != ']';
       next = input_.peek())
    take();
}

void JsonRows::take_structure() {
  for (std::size_t depth = 1; depth > 0;) {
    take();
    const char c = text_.back();
    if (c == '"') take_text();
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
  }
}

// Takes a text from behind its opening quote.
void JsonRows::take_text() {
  for (;;) {
    take();
    if (text_.back() == '"') return;
    if (text_.back() == '\\') take();
  }
}

void JsonRows::take() {
  const int next = input_.take();
  if (next == TextInput::kEnd) fail("the file ends within it");
  if (text_.size() == TextInput::kMostBytes)
    fail(fmt::format("has more than {} bytes", TextInput::kMostBytes));
  text_ += static_cast<char>(next);
}

}  // namespace heddle::imported
