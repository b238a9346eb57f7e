#include "stimuli/ptx/restart/restart_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "stimuli/ptx/analysis/restart.h"

namespace heddle::ptx {

namespace {

// An allocation, or one variable of the module in the allocation of its image.
struct Place {
  Address allocation = 0;
  std::optional<std::uint32_t> variable;  // none: all of the allocation

  bool meets(const Place& other) const {
    return allocation == other.allocation && (!variable || !other.variable || *variable == *other.variable);
  }
};

class Places {
 public:
  Places(const Launch& launch, const DeviceMemory& memory) : launch_(launch), memory_(memory) {}

  // Returns the places that the address may lie in; none: it may lie anywhere.
  std::vector<Place> of(const AccessBases& bases) const {
    std::vector<Place> places;
    for (const std::uint32_t offset : bases.parameters) {
      Address value = 0;
      if (offset + sizeof value > launch_.parameters.size()) return {};
      std::memcpy(&value, launch_.parameters.data() + offset, sizeof value);
      if (const DeviceMemory::Allocation* found = memory_.find(value))
        places.push_back({found->address, std::nullopt});
    }
    const Image& image = image_of(*launch_.code);
    for (const std::uint32_t variable : bases.variables) {
      const DeviceMemory::Allocation* found = memory_.find(image.address_of(variable));
      if (found == nullptr) return {};
      places.push_back({found->address, variable});
    }
    return places;
  }

  // Returns where the textures and surfaces of the launch lie.
  std::vector<Place> of_textures() const {
    std::vector<Place> places;
    const auto add = [&](const auto& textures) {
      for (const auto& [key, texture] : textures)
        if (const DeviceMemory::Allocation* found = memory_.find(texture.address))
          places.push_back({found->address, std::nullopt});
    };
    add(launch_.textures);
    if (launch_.handles != nullptr) add(*launch_.handles);
    return places;
  }

 private:
  const Launch& launch_;
  const DeviceMemory& memory_;
};

bool meet(const std::vector<Place>& a, const std::vector<Place>& b) {
  return std::any_of(a.begin(), a.end(), [&b](const Place& one) {
    return std::any_of(b.begin(), b.end(), [&one](const Place& other) { return one.meets(other); });
  });
}

}  // namespace

std::string restart_problem(const Launch& launch, const DeviceMemory& memory) {
  const Module& module = *image_of(*launch.code).module;
  const Function& entry = module.functions[launch.entry];
  const RestartAnalysis& analysis = restart_of(*launch.code, launch.entry);
  std::string refusal = restart_refusal(module, entry, analysis);
  if (!refusal.empty()) return refusal;
  if (launch.workspace != 0) return "its blocks meet at barriers of the grid";
  if (cluster_of(launch).count() > 1) return "its blocks form clusters";
  const Places places(launch, memory);
  const std::vector<Place> textures =
      analysis.texture_line != 0 ? places.of_textures() : std::vector<Place>{};
  for (const AccessBases& write : analysis.writes) {
    const std::vector<Place> written = places.of(write);
    if (meet(written, textures) || (written.empty() && analysis.texture_line != 0))
      return fmt::format("it writes {} (line {}), where a texture lies", describe(module, entry, write),
                         write.line);
    for (const AccessBases& read : analysis.reads) {
      const std::vector<Place> seen = places.of(read);
      if (written.empty() || seen.empty() || meet(written, seen))
        return fmt::format("it reads {} (line {}) and writes {} (line {}), which may be the same memory",
                           describe(module, entry, read), read.line, describe(module, entry, write),
                           write.line);
    }
  }
  return "";
}

}  // namespace heddle::ptx
