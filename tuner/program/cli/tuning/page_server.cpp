// Starts the site of the store behind a gate, which asks for a random token, and hands it what sessions tell.
#include "tuner/program/cli/tuning/page_server.h"

#include <fmt/format.h>

#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/stores/charts.h"
#include "tuner/program/serve/site.h"
#include "tuner/system/crypto.h"

namespace warptune::tuner::cli {

namespace {

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace

Endpoint parse_endpoint(const std::string& text, const std::string& default_host) {
  Endpoint endpoint{.host = default_host};
  const std::size_t bracket = text.rfind(']'), colon = text.rfind(':');
  const bool has_port = colon != std::string::npos && (bracket == std::string::npos || colon > bracket);
  const bool has_host = text.find_first_not_of("0123456789") != std::string::npos;
  const std::string host = has_host ? text.substr(0, has_port ? colon : text.size()) : "";
  const std::string port = has_host ? (has_port ? text.substr(colon + 1) : "0") : text;
  const auto number = port.empty() ? std::optional<std::uint64_t>(0) : whole_number(port);
  if (!number || *number > 65535 || (!has_port && has_host && host.find_first_of(".:") == std::string::npos))
    throw std::invalid_argument(
        fmt::format("'{}' is no port: expected a number up to 65535, or ADDRESS:PORT as 0.0.0.0:8000", text));
  if (!host.empty()) endpoint.host = host.starts_with('[') ? host.substr(1, host.find(']') - 1) : host;
  endpoint.port = static_cast<unsigned short>(*number);
  return endpoint;
}

PageServer::PageServer(const Endpoint& endpoint, const Context& context, std::shared_ptr<serve::LiveState> live)
    : token_(random_token()), server_(endpoint.host, endpoint.port) {
  const serve::Gate gate(token_, endpoint.host, server_.port());
  const bool beside_measuring = live != nullptr;
  // The library is read here, since reading it may print a message, and the server's thread must not.
  const auto charts = [library = chart_library()] { return library; };
  server_.start(gate.guard(serve::make_site({[&context] { return context.store_files(); }, std::move(live), charts})),
                beside_measuring ? serve::Server::Share::little : serve::Server::Share::full);
  if (!is_loopback(endpoint.host))
    say("who reaches this machine can ask for these pages: the token keeps others out, but HTTP is not encrypted");
}

std::string PageServer::address(const std::string& path) const {
  return fmt::format("{}{}?token={}", server_.address(), path, token_);
}

LivePage::LivePage(const std::optional<std::string>& endpoint, const Context& context) {
  if (!endpoint) return;
  state_ = std::make_shared<serve::LiveState>();
  server_.emplace(parse_endpoint(*endpoint), context, state_);
  say("live page: " + server_->address("/live"));
}

LivePage::~LivePage() {
  if (!state_) return;
  serve::LiveNote note = *state_->now();
  note.phase = "ended";
  state_->leave(std::move(note));
}

SessionObserver& LivePage::watch(SessionObserver& next) {
  return server_ ? observer_.emplace(*state_, next) : next;
}

void LivePage::set_tuning(const Tuning& tuning) {
  if (!observer_) return;
  const std::string size = tuning.problem().text();
  observer_->set_tuning(
      tuning.kernel(),
      fmt::format("{}{}{} on {}", tuning.kernel().name, size.empty() ? "" : " for ", size, tuning.device().name),
      tuning.id(), tuning.request().budget.seconds);
}

void LivePage::finish(const SessionResult& result) {
  if (observer_) observer_->finish(result);
}

}  // namespace warptune::tuner::cli
