// Reads a cubin's symbol table, its .nv.info sections and the sizes of its .nv.shared sections.
#include "tuner/device/backends/cuda/compile/cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace warptune::tuner::cuda {
namespace {

constexpr Elf64_Half machine_cuda = 190;      // EM_CUDA in the ELF registry
constexpr unsigned char entry_symbol = 0x10;  // STO_CUDA_ENTRY: a bit of st_other that marks __global__ functions
constexpr unsigned char sized_attribute = 4;  // EIFMT_SVAL: the attribute's payload follows, 16 bits tell its size
// These attributes of .nv.info have a payload of {symbol index, value}.
constexpr unsigned char frame_size = 0x11;      // EIATTR_FRAME_SIZE: the function's own stack frame
constexpr unsigned char min_stack_size = 0x12;  // EIATTR_MIN_STACK_SIZE: with the functions that it calls
constexpr unsigned char register_count = 0x2f;  // EIATTR_REGCOUNT
// This attribute of .nv.info.KERNEL has a payload of {index, ordinal (16 bits), offset (16 bits), flags with the size}.
constexpr unsigned char parameter_info = 0x17;  // EIATTR_KPARAM_INFO
constexpr std::uint32_t parameter_size_bit = 18;
// Since compute capability 9.0 the system keeps the first KiB of every block's shared memory, and counts it in.
constexpr std::int64_t reserved_shared_bytes = 1024;

class Elf {
 public:
  explicit Elf(std::span<const std::byte> bytes) : bytes_(bytes) {
    const auto header = read<Elf64_Ehdr>(0);
    const bool known = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
                       header.e_machine == machine_cuda && header.e_shentsize == sizeof(Elf64_Shdr);
    if (!known) throw std::invalid_argument("these bytes are no cubin (64-bit ELF for CUDA)");
    check_range(header.e_phoff, std::size_t{header.e_phnum} * header.e_phentsize);  // program headers end the file
    for (std::size_t i = 0; i < header.e_shnum; ++i)
      sections_.push_back(read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
    names_ = sections_.at(header.e_shstrndx);
  }

  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  std::string_view name(const Elf64_Shdr& section) const { return text(names_, section.sh_name); }
  const Elf64_Shdr* find(std::string_view wanted) const {
    const auto found =
        std::find_if(sections_.begin(), sections_.end(), [&](const auto& each) { return name(each) == wanted; });
    return found == sections_.end() ? nullptr : &*found;
  }

  std::span<const std::byte> content(const Elf64_Shdr& section) const {
    check_range(section.sh_offset, section.sh_size);
    return bytes_.subspan(section.sh_offset, section.sh_size);
  }

  // Returns the zero-terminated text at an offset of a string table.
  std::string_view text(const Elf64_Shdr& table, std::size_t offset) const {
    const auto all = content(table);
    const auto from = all.subspan(std::min(offset, all.size()));
    const auto end = std::find(from.begin(), from.end(), std::byte{0});
    return {reinterpret_cast<const char*>(from.data()), static_cast<std::size_t>(end - from.begin())};
  }

  template <typename T>
  T read(std::size_t offset) const {
    return read_at<T>(bytes_, offset);
  }
  template <typename T>
  static T read_at(std::span<const std::byte> from, std::size_t offset) {
    if (offset > from.size() || sizeof(T) > from.size() - offset) cut_off();
    T value;
    std::memcpy(&value, from.data() + offset, sizeof value);
    return value;
  }

 private:
  void check_range(std::size_t offset, std::size_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) cut_off();
  }
  [[noreturn]] static void cut_off() { throw std::invalid_argument("this cubin is cut off or damaged"); }

  std::span<const std::byte> bytes_;
  std::vector<Elf64_Shdr> sections_;
  Elf64_Shdr names_{};
};

// Returns the linkage names of kernels by symbol index. The names of other symbols are empty.
std::vector<std::string> kernel_symbols(const Elf& elf) {
  const Elf64_Shdr* table = elf.find(".symtab");
  const Elf64_Shdr* strings = elf.find(".strtab");
  if (!table || !strings) return {};
  std::vector<std::string> names;
  const auto content = elf.content(*table);
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= content.size(); at += sizeof(Elf64_Sym)) {
    const auto symbol = Elf::read_at<Elf64_Sym>(content, at);
    const bool kernel = ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && (symbol.st_other & entry_symbol) != 0;
    names.emplace_back(kernel ? elf.text(*strings, symbol.st_name) : std::string_view());
  }
  return names;
}

void apply(unsigned char attribute, std::int64_t value, search::ResourceUse& use) {
  if (attribute == register_count) use.registers_per_thread = value;
  if (attribute == frame_size || attribute == min_stack_size)
    use.local_bytes_per_thread = std::max(use.local_bytes_per_thread, value);
}

