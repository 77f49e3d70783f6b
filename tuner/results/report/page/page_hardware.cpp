// Collects the residency, the work and the attained roofs of a session's trials.
#include "tuner/results/report/page/page_hardware.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tuner/device/roofline/occupancy.h"
#include "tuner/device/roofline/roofline.h"

namespace warptune::tuner {

namespace {

Json residency_number(double value) {
  return value > 0 ? Json(value) : Json(nullptr);
}

// Returns one number if all trials with any have the same, else a number a trial; null if none has any.
Json work_json(std::span<const db::StoredTrial> trials, std::optional<double> search::Work::*amount) {
  Json values = Json::array();
  std::optional<double> first;
  bool same = true;
  for (const db::StoredTrial& stored : trials) {
    const std::optional<double> value = stored.trial.work.*amount;
    if (!first) first = value;
    same = same && (!value || value == first);
    values.push_back(json_or_null(value));
  }
  if (!first) return nullptr;
  return same ? Json(*first) : values;
}

Json attained_json(const PageSession& page, std::optional<db::TrialId> trial, std::optional<double> time_ms) {
  const auto stored =
      std::ranges::find(page.trials, trial, [](const db::StoredTrial& one) { return std::optional(one.id); });
  if (!trial || !time_ms || stored == page.trials.end()) return nullptr;
  const std::optional<Attainment> reached = attainment(page.session, stored->trial.work, *time_ms, page.roofs);
  if (!reached) return nullptr;
  Json roofs = Json::array();
  for (const Attained& one : reached->roofs)
    roofs.push_back(
        {{"roof", one.roof}, {"title", roof_kind(one.roof).title}, {"rate", one.rate}, {"share", one.share}});
  return {{"roofs", roofs}, {"bound", reached->bound ? Json(roof_kind(*reached->bound).title) : Json(nullptr)}};
}

Json roofs_json(const std::vector<db::Roof>& roofs) {
  Json list = Json::array();
  for (const RoofKind& kind : roof_kinds())
    if (const db::Roof* roof = find_roof(roofs, kind.name))
      list.push_back({{"name", kind.name},
                      {"title", kind.title},
                      {"bytes", kind.bytes},
                      {"value", roof->value},
                      {"method", roof->method},
                      {"measured_at", roof->measured_at}});
  return list;
}

}  // namespace

void add_residency(const PageSession& page, Json& columns) {
  Json limiters = Json::array(), indices = Json::array(), waves = Json::array();
  std::map<std::string, int> places;
  for (const db::StoredTrial& stored : page.trials) {
    const std::optional<search::LaunchUse> launch = main_launch(stored.trial);
    const Residency resident = launch ? residency(*launch, page.session.key.device.limits) : Residency{};
    const std::string text = limiter_text(resident);
    const auto [place, added] = places.try_emplace(text, static_cast<int>(limiters.size()));
    if (text.empty())
      place->second = -1;
    else if (added)
      limiters.push_back(text);
    indices.push_back(place->second);
    waves.push_back(residency_number(resident.waves));
  }
  columns["limiters"] = limiters;
  columns["limiter"] = limiters.empty() ? Json(nullptr) : indices;
  columns["waves"] = std::ranges::all_of(waves, &Json::is_null) ? Json(nullptr) : waves;
}

Json roofline_json(const PageSession& page) {
  Json json{{"flops", work_json(page.trials, &search::Work::flops)},
            {"bytes", work_json(page.trials, &search::Work::bytes)}};
  if (page.roofs.empty() || (json["flops"].is_null() && json["bytes"].is_null())) return nullptr;
  const auto counted = std::ranges::find_if(
      page.trials, [](const db::StoredTrial& stored) { return !stored.trial.work.arithmetic.empty(); });
  json["arithmetic"] = counted == page.trials.end() ? Json(nullptr) : Json(counted->trial.work.arithmetic);
  json["roofs"] = roofs_json(page.roofs);
  const std::optional<db::Winner>& winner = page.winner;
  json["winner"] = winner ? attained_json(page, winner->trial, winner->time_ms) : Json(nullptr);
  json["default"] = winner ? attained_json(page, winner->default_trial, winner->default_time_ms) : Json(nullptr);
  return json;
}

}  // namespace warptune::tuner
