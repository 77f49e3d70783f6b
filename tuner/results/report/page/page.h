// A report's page: one HTML text that holds data, style, script and chart library, and asks nobody for anything. The
// scripts (assets/*.js) are read from left to right as their names in CMakeLists.txt; each works alone in its own
// element, so that a Content-Security-Policy can name each by its hash and forbid all others.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warptune::tuner {

// One text of the page's own, with its SHA-256 in hexadecimal digits as the build computed it.
struct PageAsset {
  std::string_view name;  // "model.js"
  std::string_view text;
  std::string_view sha256;
};

// The page's own texts: one style sheet, then the scripts in their order.
std::span<const PageAsset> page_assets();

// A chart library: Vega, Vega-Lite and Vega-Embed in one script. Its text must be the one that the hash is of: a
// browser refuses any other.
struct ChartLibrary {
  std::string script;
  std::string sha256;
};

// What those who wrote it want every copy to say.
std::string_view charts_license();

struct PageOptions {
  std::string title = "Warptune report";
  ChartLibrary charts = {};  // empty: tables only, and the page says so
  // The page may ask the server that it came from, and nobody else: for sessions that still run. Its script then calls
  // `warptune.update(data)`.
  bool live = false;
};

// `data` is page_data_text's.
std::string page_html(std::string_view data, const PageOptions& options);

// What the page's script takes in its place with `warptune.update(JSON.parse(text))` is page_data_text's as well.

}  // namespace warptune::tuner
