// Puts the page together, and the Content-Security-Policy that names its scripts and styles by their hashes.
#include "tuner/results/report/page/page.h"

#include <fmt/format.h>

#include "tuner/system/encoding.h"

namespace warptune::tuner {

namespace {

// Escapes a text, so that it may stand in an element or in a quoted attribute.
std::string html_text(std::string_view text) {
  std::string safe;
  for (const char letter : text) switch (letter) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += letter;
    }
  return safe;
}

std::string source(std::string_view sha256) {
  return fmt::format(" 'sha256-{}'", base64(from_hexadecimal(sha256)));
}

// Returns the Content-Security-Policy. Charts set styles of single elements by script, which needs no permission;
// nothing but the page's own sheet is read.
std::string policy(const PageOptions& options) {
  std::string scripts, styles;
  for (const PageAsset& asset : page_assets())
    (asset.name.ends_with(".css") ? styles : scripts) += source(asset.sha256);
  if (!options.charts.script.empty()) scripts += source(options.charts.sha256);
  return fmt::format(
      "default-src 'none'; script-src{}; style-src{}; connect-src {}; base-uri 'none'; form-action 'none'", scripts,
      styles, options.live ? "'self'" : "'none'");
}

}  // namespace

std::string page_html(std::string_view data, const PageOptions& options) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>{}</title>\n",
      policy(options), html_text(options.title));
  html += fmt::format("<style>{}</style>\n</head>\n<body>\n", page_assets().front().text);
  html +=
      "<noscript><p>This report is drawn by its own script, which asks nobody for anything: allow scripts to see it."
      "</p></noscript>\n<main id=\"report\"></main>\n";
  html += fmt::format("<script type=\"application/json\" id=\"warptune-data\">{}</script>\n", data);
  if (!options.charts.script.empty())
    html += fmt::format("<!--\n{}-->\n<script>{}</script>\n", charts_license(), options.charts.script);
  for (const PageAsset& asset : page_assets().subspan(1)) html += fmt::format("<script>{}</script>\n", asset.text);
  return html + "</body>\n</html>\n";
}

}  // namespace warptune::tuner
