// The extension module warptune._native: the few calls that the package's Python files are made of. Documents travel as
// JSON, the one that the command line prints too; what is large (outputs) as bytes. Every call that works for long
// gives the interpreter's lock up.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>

#include "db/store.h"
#include "python/src/findings.h"
#include "python/src/kernel.h"
#include "python/src/outputs.h"
#include "python/src/request.h"
#include "python/src/session.h"
#include "search/expression/expression.h"
#include "tuner/kernel/draft/facts/source_facts.h"
#include "tuner/kernel/json_values.h"
#include "tuner/kernel/t1/kernel_tuner_macros.h"
#include "tuner/measure/workers/first_worker.h"
#include "tuner/results/report/text/document.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace warptune::python {
namespace {

using tuner::Json;

std::string devices(const std::string& backend, const std::string& worker) {
  const tuner::workers::Program program{worker, {"worker"}};
  const tuner::DeviceList list = tuner::workers::FirstWorker(program).list_devices(backend_from_json(backend));
  Json json{{"devices", Json::array()}, {"absent", list.absent}};
  for (const tuner::DeviceInfo& device : list.devices)
    json["devices"].push_back({{"id", device.id},
                               {"backend", device.backend},
                               {"name", device.name},
                               {"architecture", device.architecture},
                               {"driver", device.driver},
                               {"uuid", device.uuid},
                               {"limits", tuner::json_from_values(device.limits())}});
  return tuner::text_of(json);
}

std::string kernels_of(const std::string& source) {
  Json json = Json::array();
  const tuner::draft::SourceFacts facts(source);
  for (const auto& kernel : facts.kernels) {
    Json parameters = Json::array();
    for (const auto& parameter : kernel.parameters)
      parameters.push_back({{"name", parameter.name},
                            {"type", parameter.type},
                            {"pointers", parameter.pointers},
                            {"const", parameter.is_const}});
    Json templates = Json::array();
    for (const auto& parameter : kernel.templates) templates.push_back(parameter.name);
    json.push_back({{"name", kernel.name}, {"parameters", parameters}, {"templates", templates}});
  }
  return tuner::text_of(json);
}

std::vector<std::string> names_of(const std::string& expression) {
  return search::Expression::parse(expression).names();
}

// As texts, in the order of the axes.
std::vector<std::pair<std::string, std::string>> macros_of_kernel_tuner(const std::array<std::string, 3>& grid,
                                                                        const std::array<std::string, 3>& block,
                                                                        const std::array<std::string, 3>& block_names) {
  const auto parsed = [](const std::array<std::string, 3>& extents) {
    const auto parse = [](const std::string& text) { return search::Expression::parse(text); };
    return std::array{parse(extents[0]), parse(extents[1]), parse(extents[2])};
  };
  std::vector<std::pair<std::string, std::string>> macros;
  for (const auto& [name, value] : tuner::kernel_tuner_macros(parsed(grid), parsed(block), block_names))
    macros.emplace_back(name, value.text());
  return macros;
}

// Not for several threads at once.
class PythonOutputs {
 public:
  explicit PythonOutputs(const std::string& request) : runs_(request_from_json(request)) {}

  nb::typed<nb::dict, nb::str, nb::bytes> run(const std::string& configuration) {
    std::map<std::string, std::vector<std::byte>> contents;
    {
      const nb::gil_scoped_release released;
      contents = runs_.run(configuration_from_json(configuration));
    }
    nb::typed<nb::dict, nb::str, nb::bytes> result;
    for (const auto& [name, bytes] : contents) result[name.c_str()] = nb::bytes(bytes.data(), bytes.size());
    return result;
  }

 private:
  OutputRuns runs_;
};

using PythonNotify = nb::typed<nb::callable, nb::object(nb::str, nb::str)>;

// Calls Python, with the interpreter's lock.
Notify locked(const PythonNotify& notify) {
  return [&notify](const std::string& event, const std::string& text) {
    const nb::gil_scoped_acquire acquired;
    notify(nb::str(event.c_str(), event.size()), nb::str(text.c_str(), text.size()));
  };
}

std::string tune(const std::string& request, const std::string& store, Stop& stop, const PythonNotify& notify) {
  const nb::gil_scoped_release released;
  return run_session(request_from_json(request), store, stop, locked(notify));
}

std::string tune_sizes(const std::string& request, const std::string& problems, const std::string& store, Stop& stop) {
  const nb::gil_scoped_release released;
  return run_sizes(request_from_json(request), problems_from_json(problems), store, stop);
}

std::string work(const std::string& request, Stop& stop, const PythonNotify& notify) {
  const nb::gil_scoped_release released;
  return run_work(work_request_from_json(request), stop, locked(notify));
}

// A connection to a store file. Calls are short and keep the interpreter's lock, so threads take turns.
class PythonStore {
 public:
  PythonStore(const std::string& file, bool writable)
      : store_(db::Store::open(file, writable ? db::OpenMode::read_write : db::OpenMode::read_only)) {}

