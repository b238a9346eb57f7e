#pragma once
// Who computed a result: version, revision, host, command line; and a hash of the program itself.

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace heddle {

std::string version();   // "0.1.0 (revision)"
std::string build_id();  // hash of the program and its libraries, as they are on disk
std::string content_hash(const std::string& text);  // SHA-1, in hex
std::string file_hash(const std::string& file);     // of what it holds; unreadable: throws config::Error

nlohmann::ordered_json provenance(const std::vector<std::string>& argv);

}  // namespace heddle
