#include "stimuli/ptx/text/function_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "stimuli/ptx/text/externals.h"

namespace heddle::ptx {
namespace {

constexpr std::uint64_t kMostRegisters = 100'000'000;
constexpr std::uint64_t kMostThreads = 1U << 20U;
constexpr std::uint64_t kMostLine = ~std::uint32_t{0};
constexpr std::size_t kMostFunctions = 1U << 12U;
constexpr std::size_t kMostPrototypes = 1U << 16U;

const std::vector<std::string>& body_directives() {
  static const std::vector<std::string> known = {"reg",   "local",  "param", "shared",
                                                 "const", "global", "loc",   "pragma"};
  return known;
}

const std::vector<std::string>& limits() {
  static const std::vector<std::string> known = {"explicitcluster", "maxclusterrank",    "maxnreg",
                                                 "maxntid",         "minnctapersm",      "noreturn",
                                                 "pragma",          "reqnctapercluster", "reqntid"};
  return known;
}

// Returns the words that begin a statement of the module and no line of a function's header.
bool begins_statement(std::string_view word) {
  constexpr std::array kWords{"visible", "extern", "weak",    "common", "entry", "func",         "global",
                              "const",   "shared", "section", "alias",  "file",  "address_size", "target"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// Places the variables behind `end`, which advances past them.
void place_behind(std::vector<FrameVariable>& frame, std::uint32_t& end) {
  for (FrameVariable& variable : frame) {
    variable.offset = (end + variable.alignment - 1) / variable.alignment * variable.alignment;
    end = variable.offset + variable.bytes;
  }
}

bool falls_through(const Statement& statement) {
  const bool leaves = statement.opcode == Opcode::kRet || statement.opcode == Opcode::kExit ||
                      statement.opcode == Opcode::kTrap || statement.opcode == Opcode::kBra;
  return statement.guarded() || !leaves;
}

// Reads one to three numbers behind the word; the others are 1.
void read_sizes(Cursor& cursor, const Token& word, const char* what, std::array<std::uint32_t, 3>& sizes) {
  sizes = {1, 1, 1};
  std::size_t given = 0;
  do {
    if (given == sizes.size()) cursor.refuse(word.place, "more than three dimensions");
    sizes[given++] = static_cast<std::uint32_t>(cursor.literal(what, kMostThreads));
  } while (cursor.accept(','));
}

// Reads the performance directives of a function.
void read_limits(Cursor& cursor, Function& function) {
  while (cursor.peek().kind == TokenKind::kDotted && !begins_statement(cursor.peek().text)) {
    const Token word = cursor.take();
    if (word.text == "explicitcluster") {
      function.explicit_cluster = true;
    } else if (word.text == "maxntid" || word.text == "reqntid") {
      read_sizes(cursor, word, "a number of threads",
                 word.text == "maxntid" ? function.maxntid : function.reqntid);
    } else if (word.text == "reqnctapercluster") {
      read_sizes(cursor, word, "a number of blocks", function.cluster);
    } else if (word.text == "maxclusterrank") {
      function.most_cluster = static_cast<std::uint32_t>(cursor.literal("a number of blocks", kMostThreads));
    } else if (word.text == "minnctapersm") {
      function.minnctapersm = static_cast<std::uint32_t>(cursor.literal("a number of blocks", kMostThreads));
    } else if (word.text == "maxnreg") {
      function.maxnreg = static_cast<std::uint32_t>(cursor.literal("a number of registers", kMostThreads));
    } else if (word.text == "noreturn") {
      function.noreturn = true;
    } else if (word.text == "pragma") {
      cursor.expect(TokenKind::kString, "a string");
      cursor.expect(';');
    } else {
      cursor.refuse_unknown(word, "directive of a function", limits());
    }
  }
}

}  // namespace

void FunctionReader::read_list(std::vector<FrameVariable>& frame, std::uint32_t& end, bool named,
                               bool registers) {
  cursor_.expect('(');
  if (cursor_.accept(')')) return;
  do {
    if (registers && cursor_.accept_dotted("reg"))
      variables_.read_register_parameter(frame, end, named);
    else if (cursor_.accept_dotted("param"))
      variables_.read_parameter(frame, end, named);
    else
      cursor_.refuse_unexpected(registers ? "'.param' or '.reg'" : "'.param'");
  } while (cursor_.accept(','));
  cursor_.expect(')');
}

// Returns the index of the function, which is that of an earlier declaration or a new one.
std::uint32_t FunctionReader::declare(Function& function, const Token& name) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::kFunction;
  symbol.index = static_cast<std::uint32_t>(module_.functions.size());
  if (module_.functions.size() == kMostFunctions) cursor_.refuse(name.place, "too many functions");
  const Symbol& known = scopes_.declare_outermost(name.text, symbol);
  if (known.kind != Symbol::Kind::kFunction)
    cursor_.refuse(name.place, fmt::format("{} is declared twice", shown(name)));
  if (known.index == symbol.index) {
    module_.functions.push_back(function);
    return symbol.index;
  }
  const Function& before = module_.functions[known.index];
  if (before.entry != function.entry || !same_frame(before.parameters, function.parameters) ||
      !same_frame(before.returns, function.returns))
    cursor_.refuse(name.place,
                   fmt::format("{} differs from its declaration in line {}", shown(name), before.line));
  function.noreturn = function.noreturn || before.noreturn;
  return known.index;
}

void FunctionReader::read(bool entry, bool external) {
  Function function;
  function.entry = entry;
  function.line = cursor_.peek().place.line;
  const std::size_t outside = scopes_.depth();
  scopes_.push(0);
  // Results are declared before the parameters, and their places in the area follow those of the parameters.
  std::uint32_t results = 0;
  const std::size_t problems = cursor_.problems().count();
  Token name;
  try {
    if (!entry && cursor_.at('(')) read_list(function.returns, results);
    name = cursor_.expect(TokenKind::kName, "a function's name");
    function.name = std::string(name.text);
    function.line = name.place.line;
    read_rest(function, name, external);
  } catch (const Refused&) {
    while (scopes_.depth() > outside) scopes_.pop();
    add_unread(function, name, problems);
    throw;
  }
  while (scopes_.depth() > outside) scopes_.pop();
}

// Declares a function whose header was refused, so that only the launches that reach it are refused.
void FunctionReader::add_unread(Function& function, const Token& name, std::size_t first_problem) {
  const bool by_function = refusal_ == Refusal::kFunction && !cursor_.problems().full();
  if (!by_function || function.name.empty() || scopes_.find(name.text) != nullptr) return;
  function.parameters.clear();
  function.returns.clear();
  function.parameter_bytes = function.area_bytes = 0;
  declare(function, name);
  set_unread(module_.functions.back(), cursor_.problems().take(first_problem));
}

void FunctionReader::read_rest(Function& function, const Token& name, bool external) {
  area_end_ = 0;
  if (cursor_.at('(')) read_list(function.parameters, area_end_, true, !function.entry);
  function.parameter_bytes = area_end_;
  place_behind(function.returns, area_end_);
  for (const FrameVariable& result : function.returns) scopes_.find(result.name)->offset = result.offset;
  function.area_bytes = area_end_;
  read_limits(cursor_, function);
  // Compilers up to CUDA 3.1 write no ';' behind the declaration of a function.
  const bool body = cursor_.at('{');
  const bool open = !function.entry && (cursor_.at_end() || cursor_.peek().kind == TokenKind::kDotted);
  if (!body && !open && !cursor_.accept(';')) cursor_.refuse_unexpected("'{' or ';'");
  function.external = external && !body ? external_of(function) : External::kNone;
  const std::uint32_t index = declare(function, name);
  if (!body) return;
  if (!module_.functions[index].code.empty())
    cursor_.refuse(name.place, fmt::format("{} has two bodies", shown(name)));
  const std::size_t problems = cursor_.problems().count();
  read_body(function, index);
  function.addressed = module_.functions[index].addressed;
  if (refusal_ == Refusal::kFunction && cursor_.problems().count() > problems && !cursor_.problems().full())
    set_unread(function, cursor_.problems().take(problems));
  module_.functions[index] = std::move(function);
}

void FunctionReader::open_scope() {
  if (scopes_.depth() == Scopes::kMostDepth) cursor_.refuse(cursor_.peek().place, "scopes nested too deep");
  cursor_.expect('{');
  scopes_.push(area_end_);
}

void FunctionReader::close_scope(Function& function, bool outermost) {
  const Token end = cursor_.take();
  for (const PendingBranch& branch : scopes_.take_pending()) {
    const std::uint32_t* label = scopes_.find_label(branch.label);
    if (label != nullptr && branch.statement < function.code.size())
      function.code[branch.statement].target = *label;
    else if (label == nullptr && outermost)
      cursor_.problems().add(branch.place, fmt::format("label '{}' is not declared", branch.label));
    else if (label == nullptr)
      scopes_.wait_for(branch);
  }
  area_end_ = scopes_.pop();
  if (!outermost) return;
  const auto size = static_cast<std::uint32_t>(function.code.size());
  const bool open = function.code.empty() || falls_through(function.code.back()) ||
                    (!function.labels.empty() && function.labels.back().statement == size);
  if (!open) return;
  Statement last;
  last.form = static_cast<std::uint16_t>(forms_of("ret").first);
  last.line = end.place.line;
  code_.append_return(last);
}

void FunctionReader::read_body(Function& function, std::uint32_t index) {
  code_.begin(function, index);
  const std::size_t outside = scopes_.depth();
  code_.load_parameters();
  open_scope();
  while (scopes_.depth() > outside) {
    if (cursor_.at_end()) cursor_.refuse(cursor_.peek().place, "the function's '}' is missing");
    cursor_.begin_statement();
    try {
      if (cursor_.at('}'))
        close_scope(function, scopes_.depth() == outside + 1);
      else if (cursor_.at('{'))
        open_scope();
      else
        read_statement(function);
    } catch (const Refused&) {
      cursor_.skip_statement();
    }
  }
}

void FunctionReader::read_statement(Function& function) {
  const Token& next = cursor_.peek();
  if (cursor_.accept(';')) return;
  if (next.kind == TokenKind::kDotted) return read_directive(function);
  if (next.kind == TokenKind::kName && cursor_.peek(1).is(':')) return read_label(function);
  code_.read();
}

void FunctionReader::read_label(Function& function) {
  const Token name = cursor_.take();
  cursor_.expect(':');
  if (cursor_.accept_dotted("callprototype")) return read_prototype(name);
  if (cursor_.accept_dotted("calltargets")) return read_call_targets(name);
  const auto at = static_cast<std::uint32_t>(function.code.size());
  if (!scopes_.declare_label(name.text, at))
    cursor_.problems().add(name.place, fmt::format("label {} is declared twice", shown(name)));
  function.labels.push_back({std::string(name.text), at, false});
}

// Reads ".callprototype (returns) _ (parameters);" from after the word on.
void FunctionReader::read_prototype(const Token& name) {
  CallPrototype prototype;
  std::uint32_t end = 0;
  if (cursor_.at('(')) read_list(prototype.returns, end, false);
  if (const Token none = cursor_.expect(TokenKind::kName, "'_'"); none.text != "_")
    cursor_.refuse(none.place, "a prototype has no name: '_'");
  end = 0;
  if (cursor_.at('(')) read_list(prototype.parameters, end, false);
  place_behind(prototype.returns, end);
  cursor_.accept_dotted("noreturn");
  cursor_.expect(';');
  declare_prototype(name, std::move(prototype));
}

// The functions that a call may reach take and return the same, so the first one is the prototype.
void FunctionReader::read_call_targets(const Token& name) {
  CallPrototype prototype;
  bool first = true;
  do {
    const Token target = cursor_.expect(TokenKind::kName, "a function's name");
    const Symbol* symbol = scopes_.find(target.text);
    if (symbol == nullptr || symbol->kind != Symbol::Kind::kFunction)
      cursor_.refuse(target.place, fmt::format("{} is no function declared before", shown(target)));
    const Function& function = module_.functions[symbol->index];
    if (first) prototype = {function.returns, function.parameters};
    first = false;
  } while (cursor_.accept(','));
  cursor_.expect(';');
  declare_prototype(name, std::move(prototype));
}

void FunctionReader::declare_prototype(const Token& name, CallPrototype prototype) {
  Symbol symbol;
  symbol.kind = Symbol::Kind::kPrototype;
  symbol.index = static_cast<std::uint32_t>(module_.prototypes.size());
  if (module_.prototypes.size() == kMostPrototypes) cursor_.refuse(name.place, "too many prototypes");
  if (!scopes_.declare(name.text, symbol))
    cursor_.refuse(name.place, fmt::format("{} is declared twice", shown(name)));
  module_.prototypes.push_back(std::move(prototype));
}

void FunctionReader::read_directive(Function& function) {
  const Token word = cursor_.take();
  const bool external = word.text == "extern" && cursor_.accept_dotted("shared");
  if (word.text == "reg") {
    read_registers();
  } else if (word.text == "local") {
    variables_.read_frame(Symbol::Kind::kLocal, function.locals, function.local_bytes);
  } else if (word.text == "param") {
    variables_.read_frame(Symbol::Kind::kParameter, function.call_parameters, area_end_);
    function.area_bytes = std::max(function.area_bytes, area_end_);
  } else if (word.text == "shared" || external) {
    variables_.read(Space::kShared, false, external);
  } else if (word.text == "const" || word.text == "global") {
    variables_.read(word.text == "const" ? Space::kConst : Space::kGlobal, false, false);
  } else if (word.text == "loc") {
    read_loc(function, word.place.line);
  } else if (word.text == "pragma") {
    const Token text = cursor_.expect(TokenKind::kString, "a string");
    const bool is_at_label =
        !function.labels.empty() && function.labels.back().statement == function.code.size();
    if (is_at_label && text.text.find("nounroll") != std::string_view::npos)
      function.labels.back().is_not_unrolled = true;
    cursor_.expect(';');
  } else {
    cursor_.refuse_unknown(word, "directive", body_directives());
  }
}

void FunctionReader::read_registers() {
  const std::uint8_t width = cursor_.accept_dotted("v2") ? 2 : cursor_.accept_dotted("v4") ? 4 : 1;
  const Token word = cursor_.expect(TokenKind::kDotted, "a type");
  Type type = type_of(word.text);
  if (class_of(type) == TypeClass::kHandle || type == Type::kBf16 || type == Type::kBf16x2 ||
      type == Type::kTf32 || (type == Type::kPred && width > 1))
    type = Type::kNone;
  if (type == Type::kNone)
    cursor_.problems().add(word.place, fmt::format("unknown type of a {} {}",
                                                   width > 1 ? "vector register" : "register", shown(word)));
  do {
    read_register_name(type, width);
  } while (cursor_.accept(','));
  cursor_.expect(';');
}

void FunctionReader::read_register_name(Type type, std::uint8_t width) {
  const Token name = cursor_.expect(TokenKind::kName, "a register's name");
  bool fresh = true;
  if (cursor_.accept('<')) {
    fresh = scopes_.declare_registers(name.text, cursor_.literal("a number of registers", kMostRegisters),
                                      type, width);
    cursor_.expect('>');
  } else {
    Symbol symbol;
    symbol.kind = type == Type::kNone ? Symbol::Kind::kBad : Symbol::Kind::kRegister;
    symbol.type = type;
    symbol.width = width;
    fresh = scopes_.declare(name.text, symbol);
  }
  if (!fresh) cursor_.refuse(name.place, fmt::format("{} is declared twice", shown(name)));
}

// Of inlined code the line is that of the call, because the code may be that of a header of the compiler.
void FunctionReader::read_loc(Function& function, std::uint32_t line) {
  const std::uint64_t file = cursor_.literal("a number", kMostLine);
  const auto source = static_cast<std::uint32_t>(cursor_.literal("a number", kMostLine));
  function.sources.push_back({line, file, source});
  cursor_.literal("a number", kMostLine);
  if (!cursor_.accept(',')) return;
  const Token word = cursor_.expect(TokenKind::kName, "function_name");
  if (word.text != "function_name") cursor_.refuse_unknown(word, "word of .loc", {"function_name"});
  cursor_.expect(TokenKind::kName, "a label");
  if (cursor_.accept('+')) cursor_.literal("a number", kMostLine);
  cursor_.expect(',');
  const Token at = cursor_.expect(TokenKind::kName, "inlined_at");
  if (at.text != "inlined_at") cursor_.refuse_unknown(at, "word of .loc", {"inlined_at"});
  SourceLine& call = function.sources.back();
  call.file = cursor_.literal("a number", kMostLine);
  call.source = static_cast<std::uint32_t>(cursor_.literal("a number", kMostLine));
  cursor_.literal("a number", kMostLine);
}

}  // namespace heddle::ptx
