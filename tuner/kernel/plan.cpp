// Evaluates the expressions of launches, pass by pass.
#include "tuner/kernel/plan.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>

#include "tuner/kernel/attribute_expressions.h"
#include "tuner/kernel/evaluation.h"
#include "tuner/kernel/kernel_names.h"
#include "tuner/kernel/numbers16.h"
#include "tuner/kernel/program.h"

namespace warptune::tuner {

namespace {

// A launch of more passes than this is a manifest's mistake, not a kernel.
constexpr std::int64_t max_passes = 1'000'000;

// More streams than a device has connections to its host (CUDA_DEVICE_MAX_CONNECTIONS goes up to 32) only queue up.
constexpr std::int64_t max_streams = 32;

Dim3 dimensions(const std::array<search::Expression, 3>& expressions, const search::NamedValues& scope,
                const std::string& place) {
  const auto one = [&](std::size_t i) {
    return count(expressions[i], scope, 1, place.empty() ? "" : fmt::format("{}[{}]", place, i));
  };
  return {one(0), one(1), one(2)};
}

// Returns the strides of a tensor without gaps. The innermost dimension's stride, which is 1, is left out.
std::vector<std::int64_t> packed_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size() - 1);
  std::int64_t stride = 1;
  for (std::size_t i = strides.size(); i-- > 0;) {
    if (__builtin_mul_overflow(stride, shape[i + 1], &stride))
      throw std::invalid_argument("a tensor map's stride exceeds 2^63 elements");
    strides[i] = stride;
  }
  return strides;
}

// Clears `programmatic` where a launch does not directly follow a kernel of the same run in its stream. Programmatic
// serialisation is between two kernels of one run: what comes before a run is not the template's, and must have ended
// when the run begins. The driver ignores the attribute behind anything but a kernel, so a plan must not show it there.
void keep_programmatic_within(std::vector<PlannedLaunch>& launches) {
  std::map<int, bool> behind_kernel;  // by stream
  for (PlannedLaunch& launch : launches) {
    const bool is_kernel = !launch.copy && !launch.pages;
    if (!behind_kernel[launch.stream] || !launch.after.empty() || !launch.clear.empty())
      launch.geometry.attributes.programmatic = false;
    behind_kernel[launch.stream] = is_kernel;
  }
}

class Planner {
 public:
  Planner(const KernelTemplate& kernel, const std::vector<Argument>& temporaries, search::NamedValues scope)
      : kernel_(kernel), temporaries_(temporaries), scope_(std::move(scope)) {}

  Plan plan(const std::vector<Launch>& launches, std::map<std::string, HostMemoryKind> host_memory = {}) {
    Plan plan;
    plan.host_memory = host_memory_ = std::move(host_memory);
    for (const Argument& temporary : temporaries_) plan.buffers.push_back(plan_buffer(temporary, scope_));
    for (std::size_t i = 0; i < launches.size(); i += launches[i].together)
      add(std::span(launches).subspan(i, launches[i].together), plan.launches);
    keep_programmatic_within(plan.launches);
    return plan;
  }

