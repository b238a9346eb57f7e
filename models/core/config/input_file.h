#pragma once
// Input files. A directory, a device, a FIFO or a socket in place of a file is an error that names it: to
// open or to read one fails without a name, waits for another process, or never ends.

#include <cstddef>
#include <limits>
#include <string>

namespace heddle::config {

// Notes `file` as an input. Throws Error if it exists and is no regular file and no pipe of this process.
void check_file(const std::string& file);

// Returns the content of a file. It stops behind `most` bytes, so that a file that is too large is not read
// to its end. Throws Error if the file cannot be read.
std::string read_file(const std::string& file, std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace heddle::config
