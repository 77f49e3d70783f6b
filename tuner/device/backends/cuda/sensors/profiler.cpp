// Plans the passes once, and runs the work once for each pass.
#include "tuner/device/backends/cuda/sensors/profiler.h"

#include <fmt/format.h>

namespace warptune::tuner::cuda {
namespace {

// CUPTI keeps a record of each launch with all of its raw counters.
constexpr std::size_t most_launches = 1000;

// Keeps counting switched on for the context as long as this object lives.
class Ranges {
 public:
  Ranges(const Cupti& cupti, CUcontext context) : cupti_(cupti) {
    cupti::RangeEnable enable;
    enable.context = context;
    cupti_.call(cupti_.range_enable, enable, "switching the counters on");
    object_ = enable.object;
  }
  ~Ranges() {
    cupti::RangeObject disable;
    disable.object = object_;
    Cupti::attempt(cupti_.range_disable, disable);
  }
  Ranges(const Ranges&) = delete;
  Ranges& operator=(const Ranges&) = delete;

  void* object() const { return object_; }

 private:
  const Cupti& cupti_;
  void* object_ = nullptr;
};

[[noreturn]] void fail(const std::string& what) {
  throw DeviceError(search::Outcome::launch_error, "COUNTERS", "hardware counters cannot be read: " + what);
}

std::string chip_of(const Cupti& cupti, int ordinal) {
  cupti::ChipName chip;
  chip.device = static_cast<std::size_t>(ordinal);
  cupti.call(cupti.device_get_chip_name, chip, "asking for the chip");
  return chip.name ? chip.name : "";
}

}  // namespace

ChipMetrics::ChipMetrics(const Cupti& cupti, const std::string& chip, const std::uint8_t* availability)
    : cupti_(cupti) {
  cupti::HostInitialize made;
  made.chip = chip.c_str();
  made.availability = availability;
  cupti_.call(cupti_.host_initialize, made, "looking up the chip's metrics");
  host_ = made.host;
}

ChipMetrics::~ChipMetrics() {
  cupti::HostDeinitialize end;
  end.host = host_;
  Cupti::attempt(cupti_.host_deinitialize, end);
}

cupti::Result ChipMetrics::add(std::span<const char*> names) const {
  cupti::AddMetrics add;
  add.host = host_;
  add.names = names.data();
  add.count = names.size();
  return Cupti::attempt(cupti_.host_add_metrics, add);
}

cupti::Result ChipMetrics::plan(std::size_t& bytes) const {
  cupti::ConfigImageSize size;
  size.host = host_;
  const cupti::Result result = Cupti::attempt(cupti_.host_get_config_image_size, size);
  bytes = size.bytes;
  return result;
}

CudaProfiler::CudaProfiler(Context& context, int ordinal, const BackendOptions& options)
    : context_(context), cupti_(load_cupti(cupti_places(options))) {
  const auto current = context_.enter();
  cupti::Initialize initialize;
  cupti_->call(cupti_->profiler_initialize, initialize, "starting CUPTI");
  require_support();
  chip_ = chip_of(*cupti_, ordinal);
  ask_availability();
  choose_metrics();
  make_config();
}

void CudaProfiler::require_support() const {
  cupti::DeviceSupported asked;
  asked.device = context_.device();
  cupti_->call(cupti_->profiler_device_supported, asked, "asking whether the device has counters");
  if (asked.supported == cupti::configuration_supported) return;
  // The reasons are numbered as in cupti_remedy: a virtual GPU, confidential computing, else "not supported".
  const auto refused = [](int level) { return level != cupti::configuration_supported; };
  const cupti::Result reason = refused(asked.virtual_gpu) ? 33 : refused(asked.confidential_computing) ? 41 : 27;
  cupti_->fail(reason, fmt::format("asking whether {} has counters", context_.label()));
}

void CudaProfiler::ask_availability() {
  cupti::CounterAvailability asked;
  asked.context = context_.handle();
  cupti_->call(cupti_->profiler_get_counter_availability, asked, "asking which counters there are");
  availability_.resize(asked.bytes);
  asked.image = availability_.data();
  cupti_->call(cupti_->profiler_get_counter_availability, asked, "asking which counters there are");
}

bool CudaProfiler::has(std::string_view metric) const {
  if (metric.empty()) return false;
  const char* names[] = {metric.data()};  // a literal, so it ends with a zero
  const ChipMetrics alone(*cupti_, chip_, availability_.data());
  std::size_t bytes = 0;
  return alone.add(names) == 0 && alone.plan(bytes) == 0;
}

bool CudaProfiler::choose_metric(const CounterMetric& metric) {
  for (const std::string_view name : {metric.metric, metric.further}) {
    if (!has(name)) continue;
    counters_.push_back(metric.counter);
    metrics_.push_back(name.data());
    return true;
  }
  return false;
}

void CudaProfiler::choose_metrics() {
  for (const CounterMetric& metric : counter_metrics())
    if (!choose_metric(metric)) lacking_.emplace_back(metric.counter);
  if (metrics_.empty())
    fail(fmt::format("{} has none of the metrics for {}; install a newer one", cupti_->text(), context_.label()));
}

void CudaProfiler::make_config() {
  metrics_of_chip_ = std::make_unique<ChipMetrics>(*cupti_, chip_, availability_.data());
  std::size_t bytes = 0;
  if (const cupti::Result result = metrics_of_chip_->add(metrics_)) cupti_->fail(result, "choosing the metrics");
  if (const cupti::Result result = metrics_of_chip_->plan(bytes)) cupti_->fail(result, "planning the passes");
  config_.resize(bytes);
  cupti::ConfigImage image;
  image.host = metrics_of_chip_->host();
  image.bytes = config_.size();
  image.image = config_.data();
  cupti_->call(cupti_->host_get_config_image, image, "planning the passes");
  cupti::NumberOfPasses passes;
  passes.bytes = config_.size();
  passes.image = config_.data();
  cupti_->call(cupti_->host_get_number_of_passes, passes, "planning the passes");
  passes_ = passes.passes;
}

void CudaProfiler::require_permission() {
  const auto current = context_.enter();
  const Ranges ranges(*cupti_, context_.handle());
}

std::vector<CounterValues> CudaProfiler::count(const CountedWork& work) {
  const std::size_t launches = work.kernels.size();
  if (launches == 0) return {};
  if (launches > most_launches)
    fail(fmt::format("the run has {} launches, and {} are counted at most; take a smaller problem", launches,
                     most_launches));
  const auto current = context_.enter();
  // The driver loads code when it is launched for the first time. This run keeps that out of the counts.
  work.prepare();
  work.run();
  context_.wait();
  const Ranges ranges(*cupti_, context_.handle());
  Image data = new_data(ranges.object(), launches);
  cupti::RangeConfig config;
  config.object = ranges.object();
  config.config_bytes = config_.size();
  config.config = config_.data();
  config.data_bytes = data.size();
  config.data = data.data();
  config.most_ranges = launches;
  cupti_->call(cupti_->range_set_config, config, "setting the passes up");
  run_passes(ranges.object(), work);
  decode(ranges.object(), data, launches);
  return evaluate(data, launches);
}

CudaProfiler::Image CudaProfiler::new_data(void* object, std::size_t ranges) {
  cupti::CounterDataSize size;
  size.object = object;
  size.names = metrics_.data();
  size.count = metrics_.size();
  size.most_ranges = ranges;
  size.most_nodes = static_cast<std::uint32_t>(ranges);
  cupti_->call(cupti_->range_get_counter_data_size, size, "making room for the counters");
  Image data(size.bytes);
  cupti::CounterDataInitialize initialize;
  initialize.object = object;
  initialize.bytes = data.size();
  initialize.data = data.data();
  cupti_->call(cupti_->range_initialize_counter_data, initialize, "making room for the counters");
  return data;
}

void CudaProfiler::run_passes(void* object, const CountedWork& work) {
  // CUPTI says when it has all passes. If it never does, it must not keep the device for ever.
  for (std::size_t pass = 0; pass < 2 * passes_ + 8; ++pass) {
    work.prepare();
    context_.wait();
    cupti::RangeObject start;
    start.object = object;
    cupti_->call(cupti_->range_start, start, "beginning a pass");
    work.run();
    context_.wait();
    cupti::RangeStop stop;
    stop.object = object;
    cupti_->call(cupti_->range_stop, stop, "ending a pass");
    if (stop.all_passes_submitted) return;
  }
  fail(fmt::format("{} does not come to an end of its {} passes", cupti_->text(), passes_));
}

void CudaProfiler::decode(void* object, const Image& data, std::size_t launches) const {
  cupti::RangeDecode decoded;
  decoded.object = object;
  cupti_->call(cupti_->range_decode, decoded, "fetching the counters");
  cupti::CounterDataInfo info;
  info.data = data.data();
  info.bytes = data.size();
  cupti_->call(cupti_->range_get_counter_data_info, info, "fetching the counters");
  if (decoded.dropped > 0 || info.ranges != launches)
    fail(fmt::format("{} launches were made, and {} counted", launches, info.ranges));
}

std::vector<CounterValues> CudaProfiler::evaluate(const Image& data, std::size_t ranges) {
  std::vector<CounterValues> all(ranges);
  std::vector<double> values(metrics_.size());
  for (std::size_t range = 0; range < ranges; ++range) {
    cupti::Evaluate asked;
    asked.host = metrics_of_chip_->host();
    asked.data = data.data();
    asked.bytes = data.size();
    asked.range = range;
    asked.names = metrics_.data();
    asked.count = metrics_.size();
    asked.values = values.data();
    cupti_->call(cupti_->host_evaluate, asked, "computing the counters");
    for (std::size_t i = 0; i < values.size(); ++i) all[range][std::string(counters_[i])] = values[i];
  }
  return all;
}

}  // namespace warptune::tuner::cuda
