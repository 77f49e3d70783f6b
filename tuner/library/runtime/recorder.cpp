// Writes a capture, with the inputs' data beside it as .npy files.
#include "tuner/library/runtime/recorder.h"

#include <cstdint>
#include <cstring>

#include "tuner/kernel/capture.h"
#include "tuner/kernel/data/npy.h"
#include "tuner/kernel/numbers16.h"
#include "tuner/kernel/plan.h"
#include "tuner/kernel/problem.h"

namespace warptune::runtime {

namespace {

template <class T>
T read(const ArgumentBytes& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// Returns an unsigned number as a value. A capture has those beyond 63 bits as text.
search::Value unsigned_value(std::uint64_t number) {
  if (number > static_cast<std::uint64_t>(INT64_MAX)) return std::to_string(number);
  return static_cast<std::int64_t>(number);
}

// Returns the value of a scalar's bytes, as the inverse of scalar_bytes().
search::Value scalar_value(tuner::ElementType type, const ArgumentBytes& bytes) {
  switch (type) {
    case tuner::ElementType::f32:
      return double{read<float>(bytes)};
    case tuner::ElementType::f64:
      return read<double>(bytes);
    case tuner::ElementType::f16:
      return double{tuner::half_value(read<std::uint16_t>(bytes))};
    case tuner::ElementType::bf16:
      return double{tuner::bfloat16_value(read<std::uint16_t>(bytes))};
    case tuner::ElementType::i8:
      return std::int64_t{read<std::int8_t>(bytes)};
    case tuner::ElementType::u8:
      return std::int64_t{read<std::uint8_t>(bytes)};
    case tuner::ElementType::i16:
      return std::int64_t{read<std::int16_t>(bytes)};
    case tuner::ElementType::u16:
      return std::int64_t{read<std::uint16_t>(bytes)};
    case tuner::ElementType::i32:
      return std::int64_t{read<std::int32_t>(bytes)};
    case tuner::ElementType::u32:
      return std::int64_t{read<std::uint32_t>(bytes)};
    case tuner::ElementType::i64:
      return read<std::int64_t>(bytes);
    case tuner::ElementType::u64:
      return unsigned_value(read<std::uint64_t>(bytes));
  }
  throw std::logic_error("unknown element type");
}

// Returns the data file of an argument: "folder/call.a.npy" for "folder/call.json". Of "step.1" all is its name:
// "step.2" has data of its own.
std::filesystem::path data_file(std::filesystem::path capture, const std::string& argument) {
  if (capture.extension() == ".json") capture.replace_extension();
  return capture.concat("." + argument + ".npy");
}

}  // namespace

void Recorder::arm(const std::filesystem::path& file, CaptureOptions options) {
  const std::scoped_lock lock(mutex_);
  wanted_ = {file, options};
  armed_.store(true, std::memory_order_release);
}

void Recorder::record(const tuner::KernelTemplate& kernel, const Signature& signature, const tuner::Problem& problem,
                      const ArgumentBytes* arguments, Target& target, Stream stream) {
  std::optional<Wanted> wanted;
  {
    const std::scoped_lock lock(mutex_);
    std::swap(wanted, wanted_);
    armed_.store(false, std::memory_order_release);
  }
  if (!wanted) return;
  tuner::Capture capture{kernel.name, problem.sizes, problem.variants, {}, {}};
  for (std::size_t i = 0; i < signature.size(); ++i) {
    const tuner::Argument& argument = signature.argument(i);
    if (argument.role == tuner::Role::scalar)
      capture.scalars.emplace_back(argument.name, scalar_value(argument.type, arguments[i]));
    if (argument.role == tuner::Role::scalar || argument.role == tuner::Role::output || !wanted->options.data) continue;
    const tuner::PlannedBuffer buffer = plan_buffer(argument, problem_constants(problem.values(), target.info()));
    std::vector<std::byte> data(buffer.bytes());
    target.download(data, {read<std::uint64_t>(arguments[i]), data.size()}, stream);
    capture.arguments[argument.name] = data_file(wanted->file, argument.name);
    write_npy(capture.arguments[argument.name], argument.type, buffer.shape, data);
  }
  write_capture(wanted->file, capture);
}

}  // namespace warptune::runtime
