#include "python/src/kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "python/src/request.h"
#include "tuner/device/backends/cuda/compile/library.h"
#include "tuner/kernel/files/template_file.h"
#include "tuner/kernel/json_values.h"
#include "tuner/kernel/plan.h"
#include "tuner/kernel/problem.h"
#include "tuner/library/runtime/host.h"
#include "tuner/results/report/text/document.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace warptune::python {

namespace {

using tuner::Json;

constexpr std::uintptr_t null_pointer = 0;

// cuCtxGetCurrent, from the driver that the engine opens too; nullptr where there is none.
using GetCurrent = int (*)(void**);
GetCurrent find_get_current(const std::vector<std::filesystem::path>& folders) {
  std::string failure;
  const auto library = tuner::cuda::open_library({{"libcuda.so.1", "libcuda.so"}, folders, {}}, failure);
  return library ? reinterpret_cast<GetCurrent>(library->find("cuCtxGetCurrent")) : nullptr;
}

// Runtimes live as long as the process: code that one kernel has compiled serves the next, and the driver may be gone
// when the interpreter ends.
runtime::Runtime& runtime_of(void* context, const runtime::Options& options, bool on_host) {
  static auto& mutex = *new std::mutex();
  static auto& all = *new std::map<void*, runtime::Runtime>();
  const std::scoped_lock lock(mutex);
  const auto known = all.find(context);
  if (known != all.end()) return known->second;
  return all.emplace(context, on_host ? runtime::host_runtime(options) : runtime::Runtime(options)).first->second;
}

runtime::Argument number(nb::handle value, const std::string& name) {
  PyObject* object = value.ptr();
  if (PyFloat_Check(object)) return PyFloat_AsDouble(object);
  if (PyBool_Check(object)) return object == Py_True ? 1 : 0;
  if (PyIndex_Check(object)) {
    const nb::object whole = nb::steal(PyNumber_Index(object));
    if (!whole.is_valid()) nb::raise_python_error();
    int overflow = 0;
    const long long small = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
    if (overflow == 0) return small;
    const unsigned long long large = PyLong_AsUnsignedLongLong(whole.ptr());
    if (!PyErr_Occurred()) return large;
    PyErr_Clear();
    throw nb::value_error(fmt::format("the argument {} does not fit 64 bits", name).c_str());
  }
  const double real = PyFloat_AsDouble(object);  // NumPy's float32 and the like
  if (!PyErr_Occurred()) return real;
  PyErr_Clear();
  throw nb::type_error(fmt::format("the argument {} is no number", name).c_str());
}

std::string shown(nb::handle value) {
  return nb::cast<std::string>(nb::repr(value));
}

// Python's integers and what NumPy has of them; a float would be cut off.
std::int64_t size(nb::handle value, const std::string& name) {
  if (!PyIndex_Check(value.ptr()))
    throw nb::type_error(fmt::format("the size {} is {}; expected an integer", name, shown(value)).c_str());
  const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
  if (!whole.is_valid()) nb::raise_python_error();
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  if (overflow != 0 || number <= 0)
    throw nb::value_error(
        fmt::format("the size {} is {}; expected an integer from 1 to 2**63 - 1", name, shown(value)).c_str());
  return number;
}

std::string text_of(nb::handle name) {
  return nb::cast<std::string>(name);
}

}  // namespace

// One call on its way to the runtime.
struct LaunchableKernel::Call {
  std::array<runtime::Argument, 64> arguments = filled();
  std::array<std::size_t, 64> elements{};  // of buffers; all there are where none was given
  std::array<bool, 64> given{};
  std::array<nb::handle, 64> arrays{};
  std::vector<std::int64_t> sizes;
  ArrayView first;  // of the arrays on a GPU: whose framework's stream it is
  std::optional<std::uintptr_t> stream;

  static std::array<runtime::Argument, 64> filled() {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return std::array<runtime::Argument, 64>{((void)i, runtime::Argument(null_pointer))...};
    }
    (std::make_index_sequence<64>());
  }
};

LaunchableKernel::LaunchableKernel(const std::string& options, const std::string& manifest, const std::string& wisdom,
                                   const std::string& cache_folder, const std::map<std::string, std::string>& variants,
                                   bool on_host)
    : manifest_(manifest), wisdom_(wisdom), on_host_(on_host), template_(tuner::load_template(manifest_)) {
  const tuner::BackendOptions backend = backend_from_json(options);
  options_.cache_folder = cache_folder;
  options_.library_directories = backend.library_directories;
  options_.cuda_include_directories = backend.cuda_include_directories;
  options_.host_compiler = backend.host_compiler;
  search::NamedValues named;
  for (const auto& [name, value] : variants) {
    variants_.emplace_back(name, value);
    named.emplace_back(name, value);
  }
  chosen_variants_ = tuner::resolve_problem(template_, "", {{}, named}).variants;
  for (const tuner::Argument& argument : template_.arguments) {
    const bool computed = argument.role == tuner::Role::scalar && !argument.value->names().empty();
    if (computed) continue;
    const nb::object name = nb::steal(PyUnicode_InternFromString(argument.name.c_str()));
    slots_.push_back({argument.name, &argument, element_types(argument.type), name});
  }
  if (slots_.size() > 64) throw std::invalid_argument(fmt::format("{} has more than 64 arguments", template_.name));
}

