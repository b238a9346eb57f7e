#include "stimuli/ptx/text/kernel_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace heddle::ptx {

std::string kernel_name(const std::string& symbol) {
  constexpr std::string_view kStatic =
      "__nv_static_";  // of a file that nvcc compiles apart; its hash follows
  if (symbol.compare(0, kStatic.size(), kStatic) == 0)
    if (const std::size_t own = symbol.find("__Z"); own != std::string::npos)
      return kernel_name(symbol.substr(own + 1));
  if (symbol.compare(0, 2, "_Z") != 0) return symbol;  // a plain "f" is not float
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return symbol;
  std::string name = text.get();
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (depth != 0) continue;
    if (name[i] == '(' && name.compare(i, 11, "(anonymous ") != 0) {
      name.resize(i);
    } else if (name[i] == ' ' && name.compare(0, 10, "(anonymous") != 0) {
      name.erase(0, i + 1);  // removes the return type of a template
      i = 0;
    }
  }
  return name;
}

}  // namespace heddle::ptx