  std::string sessions(const std::string& kernel, const std::string& device, const std::string& name,
                       std::size_t limit) const {
    db::HistoryFilter filter;
    filter.kernel = kernel;
    filter.device = device;
    filter.name = name;
    filter.limit = limit;
    Json json = Json::array();
    for (const db::SessionRecord& session : store_.history(filter)) json.push_back(tuner::json_of(session));
    return tuner::text_of(json);
  }

  std::string findings(db::SessionId id) const {
    const auto session = store_.session(id);
    if (!session) throw nb::key_error(("there is no session " + std::to_string(id)).c_str());
    return tuner::text_of(python::findings("show", *session, store_.trials(id), store_.winner(id)));
  }

  void label(db::SessionId id, const std::optional<std::string>& name, const std::optional<std::string>& note) {
    store_.label(id, {name, note});
  }

 private:
  db::Store store_;
};

}  // namespace
}  // namespace warptune::python

NB_MODULE(_native, module) {
#ifdef NDEBUG
  // What a user keeps to the interpreter's end, such as a kernel inside an operation of PyTorch, is no leak of theirs.
  nanobind::set_leak_warnings(false);
#endif
  using namespace warptune;
  module.doc() = "The engine, as the package's Python files use it. Not an interface: use `import warptune`.";
  // The type carries what the kind of an error is: `warptune.errors` gives it an attribute.
  static nb::object error = nb::exception<search::Error>(module, "EngineError", PyExc_RuntimeError);
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const runtime::Error& failure) {
      const nb::object instance = error(nb::str(failure.what()));
      instance.attr("kind") = nb::str("device");
      PyErr_SetObject(error.ptr(), instance.ptr());
    }
  });
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const search::Error& failure) {
      const nb::object instance = error(nb::str(failure.what()));
      instance.attr("kind") = nb::str(std::string(search::to_string(failure.kind())).c_str());
      PyErr_SetObject(error.ptr(), instance.ptr());
    }
  });

  nb::class_<python::Stop>(module, "Stop", "Ends a session; may be set from any thread.")
      .def(nb::init<>())
      .def("set", &python::Stop::set, "End the session with what it has.")
      .def("is_set", &python::Stop::is_set, "Whether it was set.");

  module.attr("version") = WARPTUNE_VERSION;
  module.def("tune", &python::tune, "request"_a, "store"_a, "stop"_a, "notify"_a,
             "Run a session; the result is a JSON document. `notify(event, document)` is told of what happens.");
  module.def("tune_sizes", &python::tune_sizes, "request"_a, "problems"_a, "store"_a, "stop"_a,
             "Run the sessions of many problems within one budget; the result is a JSON document.");
  module.def(
      "work", &python::work, "request"_a, "stop"_a, "notify"_a,
      "Take work of a queue and tune it; the result is a JSON document. `notify(event, document)` is told of it.");
  module.def("devices", &python::devices, "backend"_a, "worker"_a, nb::call_guard<nb::gil_scoped_release>(),
             "The devices there are and why others are not, as a JSON document; asked by a worker.");
  module.def("kernels", &python::kernels_of, "source"_a,
             "The kernels of a CUDA source with their parameters, as a JSON document.");
  module.def("names", &python::names_of, "expression"_a,
             "The names that an expression uses. Raises EngineError where it is none.");
  module.def("kernel_tuner_macros", &python::macros_of_kernel_tuner, "grid"_a, "block"_a, "block_names"_a,
             "The macros that Kernel Tuner defines besides the parameters, with the expressions of their values.");

  python::bind_kernel(module);
  nb::class_<python::PythonOutputs>(module, "Outputs", "One problem on one device, for single runs in this process.")
      .def(nb::init<const std::string&>(), "request"_a)
      .def("run", &python::PythonOutputs::run, "configuration"_a,
           "Run one configuration once; what its outputs hold, as bytes by name.");
  nb::class_<python::PythonStore>(module, "Store", "A store file, open.")
      .def(nb::init<const std::string&, bool>(), "file"_a, "writable"_a)
      .def("sessions", &python::PythonStore::sessions, "kernel"_a, "device"_a, "name"_a, "limit"_a,
           "Sessions, newest first, as a JSON document.")
      .def("findings", &python::PythonStore::findings, "session"_a, "All of one session, as a JSON document.")
      .def("label", &python::PythonStore::label, "session"_a, "name"_a.none(), "note"_a.none(),
           "Change a session's name, its note, or both.");
}
