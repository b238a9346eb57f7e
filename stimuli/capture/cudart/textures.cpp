// This file implements objects and references of textures and surfaces.

#include "stimuli/capture/cudart/textures.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "stimuli/capture/cudart/runtime.h"

namespace heddle::capture {

namespace {

using ptx::Texture;

// Sets the texel format. Returns false if no texture has such texels.
bool set_channel(Texture& texture, const ChannelFormat& channel) {
  const int bits = channel.x;
  const int all[] = {channel.x, channel.y, channel.z, channel.w};
  std::uint8_t count = 0;
  for (const int one : all) {
    if (one == 0) break;
    if (one != bits) return false;
    ++count;
  }
  if (count != 1 && count != 2 && count != 4) return false;
  if (channel.x + channel.y + channel.z + channel.w != bits * count) return false;
  if ((bits != 8 && bits != 16 && bits != 32) || channel.kind < 0 || channel.kind > 2) return false;
  texture.channels = count;
  texture.channel_bytes = static_cast<std::uint8_t>(bits / 8);
  texture.channel = channel.kind == 0   ? Texture::Channel::kSigned
                    : channel.kind == 1 ? Texture::Channel::kUnsigned
                                        : Texture::Channel::kFloat;
  return texture.channel != Texture::Channel::kFloat || bits != 8;
}

// Sets the addressing and filter modes from the fields that both descriptors share. Returns false if they are
// invalid.
bool set_sampling(Texture& texture, const int (&address)[3], int filter, bool normalized) {
  for (std::size_t i = 0; i < texture.wrap.size(); ++i) {
    if (address[i] < 0 || address[i] > 3) return false;
    texture.wrap[i] = static_cast<Texture::Wrap>(address[i]);
  }
  if (filter < 0 || filter > 1) return false;
  texture.linear_filter = filter == 1;
  texture.normalized_coordinates = normalized;
  return true;
}

bool set_linear(Texture& texture, const void* address, std::size_t bytes, const ChannelFormat& channel) {
  if (!set_channel(texture, channel)) return false;
  const std::size_t texel = std::size_t{texture.channels} * texture.channel_bytes;
  const std::size_t width = bytes / texel;
  if (width == 0 || width > ~std::uint32_t{0}) return false;
  texture.address = reinterpret_cast<Address>(address);
  texture.width = static_cast<std::uint32_t>(width);
  texture.height = 0;
  texture.pitch = bytes;
  texture.linear_memory = true;
  return true;
}

bool set_pitched(Texture& texture, const void* address, std::size_t width, std::size_t height,
                 std::size_t pitch, const ChannelFormat& channel) {
  constexpr std::size_t kMostTexels = 1U << 20U;  // on one side of a texture
  if (!set_channel(texture, channel) || width == 0 || height == 0) return false;
  if (width > kMostTexels || height > kMostTexels) return false;
  texture.address = reinterpret_cast<Address>(address);
  texture.width = static_cast<std::uint32_t>(width);
  texture.height = static_cast<std::uint32_t>(height);
  texture.pitch = pitch;
  return true;
}

bool set_array(Texture& texture, Runtime& runtime, const void* handle) {
  const Array* const array = runtime.array(handle);
  if (array == nullptr) return false;
  texture.address = array->address;
  constexpr std::uint32_t kFacesOfACube = 6;
  const auto slices = static_cast<std::uint32_t>(array->extent.depth);
  texture.width = static_cast<std::uint32_t>(array->extent.width);
  texture.height = static_cast<std::uint32_t>(array->extent.height);
  texture.cube = (array->flags & Array::kCube) != 0;
  if ((array->flags & Array::kLayered) != 0)
    texture.layers = texture.cube ? slices / kFacesOfACube : slices;
  else if (!texture.cube)
    texture.depth = slices;
  texture.pitch = array->pitch;
  texture.slice = array->slice;
  return set_channel(texture, array->channel);
}

bool is_surface(Runtime& runtime, const void* handle) {
  const Array* const array = runtime.array(handle);
  return array != nullptr && (array->flags & Array::kSurface) != 0;
}

bool in_memory(Runtime& runtime, const Texture& texture) {
  const std::uint64_t row = std::uint64_t{texture.width} * texture.channels * texture.channel_bytes;
  const std::uint64_t rows = texture.height == 0 ? 1 : texture.height;
  const std::uint64_t bytes = (texture.slices() - 1) * texture.slice + (rows - 1) * texture.pitch + row;
  return runtime.session().memory().find(texture.address, bytes) != nullptr;
}

bool set_resource(Texture& texture, Runtime& runtime, const ResourceDescriptor& resource) {
  constexpr int kArray = 0;
  constexpr int kLinear = 2;
  constexpr int kPitched = 3;
  switch (resource.kind) {
    case kArray:
      return set_array(texture, runtime, resource.array);
    case kLinear:
      return set_linear(texture, resource.linear.address, resource.linear.bytes, resource.linear.channel);
    case kPitched:
      return set_pitched(texture, resource.pitched.address, resource.pitched.width, resource.pitched.height,
                         resource.pitched.pitch, resource.pitched.channel);
    default:
      stop("cudaCreateTextureObject: mipmapped arrays are not supported");
  }
}

// Returns the name of a variable `a::b` in PTX (Itanium C++ ABI, "Mangling").
std::string mangled(const std::string& name) {
  std::string result = "_ZN";
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find("::", at), name.size());
    result += std::to_string(end - at) + name.substr(at, end - at);
    at = end + 2;
  }
  return result + "E";
}

