#pragma once
// This file has the texture and surface references of a captured program and the textures that are bound to
// them.

#include <cstdint>
#include <map>
#include <vector>

#include "stimuli/capture/cudart/registration.h"
#include "stimuli/capture/format/capture.h"

namespace heddle::capture {

class TextureReferences {
 public:
  struct Reference {
    Symbol symbol;
    bool normalized_values = false;
  };

  void add(const void* handle, const Reference& reference) { references_[handle] = reference; }
  const Reference* find(const void* handle) const;  // null if unknown

  // Binds the texture to the reference that add() has given this handle.
  void bind(const void* handle, const BoundTexture& texture) { bound_[handle] = texture; }
  void unbind(const void* handle) { bound_.erase(handle); }
  void unbind_all() { bound_.clear(); }
  // Returns the textures that are bound to references of a module, in order of the references' variables.
  std::vector<BoundTexture> bound_in(std::uint32_t module) const;

 private:
  std::map<const void*, Reference> references_;
  std::map<const void*, BoundTexture> bound_;  // bound references only
};

}  // namespace heddle::capture