 private:
  void add(std::span<const Launch> group, std::vector<PlannedLaunch>& into) {
    const search::Expression& repeat = group.front().repeat;
    const std::int64_t passes = count(repeat, scope_, 0, key_of(group.front(), ".repeat"));
    if (passes > max_passes) throw std::invalid_argument(fmt::format("'{}' asks for {} passes", repeat.text(), passes));
    scope_.emplace_back("pass", std::int64_t{0});
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      scope_.back().second = pass;
      for (const Launch& launch : group)
        if (!launch.when || search::truth(value_at(*launch.when, scope_, key_of(launch, ".when"))))
          into.push_back(one(launch));
    }
    scope_.pop_back();
  }

  PlannedLaunch one(const Launch& launch) const {
    PlannedLaunch planned;
    planned.clear = launch.clear;
    planned.stream = stream(launch.stream, key_of(launch, ".stream"));
    for (const search::Expression& other : launch.after)
      planned.after.push_back(stream(other, key_of(launch, ".after")));
    if (launch.copy) {
      planned.copy = copy(*launch.copy);
      return planned;
    }
    if (launch.pages) {
      planned.pages = pages(*launch.pages);
      return planned;
    }
    planned.kernel = kernel_name(launch, scope_);
    planned.place = launch.place;
    const auto in_launch = [&](const char* key) { return key_of(launch, key); };
    planned.geometry = {dimensions(launch.grid, scope_, in_launch(".grid")),
                        dimensions(launch.block, scope_, in_launch(".block")),
                        count(launch.shared_bytes, scope_, 0, in_launch(".shared")),
                        attributes_of(launch.attributes, scope_, launch.place)};
    for (const std::string& name : launch.arguments) planned.arguments.push_back(bind(launch, name));
    return planned;
  }

  static std::string key_of(const Launch& launch, const char* key) {
    return launch.place.empty() ? "" : launch.place + key;
  }

  int stream(const search::Expression& expression, const std::string& place) const {
    const std::int64_t number = count(expression, scope_, 0, place);
    if (number < max_streams) return static_cast<int>(number);
    throw std::invalid_argument(
        fmt::format("'{}' is {}, streams are numbered from 0 to {}", expression.text(), number, max_streams - 1));
  }

  PlannedCopy copy(const Copy& copy) const {
    const Argument& from = *kernel_.find_argument(copy.from);
    const auto bytes = [&](const search::Expression& elements) {
      return static_cast<std::size_t>(count(elements, scope_, 0)) * size_bytes(from.type);
    };
    return {copy.from, copy.to, !from.on_host, bytes(copy.from_offset), bytes(copy.to_offset), bytes(copy.elements)};
  }

  PlannedPages pages(const PageStep& step) const {
    const HostMemoryKind kind = host_memory_.at(step.buffer);
    if (step.kind != PageStep::Kind::touch && kind != HostMemoryKind::managed)
      throw std::invalid_argument(
          fmt::format("{} is prefetched, but is in {} memory: only the pages of managed memory "
                      "move; give the launch a `when`",
                      step.buffer, to_string(kind)));
    const std::size_t element = size_bytes(kernel_.find_argument(step.buffer)->type);
    PlannedPages planned{step.kind, step.buffer, static_cast<std::size_t>(count(step.offset, scope_, 0)) * element, {}};
    if (step.elements) planned.bytes = static_cast<std::size_t>(count(*step.elements, scope_, 0)) * element;
    return planned;
  }

  // Throws std::invalid_argument if kernels cannot reach the buffer in the host's memory. A reference sees all memory
  // on the device. Its planner knows no memory on the host, and so refuses nothing.
  void require_reached(const Launch& launch, const std::string& name) const {
    const auto kind = host_memory_.find(name);
    if (kind == host_memory_.end() || kernels_reach(kind->second)) return;
    throw std::invalid_argument(
        fmt::format("{} is called with {}, which is in {} memory: kernels reach mapped and "
                    "managed memory; copy it, or give the launch a `when`",
                    launch.kernel, name, to_string(kind->second)));
  }

  PlannedArgument bind(const Launch& launch, const std::string& name) const {
    PlannedArgument planned;
    planned.label = name;
    if (const TensorMapArgument* map = kernel_.find_tensor_map(name)) {
      planned.buffer = map->of;
      planned.view = view(*map);
      planned.bytes = sizeof(TensorMap);
      return planned;
    }
    const Argument* argument = kernel_.find_argument(name);
    if (!argument || argument->role != Role::scalar) {
      require_reached(launch, name);
      planned.buffer = name;
      return planned;
    }
    const search::Expression* value = &*argument->value;
    planned.name = name;
    std::string place = fmt::format("arguments.{}.value", name);
    for (const auto& [overridden, expression] : launch.set) {
      if (overridden != name) continue;
      value = &expression;
      place = fmt::format("{}.set.{}", launch.place, name);
      planned.name.clear();
    }
    planned.scalar = scalar_bytes(argument->type, value_at(*value, scope_, place));
    planned.bytes = size_bytes(argument->type);
    return planned;
  }

  TensorView view(const TensorMapArgument& map) const {
    const Argument& buffer = *kernel_.find_argument(map.of);
    TensorView view;
    view.type = buffer.type;
    view.shape = counts(map.shape.empty() ? buffer.shape : map.shape);
    view.strides = counts(map.strides);
    if (map.strides.empty()) view.strides = packed_strides(view.shape);
    view.box = counts(map.box);
    view.swizzle_bytes = count(map.swizzle_bytes, scope_, 0);
    view.l2_promotion_bytes = count(map.l2_promotion_bytes, scope_, 0);
    return view;
  }

  std::vector<std::int64_t> counts(const std::vector<search::Expression>& expressions) const {
    std::vector<std::int64_t> result;
    for (const search::Expression& expression : expressions) result.push_back(count(expression, scope_, 1));
    return result;
  }

  const KernelTemplate& kernel_;
  const std::vector<Argument>& temporaries_;
  search::NamedValues scope_;
  std::map<std::string, HostMemoryKind> host_memory_;
};

