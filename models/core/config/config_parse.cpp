// The parser makes a tree of nodes from yaml-cpp's events. yaml-cpp's own node tree drops the places of keys,
// keeps duplicate keys silently and resolves aliases.

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/null.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "models/core/config/config_tree.h"
#include "models/core/config/config_units.h"

namespace heddle::config::detail {
namespace {

constexpr int kMostOpenBrackets = 4096;

// Returns the length of the UTF-8 character at `at` if YAML allows it in a file, else 0. yaml-cpp passes
// malformed UTF-8 through, and takes the byte 4 for the end of the file.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned first = byte(0);
  const bool is_space = first == '\t' || first == '\n' || first == '\r';
  if (first < 0x80U) return is_space || (first >= 0x20U && first != 0x7FU) ? 1 : 0;
  const std::size_t length = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  constexpr unsigned kLeast[] = {0, 0, 0x80U, 0x800U, 0x10000U};
  unsigned code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  const bool is_control = code < 0xA0U && code != 0x85U;
  const bool is_surrogate = code >= 0xD800U && code <= 0xDFFFU;
  const bool is_other = code == 0xFFFEU || code == 0xFFFFU || code > 0x10FFFFU;
  const bool fits = first >= 0xC2U && first <= 0xF4U && code >= kLeast[length];
  return fits && !is_control && !is_surrogate && !is_other ? length : 0;
}

// Returns the place of the first character that is not allowed, and the reason; the message is empty if there
// is none. yaml-cpp's scanner keeps all open brackets in a row before it reports the first, at hundreds of
// bytes each, so this function limits their number. Brackets in comments and text count too, so the limit is
// far above kMostLevels.
Problem find_unreadable(std::string_view text) {
  int line = 1;
  std::size_t line_start = 0;
  int open_brackets = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    const char c = text[at];
    const Place place{0, line, static_cast<int>(at - line_start) + 1};
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(c);
      const char* const what = byte < 0x80U ? "a control character" : "not part of UTF-8 text";
      return {place, {}, fmt::format("the byte 0x{:02x} is {}", byte, what)};
    }
    if (c == '[' || c == '{') ++open_brackets;
    if (c == ']' || c == '}') --open_brackets;
    if (open_brackets > kMostOpenBrackets) {
      return {place, {}, fmt::format("more than {} brackets are open", kMostOpenBrackets)};
    }
    if (c == '\n') {
      ++line;
      line_start = at + 1;
    }
    at += length;
  }
  return {};
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(State& state, std::string_view text, std::uint32_t override_number, std::size_t level)
      : state_(state), text_(text), override_number_(override_number), level_(level) {}

  Node* root() const { return root_; }
  bool malformed() const { return malformed_; }
  void refuse(const YAML::Mark& mark, const std::string& message);

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct Open {
    Node* node;
    bool has_key;  // in a section: the next event is a value
    std::string key;
    Place key_place;
  };

  bool expects_key() const;
  std::string path() const;
  Place place(const YAML::Mark& mark) const;
  void refuse_properties(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor);
  [[noreturn]] void stop(const YAML::Mark& mark, const std::string& message) const;
  void take_key(const YAML::Mark& mark, bool quoted, const std::string& value);
  Node& add(const YAML::Mark& mark, Node::Kind kind);
  void add_to_section(Node& node);
  void open(const YAML::Mark& mark, Node::Kind kind);

  State& state_;
  std::string_view text_;
  std::uint32_t override_number_;
  std::size_t level_;
  Node* root_ = nullptr;
  bool started_ = false;
  bool malformed_ = false;
  std::vector<Open> open_;
};

// Such a key is the rest of a value: of {bytes: max(n, 1) * 4KiB} it is "1) * 4KiB".
bool closes_more_than_it_opens(std::string_view key) {
  return std::count(key.begin(), key.end(), ')') > std::count(key.begin(), key.end(), '(');
}

bool TreeBuilder::expects_key() const {
  return !open_.empty() && open_.back().node->kind == Node::Kind::kSection && !open_.back().has_key;
}

std::string TreeBuilder::path() const {
  if (open_.empty()) return {};
  std::string above = open_.back().node->path();
  if (!open_.back().has_key) return above;
  if (!above.empty()) above += ".";
  return above + shown(open_.back().key);
}

Place TreeBuilder::place(const YAML::Mark& mark) const {
  if (mark.is_null()) return {override_number_, 1, 1};
  return {override_number_, mark.line + 1, mark.column + 1};
}

void TreeBuilder::refuse(const YAML::Mark& mark, const std::string& message) {
  malformed_ = true;
  state_.add_problem(place(mark), path(), message);
}

// Stops the parser with an error after which there is no tree. The caller of the parser records the problem.
void TreeBuilder::stop(const YAML::Mark& mark, const std::string& message) const {
  throw YAML::ParserException(mark, message);
}

void TreeBuilder::refuse_properties(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
  if (anchor != YAML::NullAnchor) refuse(mark, "anchors are not supported");
  // The parser gives "?" or "!" to a value without a tag; a lone "!" in the text is a tag of its own.
  const auto at = static_cast<std::size_t>(mark.pos);
  const bool lone = at < text_.size() && text_[at] == '!';
  if (lone || (!tag.empty() && tag != "?" && tag != "!")) refuse(mark, "tags are not supported");
}