void LaunchableKernel::take(Call& call, std::size_t slot, nb::handle value) const {
  const Slot& wanted = slots_[slot];
  if (call.given[slot]) throw std::invalid_argument(fmt::format("the argument {} is given twice", wanted.name));
  call.given[slot] = true;
  if (wanted.argument->role == tuner::Role::scalar) {
    call.arguments[slot] = number(value, wanted.name);
    return;
  }
  if (value.is_none()) {
    call.elements[slot] = SIZE_MAX;
    return;
  }
  const ArrayView view = view_of(value, wanted.types, wanted.name, on_host_, wanted.argument->is_output());
  call.arguments[slot] = runtime::Argument(view.address);
  call.elements[slot] = view.elements;
  call.arrays[slot] = value;
  if (call.first.framework == Framework::none) call.first = view;
}

void LaunchableKernel::take_named(Call& call, nb::handle name, nb::handle value) const {
  for (std::size_t i = 0; i < template_.sizes.size(); ++i)
    if (PyUnicode_CompareWithASCIIString(name.ptr(), template_.sizes[i].first.c_str()) == 0) {
      call.sizes[i] = size(value, template_.sizes[i].first);
      return;
    }
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (name.is(slots_[i].python_name) || slots_[i].python_name.equal(name)) return take(call, i, value);
  if (PyUnicode_CompareWithASCIIString(name.ptr(), "stream") == 0) {
    call.stream = value.is_none() ? 0 : stream_of(value);
    return;
  }
  throw std::invalid_argument(
      fmt::format("{} is neither an argument nor a size of {}; {}", text_of(name), template_.name, description()));
}

// From buffers whose extents are sizes by name.
void LaunchableKernel::infer_sizes(Call& call) const {
  for (std::size_t i = 0; i < call.sizes.size(); ++i) {
    const std::string& wanted = template_.sizes[i].first;
    for (std::size_t slot = 0; call.sizes[i] == 0 && slot < slots_.size(); ++slot) {
      const auto& shape = slots_[slot].argument->shape;
      if (!call.arrays[slot].is_valid()) continue;
      for (std::size_t axis = 0; axis < shape.size() && call.sizes[i] == 0; ++axis) {
        if (shape[axis].text() != wanted) continue;
        const auto extents = shape_of(call.arrays[slot]);
        if (extents.size() == shape.size()) call.sizes[i] = extents[axis];
      }
    }
    if (call.sizes[i] == 0)
      throw std::invalid_argument(fmt::format(
          "the size {} of {} is missing: no array's shape says it; pass {}=", wanted, template_.name, wanted));
  }
}

const LaunchableKernel::Sized& LaunchableKernel::sized(const std::vector<std::int64_t>& sizes) {
  for (const Sized& known : known_)
    if (known.sizes == sizes) return known;
  Sized made{sizes, {}};
  search::NamedValues scope = chosen_variants_;
  for (std::size_t i = 0; i < sizes.size(); ++i) scope.emplace_back(template_.sizes[i].first, sizes[i]);
  for (const Slot& slot : slots_)
    made.elements.push_back(
        slot.argument->role == tuner::Role::scalar ? 0 : tuner::plan_buffer(*slot.argument, scope).elements);
  if (known_.size() >= 64) known_.erase(known_.begin());
  return known_.emplace_back(std::move(made));
}

void LaunchableKernel::require_elements(const Call& call) {
  const Sized& needed = sized(call.sizes);
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    const bool buffer = slots_[slot].argument->role != tuner::Role::scalar;
    if (buffer && !call.given[slot])
      throw std::invalid_argument(fmt::format("the argument {} of {} is missing (None, if the kernel does not use it)",
                                              slots_[slot].name, template_.name));
    if (buffer && call.elements[slot] < needed.elements[slot])
      throw std::invalid_argument(
          fmt::format("the argument {}: it has {} elements, and at these sizes the kernel needs {}", slots_[slot].name,
                      call.elements[slot], needed.elements[slot]));
  }
}

void* LaunchableKernel::current_context() {
  if (on_host_) return &host_;
  static const GetCurrent get_current = find_get_current(options_.library_directories);
  void* context = nullptr;
  if (get_current) get_current(&context);
  return context;
}

// Of another context than the last one: perhaps compiled for it already.
runtime::Kernel& LaunchableKernel::open(void* context) {
  const nb::gil_scoped_release released;
  const std::scoped_lock lock(mutex_);
  const auto known = opened_.find(context);
  if (known != opened_.end()) return known->second;
  const runtime::Runtime& found = runtime_of(context, options_, on_host_);
  return opened_.emplace(context, found.load(manifest_, wisdom_, variants_)).first->second;
}

