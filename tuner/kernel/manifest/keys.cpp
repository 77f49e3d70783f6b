// The keys of manifests, in the order in which messages and pages list them. A sentence here is what editors show and
// what MANIFEST.md has in its tables; what needs more words stands there in the text around them.
#include "tuner/kernel/manifest/keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace warptune::tuner {

namespace keys {

namespace {

using enum Form;
using enum Uses;

constexpr KeyDetails required{.presence = Presence::required};
constexpr KeyDetails one{.presence = Presence::one};
constexpr KeyDetails some{.presence = Presence::some};
constexpr KeyDetails only_describes{.describes = true};

constexpr KeyDetails among(const char* words, KeyDetails details = {}) {
  details.words = words;
  return details;
}
constexpr KeyDetails with(const KeyTable& table, KeyDetails details = {}) {
  details.table = &table;
  return details;
}
constexpr KeyDetails in(const char* kinds, KeyDetails details = {}) {
  details.of = kinds;
  return details;
}

constexpr char every_step[] = "kernel copy prefetch touch";

constexpr Key manifest_keys[] = {
    {"name", identifier, nothing, "the template's name in the store: letters, digits, `_` and `-`", required},
    {"summary", text, nothing, "one line", only_describes},
    {"backends", words, nothing,
     "what it can run on, where its source needs more than every backend has (`[\"cuda\"]`, for a kernel that launches "
     "kernels); all unless given",
     among("cuda host", only_describes)},
    {"source", path, nothing, "the kernel's file, relative to the manifest; `kernel.cu` unless given"},
    {"options", texts, nothing,
     "compiler options for every backend; `[\"-std=c++17\"]` unless given; `{NAME}` is the value of a parameter or "
     "variant"},
    {"options_cuda", texts, nothing, "further options for NVRTC"},
    {"options_host", texts, nothing, "further options for the host's compiler"},
    {"include_directories", texts, nothing,
     "folders of headers, relative to the manifest; its own folder is always searched, and Warptune's own headers, "
     "`<warptune/device/...>`, are always there"},
    {"constraints", conditions, configuration, "what a configuration must satisfy"},
    {"sizes", sizes, nothing, "the problem's sizes, in the order in which they are shown",
     with(keys::size, only_describes)},
    {"variants", variants, nothing, "named choices of the problem, macros of every source", only_describes},
    {"presets", presets, nothing,
     "other values of sizes and variants; `host` is the host backend's, `large` that of `--preset large`",
     only_describes},
    {"parameters", tables, nothing, "the tunable choices, in the order in which they are shown",
     with(keys::parameter, required)},
    {"derived", named_expressions, pass, "expressions with a name, which may use those above"},
    {"defines", named_expressions, configuration, "further macros of the kernel's source"},
    {"arguments", tables, nothing, "what kernels are called with", with(keys::argument, required)},
    {"fills", tables, nothing, "functions that fill inputs", with(keys::function)},
    {"temporaries", tables, nothing, "scratch memory", with(keys::temporary)},
    {"tensor_maps", tables, nothing, "tensor maps that launches may take", with(keys::tensor_map)},
    {"launches", launches, nothing, "run in order; together they are what is timed", with(keys::launch, required)},
    {"reference", table, nothing, "", with(keys::reference, required)},
    {"metrics", tables, nothing, "figures beside the time; the first is shown", with(keys::metric)},
    {"scratch_variables", texts, nothing,
     "`__device__` variables of the source that hold nothing from one run to the next: they are poisoned before each"},
    {"techniques", tables, nothing, "configurations with a name", with(keys::technique, only_describes)},
    {"whole_program", boolean, nothing,
     "the source has a host part (`main`, `<<<…>>>`, `#include <stdio.h>`), which is left out, and its own definitions "
     "of parameters give way; false unless given"},
    {"work", table, nothing, "", with(keys::work, only_describes)},
};

constexpr Key size_keys[] = {
    {"default", positive, nothing, "the size unless `--size` says otherwise", in("most", required)},
    {"most", positive, nothing, "the largest that the kernel takes", in("most", required)},
    {"matrix_market", path, nothing, "a Matrix Market file, relative to the manifest", in("matrix_market", required)},
    {"count", word, nothing, "what of the matrix is the size",
     in("matrix_market", among("rows columns nonzeros longest_row", required))},
};

constexpr Key parameter_keys[] = {
    {"values", values, nothing,
     "the domain, of one type: numbers (without quotes), booleans or strings, neighbouring values next to each other",
     one},
    {"range", range, nothing, "instead of `values`: `[first, last]` or `[first, last, step]`, `last` included", one},
    {"powers_of_two", powers, nothing, "instead of `values`: `[first, last]`, as 1, 2, 4 …", one},
    {"default", value, nothing, "a value of the domain; its configuration must work on every device", required},
    {"about", text, nothing, "what the choice is", only_describes},
    {"unused", boolean, nothing, "it is meant to change nothing: sources and launches need not use it"},
};

constexpr Key argument_keys[] = {
    {"type", type, nothing, "the elements' type", required},
    {"value", expression, pass, "makes it a scalar", one},
    {"shape", extents, problem, "makes it a buffer; the product is its length in elements", one},
    {"role", word, nothing, "of a buffer; `input` unless given; outputs are compared with the reference's",
     among("input output inout")},
    {"fill", table, nothing, "", with(keys::fill)},
    {"tolerance", table, nothing, "", with(keys::tolerance)},
    {"nondeterministic", expression, configuration,
     "of an output: where it is true, runs of one configuration may differ within the tolerance, as those of atomic "
     "additions do"},
    {"reference_type", type, nothing,
     "of an output: what the reference computes it in; `double` for floating-point outputs unless given, else `type`"},
    {"symbol", text, nothing,
     "the `__constant__` or `__device__` variable that the buffer is copied into, instead of being passed"},
    {"memory", word_or_expression, configuration, "where a buffer lies; `device` unless given",
     among("device host pageable pinned mapped managed")},
    {"pinned", expression, configuration,
     "of a buffer with `memory = \"host\"`: `pinned` where it is true, `pageable` elsewhere; false unless given"},
    {"counts", expression, elsewhere,
     "of an output, over sizes: how many leading elements are compared and have to be written; all unless given"},
    {"compare", word, nothing, "what of an output is compared: each element, unless given, or the sum of all",
     among("elements sum")},
};

constexpr Key fill_keys[] = {
    {"constant", number, nothing, "every element", some},
    {"range", pair, nothing, "`[first, step]`", some},
    {"uniform", pair, nothing, "`[low, high]`, drawn evenly; integers include both ends", some},
    {"normal", pair, nothing, "`[mean, deviation]`, drawn", some},
    {"values", numbers, nothing, "the elements, as many as the shape has", some},
    {"npy", path, nothing, "a NumPy file, relative to the manifest", some},
    {"matrix_market", path, nothing, "a Matrix Market file, relative to the manifest; `part` says what of it", some},
    {"part", word, nothing, "what of the matrix", among("row_starts rows columns values")},
    {"function", text, nothing, "the function of `[fills]` that fills it", some},
    {"seed", integer, nothing, "of numbers that are drawn"},
    {"fixed", boolean, nothing, "drawn numbers stay the same in a second set of inputs; false unless given"},
};

constexpr Key tolerance_keys[] = {
    {"absolute", expression, problem, "finite and not negative; 0 unless given"},
    {"relative", expression, problem, "of the expected value; 0 unless given"},
    {"ulp", expression, problem, "units in the last place, of floating-point outputs; 0 unless given"},
};

constexpr Key function_keys[] = {
    {"source", path, nothing, "its C++ file, relative to the manifest", required},
    {"arguments", texts, Uses::arguments, "the manifest's arguments in its order", required},
};

constexpr Key temporary_keys[] = {
    {"type", type, nothing, "the elements' type", required},
    {"shape", extents, configuration, "the product is the length in elements", required},
    {"zero", boolean, nothing, "cleared before each run, outside the timed region; false unless given"},
};

constexpr Key tensor_map_keys[] = {
    {"of", text, nothing, "the buffer, an argument or temporary on the device; its type is the elements'", required},
    {"shape", expressions, configuration, "one to five extents, the innermost last; the buffer's unless given"},
    {"strides", expressions, configuration,
     "elements from one index to the next, of all dimensions but the innermost; those of a packed tensor unless given"},
    {"box", expressions, configuration, "elements that one copy moves, along each dimension", required},
    {"swizzle", expression, configuration,
     "bytes within which 16-byte pieces trade places in shared memory: 0 (unless given), 32, 64 or 128"},
    {"l2_promotion", expression, configuration,
     "bytes that the L2 cache fetches at least: 0 (unless given), 64, 128 or 256"},
};

constexpr Key launch_keys[] = {
    {"kernel", text, nothing,
     "the kernel, or a name expression such as `reduce<float>`; `{NAME}` is a parameter's value",
     in("kernel", required)},
    {"grid", dimensions, Uses::launch, "blocks along up to three dimensions; missing ones are 1",
     in("kernel", required)},
    {"block", dimensions, Uses::launch, "threads per block along up to three dimensions; missing ones are 1",
     in("kernel", required)},
    {"shared", expression, Uses::launch, "bytes of dynamic shared memory; 0 unless given", in("kernel")},
    {"arguments", texts, passed, "arguments, temporaries and tensor maps in the kernel's order",
     in("kernel", required)},
    {"copy", table, nothing, "", in("copy", with(keys::copy, required))},
    {"prefetch", table, nothing, "instead of a kernel: pages of `managed` memory are sent to the device or to the host",
     in("prefetch", with(keys::pages, required))},
    {"touch", table, nothing, "instead of a kernel: the host reads a byte of each page when the device is done",
     in("touch", with(keys::pages, required))},
    {"steps", steps, nothing, "instead of a kernel: what each `pass` goes through together",
     in("steps", with(keys::launch, required))},
    {"when", expression, Uses::launch, "it happens only if this is true"},
    {"repeat", expression, configuration, "how often in a row; 1 unless given; `pass` counts from 0"},
    {"set", named_expressions, Uses::launch, "scalars overridden for this launch", in("kernel")},
    {"clear", texts, buffers, "outputs and temporaries set to zero bytes before it, inside the timed region",
     in(every_step)},
    {"stream", expression, Uses::launch, "the stream it is queued in, 0 (unless given) to 31", in(every_step)},
    {"after", expressions, Uses::launch, "streams: it begins when everything queued in them so far has ended",
     in(every_step)},
    {"cluster", dimensions, Uses::launch,
     "blocks of a thread block cluster along up to three dimensions of the grid, which it divides; 1 unless given, or "
     "what `__cluster_dims__` says",
     in("kernel")},
    {"preferred_cluster", dimensions, Uses::launch,
     "beside `cluster`: a larger one, a multiple of it, that is taken where it fits (compute capability 10.0); 1: none",
     in("kernel")},
    {"carveout", expression, Uses::launch,
     "percent of the memory that L1 and shared memory share, preferred as shared memory; -1, unless given: the driver "
     "decides",
     in("kernel")},
    {"programmatic", expression, Uses::launch,
     "programmatic dependent launch: it may begin before the launch before it in its stream has ended; false unless "
     "given",
     in("kernel")},
    {"cooperative", expression, Uses::launch,
     "all its blocks are resident at once, so that `this_grid().sync()` works; false unless given", in("kernel")},
    {"priority", expression, Uses::launch,
     "of its blocks among those of other streams, lower numbers first; 0, unless given: the stream's", in("kernel")},
};

constexpr Key copy_keys[] = {
    {"from", text, nothing, "the buffer read", required},
    {"to", text, nothing, "the buffer written", required},
    {"elements", expression, Uses::launch, "how many", required},
    {"from_offset", expression, Uses::launch, "the first element read; 0 unless given"},
    {"to_offset", expression, Uses::launch, "the first element written; 0 unless given"},
};

constexpr Key pages_keys[] = {
    {"buffer", text, nothing, "a buffer on the host", required},
    {"to", word, nothing, "where the pages go", in("prefetch", among("device host", required))},
    {"elements", expression, Uses::launch, "how many; all that follow unless given"},
    {"offset", expression, Uses::launch, "the first element; 0 unless given"},
};

constexpr Key reference_keys[] = {
    {"source", path, nothing, "the file, relative to the manifest; `reference.cu` unless given"},
    {"launches", steps, nothing, "kernels one after the other", with(keys::launch, one)},
    {"function", text, nothing, "an `extern \"C\" void` function of a .cpp file, with its `arguments`", one},
    {"arguments", texts, buffers,
     "the manifest's arguments in the function's order: buffers as pointers, scalars by value"},
    {"temporaries", tables, nothing, "scratch memory of the reference", with(keys::temporary)},
    {"default_configuration", boolean, nothing,
     "the kernel itself at its default configuration is the reference: configurations must agree with it, and what "
     "they all do wrong is not found",
     one},
    {"data", tables, nothing, "beside `default_configuration`: what is right, as data, by output", with(keys::fill)},
};

constexpr Key metric_keys[] = {
    {"value", expression, measured, "the figure", required},
    {"better", word, nothing, "`higher` unless given", among("higher lower")},
};

constexpr Key work_keys[] = {
    {"flops", expression, configuration,
     "floating-point operations; a multiplication with an addition is two; `\"0\"` for a kernel without any"},
    {"bytes", expression, configuration,
     "from and to the device's memory if each byte that the problem needs is moved once"},
    {"arithmetic", word_or_expression, configuration,
     "what computes the operations; the type of the first floating-point output decides unless given",
     among("fp32 fp64 tensor_bf16 tensor_tf32")},
};

constexpr Key technique_keys[] = {
    {"about", text, nothing, "one sentence", required},
    {"lecture", text, nothing, "where it is taught"},
    {"parameters", named_values, nothing, "the values that it needs; every other parameter has its default"},
    {"variants", named_values, nothing, "the variants that it needs"},
    {"effect", texts, elsewhere, "what it does to the accesses of memory: conditions over counts"},
};

}  // namespace

const KeyTable manifest{"manifest", "How Warptune calls, checks and tunes a kernel. MANIFEST.md is the reference.",
                        manifest_keys};
const KeyTable size{"size", "a problem size", size_keys, "most matrix_market"};
const KeyTable parameter{"parameter", "a tunable choice: a macro of the source", parameter_keys};
const KeyTable argument{"argument", "a scalar (`value`) or a buffer (`shape`) that kernels are called with",
                        argument_keys};
const KeyTable fill{"fill", "how an input or inout begins", fill_keys};
const KeyTable tolerance{"tolerance", "how far an output may be from the reference's", tolerance_keys};
const KeyTable function{"function", "an `extern \"C\" void` function that fills buffers on the host", function_keys};
const KeyTable temporary{"temporary", "scratch memory, poisoned before each run", temporary_keys};
const KeyTable tensor_map{"tensor_map", "a buffer as the bulk copies of compute capability 9.0 see it",
                          tensor_map_keys};
const KeyTable launch{"launch", "a kernel, a copy, what is done to pages, or several of these", launch_keys,
                      "kernel copy prefetch touch steps"};
const KeyTable copy{"copy", "instead of a kernel: a copy between a buffer on the host and one on the device",
                    copy_keys};
const KeyTable pages{"pages", "pages of a buffer on the host", pages_keys, "prefetch touch"};
const KeyTable reference{"reference", "what is right: kernels, a C++ function, or the kernel itself", reference_keys};
const KeyTable metric{"metric", "a figure made of the time", metric_keys};
const KeyTable work{"work", "what one run has to do at least: holds its time against what the device can do",
                    work_keys};
const KeyTable technique{"technique", "a configuration with a name", technique_keys};

}  // namespace keys

