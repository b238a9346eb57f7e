// The dynamic linker calls these functions in a captured program for each library that it searches for
// (rtld-audit(7)). They name the libraries of NVIDIA's that heddle capture does not support. A program that
// needs one from its start ends before its first instruction. One that opens it later is told that there is
// no such library.

#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <set>
#include <string>

#include "stimuli/capture/format/environment.h"
#include "stimuli/capture/format/vendor_library.h"

namespace {

bool started = false;

// Returns the file that asks for the library. The linker sets the cookie of a file to the address of its map.
std::string asking_file(const std::uintptr_t* cookie) {
  const auto* const map = reinterpret_cast<const link_map*>(*cookie);
  return map == nullptr || map->l_name == nullptr || *map->l_name == '\0' ? "the program" : map->l_name;
}

void name_once(const std::string& line) {
  static std::set<std::string> named;
  if (named.insert(line).second) std::fputs(line.c_str(), stderr);
}

}  // namespace

extern "C" {

unsigned la_version(unsigned /*version*/) {
  return LAV_CURRENT;
}

void la_preinit(std::uintptr_t* /*cookie*/) {
  started = true;
}

char* la_objsearch(const char* name, std::uintptr_t* cookie, unsigned flag) {
  const std::string refusal = flag == LA_SER_ORIG ? heddle::capture::refusal_of_library(name) : "";
  if (refusal.empty()) return const_cast<char*>(name);
  name_once("heddle: " + asking_file(cookie) + (started ? " opens " : " needs ") + refusal + "\n");
  if (!started) ::_exit(heddle::capture::kStoppedStatus);
  return nullptr;
}
}
