// Writes the macro and the branches of constants, and the attributes of each entry's launches. Rejected: constants in
// the header itself. Which entry is meant is the program's choice, and two headers with parameters of one name could
// not be included together.
#include "tuner/results/exporters/header_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "tuner/device/compile/tuned_file.h"
#include "tuner/device/launch_attributes.h"
#include "tuner/results/exporters/source_text.h"

namespace warptune::tuner {

namespace {

bool fits_int(const search::NamedValues& values, const std::string& parameter) {
  const search::Value* value = search::find_value(values, parameter);
  const auto* number = value ? std::get_if<std::int64_t>(value) : nullptr;
  return !number || (*number >= std::numeric_limits<int>::min() && *number <= std::numeric_limits<int>::max());
}

// Returns the type of a parameter's constant: an int where it can be, because a wider constant would make a kernel's
// indices wider.
std::string constant_type(const Wisdom& wisdom, const std::string& parameter) {
  const MemberType type = member_type(wisdom, parameter);
  const bool fits = fits_int(wisdom.defaults, parameter) && std::ranges::all_of(wisdom.entries, [&](const auto& entry) {
                      return fits_int(entry.values, parameter);
                    });
  return type == MemberType::integer && fits ? "int" : std::string(to_string(type));
}

std::string constant(const Wisdom& wisdom, const std::string& parameter, const std::string& name,
                     const std::string& value) {
  const std::string type = constant_type(wisdom, parameter);
  return fmt::format("constexpr {0} {1} = static_cast<{0}>({2})", type, name, value);
}

}  // namespace

std::string constants_macro(const Wisdom& wisdom) {
  for (const auto& [name, value] : default_values_of(wisdom))
    if (member_type(wisdom, name) == MemberType::text) return {};
  return fmt::format("WARPTUNE_{}_CONSTANTS", macro_name(wisdom.kernel));
}

std::string constants_definition(const Wisdom& wisdom) {
  const std::string macro = constants_macro(wisdom);
  if (macro.empty()) return {};
  const search::NamedValues& parameters = default_values_of(wisdom);
  const std::vector<std::string> names = identifiers(parameters);
  std::vector<std::string> declared;
  for (std::size_t i = 0; i < names.size(); ++i)
    declared.push_back(
        constant(wisdom, parameters[i].first, names[i],
                 fmt::format("::warptune_tuned::{}::detail::make_table().entries[warptune_entry].configuration.{}",
                             identifier(wisdom.kernel), names[i])));
  return fmt::format(
      "// For the kernel's source: constants with the parameters' names, of an entry by its number above. Where the\n"
      "// kernel is tuned again, they are macros, and this is nothing.\n#define {}(warptune_entry) {}\n\n",
      macro, fmt::join(declared, "; "));
}

std::string branches_when_tuning(const Wisdom& wisdom) {
  const search::NamedValues& parameters = default_values_of(wisdom);
  const std::vector<std::string> names = identifiers(parameters);
  const std::string macro = constants_macro(wisdom);
  const std::string nothing =
      macro.empty() ? "" : fmt::format("#define {}(warptune_entry) static_assert(true, \"\")\n", macro);
  std::string text = tuning_condition(names) + '\n' + nothing;
  text +=
      fmt::format("#elif defined({}) && (defined({}))\n{}", tuning_macro, fmt::join(names, ") || defined("), nothing);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const MemberType type = member_type(wisdom, parameters[i].first);
    if (type == MemberType::text) continue;
    text += fmt::format("#ifndef {0}\n{1};\n#endif\n", names[i],
                        constant(wisdom, parameters[i].first, names[i], literal(parameters[i].second, type)));
  }
  return text + "#else\n";
}

namespace {

constexpr char declarations[] = R"(
// What a launch was measured with beyond grid, block and shared memory.
struct LaunchAttributes {
  int cluster[3];            // in blocks; 1, 1, 1: as the kernel was compiled
  int preferred_cluster[3];  // 1, 1, 1: none
  int carveout;              // percent, preferred as shared memory; -1: the driver decides
  bool programmatic;         // it may begin before the launch before it has ended
  bool cooperative;
  int priority;              // 0: the stream's
};

// Of the kernel with this name, as the manifest has it, in an entry of the table; -1, as find() answers, is the default
// configuration. A run's first launch has nothing to overlap with: set `programmatic` to false for it.
WARPTUNE_TUNED_FUNCTION LaunchAttributes launch_attributes(int entry, const char* kernel) {
)";

constexpr char launcher[] = R"(
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
namespace detail {

struct AttributeList {
  cudaLaunchAttribute all[5] = {};
  unsigned count = 0;