const Key& KeyTable::operator[](std::string_view key) const {
  const auto found = std::ranges::find(keys, key, &Key::name);
  if (found == keys.end()) throw std::out_of_range(fmt::format("{} has no key {}", name, key));
  return *found;
}

std::vector<const Key*> KeyTable::of_kind(std::string_view kind) const {
  std::vector<const Key*> result;
  for (const Key& key : keys) {
    const auto of = words_in(key.details.of);
    if (of.empty() || kind.empty() || std::ranges::find(of, kind) != of.end()) result.push_back(&key);
  }
  return result;
}

std::vector<std::string> words_in(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> result;
  for (std::string each; stream >> each;) result.push_back(each);
  return result;
}

std::string one_of(const std::vector<std::string>& words) {
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

void check_keys(const Node& node, const KeyTable& table, std::string_view kind) {
  std::vector<std::string> names;
  for (const Key* key : table.of_kind(kind)) names.emplace_back(key->name);
  node.allow_only(names);
}

const std::string& read_word(const Node& node, const Key& key) {
  const std::vector<std::string> known = words_in(key.details.words);
  if (std::ranges::find(known, node.string()) == known.end()) node.fail("expected " + one_of(known));
  return node.string();
}

std::vector<std::string> keys_of(const KeyTable& table, Presence presence) {
  std::vector<std::string> names;
  for (const Key& key : table.keys)
    if (key.details.presence == presence) names.emplace_back(key.name);
  return names;
}

}  // namespace warptune::tuner
