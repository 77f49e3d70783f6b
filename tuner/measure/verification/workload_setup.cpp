// Sets up a workload: its memory, its sets of inputs, and what the reference makes of each.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tuner/kernel/content_hash.h"
#include "tuner/kernel/data/fill_content.h"
#include "tuner/measure/verification/host_function.h"
#include "tuner/measure/verification/workload.h"
#include "tuner/system/clock.h"

namespace warptune::tuner {

namespace {

// The most seconds that a second set may take, for it has to be filled and needs a run of the reference.
constexpr double most_seconds_for_another_set = 1;

// Returns whether an argument can be made anew with other numbers, as drawn ones can. Sorted keys, indices and files
// cannot.
bool is_drawn(const Argument& argument) {
  const Fill& fill = argument.fill;
  return argument.role != Role::output && argument.role != Role::scalar && !fill.fixed &&
         (fill.kind == Fill::Kind::uniform || fill.kind == Fill::Kind::normal);
}

}  // namespace

Workload::Workload(const KernelTemplate& kernel, const search::NamedValues& constants, Device& device,
                   Compiler& compiler, const BackendOptions& options, bool verify, const CacheOptions& cache,
                   std::uint64_t secret)
    : kernel_(kernel),
      constants_(constants),
      device_(device),
      compiler_(compiler),
      options_(options),
      verifies_(verify),
      secret_(secret),
      rng_(secret),
      functions_(kernel, constants_, device, options_, cache, verify),
      kernels_(device, compiler, kernel),
      protected_(device, kernels_),
      inspection_(device, kernels_, rng_.next()),
      writable_(device, kernels_, rng_.next()) {
  try {
    choose_sets();
    for (const Argument& argument : kernel.arguments)
      if (argument.role != Role::scalar) add(argument);
    set_up();
    watch();
  } catch (const DeviceError& error) {
    const bool too_large = error.outcome() == search::Outcome::resource_limit;
    throw WorkloadError(fmt::format("{} cannot hold or compute the reference of {}: {} ({}){}", device.info().id,
                                    kernel.name, error.what(), error.code(),
                                    too_large ? ". A smaller --size may do." : ""));
  } catch (const search::ExpressionError& error) {
    throw WorkloadError(
        fault_in_manifest(kernel, fmt::format("the shapes of {} cannot be computed: {}", kernel.name, error.what())));
  } catch (const std::invalid_argument& error) {
    throw WorkloadError(fmt::format("the shapes or the data of {} cannot be used: {}", kernel.name, error.what()));
  }
}

// Decides how many sets there are. If the problem is too large, this is said before anything is allocated, in the
// user's terms, instead of by the driver half-way. What only makes verification stricter, and is no part of the
// problem, may take half of the memory.
void Workload::choose_sets() {
  double bytes = 0, inputs = 0, another = 0;
  bool drawn = false;
  for (const Argument& argument : kernel_.arguments) {
    if (argument.role == Role::scalar) continue;
    const PlannedBuffer plan = [&] {
      try {
        return plan_buffer(argument, constants_);
      } catch (const std::exception& error) {
        throw WorkloadError(
            fmt::format("the shape of {} in {} cannot be used: {}", argument.name, kernel_.name, error.what()));
      }
    }();
    const auto elements = static_cast<double>(plan.elements);
    const double own = elements * static_cast<double>(size_bytes(argument.type));
    bytes += own * (argument.role == Role::inout ? 2 : 1);
    if (argument.role == Role::input) inputs += own;
    if (argument.role == Role::inout) another += own;
    if (verifies_ && argument.is_output()) {
      bytes += elements * static_cast<double>(size_bytes(argument.reference_type));
      another += elements * static_cast<double>(size_bytes(argument.reference_type));
    }
    drawn = drawn || is_drawn(argument);
    has_host_memory_ = has_host_memory_ || argument.on_host;
  }
  const auto available = static_cast<double>(device_.info().total_memory_bytes);
  if (available > 0 && bytes > available)
    throw WorkloadError(fmt::format(
        "{} at this size needs {:.3g} GB of memory with its reference, {} has {:.3g} GB. Choose a smaller --size.",
        kernel_.name, bytes / 1e9, device_.info().id, available / 1e9));
  const double room = available > 0 ? available / 2 : 1e9;
  keeps_sources_ = bytes + inputs <= room;
  // Expected data from files belongs to the one set that the files describe.
  if (verifies_ && drawn && kernel_.reference.data.empty() && !has_host_memory_ && bytes + 2 * inputs + another <= room)
    sets_ = 2;
}

void Workload::add(const Argument& argument) {
  auto data = std::make_unique<Data>();
  data->plan = plan_buffer(argument, constants_);
  const std::size_t bytes = data->plan.bytes();
  if (argument.role == Role::input) {
    data->input = std::make_unique<GuardedBuffer>(device_, bytes, GuardedBuffer::Use::read);
    input_bytes_ += bytes;
  }
  const bool keeps = argument.role == Role::inout || (argument.role == Role::input && keeps_sources_);
  WritableMemory::Before before;
  for (std::size_t set = 0; set < sets_; ++set) {
    if (keeps) data->source[set] = device_.allocate(whole_quads(bytes));
    if (argument.role == Role::inout) before.copy_from.push_back(data->source[set]->span().address);
  }
  if (argument.is_output()) {
    writable_.put(argument.name, bytes, before);
    const Tolerance& tolerance = argument.tolerance;
    const auto number = [&](const search::Expression& expression, const char* what) {
      const double value = search::to_double(expression.evaluate(constants_));
      if (value >= 0 && value - value == 0) return value;
      throw WorkloadError(fmt::format("the {} tolerance of {} in {} is {}; expected a finite number of at least 0",
                                      what, argument.name, kernel_.name, value));
    };
    data->allowed = {number(tolerance.absolute, "absolute"), number(tolerance.relative, "relative"),
                     number(tolerance.ulp, "ulp")};
    data->counts = data->plan.elements;
    if (argument.counts) {
      const std::int64_t counts = search::to_integer(argument.counts->evaluate(constants_));
      if (counts < 0 || static_cast<std::size_t>(counts) > data->plan.elements)
        throw WorkloadError(fmt::format("{} of the {} elements of {} in {} count; expected at least 0 and at most all",
                                        counts, data->plan.elements, argument.name, kernel_.name));
      // If nothing counts, the reference gets the buffer itself.
      if (counts == 0 && argument.reference_type != argument.type)
        throw WorkloadError(fmt::format("nothing of {} in {} is compared, so its reference_type must be its type, {}",
                                        argument.name, kernel_.name, to_string(argument.type)));
      data->counts = static_cast<std::size_t>(counts);
    }
    compared_bytes_ += bytes + data->counts * size_bytes(argument.reference_type);
  }
  data_[argument.name] = std::move(data);
}

// Returns the fill of a set. Equal seeds stay equal, for buffers may have to agree.
Fill Workload::drawn(Fill fill, std::size_t set) const {
  if (!fill.fixed && set > 0) fill.seed ^= draw_;
  return fill;
}

void Workload::make_set(std::size_t set) {
  const double start = steady_s();
  functions_.forget();
  fill_set(set);
  if (set == 0 && verifies_) hash_data();
  keep_sources(set);
  if (verifies_) compute_expected(set);
  functions_.forget();
  redraw_s_ = steady_s() - start;
}

// Makes all sets. It is also called after something was written that no kernel may write.
void Workload::set_up() {
  draw_ = first_draw;
  const double start = steady_s() + functions_.spared_s();  // the time that the cache spares counts, too
  for (std::size_t set = 0; set < sets_; ++set) {
    if (set == 1 && steady_s() - start + functions_.spared_s() > most_seconds_for_another_set) {
      sets_ = 1;
      for (auto& [name, data] : data_)
        data->source[1].reset(), data->expected[1].reset(), data->expected_sum[1].reset();
      break;
    }
    make_set(set);
    if (!verifies_) continue;
    survey(set);
    functions_.keep();
    mask(set);
  }
  protect();
  if (sets_ > 1) put_inputs(0);
}

// A reference may accept some data and refuse other data. That says nothing about a kernel, so it is no error here.
bool Workload::redraw() {
  if (sets_ == 1) return false;
  try {
    draw_ = unknown_seed();
    make_set(1);
    mask(1);
    protect();
    put_inputs(1);
    return true;
  } catch (const WorkloadError&) {
    set_up();
    return false;
  }
}

void Workload::fill_set(std::size_t set) {
  std::vector<std::string> changed;
  for (const auto& [name, data] : data_) {
    if (data->argument().role == Role::output) continue;
    if (set == 0 || is_drawn(data->argument())) {
      fill(*data, set);
      changed.push_back(name);
    } else if (data->argument().fill.kind != Fill::Kind::function) {
      device_.copy(span(name), {data->source[0]->span().address, data->plan.bytes()});
    }
  }
  fill_on_host(set, changed);
}

void Workload::fill(const Data& data, std::size_t set) {
  const Argument& argument = data.argument();
  const MemorySpan to = span(argument.name);
  if (argument.fill.kind == Fill::Kind::function) return;  // functions are called once all buffers are there
  try {
    if (const auto content = fill_content(argument.fill, argument.type, data.plan.elements))
      device_.upload(to, *content);
    else
      kernels_.fill(to, argument.type, data.plan.elements, drawn(argument.fill, set));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", argument.name, error.what()));
  }
}

// A function that reads nothing new gives the same results again, so it is not called.
void Workload::fill_on_host(std::size_t set, std::vector<std::string>& changed) {
  for (const HostFunction& function : kernel_.fills) {
    const bool anew = set == 0 || std::ranges::any_of(function.arguments, [&](const std::string& name) {
                        return std::ranges::find(changed, name) != changed.end();
                      });
    std::map<std::string, MemorySpan> buffers;
    for (const auto& [name, data] : data_) buffers[name] = span(name);
    std::set<std::string> written;
    for (const auto& [name, data] : data_) {
      const Fill& fill = data->argument().fill;
      if (fill.kind == Fill::Kind::function && fill.function == function.name) written.insert(name);
    }
    std::map<std::string, HostBytes> contents;
    if (anew) contents = functions_.call(function, buffers, written, false);
    if (draw_ == first_draw) functions_.keep();
    for (const auto& [name, data] : data_) {
      const Fill& fill = data->argument().fill;
      if (fill.kind != Fill::Kind::function || fill.function != function.name) continue;
      if (!anew) device_.copy(buffers.at(name), {data->source[0]->span().address, data->plan.bytes()});
      if (!contents.contains(name)) continue;
      device_.upload(buffers.at(name), contents.at(name).span());
      functions_.hold(name, contents.at(name));
      changed.push_back(name);
    }
  }
}

void Workload::keep_sources(std::size_t set) {
  for (auto& [name, data] : data_)
    if (data->source[set]) device_.copy({data->source[set]->span().address, data->plan.bytes()}, span(name));
}

// Hashes the data by content, and not by seeds or sources. Equal contents make outputs comparable, whoever filled the
// buffers. Functions of the host may be changed by another compiler, and sources of fills by a comment.
void Workload::hash_data() {
  std::string content;
  const auto sum = device_.allocate(sizeof(std::uint64_t));
  for (const auto& [name, data] : data_) {
    const Argument& argument = data->argument();
    content += fmt::format("{} {} {}", name, to_string(argument.type), data->plan.elements);
    if (argument.is_output()) content += fmt::format(" counts {}", data->counts);
    if (argument.compares_sum) content += " as a sum";
    if (argument.role != Role::output) {
      std::uint64_t found = 0;
      device_.upload(sum->span(), std::as_bytes(std::span(&found, 1)));
      kernels_.checksum({span(name).address, data->plan.bytes()}, sum->span().address);
      device_.download(std::as_writable_bytes(std::span(&found, 1)), sum->span());
      content += fmt::format(" holds {:016x}", found);
    }
    content += '\n';
  }
  data_hash_ = content_hash(content).substr(0, hash_digits);
}

void Workload::protect() {
  std::vector<ProtectedMemory::Content> contents;
  std::vector<ProtectedMemory::Copy> copies;
  std::vector<StageJob> jobs;
  inputs_ = most_input_bytes_ = 0;
  for (const auto& [name, data] : data_) {
    const std::string what = name + (data->input ? ", an input," : "'s first values");
    const std::size_t bytes = data->plan.bytes();
    if (data->input && data->source[0])
      copies.push_back({what, data->input->span(), {contents.size(), contents.size() + sets_ - 1}});
    if (data->input && !data->source[0]) contents.push_back({what, data->input->span()});
    for (std::size_t set = 0; set < sets_; ++set)
      if (data->source[set])
        contents.push_back({"the copy that is kept of " + what, {data->source[set]->span().address, bytes}});
    for (std::size_t set = 0; set < sets_; ++set)
      for (const Memory* expected : {data->expected[set].get(), data->expected_sum[set].get()})
        if (expected) contents.push_back({"what is expected of " + name, expected->span()});
    if (data->input && data->source[0]) most_input_bytes_ = std::max(most_input_bytes_, bytes), ++inputs_;
  }
  for (std::size_t set = 0; set < sets_ && keeps_sources_; ++set)
    for (const auto& [name, data] : data_)
      if (data->input)
        jobs.push_back({data->input->span().address, data->source[set]->span().address, data->plan.bytes(), 0, 0});
  input_jobs_ = device_.allocate(jobs.size() * sizeof(StageJob));
  device_.upload(input_jobs_->span(), std::as_bytes(std::span(jobs)));
  protected_.protect(std::move(contents), std::move(copies));
}

}  // namespace warptune::tuner
