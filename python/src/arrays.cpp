#include "python/src/arrays.h"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <unordered_map>

namespace nb = nanobind;

namespace warptune::python {

namespace {

// Objects that are looked up once; never released, for the interpreter may be gone before they are.
nb::object& kept(const char* module, const char* name) {
  static auto& found = *new std::unordered_map<std::string, nb::object>();
  nb::object& object = found[std::string(module) + "." + name];
  if (!object.is_valid()) {
    object = nb::module_::import_(module);
    for (std::string rest = name; !rest.empty();) {
      const std::size_t dot = std::min(rest.find('.'), rest.size());
      object = object.attr(rest.substr(0, dot).c_str());
      rest.erase(0, dot + 1);
    }
  }
  return object;
}

bool is_imported(const char* module) {
  PyObject* modules = PyImport_GetModuleDict();
  return PyDict_GetItemString(modules, module) != nullptr;
}

bool is_instance(nb::handle value, const char* module, const char* type) {
  return is_imported(module) && PyObject_IsInstance(value.ptr(), kept(module, type).ptr()) == 1;
}

Framework find_framework(nb::handle value) {
  if (is_instance(value, "torch", "Tensor")) return Framework::torch;
  if (is_instance(value, "cupy", "ndarray")) return Framework::cupy;
  for (const char* name : {"__cuda_array_interface__", "__dlpack__", "__array_interface__"})
    if (PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())), name)) return Framework::other;
  return PyObject_CheckBuffer(value.ptr()) ? Framework::other : Framework::none;
}

// By type, which never changes what it is.
Framework framework_of(nb::handle value) {
  static auto& known = *new std::unordered_map<PyTypeObject*, Framework>();
  const auto found = known.find(Py_TYPE(value.ptr()));
  if (found != known.end()) return found->second;
  const Framework framework = find_framework(value);
  Py_INCREF(value.type().ptr());  // so that no other type takes its address
  return known[Py_TYPE(value.ptr())] = framework;
}

std::string type_text(nb::handle value) {
  return nb::cast<std::string>(nb::str(value.type().attr("__name__")));
}

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw nb::value_error(fmt::format("the argument {}: {}", name, what).c_str());
}

[[noreturn]] void refuse_type(const std::string& name, nb::handle type, const ElementTypes& expected) {
  refuse(name,
         fmt::format("its elements are {}, the kernel's are {}", nb::cast<std::string>(nb::str(type)), expected.name));
}

[[noreturn]] void refuse_layout(const std::string& name) {
  refuse(name, "it is not contiguous in C's order, and nothing is copied; make it so beforehand (ascontiguousarray)");
}

std::size_t whole(const nb::object& number) {
  return nb::cast<std::size_t>(number);
}

ArrayView torch_view(nb::handle tensor, const ElementTypes& types, const std::string& name) {
  if (!types.torch.is_valid()) types.torch = nb::getattr(nb::module_::import_("torch"), types.name.c_str(), nb::none());
  const nb::object type = tensor.attr("dtype");
  if (!type.is(types.torch)) refuse_type(name, type, types);
  if (!nb::cast<bool>(tensor.attr("is_cuda")))
    refuse(name, "the tensor is in the host's memory; call .cuda() beforehand");
  if (!nb::cast<bool>(tensor.attr("is_contiguous")())) refuse_layout(name);
  return {nb::cast<std::uintptr_t>(tensor.attr("data_ptr")()), whole(tensor.attr("numel")()), Framework::torch,
          nb::cast<int>(tensor.attr("get_device")())};
}

nb::object& numpy_type(const ElementTypes& types) {
  if (!types.numpy.is_valid()) types.numpy = kept("numpy", "dtype")(types.name);
  return types.numpy;
}

ArrayView cupy_view(nb::handle array, const ElementTypes& types, const std::string& name) {
  const nb::object type = array.attr("dtype");
  if (!type.is(numpy_type(types)) && !type.equal(numpy_type(types))) refuse_type(name, type, types);
  if (!nb::cast<bool>(array.attr("flags").attr("c_contiguous"))) refuse_layout(name);
  return {nb::cast<std::uintptr_t>(array.attr("data").attr("ptr")), whole(array.attr("size")), Framework::cupy};
}

ArrayView interface_view(nb::handle array, const ElementTypes& types, const std::string& name, bool writable) {
  const nb::dict said = nb::cast<nb::dict>(array.attr("__cuda_array_interface__"));
  const nb::object type = kept("numpy", "dtype")(said["typestr"]);
  if (!type.equal(numpy_type(types))) refuse_type(name, type, types);
  const nb::tuple data = nb::cast<nb::tuple>(said["data"]);
  if (writable && nb::cast<bool>(data[1])) refuse(name, "it is read-only, and the kernel writes it");
  ArrayView view{nb::cast<std::uintptr_t>(data[0]), 1, Framework::other};
  const nb::tuple shape = nb::cast<nb::tuple>(said["shape"]);
  for (const nb::handle extent : shape) view.elements *= nb::cast<std::size_t>(extent);
  if (said.contains("strides") && !said["strides"].is_none()) {
    const nb::tuple strides = nb::cast<nb::tuple>(said["strides"]);
    std::int64_t packed = nb::cast<std::int64_t>(type.attr("itemsize"));
    for (std::size_t i = shape.size(); i-- > 0; packed *= nb::cast<std::int64_t>(shape[i]))
      if (nb::cast<std::int64_t>(shape[i]) > 1 && nb::cast<std::int64_t>(strides[i]) != packed) refuse_layout(name);
  }
  if (said.contains("stream") && !said["stream"].is_none()) view.stream = nb::cast<std::uintptr_t>(said["stream"]);
  return view;
}

