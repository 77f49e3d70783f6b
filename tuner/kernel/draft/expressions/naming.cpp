// Compares the words of a name with those that sources commonly use.
#include "tuner/kernel/draft/expressions/naming.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "search/plain_text.h"

namespace warptune::tuner::draft {

namespace {

bool has(const std::string& text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

// Returns the words of a name: "BLOCK_SIZE_X" has "block", "size" and "x". A word ends at an underscore and before a
// capital after a small letter.
std::set<std::string> words_of(const std::string& name) {
  std::set<std::string> words;
  for (std::string rest = search::lower_case(macro_name(name)); !rest.empty();) {
    const std::size_t end = std::min(rest.find('_'), rest.size());
    if (end > 0) words.insert(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  return words;
}

bool has_word(const std::set<std::string>& words, std::initializer_list<const char*> any) {
  return std::ranges::any_of(any, [&](const char* word) { return words.contains(word); });
}

std::vector<std::int64_t> with(std::vector<std::int64_t> values, std::int64_t value) {
  values.push_back(value);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

const std::map<std::string, ElementType>& scalar_types() {
  using enum ElementType;
  static const std::map<std::string, ElementType> types = {{"float", f32},
                                                           {"double", f64},
                                                           {"half", f16},
                                                           {"__half", f16},
                                                           {"__nv_bfloat16", bf16},
                                                           {"nv_bfloat16", bf16},
                                                           {"char", i8},
                                                           {"signed char", i8},
                                                           {"int8_t", i8},
                                                           {"unsigned char", u8},
                                                           {"uint8_t", u8},
                                                           {"uchar", u8},
                                                           {"bool", u8},
                                                           {"short", i16},
                                                           {"int16_t", i16},
                                                           {"unsigned short", u16},
                                                           {"uint16_t", u16},
                                                           {"ushort", u16},
                                                           {"int", i32},
                                                           {"int32_t", i32},
                                                           {"signed int", i32},
                                                           {"signed", i32},
                                                           {"unsigned", u32},
                                                           {"unsigned int", u32},
                                                           {"uint32_t", u32},
                                                           {"uint", u32},
                                                           {"long", i64},
                                                           {"long int", i64},
                                                           {"long long", i64},
                                                           {"long long int", i64},
                                                           {"int64_t", i64},
                                                           {"ptrdiff_t", i64},
                                                           {"unsigned long", u64},
                                                           {"unsigned long long", u64},
                                                           {"uint64_t", u64},
                                                           {"unsigned long int", u64},
                                                           {"unsigned long long int", u64},
                                                           {"size_t", u64}};
  return types;
}

}  // namespace

std::optional<Element> element_of(const std::string& written) {
  std::string type = written;
  for (const std::string_view space : {"::", "cuda::", "std::"})
    if (type.starts_with(space)) type.erase(0, space.size());
  if (const auto known = scalar_types().find(type); known != scalar_types().end()) return Element{known->second, 1};
  if (type == "half2" || type == "__half2") return Element{ElementType::f16, 2};
  if (type == "__nv_bfloat162" || type == "nv_bfloat162") return Element{ElementType::bf16, 2};
  if (type == "cuComplex" || type == "cuFloatComplex") return Element{ElementType::f32, 2};
  if (type == "cuDoubleComplex") return Element{ElementType::f64, 2};
  if (type.size() < 4 || type.back() < '1' || type.back() > '4') return std::nullopt;
  const std::string base = type.substr(0, type.size() - 1);
  for (const std::string_view vector : {"float", "double", "int", "uint", "char", "uchar", "short", "ushort"})
    if (base == vector) return Element{scalar_types().at(base), type.back() - '0'};
  return std::nullopt;
}

bool is_integer_type(const std::string& type) {
  const auto element = element_of(type);
  return element && element->count == 1 && !is_floating(element->type);
}

bool may_be_size(const std::string& type) {
  return is_integer_type(type) && size_bytes(element_of(type)->type) > 1;
}

bool is_division_upwards(const std::string& function) {
  const std::string name = search::lower_case(function);
  return name == "cdiv" || (has(name, {"div"}) && has(name, {"up", "ceil"}));
}

bool is_rounding_up(const std::string& function) {
  const std::string name = search::lower_case(function);
  return has(name, {"up"}) && has(name, {"round", "align"}) && !has(name, {"div"});
}

bool is_tunable(Use use) {
  return use != Use::size && use != Use::radius && use != Use::unknown;
}

Use use_of(const std::string& name, std::int64_t value) {
  const std::set<std::string> words = words_of(name);
  const std::string text = search::lower_case(name);
  // A macro such as #define TAG_MASK 0xFFFFFFFF holds bits. A mask of weights has a width instead.
  constexpr std::int64_t most_of_size = std::int64_t{1} << 31;
  if (macro_name(name).ends_with("_MASK") || value >= most_of_size) return Use::unknown;
  if (has(text, {"radius", "mask", "filter", "halo", "stencil", "taps"}) ||
      (words.contains("kernel") && !words.contains("block")))
    return Use::radius;
  if (has(text, {"unroll"})) return Use::unroll;
  if (has_word(words, {"warps", "nwarps", "numwarps"}) && !words.contains("per")) return Use::warps;
  if (has(text, {"warps_per_block", "warpsperblock"})) return Use::warps;
  // A vector that a thread loads is short: VECTOR_N 256 is how long one is, or how many there are.
  const bool is_vector = has_word(words, {"vec", "vector"}) && value <= 16 && !has_word(words, {"n", "num", "count"});
  if (is_vector || has(text, {"coars", "per_thread", "perthread"}) ||
      has_word(words, {"cf", "ilp", "work", "item", "items", "wpt", "ipt", "vpt", "ept"}))
    return Use::coarsening;
  if (has_word(words, {"pad", "ipad", "padding"})) return Use::padding;
  if (has(text, {"tile"}) || has_word(words, {"bm", "bn", "bk", "tm", "tn", "ts"})) return Use::tile;
  if (has(text, {"block", "thread", "threads"}) ||
      has_word(words, {"tpb", "bs", "bx", "by", "bz", "nt", "bdim", "bdimx", "bdimy", "bdimz"}))
    return has(text, {"blocks_per", "num_blocks", "nblocks", "numblocks", "grid"}) ? Use::unknown : Use::block;
  if (has_word(words, {"use", "enable", "with", "do"}) && (value == 0 || value == 1)) return Use::flag;
  if (has_word(words,
               {"n",    "m",    "k",       "nx",  "ny",  "nz",  "size",     "width", "height", "depth", "length", "len",
                "rows", "cols", "columns", "row", "col", "dim", "elements", "count", "num",    "w",     "h"}) ||
      value > 1024)
    return Use::size;
  return Use::unknown;
}

std::optional<int> axis_of(const std::string& name) {
  const std::set<std::string> words = words_of(name);
  for (const auto& [any, axis] : {std::pair{std::array{"x", "width", "cols", "bx", "nx"}, 0},
                                  std::pair{std::array{"y", "height", "rows", "by", "ny"}, 1},
                                  std::pair{std::array{"z", "depth", "planes", "bz", "nz"}, 2}})
    if (std::ranges::any_of(any, [&](const char* word) { return words.contains(word); })) return axis;
  const std::string text = search::lower_case(name);
  if (has(text, {"block", "dim", "size", "tile"}) && text.size() > 4 && text.back() >= 'x' && text.back() <= 'z')
    return text.back() - 'x';
  return std::nullopt;
}

bool counts_bins(const std::string& name) {
  return has_word(words_of(name), {"bin", "bins", "nbins", "numbins", "buckets", "classes"});
}

bool is_stride(const std::string& name) {
  return has_word(words_of(name), {"stride", "inc", "incx", "incy"});
}

std::vector<std::int64_t> domain_of(Use use, std::int64_t value) {
  switch (use) {
    case Use::block:
      return with(value >= 64 || value == 0 ? std::vector<std::int64_t>{32, 64, 128, 256, 512, 1024}
                                            : std::vector<std::int64_t>{4, 8, 16, 32},
                  std::max<std::int64_t>(value, 1));
    case Use::warps:
      return with({1, 2, 4, 8, 16, 32}, value);
    case Use::tile:
      return with(value > 32 ? std::vector<std::int64_t>{32, 64, 128} : std::vector<std::int64_t>{8, 16, 32}, value);
    case Use::coarsening:
    case Use::unroll:
      return with({1, 2, 4, 8}, value);
    case Use::min_blocks:
      return with({1, 2, 4, 8}, std::max<std::int64_t>(value, 1));
    case Use::padding:
    case Use::flag:
      return with({0, 1}, value);
    case Use::size:
    case Use::radius:
    case Use::unknown:
      break;
  }
  return value > 1 ? with({value / 2, 2 * value}, value) : with({value + 1}, value);
}

std::string about(Use use) {
  switch (use) {
    case Use::block:
      return "threads per block";
    case Use::warps:
      return "warps per block";
    case Use::tile:
      return "width of a tile";
    case Use::coarsening:
      return "elements per thread";
    case Use::unroll:
      return "how far a loop is unrolled";
    case Use::padding:
      return "elements added to each row in shared memory";
    case Use::min_blocks:
      return "blocks that a multiprocessor has room for at least";
    case Use::flag:
      return "off or on";
    case Use::size:
    case Use::radius:
    case Use::unknown:
      break;
  }
  return "";
}

std::string macro_name(const std::string& name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (i > 0 && std::isupper(c) && std::islower(static_cast<unsigned char>(name[i - 1]))) result += '_';
    result += static_cast<char>(std::toupper(c));
  }
  return result;
}

std::string name_without_scope(const std::string& kernel) {
  const std::string name = kernel.substr(0, kernel.find('<'));
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

std::string without_device_marks(const std::string& name) {
  for (const std::string_view mark : {"d_", "dev_", "device_", "gpu_"})
    if (name.starts_with(mark) && name.size() > mark.size()) return name.substr(mark.size());
  for (const std::string_view mark : {"_d", "_dev", "_device", "_gpu"})
    if (name.ends_with(mark) && name.size() > mark.size()) return name.substr(0, name.size() - mark.size());
  // The mark of dA and dOut is a single letter before a capital.
  if (name.size() > 1 && name[0] == 'd' && std::isupper(static_cast<unsigned char>(name[1]))) return name.substr(1);
  return name;
}

}  // namespace warptune::tuner::draft