runtime::Kernel& LaunchableKernel::kernel() {
  void* context = current_context();
  if (last_ && context == last_context_) return *last_;
  runtime::Kernel& opened = open(context);
  last_context_ = context;
  return *(last_ = &opened);
}

std::vector<runtime::Size> LaunchableKernel::sizes_of(const std::vector<std::int64_t>& values) const {
  std::vector<runtime::Size> sizes;
  for (std::size_t i = 0; i < values.size(); ++i) sizes.push_back({template_.sizes[i].first, values[i]});
  return sizes;
}

void LaunchableKernel::launch(const nb::args& arguments, const nb::kwargs& named) {
  Call call;
  call.sizes.resize(template_.sizes.size());
  if (arguments.size() > slots_.size())
    throw std::invalid_argument(fmt::format("{} takes {} arguments, {} were given; {}", template_.name, slots_.size(),
                                            arguments.size(), description()));
  for (std::size_t i = 0; i < arguments.size(); ++i) take(call, i, arguments[i]);
  for (const auto [name, value] : named) take_named(call, name, value);
  if (std::ranges::find(call.sizes, 0) != call.sizes.end()) infer_sizes(call);
  require_elements(call);
  std::size_t count = slots_.size();
  while (count > 0 && !call.given[count - 1]) --count;
  for (std::size_t i = 0; i < count; ++i)
    if (!call.given[i])
      throw std::invalid_argument(
          fmt::format("the argument {} is missing, and one behind it is given", slots_[i].name));
  const std::uintptr_t stream = on_host_ ? 0 : call.stream ? *call.stream : current_stream(call.first);
  runtime::Kernel& opened = kernel();
  const std::vector<runtime::Size> sizes = sizes_of(call.sizes);
  const nb::gil_scoped_release released;
  opened.launch_with(reinterpret_cast<void*>(stream), sizes.data(), sizes.size(), call.arguments.data(), count);
}

LaunchableKernel::Call LaunchableKernel::sizes_only(const nb::kwargs& sizes) const {
  Call call;
  call.sizes.resize(template_.sizes.size());
  for (const auto [name, value] : sizes) take_named(call, name, value);
  infer_sizes(call);
  return call;
}

void LaunchableKernel::prepare(const nb::kwargs& named) {
  const auto sizes = sizes_of(sizes_only(named).sizes);
  runtime::Kernel& opened = kernel();
  const nb::gil_scoped_release released;
  opened.prepare_with(sizes.data(), sizes.size());
}

std::string LaunchableKernel::choice(const nb::kwargs& named) {
  const auto sizes = sizes_of(sizes_only(named).sizes);
  const runtime::Choice choice = kernel().choice_with(sizes.data(), sizes.size());
  static constexpr std::array<const char*, 3> sources = {"device", "architecture", "default"};
  Json json = {{"source", sources.at(static_cast<std::size_t>(choice.source))},
               {"configuration", choice.configuration}};
  json["measured_sizes"] = tuner::json_or_null(choice.measured_sizes);
  json["time_ms"] = choice.time_ms > 0 ? Json(choice.time_ms) : Json(nullptr);
  return tuner::text_of(json);
}

void LaunchableKernel::capture_next(const std::string& file, bool data) {
  kernel().capture_next(file, {data});
}

std::string LaunchableKernel::description() const {
  std::vector<std::string> words;
  for (const Slot& slot : slots_) words.push_back(slot.name);
  for (const auto& [name, value] : template_.sizes) words.push_back(name + "=");
  return fmt::format("{}({}, stream=)", template_.name, fmt::join(words, ", "));
}

void bind_kernel(nb::module_& module) {
  nb::class_<LaunchableKernel>(module, "Kernel", "A template that is launched on arrays. Use `warptune.kernel`.")
      .def(nb::init<const std::string&, const std::string&, const std::string&, const std::string&,
                    const std::map<std::string, std::string>&, bool>(),
           "backend"_a, "manifest"_a, "wisdom"_a, "cache_folder"_a, "variants"_a, "on_host"_a)
      .def("launch", &LaunchableKernel::launch,
           nb::sig("def launch(self, *arguments: object, **named: object) -> None"), "Queue a launch.")
      .def("prepare", &LaunchableKernel::prepare, nb::sig("def prepare(self, **sizes: int) -> None"),
           "Compile for these sizes.")
      .def("choice", &LaunchableKernel::choice, nb::sig("def choice(self, **sizes: int) -> str"),
           "What a launch of these sizes uses, as a JSON document.")
      .def("capture_next", &LaunchableKernel::capture_next, "file"_a, "data"_a, "Record the next launch.")
      .def("description", &LaunchableKernel::description, "How it is called.");
}

}  // namespace warptune::python
