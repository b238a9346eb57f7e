#include "stimuli/ptx/text/module_reader.h"

#include <fmt/format.h>

#include <charconv>

#include "stimuli/ptx/text/externals.h"

namespace heddle::ptx {
namespace {

constexpr std::uint64_t kMostNumber = ~std::uint64_t{0};

const std::vector<std::string>& directives() {
  static const std::vector<std::string> known = {
      "version", "target", "address_size", "file",   "section", "alias", "global", "const",
      "shared",  "entry",  "func",         "extern", "visible", "weak",  "common", "pragma"};
  return known;
}

}  // namespace

ModuleReader::ModuleReader(std::string_view text, const std::string& file, Refusal refusal)
    : cursor_(text, file),
      variables_(cursor_, module_, scopes_),
      functions_(cursor_, module_, scopes_, variables_, refusal),
      refusal_(refusal) {
  module_.file = file;
}

Module ModuleReader::read() {
  while (!cursor_.at_end()) {
    cursor_.begin_statement();
    try {
      read_statement();
    } catch (const Refused&) {
      skip();
    }
  }
  if (module_.version == 0) problems().add({}, "no .version");
  if (module_.target == 0) problems().add({}, "no .target");
  resolve_calls();
  return std::move(module_);
}

// Advances past the statement's ';', or past the '}' of the block that it opened.
void ModuleReader::skip() {
  cursor_.skip_statement();
  if (cursor_.at('}')) cursor_.take();
}

void ModuleReader::read_statement() {
  if (cursor_.accept(';')) return;
  const Token word = cursor_.expect(TokenKind::kDotted, "a directive");
  read_directive(word);
}

void ModuleReader::read_directive(const Token& word) {
  if (word.text == "version") return read_version();
  if (word.text == "target") return read_target();
  if (word.text == "address_size") return read_address_size();
  if (word.text == "file") return read_file();
  if (word.text == "section") return read_section();
  if (word.text == "alias") return read_alias();
  if (word.text == "pragma") {
    cursor_.expect(TokenKind::kString, "a string");
    return cursor_.expect(';');
  }
  bool external = false;
  Token what = word;
  while (what.text == "extern" || what.text == "visible" || what.text == "weak" || what.text == "common") {
    external = external || what.text == "extern";
    what = cursor_.expect(TokenKind::kDotted, "what is declared");
  }
  if (what.text == "entry" || what.text == "func") return functions_.read(what.text == "entry", external);
  if (what.text == "global") return variables_.read(Space::kGlobal, true, external);
  if (what.text == "const") return variables_.read(Space::kConst, true, external);
  if (what.text == "shared") return variables_.read(Space::kShared, true, external);
  cursor_.refuse_unknown(what, "directive", directives());
}

void ModuleReader::read_version() {
  const Token number = cursor_.take();
  const std::size_t point = number.text.find('.');
  std::uint32_t major = 0;
  const char* end = number.text.data() + number.text.size();
  const bool good = number.kind == TokenKind::kDouble && point != std::string_view::npos &&
                    number.text.size() == point + 2 && point <= 2 &&
                    std::from_chars(number.text.data(), end, major).ec == std::errc{};
  if (!good) cursor_.refuse(number.place, "expected a version such as 8.0");
  module_.version = 10 * major + static_cast<std::uint32_t>(number.text[point + 1] - '0');
}

void ModuleReader::read_target() {
  do {
    const Token name = cursor_.expect(TokenKind::kName, "a target such as sm_35");
    if (name.text == "texmode_unified" || name.text == "debug") continue;
    if (name.text == "map_f64_to_f32") {
      module_.demotes_doubles = true;
      continue;
    }
    constexpr std::string_view kStart = "sm_";
    std::string_view digits = name.text;
    if (digits.substr(0, kStart.size()) == kStart) digits.remove_prefix(kStart.size());
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, module_.target);
    const bool suffix = end - stop == 1 && (*stop == 'a' || *stop == 'f');
    if (error != std::errc{} || (stop != end && !suffix) || digits.size() > 4)
      cursor_.refuse_unknown(name, "target", {"sm_35", "texmode_unified", "debug", "map_f64_to_f32"});
  } while (cursor_.accept(','));
}

void ModuleReader::read_address_size() {
  const Place place = cursor_.peek().place;
  const std::uint64_t bits = cursor_.literal("32 or 64", 64);
  if (bits != 32 && bits != 64) cursor_.refuse(place, "expected 32 or 64");
  module_.address_bytes = static_cast<std::uint32_t>(bits / 8);
}

void ModuleReader::read_file() {
  const std::uint64_t number = cursor_.literal("a file's number", kMostNumber);
  const Token name = cursor_.expect(TokenKind::kString, "a file's name");
  const auto [known, fresh] = module_.files.emplace(number, name.text);
  if (!fresh && known->second != name.text) known->second.clear();
  if (cursor_.peek().kind == TokenKind::kString) cursor_.take();
  while (cursor_.accept(',')) cursor_.literal("a number", kMostNumber);
}

void ModuleReader::read_section() {
  if (cursor_.peek().kind != TokenKind::kDotted && cursor_.peek().kind != TokenKind::kName)
    cursor_.refuse_unexpected("a section's name");
  cursor_.take();
  if (!cursor_.at('{')) cursor_.refuse_unexpected("'{'");
  cursor_.skip_block();
}

void ModuleReader::read_alias() {
  std::uint32_t index[2] = {};
  for (int i = 0; i < 2; ++i) {
    if (i == 1) cursor_.expect(',');
    const Token name = cursor_.expect(TokenKind::kName, "a function's name");
    const Symbol* symbol = scopes_.find(name.text);
    if (symbol == nullptr || symbol->kind != Symbol::Kind::kFunction)
      cursor_.refuse(name.place, fmt::format("{} is no function declared before", shown(name)));
    index[i] = symbol->index;
    if (i == 1 && module_.functions[index[1]].code.empty())
      cursor_.refuse(name.place, fmt::format("{} has no body", shown(name)));
  }
  aliases_[index[0]] = index[1];
  cursor_.expect(';');
}

void ModuleReader::refuse_call(const UnresolvedCall& call) {
  Function& caller = module_.functions[call.caller];
  if (!caller.problems.empty()) return;
  const std::size_t before = problems().count();
  const std::string& name = module_.functions[call.function].name;
  problems().add(
      call.place,
      is_device_runtime(name)
          ? fmt::format("dynamic parallelism is not supported: the kernel launches kernels ({})", name)
          : fmt::format("function '{}' has no body here", name));
  if (refusal_ == Refusal::kFunction) set_unread(caller, problems().take(before));
}

void ModuleReader::resolve_calls() {
  for (const UnresolvedCall& call : functions_.calls()) {
    const Function& called = module_.functions[call.function];
    if (called.code.empty() && called.external == External::kNone && aliases_.count(call.function) == 0)
      refuse_call(call);
  }
  if (aliases_.empty()) return;
  for (Function& function : module_.functions)
    for (Statement& statement : function.code)
      if (statement.opcode == Opcode::kCall && !statement.has(kIndirect) &&
          aliases_.count(statement.target) != 0)
        statement.target = aliases_[statement.target];
}

}  // namespace heddle::ptx
