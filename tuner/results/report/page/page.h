// Writes a report's page: one HTML text that holds data, style, script and chart library, and loads nothing from
// elsewhere. The scripts (assets/*.js) are read in the order of their names in CMakeLists.txt. Each works alone in its
// own element, so that a Content-Security-Policy can name each by its hash and forbid all others.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warptune::tuner {

// An asset is one text of the page's own, with its SHA-256 in hexadecimal digits as the build computed it.
struct PageAsset {
  std::string_view name;  // "model.js"
  std::string_view text;
  std::string_view sha256;
};

// Returns the page's own texts: one style sheet, then the scripts in their order.
std::span<const PageAsset> page_assets();

// The chart library is Vega, Vega-Lite and Vega-Embed in one script. Its text must be the one that the hash is of: a
// browser refuses any other.
struct ChartLibrary {
  std::string script;
  std::string sha256;
};

// Returns the licence text that the library's authors want in every copy.
std::string_view charts_license();

struct PageOptions {
  std::string title = "Warptune report";
  ChartLibrary charts = {};  // empty: tables only, and the page says so
  // If true, the page may ask the server that it came from, and nobody else, for sessions that still run. Its script
  // then calls `warptune.update(data)`.
  bool live = false;
};

// Returns the page. `data` is a text of page_data_text().
std::string page_html(std::string_view data, const PageOptions& options);

// The page's script takes new data in place of this by `warptune.update(JSON.parse(text))`, with a text of
// page_data_text(), too.

}  // namespace warptune::tuner
