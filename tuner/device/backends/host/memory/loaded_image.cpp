// Reads the program headers of a loaded library (dl_iterate_phdr).
#include "tuner/device/backends/host/memory/loaded_image.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <span>

namespace warptune::tuner::host {

namespace {

struct Search {
  std::uint64_t base;
  LoadedImage found;
};

// Adds the pages of a part that stay writable. Protection goes by pages, and the loader protects what it has written
// (PT_GNU_RELRO) in whole pages only.
void add_writable(const dl_phdr_info& library, const ElfW(Phdr) & part, LoadedImage& image) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::uint64_t begin = (library.dlpi_addr + part.p_vaddr) / page * page;
  const std::uint64_t end = (library.dlpi_addr + part.p_vaddr + part.p_memsz + page - 1) / page * page;
  for (const auto& other : std::span(library.dlpi_phdr, library.dlpi_phnum)) {
    if (other.p_type != PT_GNU_RELRO) continue;
    const std::uint64_t first = (library.dlpi_addr + other.p_vaddr) / page * page;
    const std::uint64_t last = (library.dlpi_addr + other.p_vaddr + other.p_memsz) / page * page;
    if (first >= last || last <= begin || first >= end) continue;
    if (first > begin) image.writable.push_back({begin, first - begin});
    begin = last;
  }
  if (begin < end) image.writable.push_back({begin, end - begin});
}

int look_at(dl_phdr_info* library, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  if (library->dlpi_addr != search.base) return 0;
  LoadedImage& image = search.found;
  for (const auto& part : std::span(library->dlpi_phdr, library->dlpi_phnum)) {
    if (part.p_type == PT_TLS)
      image.thread_block = {reinterpret_cast<std::uint64_t>(library->dlpi_tls_data), part.p_memsz};
    if (part.p_type != PT_LOAD) continue;
    image.whole.bytes = std::max(image.whole.bytes, part.p_vaddr + part.p_memsz);
    if ((part.p_flags & PF_W) != 0) add_writable(*library, part, image);
  }
  return 1;
}

}  // namespace

LoadedImage image_of(const void* address) {
  Dl_info library{};
  dladdr(address, &library);
  const auto base = reinterpret_cast<std::uint64_t>(library.dli_fbase);
  Search search{base, {{base, 0}, {}, {}}};
  dl_iterate_phdr(&look_at, &search);
  return search.found;
}

std::vector<std::pair<std::string, MemorySpan>> writable_pieces(const LoadedImage& image,
                                                                const std::vector<ElfSymbol>& symbols) {
  std::vector<std::pair<std::string, MemorySpan>> pieces;
  for (const MemorySpan& part : image.writable) {
    const std::uint64_t end = part.address + part.bytes;
    std::vector<ElfSymbol> variables;
    std::set<std::uint64_t> cuts = {part.address, end};
    for (ElfSymbol symbol : symbols) {
      symbol.value += image.whole.address;
      if (symbol.undefined || symbol.thread_local_storage || symbol.bytes == 0) continue;
      if (symbol.value >= end || symbol.value + symbol.bytes <= part.address) continue;
      for (const std::uint64_t cut : {symbol.value, symbol.value + symbol.bytes})
        if (cut > part.address && cut < end) cuts.insert(cut);
      variables.push_back(symbol);
    }
    for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
      const auto owner = std::ranges::find_if(
          variables, [at = *cut](const ElfSymbol& each) { return at >= each.value && at - each.value < each.bytes; });
      pieces.emplace_back(owner == variables.end() ? "(without a name)" : owner->name,
                          MemorySpan{*cut, *std::next(cut) - *cut});
    }
  }
  return pieces;
}

}  // namespace warptune::tuner::host
