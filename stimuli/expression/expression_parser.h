#pragma once
// This file parses expressions into postfix order. Only expression.cpp uses it.

#include <cstddef>
#include <string>
#include <string_view>

#include "stimuli/expression/expression.h"

namespace heddle {

class ExpressionParser {
 public:
  ExpressionParser(const std::string& text, const Scope& scope) : text_(text), scope_(scope) {}
  Expression read();

 private:
  using Step = Expression::Step;

  void comparison();
  void sum();
  void product();
  void factor();
  void number();
  bool take_unit(Number& value);
  void name();
  void function(const std::string& name);
  void word(const std::string& name);
  void push(const Number& number, bool is_time = false);
  void push(Step step);

  void skip_spaces();
  bool take(std::string_view sign);  // skips the sign if it is next, and returns whether it was
  void expect(char sign);
  [[noreturn]] void refuse(const std::string& wanted) const;

  const std::string& text_;
  const Scope& scope_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::vector<Expression::Node> nodes_;
};

}  // namespace heddle