HostMemoryKind memory_of(const Argument& argument, const search::NamedValues& scope) {
  const std::string place = fmt::format("arguments.{}.{}", argument.name, argument.memory ? "memory" : "pinned");
  if (!argument.memory)
    return search::truth(value_at(argument.pinned, scope, place)) ? HostMemoryKind::pinned : HostMemoryKind::pageable;
  const std::string word = search::to_text(value_at(*argument.memory, scope, place));
  if (const auto kind = host_memory_kind(word)) return *kind;
  throw std::invalid_argument(
      fmt::format("the memory of {}, '{}', is '{}'; expected pageable, pinned, mapped or managed", argument.name,
                  argument.memory->text(), word));
}

template <class T>
std::array<std::byte, 8> bytes_of(T value) {
  std::array<std::byte, 8> bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <class T>
std::array<std::byte, 8> integer_bytes(const search::Value& value) {
  const std::int64_t number = search::to_integer(value);
  const T narrow = static_cast<T>(number);
  // A uint64 may hold what looks negative as int64; anything else must come back unchanged.
  if (sizeof(T) < 8 && static_cast<std::int64_t>(narrow) != number)
    throw std::invalid_argument(fmt::format("{} does not fit the argument's type", number));
  return bytes_of(narrow);
}

// Returns the value as a double. Throws std::invalid_argument for a finite number beyond `largest`. Infinity is
// allowed, because somebody may mean it.
double number_up_to(double largest, const search::Value& value) {
  const double number = search::to_double(value);
  if (std::isfinite(number) && std::abs(number) > largest)
    throw std::invalid_argument(
        fmt::format("{} does not fit the argument's type, which ends at {:.4g}", search::to_text(value), largest));
  return number;
}

}  // namespace

PlannedBuffer plan_buffer(const Argument& argument, const search::NamedValues& scope) {
  PlannedBuffer buffer{&argument, {}, 1};
  for (const search::Expression& extent : argument.shape) {
    buffer.shape.push_back(
        count(extent, scope, 1,
              fmt::format("{}.{}.shape[{}]", argument.role == Role::temporary ? "temporaries" : "arguments",
                          argument.name, buffer.shape.size())));
    if (__builtin_mul_overflow(buffer.elements, static_cast<std::size_t>(buffer.shape.back()), &buffer.elements) ||
        buffer.elements > (std::size_t{1} << 60))
      throw std::invalid_argument(fmt::format("'{}' would have more than 2^60 elements", argument.name));
  }
  return buffer;
}

Plan make_plan(const KernelTemplate& kernel, const search::NamedValues& scope) {
  std::map<std::string, HostMemoryKind> host_memory;
  for (const Argument& argument : kernel.arguments)
    if (argument.on_host) host_memory[argument.name] = memory_of(argument, scope);
  Plan plan = Planner(kernel, kernel.temporaries, scope).plan(kernel.launches, std::move(host_memory));
  if (kernel.program) {
    plan.launches = kernel.program->launches(scope);
    keep_programmatic_within(plan.launches);
  }
  for (const Argument& argument : kernel.arguments) {
    if (argument.is_output())
      plan.nondeterministic[argument.name] = search::truth(
          value_at(argument.nondeterministic, scope, fmt::format("arguments.{}.nondeterministic", argument.name)));
  }
  return plan;
}

Plan make_reference_plan(const KernelTemplate& kernel, const search::NamedValues& scope) {
  if (kernel.reference.default_configuration) return make_plan(kernel, scope);
  return Planner(kernel, kernel.reference.temporaries, scope).plan(kernel.reference.launches);
}

std::array<std::byte, 8> scalar_bytes(ElementType type, const search::Value& value) {
  constexpr double largest_half = 65504, largest_bfloat16 = 3.3895313892515355e38;
  constexpr double largest_float = std::numeric_limits<float>::max();
  switch (type) {
    case ElementType::f32:
      return bytes_of(static_cast<float>(number_up_to(largest_float, value)));
    case ElementType::f64:
      return bytes_of(search::to_double(value));
    case ElementType::f16:
      return bytes_of(half_bits(static_cast<float>(number_up_to(largest_half, value))));
    case ElementType::bf16:
      return bytes_of(bfloat16_bits(static_cast<float>(number_up_to(largest_bfloat16, value))));
    case ElementType::i8:
      return integer_bytes<std::int8_t>(value);
    case ElementType::u8:
      return integer_bytes<std::uint8_t>(value);
    case ElementType::i16:
      return integer_bytes<std::int16_t>(value);
    case ElementType::u16:
      return integer_bytes<std::uint16_t>(value);
    case ElementType::i32:
      return integer_bytes<std::int32_t>(value);
    case ElementType::u32:
      return integer_bytes<std::uint32_t>(value);
    case ElementType::i64:
      return integer_bytes<std::int64_t>(value);
    case ElementType::u64:
      return integer_bytes<std::uint64_t>(value);
  }
  throw std::logic_error("unknown element type");
}

}  // namespace warptune::tuner
