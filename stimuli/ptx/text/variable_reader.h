#pragma once
// Reads declarations of variables: .global, .const and .shared ones into the module, .local and .param ones
// into a frame.

#include <cstdint>
#include <vector>

#include "stimuli/ptx/text/cursor.h"
#include "stimuli/ptx/text/module.h"
#include "stimuli/ptx/text/scopes.h"

namespace heddle::ptx {

class VariableReader {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40U;         // of a variable
  static constexpr std::uint64_t kMostInitialBytes = std::uint64_t{1} << 28U;  // of all together
  static constexpr std::uint32_t kMostFrameBytes = 1U << 24U;

  VariableReader(Cursor& cursor, Module& module, Scopes& scopes)
      : cursor_(cursor), module_(module), scopes_(scopes) {}

  // Behind the space's word, to behind the ';'.
  void read(Space space, bool in_module, bool external);

  // Behind ".local" or ".param", to behind the ';': placed in `frame` from `end` on.
  void read_frame(Symbol::Kind kind, std::vector<FrameVariable>& frame, std::uint32_t& end);
  // One parameter of a function, behind ".param".
  void read_parameter(std::vector<FrameVariable>& frame, std::uint32_t& end);

 private:
  // What stands before a declaration's name, and its size behind it.
  struct Shape {
    Type type = Type::kNone;
    std::uint32_t alignment = 0;
    bool array = false;
    std::vector<std::uint64_t> dimensions;  // 0: the first may be open
    std::uint64_t bytes = 0;
  };

  Shape read_type(bool pointers);
  void read_dimensions(Shape& shape, const Token& name);
  std::uint32_t read_alignment();
  Variable make(const Shape& shape, const Token& name) const;
  void add(Variable variable, const Token& name);
  void place_in_frame(const Shape& shape, const Token& name, Symbol::Kind kind,
                      std::vector<FrameVariable>& frame, std::uint32_t& end);

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