  cudaLaunchAttributeValue& add(cudaLaunchAttributeID id) {
    all[count].id = id;
    return all[count++].val;
  }
};

template <class Extents>
void take_extents(Extents& to, const int (&from)[3]) {
  to.x = static_cast<unsigned>(from[0]);
  to.y = static_cast<unsigned>(from[1]);
  to.z = static_cast<unsigned>(from[2]);
}

inline AttributeList list_of(const LaunchAttributes& attributes) {
  AttributeList list;
  const auto blocks = [](const int (&size)[3]) { return size[0] * size[1] * size[2]; };
  if (blocks(attributes.cluster) > 1)
    take_extents(list.add(cudaLaunchAttributeClusterDimension).clusterDim, attributes.cluster);
#if CUDART_VERSION >= 12080
  if (blocks(attributes.preferred_cluster) > 1)
    take_extents(list.add(cudaLaunchAttributePreferredClusterDimension).preferredClusterDim,
                 attributes.preferred_cluster);
#endif
  if (attributes.programmatic)
    list.add(cudaLaunchAttributeProgrammaticStreamSerialization).programmaticStreamSerializationAllowed = 1;
  if (attributes.cooperative) list.add(cudaLaunchAttributeCooperative).cooperative = 1;
  if (attributes.priority != 0) list.add(cudaLaunchAttributePriority).priority = attributes.priority;
  return list;
}

template <class Kernel>
cudaError_t prepare(const LaunchAttributes& attributes, Kernel* kernel, size_t shared_bytes) {
  cudaError_t error = cudaSuccess;
  if (shared_bytes > 48 * 1024)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
  if (error == cudaSuccess && attributes.carveout >= 0)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, attributes.carveout);
  if (error == cudaSuccess && attributes.cluster[0] * attributes.cluster[1] * attributes.cluster[2] > 8)
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  return error;
}

}  // namespace detail

// Launches the kernel as it was measured. CUDA 11.8 or later.
template <class... Parameters, class... Arguments>
cudaError_t launch(const LaunchAttributes& attributes, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                   size_t shared_bytes, cudaStream_t stream, Arguments&&... arguments) {
  const cudaError_t error = detail::prepare(attributes, kernel, shared_bytes);
  if (error != cudaSuccess) return error;
  detail::AttributeList list = detail::list_of(attributes);
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = list.all;
  config.numAttrs = list.count;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Arguments&&>(arguments)...);
}
#endif
)";

std::string extents(const Dim3& size) {
  return fmt::format("{{{}, {}, {}}}", size.x, size.y, size.z);
}

std::string literal_of(const LaunchAttributes& attributes) {
  return fmt::format("{{{}, {}, {}, {}, {}, {}}}", extents(attributes.cluster), extents(attributes.preferred_cluster),
                     attributes.carveout_percent, attributes.programmatic, attributes.cooperative, attributes.priority);
}

std::string answers(std::int64_t entry, const AttributesByKernel& kernels) {
  std::string text;
  for (const auto& [kernel, named] : kernels)
    text += fmt::format("  if (entry == {} && detail::same_text(kernel, {})) return {};\n", entry,
                        literal(kernel, MemberType::text), literal_of(attributes_from(named)));
  return text;
}

}  // namespace

std::string launch_code(const Wisdom& wisdom) {
  std::string body = answers(-1, wisdom.default_launch_attributes);
  for (std::size_t i = 0; i < wisdom.entries.size(); ++i)
    body += answers(static_cast<std::int64_t>(i), wisdom.entries[i].launch_attributes);
  if (body.empty()) return {};
  return declarations + body + "  return " + literal_of(LaunchAttributes{}) + ";\n}\n" + launcher;
}

}  // namespace warptune::tuner
