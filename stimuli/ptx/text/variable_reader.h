#pragma once
// Reads declarations of variables. Variables of .global, .const and .shared go to the module, those of .local
// and .param go to a frame.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/statements/module.h"
#include "stimuli/ptx/text/cursor.h"
#include "stimuli/ptx/text/scopes.h"

namespace heddle::ptx {

class VariableReader {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40U;         // per variable
  static constexpr std::uint64_t kMostInitialBytes = std::uint64_t{1} << 28U;  // of all variables together
  static constexpr std::uint32_t kMostFrameBytes = 1U << 24U;

  VariableReader(Cursor& cursor, Module& module, Scopes& scopes)
      : cursor_(cursor), module_(module), scopes_(scopes) {}

  // Reads from after the word of the space to after the ';'.
  void read(Space space, bool in_module, bool external);

  // Reads from after ".local" or ".param" to after the ';'. Appends the variables to `frame` from offset
  // `end` on.
  void read_frame(Symbol::Kind kind, std::vector<FrameVariable>& frame, std::uint32_t& end);
  // Reads one parameter of a function, from after ".param" on. Those of a prototype have no names: `_`.
  void read_parameter(std::vector<FrameVariable>& frame, std::uint32_t& end, bool named);
  // Does so from after ".reg" on. The name is that of a register.
  void read_register_parameter(std::vector<FrameVariable>& frame, std::uint32_t& end, bool named);

 private:
  // The type, alignment and dimensions of a declaration.
  struct Shape {
    Type type = Type::kNone;
    std::uint32_t alignment = 0;
    bool array = false;
    std::vector<std::uint64_t> dimensions;  // the first may be 0, which is open
    std::uint64_t bytes = 0;
  };

  void read_attribute();
  Shape read_type(bool pointers);
  void read_dimensions(Shape& shape, const Token& name);
  std::uint32_t read_alignment();
  Variable make(const Shape& shape, const Token& name) const;
  void add(Variable variable, const Token& name);
  void place_in_frame(const Shape& shape, const Token& name, Symbol::Kind kind,
                      std::vector<FrameVariable>& frame, std::uint32_t& end);
  void place_parameter(const Shape& shape, const Token& name, Symbol::Kind kind,
                       std::vector<FrameVariable>& frame, std::uint32_t& end, bool named);

  void read_initial(Variable& variable, Shape& shape);
  void read_list(Variable& variable, const Shape& shape, std::size_t level, std::uint64_t base,
                 std::uint64_t count);
  void read_element(Variable& variable, std::uint64_t element);
  void read_address(Variable& variable, std::uint64_t offset);
  void store(Variable& variable, std::uint64_t offset, std::uint64_t value, std::uint32_t bytes, Place place);

  Cursor& cursor_;
  Module& module_;
  Scopes& scopes_;
  std::uint64_t initial_bytes_ = 0;
};

}  // namespace heddle::ptx