bool has_type(nb::dlpack::dtype type, tuner::ElementType wanted) {
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(type.code);
  if (type.lanes != 1 || type.bits != 8 * tuner::size_bytes(wanted)) return false;
  if (wanted == tuner::ElementType::bf16) return code == Code::Bfloat;
  if (tuner::is_floating(wanted)) return code == Code::Float;
  const bool is_unsigned = wanted == tuner::ElementType::u8 || wanted == tuner::ElementType::u16 ||
                           wanted == tuner::ElementType::u32 || wanted == tuner::ElementType::u64;
  return code == (is_unsigned ? Code::UInt : Code::Int) || (code == Code::Bool && wanted == tuner::ElementType::u8);
}

template <class Array>
ArrayView exchanged_view(const Array& array, const ElementTypes& types, const std::string& name, bool on_host) {
  if (!has_type(array.dtype(), types.type))
    refuse(name, fmt::format("its elements are not the kernel's, {}", types.name));
  const bool in_host = array.device_type() == nb::device::cpu::value;
  if (on_host != in_host)
    refuse(name, on_host ? "it is in a GPU's memory, and the kernel runs on the host"
                         : "it is in the host's memory, and the kernel runs on a GPU; copy it there beforehand");
  std::int64_t packed = 1;
  for (std::size_t i = array.ndim(); i-- > 0; packed *= static_cast<std::int64_t>(array.shape(i)))
    if (array.shape(i) > 1 && array.stride(i) != packed) refuse_layout(name);
  return {reinterpret_cast<std::uintptr_t>(array.data()), array.size(), Framework::other};
}

ArrayView other_view(nb::handle array, const ElementTypes& types, const std::string& name, bool on_host,
                     bool writable) {
  nb::ndarray<> own;
  if (nb::try_cast(array, own, false)) return exchanged_view(own, types, name, on_host);
  nb::ndarray<nb::ro> readable;
  if (nb::try_cast(array, readable, false)) {
    if (writable) refuse(name, "it is read-only, and the kernel writes it");
    return exchanged_view(readable, types, name, on_host);
  }
  if (const nb::object type = nb::getattr(array, "dtype", nb::none());
      !type.is_none() && nb::getattr(type, "isnative", nb::none()).is(nb::bool_(false)))
    refuse(name, "its bytes are in the other order; pass .astype(its dtype.newbyteorder('=')) of it");
  refuse(name, fmt::format("a {} gives no address; expected an array of NumPy, CuPy or PyTorch, or one with DLPack or "
                           "__cuda_array_interface__",
                           type_text(array)));
}

}  // namespace

ElementTypes element_types(tuner::ElementType type) {
  using Type = tuner::ElementType;
  switch (type) {
    case Type::f32:
      return {"float32", type};
    case Type::f64:
      return {"float64", type};
    case Type::f16:
      return {"float16", type};
    case Type::bf16:
      return {"bfloat16", type};
    default:
      return {std::string(tuner::to_string(type)), type};
  }
}

ArrayView view_of(nb::handle array, const ElementTypes& types, const std::string& name, bool on_host, bool writable) {
  const Framework framework = framework_of(array);
  if (!on_host && framework == Framework::torch) return torch_view(array, types, name);
  if (!on_host && framework == Framework::cupy) return cupy_view(array, types, name);
  if (!on_host && PyObject_HasAttrString(array.ptr(), "__cuda_array_interface__"))
    return interface_view(array, types, name, writable);
  return other_view(array, types, name, on_host, writable);
}

bool is_array(nb::handle value) {
  return framework_of(value) != Framework::none;
}

std::vector<std::int64_t> shape_of(nb::handle array) {
  std::vector<std::int64_t> shape;
  const nb::object said = nb::getattr(array, "shape", nb::none());
  if (!said.is_none())
    for (const nb::handle extent : nb::iter(said)) shape.push_back(nb::cast<std::int64_t>(extent));
  return shape;
}

std::uintptr_t current_stream(const ArrayView& view) {
  if (view.framework == Framework::cupy)
    return nb::cast<std::uintptr_t>(kept("cupy", "cuda.get_current_stream")().attr("ptr"));
  if (view.framework != Framework::torch) return view.stream;
  static const bool raw = PyObject_HasAttrString(kept("torch", "_C").ptr(), "_cuda_getCurrentRawStream");
  // PyTorch's own compiler asks so: the public way makes an object, which takes longer than the launch.
  if (raw) return nb::cast<std::uintptr_t>(kept("torch", "_C._cuda_getCurrentRawStream")(view.device));
  return nb::cast<std::uintptr_t>(kept("torch", "cuda.current_stream")(view.device).attr("cuda_stream"));
}

std::uintptr_t stream_of(nb::handle stream) {
  if (PyLong_Check(stream.ptr())) return nb::cast<std::uintptr_t>(stream);
  for (const char* name : {"cuda_stream", "ptr"})
    if (PyObject_HasAttrString(stream.ptr(), name)) return nb::cast<std::uintptr_t>(stream.attr(name));
  if (PyObject_HasAttrString(stream.ptr(), "__cuda_stream__"))
    return nb::cast<std::uintptr_t>(nb::cast<nb::tuple>(stream.attr("__cuda_stream__")())[1]);
  throw nb::type_error(
      fmt::format("stream= is a {}; expected an integer, or a stream of CuPy, PyTorch or cuda.core", type_text(stream))
          .c_str());
}

}  // namespace warptune::python
