#include "models/stats/waves/fst_writer.h"

#include <lz4.h>

#include <cmath>
#include <cstring>
#include <ostream>

#include "models/stats/waves/fst_bytes.h"

namespace heddle {

namespace {

constexpr char kTypeHeader = 0, kTypeGeometry = 3, kTypeHierarchyLz4 = 6, kTypeChangesDynamicAlias2 = 8;
constexpr char kPicoseconds = -12;  // the power of ten of the time unit
constexpr std::size_t kProgramLength = 128, kDateLength = 119;
constexpr char kScope = '\xfe', kScopeEnd = '\xff', kModule = 0;
constexpr char kIntegerVariable = 1, kRealVariable = 3, kWire = 16, kNoDirection = 0;
constexpr std::uint64_t kRealBytes = 8;

std::string bytes_of(double value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

void write(std::ostream& out, const std::string& bytes) {
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// Writes the type of a block, the length of all that follows the type, and the block.
void write_block_of(std::ostream& out, char type, const std::string& block) {
  std::string head(1, type);
  append_u64(head, block.size() + 8);
  write(out, head);
  write(out, block);
}

}  // namespace

FstWriter::FstWriter(std::ostream& out) : out_(out) {}

void FstWriter::write_scope(const std::string& name) {
  hierarchy_ += kScope;
  hierarchy_ += kModule;
  hierarchy_ += name;
  hierarchy_.append(2, '\0');  // ends the name, and an empty name of a component
}

void FstWriter::write_scope_end() {
  hierarchy_ += kScopeEnd;
}

void FstWriter::write_variable(WaveId id, const std::string& name) {
  const Variable& variable = variables()[static_cast<std::uint32_t>(id)];
  hierarchy_ += variable.kind == Kind::kReal      ? kRealVariable
                : variable.kind == Kind::kInteger ? kIntegerVariable
                                                  : kWire;
  hierarchy_ += kNoDirection;
  hierarchy_ += name;
  hierarchy_ += '\0';
  append_varint(hierarchy_, variable.kind == Kind::kReal ? kRealBytes : variable.width);
  append_varint(hierarchy_, 0);  // it is no alias of another variable
}

void FstWriter::write_start() {
  block_.emplace(widths());
  write_header();
}

// A block begins where the one before it ends, and its frame has the values of that time.
void FstWriter::write_time(std::uint64_t ps) {
  if (!block_->has_begun()) {
    begin_ps_ = ps;
    block_->begin(ps, frame());
  } else if (block_->is_full()) {
    write_block();
    block_->begin(block_->end_ps(), frame());
  }
  block_->advance(ps);
}

void FstWriter::write_change(WaveId id) {
  const auto number = static_cast<std::uint32_t>(id);
  block_->change(number, variables()[number].value);
}

void FstWriter::write_end() {
  write_block();
  write_geometry();
  write_hierarchy();
  out_.seekp(0);
  write_header();
  out_.seekp(0, std::ios::end);
  out_.flush();
}

std::vector<unsigned> FstWriter::widths() const {
  std::vector<unsigned> widths;
  for (const Variable& variable : variables())
    widths.push_back(variable.kind == Kind::kReal ? 0 : variable.width);
  return widths;
}

std::string FstWriter::frame() const {
  std::string frame;
  for (const Variable& variable : variables()) {
    if (variable.kind == Kind::kReal) {
      double value = std::nan("");
      if (variable.has_value) std::memcpy(&value, &variable.value, sizeof value);
      frame += bytes_of(value);
      continue;
    }
    for (unsigned bit = variable.width; bit-- > 0;)
      frame += !variable.has_value ? 'x' : (variable.value >> bit & 1) != 0 ? '1' : '0';
  }
  return frame;
}

void FstWriter::write_block() {
  write_block_of(out_, kTypeChangesDynamicAlias2, block_->bytes());
  ++blocks_;
}

// The number of blocks and the end are known when all is written: the header is then written again.
void FstWriter::write_header() {
  std::string header;
  append_u64(header, begin_ps_);
  append_u64(header, block_->has_begun() ? block_->end_ps() : 0);
  header += bytes_of(2.718281828459045);  // e shows the byte order of reals
  append_u64(header, 0);                  // memory of the writer, which no reader needs
  append_u64(header, scopes());
  append_u64(header, variables().size());  // of the hierarchy
  append_u64(header, variables().size());  // those that are no alias
  append_u64(header, blocks_);
  header += kPicoseconds;
  std::string program = "Heddle";
  program.resize(kProgramLength);
  header += program;
  header.append(kDateLength, '\0');  // the same input gives the same bytes: there is no date
  header += '\0';                    // the language of the source: Verilog
  append_u64(header, 0);             // what is added to each time
  write_block_of(out_, kTypeHeader, header);
}

void FstWriter::write_geometry() {
  std::string bytes;
  for (const unsigned width : widths()) append_varint(bytes, width);
  std::string geometry;
  append_u64(geometry, bytes.size());  // they are not compressed
  append_u64(geometry, variables().size());
  write_block_of(out_, kTypeGeometry, geometry + bytes);
}

void FstWriter::write_hierarchy() {
  const auto length = static_cast<int>(hierarchy_.size());
  std::string packed(static_cast<std::size_t>(LZ4_compressBound(length)), '\0');
  packed.resize(static_cast<std::size_t>(
      LZ4_compress_default(hierarchy_.data(), packed.data(), length, static_cast<int>(packed.size()))));
  std::string hierarchy;
  append_u64(hierarchy, hierarchy_.size());
  write_block_of(out_, kTypeHierarchyLz4, hierarchy + packed);
}

}  // namespace heddle