// A reference in a namespace has a mangled name in PTX.
const ptx::Variable* find_reference(const ptx::Module& module, const std::string& name) {
  const ptx::Variable* const plain = module.variable(name);
  return plain != nullptr ? plain : module.variable(mangled(name));
}

// Returns the variable of a texture or surface reference; none: there is no such reference.
std::optional<std::uint32_t> variable_of(Runtime& runtime, const void* reference) {
  const TextureReferences::Reference* const found = runtime.references.find(reference);
  if (found == nullptr) return std::nullopt;
  const ptx::Module& module = *runtime.session().image(runtime.module_of(*found->symbol.binary)).module;
  const ptx::Variable* const variable = find_reference(module, found->symbol.name);
  if (variable == nullptr) return std::nullopt;
  return static_cast<std::uint32_t>(variable - module.variables.data());
}

// A border of another colour than zero is not sampled.
bool has_border(const TextureDescriptor& description) {
  constexpr int kBorder = 3;
  const auto& address = description.address;
  const auto& colour = description.border;
  return std::find(std::begin(address), std::end(address), kBorder) != std::end(address) &&
         std::any_of(std::begin(colour), std::end(colour), [](float part) { return part != 0; });
}

// Binds a texture reference to a texture that `set` fills.
template <typename Set>
int bind(const char* name, const TextureReference* reference, const Set& set) {
  return guarded(name, [&](Runtime& runtime) -> int {
    const auto variable = variable_of(runtime, reference);
    if (!variable) return kInvalidTexture;
    Texture texture;
    if (!set(runtime, texture)) return kInvalidTexture;
    if (!set_sampling(texture, reference->address, reference->filter, reference->normalized != 0))
      return kInvalidTexture;
    if (!in_memory(runtime, texture)) return kInvalidValue;
    texture.normalized_values =
        runtime.references.find(reference)->normalized_values && texture.channel != Texture::Channel::kFloat;
    runtime.references.bind(reference, {*variable, texture});
    return kSuccess;
  });
}

}  // namespace

const TextureReferences::Reference* TextureReferences::find(const void* handle) const {
  const auto found = references_.find(handle);
  return found == references_.end() ? nullptr : &found->second;
}

std::vector<BoundTexture> TextureReferences::bound_in(std::uint32_t module) const {
  std::vector<BoundTexture> textures;
  for (const auto& [handle, texture] : bound_)
    if (references_.at(handle).symbol.binary->module == module) textures.push_back(texture);
  std::sort(textures.begin(), textures.end(),
            [](const BoundTexture& a, const BoundTexture& b) { return a.variable < b.variable; });
  return textures;
}

}  // namespace heddle::capture

using namespace heddle::capture;  // the functions below have C linkage
using heddle::ptx::Texture;

