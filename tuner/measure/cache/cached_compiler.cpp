// Computes the key of a request, and decides which results are kept.
#include "tuner/measure/cache/cached_compiler.h"

#include <fmt/format.h>

#include <string_view>

#include "tuner/device/compile/compiler.h"
#include "tuner/device/compile/include_text.h"
#include "tuner/measure/cache/code_cache.h"
#include "tuner/system/crypto.h"

namespace warptune::tuner {

namespace {

// The version of the key. It has to be raised whenever equal keys could mean different code.
constexpr std::string_view key_version = "5";

// Joins fields with their lengths, so that two different lists of fields never give the same text.
class Fields {
 public:
  void add(std::string_view field) { text_ += fmt::format("{}:{};", field.size(), field); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Returns whether the text contains an `#include NAME` whose name is a macro. What it includes depends on the
// configuration.
bool includes_by_macro(std::string_view text) {
  for (std::size_t at = text.find("include"); at != std::string_view::npos; at = text.find("include", at + 1)) {
    const std::size_t hash_sign = text.find_last_not_of(" \t", at - (at > 0));
    const std::size_t name = text.find_first_not_of(" \t", at + 7);
    if (at == 0 || hash_sign == std::string_view::npos || text[hash_sign] != '#' || name == std::string_view::npos)
      continue;
    if (text[name] != '"' && text[name] != '<') return true;
  }
  return false;
}

// Returns whether a result is kept: machine code, or errors in the source. A failure of the machine is not kept.
bool worth_keeping(const CompileResult& result) {
  if (result.code) return true;
  return !result.timed_out && !result.unfinished && result.log.find("error") != std::string::npos &&
         !tells_of_the_machine(result.log);
}

}  // namespace

CachedCompiler::CachedCompiler(std::unique_ptr<Compiler> compiler, const DeviceInfo& device, CacheOptions cache,
                               std::vector<std::filesystem::path> toolkit_includes, std::string salt)
    : compiler_(std::move(compiler)), cache_(cache), toolkit_includes_(std::move(toolkit_includes)) {
  if (cache_.enabled() && !cache.shared.url.empty()) shared_ = std::make_unique<SharedCache>(cache.shared);
  Fields fields;
  fields.add(key_version);
  fields.add(compiler_->version());
  fields.add(device.backend);
  fields.add(device.architecture);
  // The host's compiler makes code for this very processor (-march=native), so its name is part of the key.
  if (device.is_host()) fields.add(device.name);
  fields.add(device.code_traits);
  fields.add(salt);
  machine_ = fields.text();
}

CachedCompiler::CachedCompiler(std::unique_ptr<Compiler> compiler, const DeviceInfo& device, CacheOptions cache,
                               Includes includes)
    : CachedCompiler(std::move(compiler), device, std::move(cache), {}, "") {
  how_ = includes;
}

CachedCompiler::Fetched CachedCompiler::fetch(const CompileRequest& request) {
  if (!cache_.enabled()) return {compile_patiently(*compiler_, request)};
  const std::string name = key(request);
  if (const auto bytes = cache_.get(name))
    if (auto known = compile_result_from(*bytes)) return {std::move(*known), true};
  if (auto known = fetch_shared(name)) return {std::move(*known), true, true};
  CompileResult result = compile_patiently(*compiler_, request);
  if (!worth_keeping(result)) return {std::move(result)};
  const std::string bytes = to_bytes(result);
  cache_.put(name, bytes);
  if (shared_) shared_->put(name, bytes);
  return {std::move(result)};
}

// Looks a request up in the shared cache. What is found is stored in the folder, too, so that the next session on this
// machine need not ask the server.
std::optional<CompileResult> CachedCompiler::fetch_shared(const std::string& name) {
  if (!shared_ || shared_->left_alone()) return std::nullopt;
  const auto bytes = shared_->get(name);
  auto result = bytes ? compile_result_from(*bytes) : std::nullopt;
  if (result && !worth_keeping(*result)) result.reset();
  cache_.count_shared(result.has_value());
  if (result) cache_.put(name, *bytes);
  return result;
}

void CachedCompiler::flush(int patience_ms) {
  if (shared_) shared_->flush(patience_ms);
}

std::map<std::string, std::string> CachedCompiler::notices() const {
  return shared_ ? shared_->notices() : std::map<std::string, std::string>();
}

std::string CachedCompiler::key(const CompileRequest& request) {
  Fields fields;
  fields.add(machine_);
  fields.add(request.name);  // it appears in __FILE__ and in messages
  fields.add(texts(request));
  for (const auto& [name, text] : request.defines) fields.add(name + "=" + text);
  fields.add("options");
  for (const std::string& option : request.options) fields.add(option);
  fields.add("kernels");
  for (const std::string& kernel : request.kernels) fields.add(kernel);
  fields.add("symbols");
  for (const std::string& symbol : request.symbols) fields.add(symbol);
  if (request.tracked) fields.add("tracked");
  return sha256(fields.text());
}

// Returns the source and what it includes as one hash. Both are long, and the same for all of a session's requests.
std::string CachedCompiler::texts(const CompileRequest& request) {
  const auto hash = [&](const std::string& includes) {
    Fields fields;
    fields.add(request.source);
    fields.add(includes);
    return sha256(fields.text());
  };
  if (how_ == Includes::preprocessed) return hash(compiler_->preprocess(request) + include_text(request, {}));
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = texts_.find(request.source); known != texts_.end()) return known->second;
  }
  CompileRequest plain = request;
  plain.defines.clear();
  const std::string text = include_text(plain, toolkit_includes_);
  if (includes_by_macro(text)) return hash(include_text(request, toolkit_includes_));
  const std::lock_guard lock(mutex_);
  return texts_[request.source] = hash(text);
}

}  // namespace warptune::tuner