// An entry of .nv.info is the format and the attribute (a byte each), a 16-bit value or size, and the payload.
void read_attributes(std::span<const std::byte> info, const std::vector<std::string>& kernels,
                     std::map<std::string, search::ResourceUse>& all) {
  std::size_t at = 0;
  while (at + 4 <= info.size()) {
    const auto format = std::to_integer<unsigned char>(info[at]);
    const auto attribute = std::to_integer<unsigned char>(info[at + 1]);
    const std::size_t payload = format == sized_attribute ? Elf::read_at<std::uint16_t>(info, at + 2) : 0;
    if (payload == 8 && (attribute == register_count || attribute == frame_size || attribute == min_stack_size)) {
      const auto symbol = Elf::read_at<std::uint32_t>(info, at + 4);
      const auto value = Elf::read_at<std::uint32_t>(info, at + 8);
      if (symbol < kernels.size() && !kernels[symbol].empty()) apply(attribute, value, all[kernels[symbol]]);
    }
    at += 4 + payload;
  }
}

void read_static_shared(const Elf& elf, std::map<std::string, search::ResourceUse>& all) {
  const std::int64_t reserved = elf.find(".nv.shared.reserved.0") ? reserved_shared_bytes : 0;
  for (auto& [name, use] : all)
    if (const Elf64_Shdr* section = elf.find(".nv.shared." + name))
      use.static_shared_bytes = std::max<std::int64_t>(static_cast<std::int64_t>(section->sh_size) - reserved, 0);
}

}  // namespace

std::map<std::string, search::ResourceUse> cubin_resources(std::span<const std::byte> cubin) {
  const Elf elf(cubin);
  const auto kernels = kernel_symbols(elf);
  std::map<std::string, search::ResourceUse> all;
  for (const auto& name : kernels)
    if (!name.empty()) all[name];
  if (const Elf64_Shdr* info = elf.find(".nv.info")) read_attributes(elf.content(*info), kernels, all);
  read_static_shared(elf, all);
  return all;
}

namespace {

// Returns the parameters' sizes by their ordinals, or nothing if not all are there.
std::optional<std::vector<std::size_t>> read_parameters(std::span<const std::byte> info) {
  std::map<std::size_t, std::size_t> sizes;
  for (std::size_t at = 0; at + 4 <= info.size();) {
    const auto format = std::to_integer<unsigned char>(info[at]);
    const auto attribute = std::to_integer<unsigned char>(info[at + 1]);
    const std::size_t payload = format == sized_attribute ? Elf::read_at<std::uint16_t>(info, at + 2) : 0;
    if (attribute == parameter_info && payload == 12)
      sizes[Elf::read_at<std::uint16_t>(info, at + 8)] =
          Elf::read_at<std::uint32_t>(info, at + 12) >> parameter_size_bit;
    at += 4 + payload;
  }
  if (sizes.empty()) return std::nullopt;  // none, or told in a way that is not known here
  std::vector<std::size_t> in_order;
  for (const auto& [ordinal, size] : sizes) {
    if (ordinal != in_order.size() || size == 0) return std::nullopt;
    in_order.push_back(size);
  }
  return in_order;
}

}  // namespace

std::map<std::string, std::vector<std::size_t>> cubin_parameters(std::span<const std::byte> cubin) {
  const Elf elf(cubin);
  std::map<std::string, std::vector<std::size_t>> all;
  for (const std::string& name : kernel_symbols(elf)) {
    if (name.empty()) continue;
    const Elf64_Shdr* info = elf.find(".nv.info." + name);
    if (const auto sizes = info ? read_parameters(elf.content(*info)) : std::nullopt) all[name] = *sizes;
  }
  return all;
}

std::vector<std::string> cubin_variables(std::span<const std::byte> cubin) {
  const Elf elf(cubin);
  const Elf64_Shdr* table = elf.find(".symtab");
  const Elf64_Shdr* strings = elf.find(".strtab");
  if (!table || !strings) return {};
  std::vector<std::string> names;
  const auto content = elf.content(*table);
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= content.size(); at += sizeof(Elf64_Sym)) {
    const auto symbol = Elf::read_at<Elf64_Sym>(content, at);
    if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx >= elf.sections().size()) continue;
    // .nv.global holds what begins as zero, .nv.global.init the rest.
    if (elf.name(elf.sections()[symbol.st_shndx]).starts_with(".nv.global"))
      names.emplace_back(elf.text(*strings, symbol.st_name));
  }
  return names;
}

}  // namespace warptune::tuner::cuda
