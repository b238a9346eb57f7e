#pragma once
// These functions write typed values as JSON and read them back. A codec lists the fields of a type once, for
// both directions.
//
//   template <class Io>
//   void fields(Io& io, io_ref<Io, KernelResult> kernel) {
//     io.field("kernel", kernel.kernel);
//     io.field("cycles", kernel.cycles);
//   }
//   std::string text = json_line_of(kernel);
//   auto again = read_json<KernelResult>(text);
//
// Reading is strict: a value of another type, a missing key, an unknown key and text that is no JSON throw
// CodecError with the place, as in "applications[0].kernels[2].cycles: is missing".

#include <string>
#include <type_traits>

#include "platforms/run/result/json_reader.h"
#include "platforms/run/result/json_writer.h"

namespace heddle {

// The type of the value that fields() takes: const for a FieldWriter, which reads it, and mutable for a
// FieldReader, which fills it.
template <class Io, class T>
using io_ref = std::conditional_t<std::is_same_v<Io, FieldWriter>, const T&, T&>;

template <class T>
std::string json_line_of(const T& value) {
  return json_line(FieldWriter::json_of(value));
}

template <class T>
std::string json_file_of(const T& value) {
  return json_file(FieldWriter::json_of(value));
}

// Throws CodecError.
template <class T>
T read_json(const std::string& text) {
  T value;
  FieldReader::read(parse_json(text), "", value);
  return value;
}

}  // namespace heddle
