#pragma once
// Reads a .func or an .entry: its header, its performance directives and its body.

#include <string>
#include <vector>

#include "stimuli/ptx/text/statement_reader.h"
#include "stimuli/ptx/text/variable_reader.h"

namespace heddle::ptx {

class FunctionReader {
 public:
  FunctionReader(Cursor& cursor, Module& module, Scopes& scopes, VariableReader& variables, Refusal refusal)
      : cursor_(cursor),
        module_(module),
        scopes_(scopes),
        variables_(variables),
        code_(cursor, module, scopes),
        refusal_(refusal) {}

  // Reads from after ".entry" or ".func" to after the ';' or '}'.
  void read(bool entry, bool external);
  const std::vector<UnresolvedCall>& calls() const { return code_.calls(); }

 private:
  void read_list(std::vector<FrameVariable>& frame, std::uint32_t& end, bool named = true,
                 bool registers = true);
  std::uint32_t declare(Function& function, const Token& name);
  void read_rest(Function& function, const Token& name, bool external);

  void read_body(Function& function, std::uint32_t index);
  void add_unread(Function& function, const Token& name, std::size_t first_problem);
  void read_statement(Function& function);
  void read_directive(Function& function);
  void read_registers();
  void read_register_name(Type type, std::uint8_t width);
  void read_label(Function& function);
  void read_loc(Function& function, std::uint32_t line);
  void read_prototype(const Token& name);
  void read_call_targets(const Token& name);
  void declare_prototype(const Token& name, CallPrototype prototype);
  void open_scope();
  void close_scope(Function& function, bool outermost);

  Cursor& cursor_;
  Module& module_;
  Scopes& scopes_;
  VariableReader& variables_;
  StatementReader code_;
  const Refusal refusal_;
  std::uint32_t area_end_ = 0;
};

}  // namespace heddle::ptx