extern "C" {

int cudaCreateTextureObject(std::uint64_t* handle, const ResourceDescriptor* resource,
                            const TextureDescriptor* description, const void* view) {
  if (view != nullptr) stop("cudaCreateTextureObject: resource views are not supported");
  if (description->srgb != 0) stop("cudaCreateTextureObject: sRGB textures are not supported");
  if (has_border(*description))
    stop("cudaCreateTextureObject: a border colour other than zero is not supported");
  return guarded("cudaCreateTextureObject", [&](Runtime& runtime) -> int {
    Texture texture;
    if (!set_resource(texture, runtime, *resource)) return kInvalidValue;
    if (!set_sampling(texture, description->address, description->filter, description->normalized != 0))
      return kInvalidValue;
    texture.normalized_values = description->read_mode == 1 && texture.channel != Texture::Channel::kFloat;
    if (!in_memory(runtime, texture)) return kInvalidValue;
    *handle = runtime.session().add_texture(texture);
    return kSuccess;
  });
}

// A surface is an array that was made for surfaces. It has no rules of sampling.
int cudaCreateSurfaceObject(std::uint64_t* handle, const ResourceDescriptor* resource) {
  constexpr int kArray = 0;
  return guarded("cudaCreateSurfaceObject", [&](Runtime& runtime) -> int {
    if (handle == nullptr || resource == nullptr || resource->kind != kArray) return kInvalidValue;
    Texture surface;
    if (!is_surface(runtime, resource->array) || !set_array(surface, runtime, resource->array))
      return kInvalidValue;
    *handle = runtime.session().add_texture(surface);
    return kSuccess;
  });
}

int cudaDestroySurfaceObject(std::uint64_t handle) {
  return guarded("cudaDestroySurfaceObject", [&](Runtime& runtime) -> int {
    return runtime.session().drop_texture(handle) ? kSuccess : kInvalidValue;
  });
}

int cudaBindSurfaceToArray(const void* reference, const void* array, const ChannelFormat* /*channel*/) {
  return guarded("cudaBindSurfaceToArray", [&](Runtime& runtime) -> int {
    const auto variable = variable_of(runtime, reference);
    if (!variable) return kInvalidSurface;
    Texture surface;
    if (!is_surface(runtime, array) || !set_array(surface, runtime, array)) return kInvalidValue;
    runtime.references.bind(reference, {*variable, surface});
    return kSuccess;
  });
}

int cudaDestroyTextureObject(std::uint64_t handle) {
  return guarded("cudaDestroyTextureObject", [&](Runtime& runtime) -> int {
    return runtime.session().drop_texture(handle) ? kSuccess : kInvalidValue;
  });
}

int cudaBindTexture(std::size_t* offset, const TextureReference* reference, const void* pointer,
                    const ChannelFormat* channel, std::size_t bytes) {
  if (offset != nullptr) *offset = 0;
  return bind("cudaBindTexture", reference, [&](Runtime& runtime, Texture& texture) {
    const auto address = reinterpret_cast<heddle::Address>(pointer);
    const auto* allocation = runtime.session().memory().find(address);
    if (allocation == nullptr) return false;
    return set_linear(texture, pointer, std::min<std::size_t>(bytes, allocation->end() - address), *channel);
  });
}

int cudaBindTexture2D(std::size_t* offset, const TextureReference* reference, const void* pointer,
                      const ChannelFormat* channel, std::size_t width, std::size_t height,
                      std::size_t pitch) {
  if (offset != nullptr) *offset = 0;
  return bind("cudaBindTexture2D", reference, [&](Runtime&, Texture& texture) {
    return set_pitched(texture, pointer, width, height, pitch, *channel);
  });
}

int cudaBindTextureToArray(const TextureReference* reference, const void* array,
                           const ChannelFormat* /*channel*/) {
  return bind("cudaBindTextureToArray", reference,
              [&](Runtime& runtime, Texture& texture) { return set_array(texture, runtime, array); });
}

int cudaUnbindTexture(const TextureReference* reference) {
  return guarded("cudaUnbindTexture", [&](Runtime& runtime) -> int {
    runtime.references.unbind(reference);
    return kSuccess;
  });
}

int cudaGetTextureAlignmentOffset(std::size_t* offset, const TextureReference* /*reference*/) {
  *offset = 0;
  return kSuccess;
}
}
