// Finds the page, the report or the document of each address, and opens the stores anew when the files' devices and
// inodes are others.
#include "tuner/program/serve/site.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "search/error.h"
#include "tuner/program/serve/live.h"
#include "tuner/program/serve/pages.h"
#include "tuner/results/report/text/document.h"
#include "warptune_serve_script.h"
#include "warptune_serve_style.h"

namespace warptune::tuner::serve {

namespace {

std::string identity_of(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return file.string();
  return fmt::format("{} {} {}", file.string(), status.st_dev, status.st_ino);
}

// Returns a file's size and time of change, by which a change is noticed: a snapshot does not see what is written to
// its file.
std::string state_of(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return {};
  return fmt::format(" {} {}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

bool any_snapshot(const std::optional<db::StoreSet>& stores) {
  for (std::size_t i = 0; stores && i < stores->size(); ++i)
    if (!stores->store(i).notice().empty()) return true;
  return false;
}

}  // namespace

const db::StoreSet* OpenStores::now() {
  const std::vector<std::filesystem::path> files = files_();
  std::vector<std::string> identities;
  for (const auto& file : files) identities.push_back(identity_of(file));
  std::string state;
  if (any_snapshot(stores_))
    for (const auto& file : files) state += state_of(file);
  if (stores_ && identities == identities_ && state == state_) return &*stores_;
  stores_.reset();
  if (files.empty()) return nullptr;
  stores_.emplace(files);
  identities_ = std::move(identities);
  state_.clear();
  if (any_snapshot(stores_))
    for (const auto& file : files) state_ += state_of(file);
  return &*stores_;
}

namespace {

bool is_api(const Request& request) {
  return request.path.starts_with("/api/");
}

// Returns what programs get in place of what they asked for: {"error": "…"}.
Response api_error(unsigned status, const std::string& what) {
  return {status, "application/json; charset=utf-8", text_of(Json{{"error", what}})};
}

Response not_found(const Request& request, const Visit* visit) {
  if (is_api(request)) return api_error(404, "there is nothing at " + request.path);
  const Html text = paragraph("There is nothing at this address. The store may have changed since.") +
                    paragraph(link("/", "To the overview"));
  return {404, "text/html; charset=utf-8",
          visit ? page(visit->frame("Not here", ""), text) : bare_page("Not here", text)};
}

// Says what was wrong with a request, in a page for readers and as JSON for programs.
Response failed(const Request& request, unsigned status, const std::string& what) {
  if (is_api(request)) return api_error(status, what);
  return {status, "text/html; charset=utf-8",
          page({status == 400 ? "Cannot be read" : "Did not work", ""},
               paragraph(what) + paragraph(link("/", "To the overview")))};
}

std::optional<std::string> trial_in(const Visit& visit, const Found& found, const std::string& number) {
  db::TrialId id = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), id);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  const auto trial = visit.stores.store(found.store).trial(id);
  if (!trial || trial->session != found.record.id) return std::nullopt;
  return trial_page(visit, found, *trial);
}

// Returns the page of "/session/2:3", "/session/3/trials" or "/session/3/trial/17"; nothing for anything else.
std::optional<std::string> session_part(const Visit& visit, const std::string& rest) {
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const auto found = find_session(visit.stores, rest.substr(0, slash));
  if (!found) return std::nullopt;
  const std::string part = rest.substr(slash);
  const std::string of_trial = "/trial/";
  if (part.empty()) return session_page(visit, *found);
  if (part == "/trials") return trials_page(visit, *found);
  if (part.starts_with(of_trial)) return trial_in(visit, *found, part.substr(of_trial.size()));
  return std::nullopt;
}

std::optional<std::string> page_at(const Visit& visit) {
  const std::string& path = visit.request.path;
  const std::string sessions = "/session/";
  if (path == "/") return overview_page(visit);
  if (path == "/sessions") return sessions_page(visit);
  if (path == "/winners") return winners_page(visit);
  if (path == "/checks") return checks_page(visit);
  if (path.starts_with(sessions)) return session_part(visit, path.substr(sessions.size()));
  return std::nullopt;
}

// Returns a report of one session, "/session/3/report", its data alone, "/session/3/data.json", or a report of several,
// "/report?sessions=3,7".
std::optional<Response> report_at(const Visit& visit, const std::function<ChartLibrary()>& charts) {
  const std::string& path = visit.request.path;
  const std::string sessions = "/session/", report = "/report", data = "/data.json";
  std::string references;
  const bool one = path.starts_with(sessions);
  if (one) references = path.substr(sessions.size(), path.rfind('/') - sessions.size());
  if (path == report) references = visit.request.parameter("sessions");
  const std::string part = one ? path.substr(path.rfind('/')) : path;
  if (path == report && references.empty())
    throw search::Error(search::ErrorKind::usage, "no session was chosen; the boxes before the sessions do");
  if (references.empty() || (part != report && part != data)) return std::nullopt;
  const auto found = find_sessions(visit.stores, references);
  if (!found) return std::nullopt;
  if (part == data) return Response{200, "application/json; charset=utf-8", report_data(visit, *found)};
  return report_page(visit, *found, charts ? charts() : ChartLibrary{});
}

Response without_store() {
  return {200, "text/html; charset=utf-8",
          page({"Overview", "Overview"}, paragraph(Html("There is no store yet: ") + element("code", "warptune tune") +
                                                   " makes one. This page then shows it."))};
}

Response from_store(const Request& request, const SiteOptions& options, OpenStores& open) {
  const db::StoreSet* const stores = open.now();
  if (!stores) return request.path == "/" ? without_store() : not_found(request, nullptr);
  const Visit visit{request, *stores, options.live != nullptr};
  if (auto response = api(visit)) return *response;
  if (auto response = report_at(visit, options.charts)) return *response;
  if (auto text = page_at(visit)) return {200, "text/html; charset=utf-8", *text};
  return not_found(request, &visit);
}

std::optional<Response> asset(const std::string& path) {
  if (path == "/style.css") return Response{200, "text/css; charset=utf-8", serve_style};
  if (path == "/script.js") return Response{200, "text/javascript; charset=utf-8", serve_script};
  return std::nullopt;
}

Response answer(const Request& request, const SiteOptions& options, OpenStores& open) {
  if (auto response = asset(request.path)) return *response;
  if (options.live && request.path == "/live")
    return {200, "text/html; charset=utf-8", live_page(*options.live->now())};
  if (options.live && request.path == "/events") return {200, "", "", {}, options.live};
  return from_store(request, options, open);
}

// Returns how long a page took, for the header Server-Timing, where benchmarks and a browser's own tools look for it.
std::string timing(std::chrono::steady_clock::time_point since) {
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - since;
  return fmt::format("page;dur={:.2f}", spent.count());
}

}  // namespace

Handler make_site(SiteOptions options) {
  const auto open = std::make_shared<OpenStores>(options.files);
  return [options = std::move(options), open](const Request& request) {
    const auto began = std::chrono::steady_clock::now();
    Response response;
    try {
      response = answer(request, options, *open);
    } catch (const search::Error& error) {
      if (error.kind() == search::ErrorKind::store) open->forget();
      response = failed(request, error.kind() == search::ErrorKind::usage ? 400 : 500, error.what());
    } catch (const std::exception& error) {
      response = failed(request, 500, error.what());
    }
    response.headers.emplace_back("Server-Timing", timing(began));
    return response;
  };
}

}  // namespace warptune::tuner::serve
