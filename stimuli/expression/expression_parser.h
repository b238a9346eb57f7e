#pragma once
// This file parses expressions of launch files and of applications into postfix order. Only expression.cpp
// uses it.

#include <string>
#include <vector>

#include "models/core/expression/expression_reader.h"
#include "stimuli/expression/expression.h"

namespace heddle {

class ExpressionParser final : private ExpressionReader {
 public:
  ExpressionParser(const std::string& text, const Scope& scope);
  Expression read();

 private:
  using Kind = Expression::Kind;

  bool operand() override;
  void push(Operator op, std::size_t place) override;
  void refuse_next(Wanted wanted, std::string_view sign) const override;
  void refuse_depth() const override;

  void number();
  bool take_unit(Number& value);
  void name();
  void function(const std::string& name);
  void word(const std::string& name);
  void push(const Number& number, bool is_time);
  [[noreturn]] void refuse(const std::string& wanted) const;

  const std::string& whole_text_;
  const Scope& scope_;
  std::vector<Expression::Node> nodes_;
};

}  // namespace heddle
