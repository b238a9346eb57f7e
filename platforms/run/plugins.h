#pragma once
// Plug-ins: libraries with policies that users have compiled themselves. They are loaded before anything
// resolves a policy, stay until the process ends, and processes that are forked from this one have them, too.

#include <string>
#include <vector>

namespace heddle {

struct Plugin {
  std::string file;                   // absolute path
  std::string hash;                   // of its content
  std::vector<std::string> policies;  // "warp_scheduler youngest"
};

// Loads the plug-ins in this order. Throws config::Error for a file that is none, that was made for another
// build, or that registers no policy, a name that is taken or a policy that contradicts itself.
void load_plugins(const std::vector<std::string>& files);
const std::vector<Plugin>& loaded_plugins();

// The hash of everything that simulates: build_id() and the hashes of the plug-ins, whose order is of no
// matter.
std::string simulator_id();

// The options of the compiler with which a plug-in for this build is made, separated by blanks.
std::string plugin_flags();

}  // namespace heddle
