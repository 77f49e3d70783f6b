// Implements `warptune grant`, which sets what a user of a PostgreSQL server may do with the store.
#include <fmt/format.h>

#include "db/server.h"
#include "db/store_address.h"
#include "tuner/kernel/problem.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"

namespace warptune::tuner::cli {

namespace {

struct GrantArguments {
  std::string role, user;
};

void run_grant(const GrantArguments& options, Context& context) {
  const std::filesystem::path store = context.store_name();
  if (!db::is_address(store))
    throw RequestError(fmt::format(
        "{} is a file: who may read or write it is set with chmod. Roles are for a store on a server, named by its "
        "address: --db postgresql://USER@HOST/DATABASE",
        store.string()));
  const std::string kept = db::grant(store.string(), db::store_role_from_string(options.role).value(), options.user);
  say(fmt::format("{} is {} of the store {}", options.user, options.role == "owner" ? "an owner" : "a " + options.role,
                  db::shown_name(store).string()));
  if (!kept.empty()) say("note: " + kept);
}

}  // namespace

void add_grant(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("grant", "Set what a user of a PostgreSQL server may do with the store");
  auto options = std::make_shared<GrantArguments>();
  verb->add_option("role", options->role,
                   "reader: sees everything; tuner: also records; owner: also updates the schema and grants")
      ->required()
      ->type_name("ROLE")
      ->check(one_of({"reader", "tuner", "owner"}));
  verb->add_option("user", options->user, "a user or group of the server; rights beyond these are revoked")
      ->required()
      ->type_name("USER");
  add_database_option(*verb, context);
  verb->group(verbs::store);
  add_examples(*verb, {{"colleagues may look", "warptune grant reader team --db postgresql://db.site/tuning"}});
  verb->callback([options, &context] { run_grant(*options, context); });
}

}  // namespace warptune::tuner::cli