void TreeBuilder::take_key(const YAML::Mark& mark, bool quoted, const std::string& value) {
  if (value == "<<" && !quoted) refuse(mark, "merge keys are not supported");
  if (value.empty()) refuse(mark, "a key cannot be empty");
  Open& section = open_.back();
  section.has_key = true;
  section.key = value;
  section.key_place = place(mark);
}

void TreeBuilder::add_to_section(Node& node) {
  Open& section = open_.back();
  node.has_key = true;
  node.key = std::move(section.key);
  node.key_place = section.key_place;
  section.has_key = false;
  const Node* first = section.node->find(node.key);
  if (first == nullptr) {
    attach(*section.node, node);
    return;
  }
  node.parent = section.node;
  state_.add_problem(node.key_place, node.path(),
                     fmt::format("duplicate key; first at {}", state_.place_text(first->key_place)));
}

Node& TreeBuilder::add(const YAML::Mark& mark, Node::Kind kind) {
  if (expects_key()) stop(mark, "a key must be plain text");
  if (state_.nodes.size() >= kMostValues) stop(mark, fmt::format("more than {} values", kMostValues));
  Node& node = state_.add_node();
  node.kind = kind;
  node.place = place(mark);
  if (open_.empty()) {
    root_ = &node;
  } else if (open_.back().node->kind == Node::Kind::kSection) {
    add_to_section(node);
  } else {
    attach(*open_.back().node, node);
  }
  return node;
}

void TreeBuilder::open(const YAML::Mark& mark, Node::Kind kind) {
  if (open_.size() + level_ > kMostLevels)
    stop(mark, fmt::format("nested deeper than {} levels", kMostLevels));
  open_.push_back({&add(mark, kind), false, {}, {}});
}

void TreeBuilder::OnDocumentStart(const YAML::Mark& mark) {
  if (started_) stop(mark, "a second document, or text after the end of the first; only one is read");
  started_ = true;
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  refuse_properties(mark, {}, anchor);
  if (!open_.empty() && open_.back().has_key && closes_more_than_it_opens(open_.back().key))
    refuse(mark,
           "a comma before it ends the value in front; a value with a comma stands in quotes within braces");
  add(mark, Node::Kind::kNull);
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) {
  refuse(mark, "aliases are not supported");
  add(mark, Node::Kind::kNull);
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  refuse_properties(mark, tag, anchor);
  const bool quoted = tag == "!";
  if (expects_key()) {
    take_key(mark, quoted, value);
    return;
  }
  Node& node = add(mark, Node::Kind::kScalar);
  node.quoted = quoted;
  node.text = value;
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value /*style*/) {
  refuse_properties(mark, tag, anchor);
  open(mark, Node::Kind::kList);
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value /*style*/) {
  refuse_properties(mark, tag, anchor);
  open(mark, Node::Kind::kSection);
}

// Records the problem of a text that the parser may not read, and throws.
void check_text(State& state, std::string_view text, std::uint32_t override_number) {
  Problem problem;
  if (text.size() > kMostBytes) {
    problem = {{0, 1, 1}, {}, "larger than 128 MiB"};
  } else {
    problem = find_unreadable(text);
  }
  if (problem.message.empty()) return;
  problem.place.override_number = override_number;
  state.add_problem(problem.place, {}, problem.message);
  throw Error(state.report());
}

// Returns the mark of the first line up to a malformed one that begins with a tab, which the parser does not
// name as the cause.
std::optional<YAML::Mark> find_tab(std::string_view text, int last_line) {
  YAML::Mark mark;
  for (std::size_t at = 0; mark.line <= last_line && at < text.size(); ++mark.line) {
    const std::size_t first = text.find_first_not_of(' ', at);
    if (first != std::string_view::npos && text[first] == '\t') {
      mark.column = static_cast<int>(first - at);
      return mark;
    }
    const std::size_t end = text.find('\n', at);
    at = end == std::string_view::npos ? text.size() : end + 1;
  }
  return std::nullopt;
}

// Returns the parser's message with what a writer of such a line does.
std::string words_of(const std::string& message) {
  if (message != YAML::ErrorMsg::MAP_VALUE) return message;
  return message +
         ": a second 'key: value' stands in this line; write it on a line of its own, or both within braces, "
         "such as {name: mps, active_threads: [50, 50]}; a text that has ': ' in it stands in quotes";
}

}  // namespace

Node& parse_yaml(State& state, std::string text, std::uint32_t override_number, std::size_t level) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.compare(0, kByteOrderMark.size(), kByteOrderMark) == 0) text.erase(0, kByteOrderMark.size());
  check_text(state, text, override_number);
  std::istringstream input(text);
  TreeBuilder builder(state, text, override_number, level);
  try {
    YAML::Parser parser(input);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    if (const auto tab = find_tab(text, error.mark.line))
      builder.refuse(*tab, "YAML indents with blanks, and this line begins with a tab");
    else
      builder.refuse(error.mark, words_of(error.msg));
  }
  if (builder.malformed()) throw Error(state.report());
  if (builder.root() != nullptr) return *builder.root();
  Node& empty = state.add_node();
  empty.place = {override_number, 1, 1};
  return empty;
}

Node& parse_plain(State& state, const std::string& text, std::uint32_t override_number) {
  check_text(state, text, override_number);
  Node& node = state.add_node();
  node.place = {override_number, 1, 1};
  if (YAML::IsNullString(text)) return node;
  node.kind = Node::Kind::kScalar;
  node.text = text;
  return node;
}

}  // namespace heddle::config::detail
