#include "platforms/run/provenance.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <boost/uuid/detail/sha1.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

#include "models/core/base/systemc_reports.h"
#include "models/core/config/config.h"
#include "models/core/config/input_file.h"
#include "platforms/run/plugins.h"
#include "policies/registry.h"

namespace heddle {

namespace {

std::string file_of(const void* symbol) {
  Dl_info info{};
  return dladdr(symbol, &info) != 0 ? info.dli_fname : "";
}

// Returns the linker's build ID of one loaded object, a note in a segment of its own, or an empty text if the
// object has none.
std::string linked_id(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const unsigned char*>(object.dlpi_addr + segment.p_vaddr);
    const unsigned char* end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const unsigned char* name = at + sizeof note;
      const unsigned char* text = name + (note.n_namesz + 3) / 4 * 4;
      at = text + (note.n_descsz + 3) / 4 * 4;
      if (note.n_type != NT_GNU_BUILD_ID) continue;
      std::string id;
      for (const unsigned char* byte = text; byte < text + note.n_descsz; ++byte)
        id += fmt::format("{:02x}", *byte);
      return id;
    }
  }
  return "";
}

std::string file_of_logic() {
  PolicyCatalogue& (*const in_logic)() = &PolicyCatalogue::instance;
  return file_of(reinterpret_cast<const void*>(in_logic));
}

// LinkedIds collects the build IDs of the program and of Heddle's libraries.
struct LinkedIds {
  std::vector<std::string> files;
  std::string text;
  bool with_program = true;

  static int add(dl_phdr_info* object, std::size_t, void* data) {
    auto& ids = *static_cast<LinkedIds*>(data);
    const std::string name = object->dlpi_name;  // empty for the program itself
    if ((name.empty() && ids.with_program) ||
        std::find(ids.files.begin(), ids.files.end(), name) != ids.files.end())
      if (const std::string id = linked_id(*object); !id.empty()) ids.text += id + " ";
    return 0;
  }
};

std::string digest_of(boost::uuids::detail::sha1& sha) {
  unsigned int digest[5];
  sha.get_digest(digest);
  return fmt::format("{:08x}{:08x}{:08x}{:08x}{:08x}", digest[0], digest[1], digest[2], digest[3], digest[4]);
}

}  // namespace

std::string version() {
  return fmt::format("{} ({})", HEDDLE_VERSION, HEDDLE_REVISION);
}

std::string content_hash(const std::string& text) {
  boost::uuids::detail::sha1 sha;
  sha.process_bytes(text.data(), text.size());
  return digest_of(sha);
}

std::string file_hash(const std::string& file) {
  config::check_file(file);
  boost::uuids::detail::sha1 sha;
  std::ifstream in(file, std::ios::binary);
  std::vector<char> part(1 << 16);
  do {
    in.read(part.data(), static_cast<std::streamsize>(part.size()));
    sha.process_bytes(part.data(), static_cast<std::size_t>(in.gcount()));
  } while (in);
  if (!in.eof()) throw config::Error({file + ": cannot be read"});
  return digest_of(sha);
}

std::string library_id() {
  static const std::string id = [] {
    LinkedIds ids{{file_of_logic()}, "", false};
    dl_iterate_phdr(&LinkedIds::add, &ids);
    return content_hash(ids.text);
  }();
  return id;
}

std::string build_id() {
  static const std::string id = [] {
    void (*const in_models)() = &route_systemc_reports;
    LinkedIds ids{{file_of(reinterpret_cast<const void*>(in_models)), file_of_logic()}, ""};
    dl_iterate_phdr(&LinkedIds::add, &ids);
    return content_hash(ids.text);
  }();
  return id;
}

Provenance provenance(const std::vector<std::string>& argv) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  Provenance origin;
  origin.version = HEDDLE_VERSION;
  origin.revision = HEDDLE_REVISION;
  origin.build_id = build_id();
  origin.host = host.data();
  origin.argv = argv;
  for (const Plugin& plugin : loaded_plugins())
    origin.plugins.push_back({plugin.file, plugin.hash, plugin.policies});
  return origin;
}

}  // namespace heddle
