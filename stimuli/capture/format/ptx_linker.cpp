#include "stimuli/capture/format/ptx_linker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "models/core/config/config.h"

namespace heddle::capture {

namespace {

// A declaration or a definition of a module, or a directive.
struct Item {
  enum class Kind { kHeader, kDirective, kDeclaration, kExternal, kVariable, kBody };
  Kind kind = Kind::kDirective;
  std::string name;    // of a function or a variable
  bool local = false;  // no other text knows the name
  bool weak = false;
  std::string text;
};

struct Token {
  std::string_view text;
  std::size_t end = 0;  // in the text of the module
};

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

// Finds names, dotted words, texts in quotes and single characters. Comments are left out.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  // Returns an empty token at the end.
  Token next() {
    skip_blanks();
    const std::size_t first = at_;
    if (at_ >= text_.size()) return {{}, at_};
    if (text_[at_] == '"') {
      at_ = std::min(text_.find('"', at_ + 1), text_.size() - 1) + 1;
    } else {
      ++at_;
      if (is_name_character(text_[first]) || text_[first] == '.')
        while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    }
    return {text_.substr(first, at_ - first), at_};
  }

  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

 private:
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (text_.substr(at_, 2) == "//")
        skip_line();
      else if (text_.substr(at_, 2) == "/*")
        at_ = std::min(text_.find("*/", at_), text_.size() - 2) + 2;
      else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '\0')
        ++at_;
      else
        return;
    }
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

bool is_header(std::string_view word) {
  return word == ".version" || word == ".target" || word == ".address_size";
}

bool is_function(std::string_view word) {
  return word == ".func" || word == ".entry";
}

bool is_space(std::string_view word) {
  return word == ".global" || word == ".const" || word == ".shared";
}

bool is_name(std::string_view word) {
  return is_name_character(word[0]) && std::isdigit(static_cast<unsigned char>(word[0])) == 0;
}

// Reads items of one module in their order.
class ItemReader {
 public:
  ItemReader(std::string_view text, const std::string& module)
      : text_(text), module_(module), tokens_(text) {}

  std::vector<Item> read() {
    std::vector<Item> items;
    for (Token token = tokens_.next(); !token.text.empty(); token = tokens_.next()) {
      first_ = token.end - token.text.size();
      items.push_back(read_item(token));
    }
    return items;
  }

 private:
  Item read_item(Token token) {
    Item item;
    if (is_header(token.text) || token.text == ".file") {
      item.kind = is_header(token.text) ? Item::Kind::kHeader : Item::Kind::kDirective;
      const std::size_t line = std::min(text_.find('\n', token.end), text_.size());
      tokens_.skip_line();
      item.text = text_.substr(first_, line - first_);
      return item;
    }
    bool external = false;
    item.local = true;
    for (; token.text == ".extern" || token.text == ".visible" || token.text == ".weak" ||
           token.text == ".common";
         token = tokens_.next()) {
      external = external || token.text == ".extern";
      item.weak = item.weak || token.text == ".weak" || token.text == ".common";
      item.local = false;
    }
    const bool function = is_function(token.text);
    const bool variable = is_space(token.text);
    const bool body = read_rest(function, variable, item.name);
    if (function)
      item.kind = body ? Item::Kind::kBody : Item::Kind::kDeclaration;
    else if (variable)
      item.kind = external ? Item::Kind::kExternal : Item::Kind::kVariable;
    item.local = item.local && (function || variable);
    item.text = text_.substr(first_, end_ - first_);
    return item;
  }

  // Reads to the end of the item. Returns whether it ends with the body of a function.
  bool read_rest(bool function, bool variable, std::string& name) {
    int depth = 0;
    for (Token token = tokens_.next(); !token.text.empty(); token = tokens_.next()) {
      end_ = token.end;
      const char c = token.text.size() == 1 ? token.text[0] : '\0';
      if (c == '{' || c == '(' || c == '[') ++depth;
      if (c == '}' || c == ')' || c == ']') --depth;
      if (depth == 0 && name.empty() && (function || variable) && is_name(token.text)) name = token.text;
      if (depth == 0 && c == ';') return false;
      if (depth == 0 && c == '}' && !variable) return true;
    }
    throw config::Error({module_ + ": the PTX ends within a declaration"});
  }

  const std::string_view text_;
  const std::string& module_;
  Tokens tokens_;
  std::size_t first_ = 0;  // of the item
  std::size_t end_ = 0;
};

// Returns the text with other names in the place of some.
std::string renamed(std::string_view text, const std::map<std::string, std::string, std::less<>>& names) {
  if (names.empty()) return std::string(text);
  std::string result;
  Tokens tokens(text);
  std::size_t done = 0;
  for (Token token = tokens.next(); !token.text.empty(); token = tokens.next()) {
    const auto found = names.find(token.text);
    if (found == names.end()) continue;
    result += text.substr(done, token.end - token.text.size() - done);
    result += found->second;
    done = token.end;
  }
  result += text.substr(done);
  return result;
}

constexpr int kParts = 3;  // of the linked text

// Returns the part of the linked text that an item belongs to; -1: none.
int part_of(const Item& item) {
  switch (item.kind) {
    case Item::Kind::kDeclaration:
    case Item::Kind::kExternal:
      return 0;
    case Item::Kind::kVariable:
      return 1;
    case Item::Kind::kBody:
    case Item::Kind::kDirective:
      return 2;
    default:
      return -1;
  }
}

bool is_defined(const Item& item) {
  return item.kind == Item::Kind::kVariable || item.kind == Item::Kind::kBody;
}

class Linker {
 public:
  explicit Linker(std::vector<std::vector<Item>> modules) : modules_(std::move(modules)) {}

  // Functions are declared before variables that name them, and variables are defined before functions that
  // name them.
  std::string link() {
    std::string text;
    for (const Item& item : modules_.front())
      if (item.kind == Item::Kind::kHeader) text += item.text + '\n';
    for (std::size_t module = 0; module < modules_.size(); ++module) rename_locals(module);
    for (int part = 0; part < kParts; ++part)
      for (const auto& module : modules_)
        for (const Item& item : module)
          if (part_of(item) == part && is_wanted(item)) text.append(item.text).append("\n");
    return text;
  }

 private:
  // The names of a module's own that an earlier module has, too, become others.
  void rename_locals(std::size_t number) {
    std::map<std::string, std::string, std::less<>> others;
    for (const Item& item : modules_[number])
      if (item.local && used_.count(item.name) != 0)
        others[item.name] = fmt::format("{}$module{}", item.name, number);
    for (Item& item : modules_[number]) {
      item.text = renamed(item.text, others);
      if (const auto other = others.find(item.name); other != others.end()) item.name = other->second;
    }
    for (const Item& item : modules_[number])
      if (!item.name.empty()) used_.insert(item.name);
  }

  // Of weak definitions the first one stays.
  bool is_wanted(const Item& item) {
    if (!is_defined(item) || !item.weak) return true;
    return weak_.insert(item.name).second;
  }

  std::vector<std::vector<Item>> modules_;
  std::set<std::string> used_;
  std::set<std::string> weak_;
};

}  // namespace

std::string link_ptx(const std::vector<std::string>& texts, const std::string& name) {
  std::vector<std::vector<Item>> modules;
  modules.reserve(texts.size());
  for (const std::string& text : texts) modules.push_back(ItemReader(text, name).read());
  return Linker(std::move(modules)).link();
}

}  // namespace heddle::capture
