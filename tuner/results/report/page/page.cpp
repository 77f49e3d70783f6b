// Puts the page together, and the Content-Security-Policy that names its scripts and styles by their hashes.
#include "tuner/results/report/page/page.h"

#include <fmt/format.h>

#include <charconv>

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

std::string bytes_of(std::string_view hexadecimal) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(hexadecimal.data() + i, hexadecimal.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U;
    };
    const unsigned three = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string source(std::string_view sha256) {
  return fmt::format(" 'sha256-{}'", base64(bytes_of(sha256)));
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
