#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/core/config/config.h"
#include "models/rtl/rtl_spec.h"

namespace heddle {

// The folder of blocks that come with Heddle.
inline constexpr const char* kRtlFolder = "stimuli/rtl";

// Reads a block. Relative paths in the section are relative to `directory`. Problems are recorded in the
// section's document. Whether the library has the pins is check_pins()'s to find.
RtlSpec read_rtl_block(const config::Section& section, const std::string& directory);

// Loads a block, which is a name or a file of stimuli/rtl. Throws config::Error with every problem. With
// `problems`, they are added there, and the block is what could be read.
RtlSpec load_rtl_block(const std::string& name_or_file, std::vector<std::string>* problems = nullptr);

// Reads how a machine uses a block: mode, instances, seeds and the like. A key that is absent leaves the spec
// as it is.
void read_rtl_use(const config::Section& section, RtlSpec& spec);

// Reads the blocks of a platform: its section `rtl`, by name.
std::map<std::string, RtlSpec> read_rtl_blocks(const config::Section& root);

// Reads which block stands at a place of the memory path: the key `block` of the section `l2` or `dram`,
// which is `key` in the tables of roles. Returns its name, or "" for the model.
std::string read_rtl_place(const config::Section& section, const char* key,
                           const std::map<std::string, RtlSpec>& blocks);

// Returns every key of a block. PIN and NAME stand for a name of the block's own.
std::vector<config::KeyDescription> rtl_block_keys();

}  // namespace heddle
