// Reads the variables of the shared cache.
#include "tuner/program/cli/stores/shared_cache.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "tuner/program/cli/grammar/context.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/system/encoding.h"
#include "tuner/system/http_client.h"

namespace warptune::tuner::cli {

namespace {

constexpr const char* url_variable = "WARPTUNE_CACHE_URL";
constexpr const char* read_only_variable = "WARPTUNE_CACHE_READ_ONLY";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string why_no_address(const std::string& url) {
  try {
    if (!url.empty()) parse_http_address(url);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

// Returns the HTTP authorization. The secrets are environment variables and not options, which every user of a machine
// sees.
std::string authorization() {
  if (const std::string token = environment("WARPTUNE_CACHE_TOKEN"); !token.empty()) return "Bearer " + token;
  if (const std::string login = environment("WARPTUNE_CACHE_LOGIN"); !login.empty()) return "Basic " + base64(login);
  return "";
}

}  // namespace

void add_shared_cache_options(CLI::App& verb, SharedCacheArguments& arguments) {
  verb.add_option("--cache-url", arguments.url,
                  "a compile cache shared over HTTP; whoever can write to it decides what code runs here")
      ->check([](const std::string& url) { return why_no_address(url); })
      ->type_name("URL")
      ->group(group::compiling);
  verb.add_flag("--cache-read-only", arguments.read_only, "read from the shared cache, write nothing to it")
      ->group(group::compiling);
}

SharedCacheOptions shared_cache(const SharedCacheArguments& arguments) {
  SharedCacheOptions options;
  options.url = arguments.url.value_or(environment(url_variable));
  if (const std::string why_not = why_no_address(options.url); !why_not.empty())
    throw std::invalid_argument(std::string(url_variable) + ": " + why_not);
  const std::string read_only = environment(read_only_variable);
  options.read_only = arguments.read_only || (!read_only.empty() && read_only != "0");
  options.authorization = authorization();
  return options;
}

void set_environment(const SharedCacheArguments& arguments) {
  if (arguments.url) setenv(url_variable, arguments.url->c_str(), 1);
  if (arguments.read_only) setenv(read_only_variable, "1", 1);
}

CacheOptions cache_of_user() {
  CacheOptions options;
  options.folder = default_cache_folder();
  options.shared = shared_cache();
  return options;
}

}  // namespace warptune::tuner::cli
