// Reads a cubin's symbol table and its .nv.info sections.
#include "tuner/device/backends/cuda/compile/cubin.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace warptune::tuner::cuda {
namespace {

constexpr unsigned machine_cuda = 190;        // EM_CUDA in the ELF registry
constexpr unsigned entry_symbol = 0x10;       // STO_CUDA_ENTRY: a bit of st_other that marks __global__ functions
constexpr unsigned char sized_attribute = 4;  // EIFMT_SVAL: the attribute's payload follows, 16 bits tell its size
// This attribute of .nv.info.KERNEL has a payload of {index, ordinal (16 bits), offset (16 bits), flags with the size}.
constexpr unsigned char parameter_info = 0x17;  // EIATTR_KPARAM_INFO
constexpr std::uint32_t parameter_size_bit = 18;

// Returns the parameters' sizes by their ordinals, or nothing if not all are there.
std::optional<std::vector<std::size_t>> parameter_sizes(std::span<const std::byte> info) {
  std::map<std::size_t, std::size_t> sizes;
  for (const auto& [number, payload] : cubin_attributes(info))
    if (number == parameter_info && payload.size() == 12)
      sizes[ElfFile::value_at<std::uint16_t>(payload, 4)] =
          ElfFile::value_at<std::uint32_t>(payload, 8) >> parameter_size_bit;
  if (sizes.empty()) return std::nullopt;  // none, or told in a way that is not known here
  std::vector<std::size_t> in_order;
  for (const auto& [ordinal, size] : sizes) {
    if (ordinal != in_order.size() || size == 0) return std::nullopt;
    in_order.push_back(size);
  }
  return in_order;
}

}  // namespace

ElfFile open_cubin(std::span<const std::byte> cubin) {
  ElfFile elf(cubin);
  if (elf.machine() != machine_cuda) throw std::invalid_argument("this ELF file is no cubin");
  return elf;
}

bool is_kernel(const ElfSymbol& symbol) {
  return symbol.type == STT_FUNC && (symbol.other & entry_symbol) != 0;
}

// An entry of .nv.info is the format and the attribute (a byte each), a 16-bit value or size, and the payload.
std::vector<CubinAttribute> cubin_attributes(std::span<const std::byte> info) {
  std::vector<CubinAttribute> attributes;
  for (std::size_t at = 0; at + 4 <= info.size();) {
    const bool sized = std::to_integer<unsigned char>(info[at]) == sized_attribute;
    const std::size_t bytes = sized ? ElfFile::value_at<std::uint16_t>(info, at + 2) : 0;
    attributes.push_back(
        {std::to_integer<unsigned char>(info[at + 1]), info.subspan(at + 4, std::min(bytes, info.size() - at - 4))});
    at += 4 + bytes;
  }
  return attributes;
}

std::map<std::string, std::vector<std::size_t>> cubin_parameters(std::span<const std::byte> cubin) {
  const ElfFile elf = open_cubin(cubin);
  std::map<std::string, std::vector<std::size_t>> all;
  for (const ElfSymbol& symbol : elf.symbols()) {
    if (!is_kernel(symbol)) continue;
    const std::string name(symbol.name);
    const Elf64_Shdr* info = elf.find(".nv.info." + name);
    if (const auto sizes = info ? parameter_sizes(elf.content(*info)) : std::nullopt) all[name] = *sizes;
  }
  return all;
}

std::vector<std::string> cubin_variables(std::span<const std::byte> cubin) {
  const ElfFile elf = open_cubin(cubin);
  std::vector<std::string> names;
  // .nv.global holds what begins as zero, .nv.global.init the rest.
  for (const ElfSymbol& symbol : elf.symbols())
    if (symbol.type == STT_OBJECT && symbol.section.starts_with(".nv.global")) names.emplace_back(symbol.name);
  return names;
}

}  // namespace warptune::tuner::cuda
