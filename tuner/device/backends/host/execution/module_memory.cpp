// Reads the program headers of a loaded library (dl_iterate_phdr), protects pages with mprotect, fills variables and
// gaps with noise, and compares the gaps with it after a launch.
#include "tuner/device/backends/host/execution/module_memory.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
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
      if (symbol.undefined || symbol.type == STT_TLS || symbol.bytes == 0) continue;
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

namespace {

// Returns a variable's name in the source: "As" of "matmul(float const*)::As".
std::string name_in_source(const std::string& linkage_name) {
  if (linkage_name.rfind("_Z", 0) != 0) return linkage_name;  // demangled, "s" would be the type short
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text{
      abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status), &std::free};
  const std::string name = status == 0 ? text.get() : linkage_name;
  const std::size_t at = name.rfind("::");
  return at == name.npos ? name : name.substr(at + 2);
}

// Returns whether a symbol is a guard, which says whether a variable has been initialised (Itanium C++ ABI, 3.3.2). C++
// functions may have such. A guard keeps one bit, so that nothing else can be kept under such a name.
bool is_guard(const ElfSymbol& symbol) {
  return symbol.bytes > 0 && symbol.bytes <= 8 && (symbol.name == "__tls_guard" || symbol.name.rfind("_ZGV", 0) == 0);
}

bool take(std::byte* to, std::span<const std::byte> noise) {
  std::memcpy(to, noise.data(), noise.size());
  return true;
}

std::uint64_t mixed(std::uint64_t bits) {
  return (bits ^ bits >> 31) * 0xbf58476d1ce4e5b9u;
}

// Holds a thread's fences, which are lifted before the C library frees the thread's blocks.
struct ThreadFences {
  std::vector<std::shared_ptr<Fence>> fences;
  ~ThreadFences() {
    for (const auto& fence : fences) fence->lift();
  }
};

void keep_for_this_thread(std::shared_ptr<Fence> fence) {
  thread_local ThreadFences own;
  std::erase_if(own.fences, [](const auto& each) { return each.use_count() == 1; });  // their module has ended
  own.fences.push_back(std::move(fence));
}

}  // namespace

Fence::Fence(MemorySpan block) : block_(block) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  begin_ = end_ = (block.address + block.bytes) / page * page;
}

std::uint64_t Fence::move(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t wanted = std::min((address + page - 1) / page * page, end_);
  const std::uint64_t first = std::min(wanted, begin_), last = std::max(wanted, begin_);
  const int access = wanted < begin_ ? PROT_NONE : PROT_READ | PROT_WRITE;
  if (first == last || mprotect(reinterpret_cast<void*>(first), last - first, access) == 0) begin_ = wanted;
  return begin_ == end_ ? block_.address + block_.bytes : begin_;
}

void Fence::lift() {
  move(end_);
  lifted_ = true;
}

SharedLayout::SharedLayout(const LoadedImage& image, const std::vector<ElfSymbol>& symbols, MemorySpan context,
                           std::uint64_t set_aside)
    : bytes_(image.thread_block.bytes), dynamic_(bytes_ - std::min<std::uint64_t>(bytes_, set_aside)) {
  own_.push_back({context.address - image.thread_block.address, context.bytes});
  for (const ElfSymbol& symbol : symbols) {
    if (symbol.type != STT_TLS || symbol.undefined || symbol.value == own_.front().address) continue;
    const MemorySpan span{symbol.value, symbol.bytes};
    if (is_guard(symbol))
      own_.push_back(span);
    else
      variables_.push_back({name_in_source(std::string(symbol.name)), span});
  }
  if (!symbols.empty()) find_gaps();
}

SharedLayout::~SharedLayout() {
  for (const auto& fence : fences_) fence->lift();
}

void SharedLayout::find_gaps() {
  std::vector<MemorySpan> taken(own_);
  for (const Variable& variable : variables_) taken.push_back(variable.span);
  std::ranges::sort(taken, {}, &MemorySpan::address);
  std::uint64_t at = 0;
  for (const MemorySpan& span : taken) {
    if (span.address > at) gaps_.push_back({at, std::min(span.address, dynamic_) - at});
    at = std::max(at, std::min(span.address + span.bytes, dynamic_));
    if (at == dynamic_) return;
  }
  gaps_.push_back({at, dynamic_ - at});
}

Fence& SharedLayout::fence(std::uint64_t block) const {
  const std::lock_guard lock(mutex_);
  std::erase_if(fences_, [](const auto& fence) { return fence->lifted(); });  // their thread has ended
  const auto known = std::ranges::find(fences_, block, [](const auto& fence) { return fence->block(); });
  if (known != fences_.end()) return **known;
  fences_.push_back(std::make_shared<Fence>(MemorySpan{block, bytes_}));
  keep_for_this_thread(fences_.back());
  return *fences_.back();
}

SharedMemory::SharedMemory(const SharedLayout& layout, std::uint64_t context, std::int64_t dynamic_bytes,
                           std::span<const std::byte> noise, std::uint64_t seed)
    : noise_(noise), seed_(seed) {
  const std::uint64_t block = layout.block(context), dynamic = block + layout.dynamic();
  const std::uint64_t asked = dynamic + static_cast<std::uint64_t>(dynamic_bytes);
  const std::uint64_t behind = layout.fence(block).move(asked);
  for (const auto& [name, span] : layout.variables())
    if (span.bytes > 0) variables_.push_back({block + span.address, span.bytes});
  if (behind > dynamic) variables_.push_back({dynamic, std::min(asked, behind) - dynamic});
  for (const MemorySpan& gap : layout.gaps()) gaps_.push_back({block + gap.address, gap.bytes});
  if (behind > asked) gaps_.push_back({asked, behind - asked});
  for (const MemorySpan& gap : gaps_) each_piece(gap, seed_, &take);
  for (const MemorySpan& guard : layout.own().subspan(1)) {
    auto* bytes = reinterpret_cast<unsigned char*>(block + guard.address);
    bytes[0] &= 1;
    std::fill(bytes + 1, bytes + guard.bytes, 0);
  }
}

// Visits the span with the noise that belongs there, until a visit says false.
template <class Visit>
bool SharedMemory::each_piece(MemorySpan span, std::uint64_t at, Visit visit) const {
  for (std::uint64_t done = 0; done < span.bytes;) {
    at = mixed(at);
    const std::uint64_t bytes = std::min(span.bytes - done, noise_.size() / 2);
    const std::uint64_t from = (at >> 20) % (noise_.size() / 2 / 16) * 16;
    if (!visit(reinterpret_cast<std::byte*>(span.address + done), noise_.subspan(from, bytes))) return false;
    done += bytes;
  }
  return true;
}

void SharedMemory::fill(std::int64_t block) const {
  std::uint64_t at = seed_ + static_cast<std::uint64_t>(block) * 0x9e3779b97f4a7c15u;
  for (const MemorySpan& span : variables_) {
    at = mixed(at);
    each_piece(span, at, &take);
  }
}

bool SharedMemory::overrun() const {
  return std::ranges::any_of(gaps_, [this](const MemorySpan& gap) {
    return !each_piece(gap, seed_, [](const std::byte* at, std::span<const std::byte> piece) {
      return std::memcmp(at, piece.data(), piece.size()) == 0;
    });
  });
}

}  // namespace warptune::tuner::host
