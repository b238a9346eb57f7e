#pragma once
// Reads the directives, variables and functions of a module.

#include <string>
#include <string_view>
#include <unordered_map>

#include "stimuli/ptx/statements/module.h"
#include "stimuli/ptx/text/cursor.h"
#include "stimuli/ptx/text/function_reader.h"
#include "stimuli/ptx/text/scopes.h"
#include "stimuli/ptx/text/variable_reader.h"

namespace heddle::ptx {

class ModuleReader {
 public:
  ModuleReader(std::string_view text, const std::string& file, Refusal refusal);

  // Returns the parts that could be read; problems() holds the problems of all others.
  Module read();
  Problems& problems() { return cursor_.problems(); }

 private:
  void read_statement();
  void read_directive(const Token& word);
  void read_version();
  void read_target();
  void read_address_size();
  void read_file();
  void read_section();
  void read_alias();
  void skip();
  void resolve_calls();
  void refuse_call(const UnresolvedCall& call);

  Cursor cursor_;
  Module module_;
  Scopes scopes_;
  VariableReader variables_;
  FunctionReader functions_;
  const Refusal refusal_;
  std::unordered_map<std::uint32_t, std::uint32_t> aliases_;
};

}  // namespace heddle::ptx
