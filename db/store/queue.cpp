// Implements the queue with rows that are skipped while they are locked, and with advisory locks for claims.
#include "db/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "db/schema/open.h"
#include "db/store/work_users.h"
#include "db/store_address.h"
#include "db/tables/json.h"
#include "search/plain_text.h"

namespace warptune::db {

namespace {

constexpr std::array<std::pair<WorkState, std::string_view>, 5> state_names = {{{WorkState::queued, "queued"},
                                                                                {WorkState::running, "running"},
                                                                                {WorkState::done, "done"},
                                                                                {WorkState::failed, "failed"},
                                                                                {WorkState::cancelled, "cancelled"}}};

const std::string select_work =
    "SELECT w.id, w.kernel, w.problem, w.gpu, w.arguments, w.budget_s, w.priority, w.manifest, w.state, w.submitted_by,"
    " w.submitted_at, w.started_at, w.ended_at, w.worker, w.attempts, w.spent_s, w.devices, w.session_id, w.message"
    " FROM work w";

// Reads the JSON of a row. A row that holds something else is marked as damaged, so that it does not keep the others
// from being read.
void read_json(WorkRecord& work, const std::string& problem, const std::string& arguments) {
  try {
    work.order.problem = values_from_json(problem);
    work.order.arguments = texts_from_json(arguments);
  } catch (const std::exception& error) {
    work.damage = fmt::format("its row in the store is none that warptune wrote: {}",
                              search::printable(error.what(), search::Lines::escape));
  }
}

WorkRecord read_work(Query& row) {
  WorkRecord work;
  work.id = row.integer();
  work.order.kernel = row.text();
  const std::string problem = row.text();
  work.order.gpu = row.text();
  read_json(work, problem, row.text());
  work.order.budget_s = row.optional_real();
  work.order.priority = row.integer();
  work.order.manifest = row.text();
  work.state = work_state_from_string(row.text()).value_or(WorkState::failed);
  for (std::string* text : {&work.submitted_by, &work.submitted_at, &work.started_at, &work.ended_at, &work.worker})
    *text = row.text();
  work.attempts = row.integer();
  work.spent_s = row.real();
  work.devices = row.integer();
  work.session = row.optional_integer();
  work.message = row.text();
  return work;
}

// Keeps the content of a file, and returns its hash. What is there already stays, unless somebody has put something
// else under its hash.
std::string keep_content(Connection& connection, const std::string& content) {
  Query query = connection.query(
      "WITH given AS (SELECT CAST(? AS BYTEA) AS content), added AS (INSERT INTO work_contents"
      " SELECT encode(sha256(content), 'hex'), content FROM given ON CONFLICT (hash) DO UPDATE SET content ="
      " EXCLUDED.content WHERE work_contents.content <> EXCLUDED.content)"
      " SELECT encode(sha256(content), 'hex') FROM given");
  query.bind_bytes(content).step();
  return query.text();
}

// Hashes are the hashes of files by their paths, in the order of folders.
using Hashes = std::map<std::filesystem::path, std::string>;

std::string bundle_of(Connection& connection, const Hashes& hashes) {
  std::string names;
  for (const auto& [path, hash] : hashes) names += hash + ' ' + path.string() + '\n';
  Query hash = connection.query("SELECT encode(sha256(CAST(? AS BYTEA)), 'hex')");
  hash.bind_bytes(names).step();
  return hash.text();
}

// Keeps the files of a bundle, and returns the bundle's hash. What others have put into the bundle is taken out.
std::string keep_files(Connection& connection, std::span<const WorkFile> files) {
  Hashes hashes;
  for (const WorkFile& file : files) hashes[file.path] = keep_content(connection, file.content);
  std::string bundle = bundle_of(connection, hashes);
  connection.query("DELETE FROM work_files WHERE bundle = ?").bind(bundle).run();
  for (const auto& [path, hash] : hashes) {
    Query insert =
        connection.query("INSERT INTO work_files (bundle, path, hash) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
    insert.bind(bundle).bind(path.string()).bind(hash).run();
  }
  return bundle;
}

// Throws StoreError unless the bundle's hash, as it follows from what was read now, is the one that the work names.
void require_submitted(Connection& connection, WorkId id, const Hashes& hashes) {
  Query select = connection.query("SELECT bundle FROM work WHERE id = ?");
  if (!select.bind(id).step() || bundle_of(connection, hashes) == select.text()) return;
  throw StoreError(StoreError::Cause::corrupt,
                   fmt::format("cannot take the template of work {} from the store {}: its files are not those that "
                               "were submitted; cancel the work and submit it again",
                               id, connection.file().string()));
}

WorkId insert_order(Connection& connection, const WorkOrder& order, const std::string& bundle) {
  Query insert = connection.query(
      "INSERT INTO work (priority, state, kernel, problem, gpu, arguments, budget_s, bundle, manifest, submitted_at)"
      " VALUES (?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id");
  insert.bind(order.priority)
      .bind(order.kernel)
      .bind(to_json(order.problem))
      .bind(order.gpu)
      .bind(to_json(order.arguments));
  insert.bind(order.budget_s).bind(bundle).bind(order.manifest).bind(connection.now()).step();
  return insert.integer();
}

// Returns the next work to claim, and locks its row, so that nobody else takes it up meanwhile. Rows that others have
// locked are skipped.
std::optional<WorkId> next_candidate(Connection& connection, const std::string& devices) {
  static const std::string sql =
      with_users() +
      " SELECT w.id FROM work w LEFT JOIN users u ON u.submitter = w.submitted_by"
      " WHERE w.state IN ('queued', 'running') AND NOT EXISTS (SELECT FROM held WHERE held.id = w.id)"
      " AND (w.gpu = '' OR instr(lower(CAST(? AS TEXT)), lower(w.gpu)) > 0) AND u.over IS NOT TRUE"
      " ORDER BY w.priority DESC, coalesce(u.devices, 0), coalesce(u.day_s, 0), w.id LIMIT 1"
      " FOR UPDATE OF w SKIP LOCKED";
  Query select = connection.query(sql);
  select.bind(devices);
  if (!select.step()) return std::nullopt;
  return select.integer();
}

void read_rows(Query& query, std::vector<WorkRecord>& work) {
  while (query.step()) work.push_back(read_work(query));
}

// Selects queued work in the order in which it would be given out if nothing ended meanwhile. A user's second work
// counts as if one device more were at work for this user.
const std::string& select_queued() {
  static const std::string sql =
      with_users() + ' ' + select_work +
      " LEFT JOIN users u ON u.submitter = w.submitted_by WHERE w.state = 'queued'"
      " ORDER BY u.over IS TRUE, w.priority DESC, coalesce(u.devices, 0) + row_number() OVER"
      " (PARTITION BY w.submitted_by ORDER BY w.priority DESC, w.id), coalesce(u.day_s, 0), w.id";
  return sql;
}

bool try_lock(Connection& connection, WorkId id) {
  Query lock = connection.query(
      fmt::format("SELECT CASE WHEN pg_try_advisory_lock({}, CAST(? AS INTEGER)) THEN 1 ELSE 0 END", claim_locks));
  lock.bind(id).step();
  return lock.integer() != 0;
}

void unlock_all(Connection& connection) {
  connection.query("SELECT pg_advisory_unlock_all()").step();
}

std::optional<WorkRecord> find_work(Connection& connection, WorkId id) {
  Query select = connection.query(select_work + " WHERE w.id = ?");
  if (!select.bind(id).step()) return std::nullopt;
  return read_work(select);
}

void end_work(Connection& connection, WorkId id, WorkState state, std::optional<SessionId> session,
              const std::string& message) {
  Query update = connection.query(
      "UPDATE work SET state = ?, session_id = coalesce(?, session_id), message = ?, ended_at = ? WHERE id = ?");
  update.bind(std::string(to_string(state))).bind(session).bind(search::valid_utf8(message));
  update.bind(connection.now()).bind(id).run();
}

// Returns why nobody is to take the work up; empty if somebody is.
std::string why_hopeless(const WorkRecord& work) {
  if (!work.damage.empty() || work.attempts < WorkQueue::most_attempts) return work.damage;
  return fmt::format("{} attempts ended without a result; the last by {}{}{}", work.attempts, work.worker,
                     work.message.empty() ? "" : ": ", work.message);
}

// Returns whether the claim still is what the row says, and locks the row.
bool is_current(Connection& connection, const WorkRecord& claimed) {
  Query select = connection.query("SELECT 1 FROM work WHERE id = ? AND attempts = ? AND state = 'running' FOR UPDATE");
  return select.bind(claimed.id).bind(claimed.attempts).step();
}

}  // namespace

std::string_view to_string(WorkState state) {
  for (const auto& [one, name] : state_names)
    if (one == state) return name;
  return "failed";
}

std::optional<WorkState> work_state_from_string(std::string_view text) {
  for (const auto& [state, name] : state_names)
    if (name == text) return state;
  return std::nullopt;
}

struct WorkQueue::Impl {
  std::unique_ptr<Connection> connection;
};

WorkQueue::WorkQueue(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WorkQueue::WorkQueue(WorkQueue&&) noexcept = default;
WorkQueue& WorkQueue::operator=(WorkQueue&&) noexcept = default;
WorkQueue::~WorkQueue() = default;

WorkQueue WorkQueue::open(const std::filesystem::path& store, OpenMode mode, Clock clock) {
  if (!is_address(store))
    throw StoreError(
        StoreError::Cause::other,
        fmt::format("the store {} is a file, and a queue of work is for several machines: name a store on a "
                    "PostgreSQL server, --db postgresql://USER@HOST/DATABASE",
                    store.string()));
  return WorkQueue(std::make_unique<Impl>(Impl{open_connection(store, mode, std::move(clock))}));
}

std::vector<WorkId> WorkQueue::submit(std::span<const WorkOrder> orders, std::span<const WorkFile> files) {
  Connection& connection = *impl_->connection;
  return connection.transact("submit work", [&] {
    const std::string bundle = keep_files(connection, files);
    std::vector<WorkId> ids;
    for (const WorkOrder& order : orders) ids.push_back(insert_order(connection, order, bundle));
    return ids;
  });
}

std::vector<WorkRecord> WorkQueue::list(std::size_t ended) const {
  Connection& connection = *impl_->connection;
  return connection.look("list work", [&] {
    std::vector<WorkRecord> work;
    Query running = connection.query(select_work + " WHERE w.state = 'running' ORDER BY w.priority DESC, w.id");
    read_rows(running, work);
    Query queued = connection.query(select_queued());
    read_rows(queued, work);
    Query last = connection.query(
        select_work + " WHERE w.state NOT IN ('queued', 'running') ORDER BY w.ended_at DESC, w.id DESC LIMIT ?");
    last.bind(static_cast<std::int64_t>(ended));
    read_rows(last, work);
    return work;
  });
}

std::optional<WorkRecord> WorkQueue::find(WorkId id) const {
  Connection& connection = *impl_->connection;
  return connection.attempt("look for work", [&] { return find_work(connection, id); });
}

std::vector<WorkId> WorkQueue::cancel(std::span<const WorkId> ids) {
  Connection& connection = *impl_->connection;
  return connection.transact("cancel work", [&] {
    std::vector<WorkId> cancelled;
    for (const WorkId id : ids) {
      Query update = connection.query(
          "UPDATE work SET state = 'cancelled', ended_at = ? WHERE id = ? AND state IN ('queued', 'running')");
      if (update.bind(connection.now()).bind(id).run() == 1) cancelled.push_back(id);
    }
    return cancelled;
  });
}

std::optional<WorkRecord> WorkQueue::claim(std::span<const std::string> devices, const std::string& worker) {
  Connection& connection = *impl_->connection;
  const std::string names = fmt::format("{}", fmt::join(devices, "\n"));
  return connection.transact("take work", [&]() -> std::optional<WorkRecord> {
    unlock_all(connection);  // the locks of a claim that has ended, or of a try that was taken back
    while (const auto id = next_candidate(connection, names)) {
      // Somebody took the work while this process looked. PostgreSQL looks again at a row that changed, but not at its
      // advisory lock.
      if (!try_lock(connection, *id)) continue;
      const WorkRecord known = find_work(connection, *id).value();
      if (const std::string why = why_hopeless(known); !why.empty()) {
        end_work(connection, *id, WorkState::failed, std::nullopt, why);
        unlock_all(connection);
        continue;
      }
      Query update = connection.query(
          "UPDATE work SET state = 'running', attempts = attempts + 1, worker = ?, devices = ?, started_at = ?"
          " WHERE id = ?");
      update.bind(worker).bind(static_cast<std::int64_t>(std::max<std::size_t>(devices.size(), 1)));
      update.bind(connection.now()).bind(*id).run();
      return find_work(connection, *id);
    }
    return std::nullopt;
  });
}

std::vector<WorkFile> WorkQueue::files(WorkId id) const {
  Connection& connection = *impl_->connection;
  return connection.attempt("read a template", [&] {
    Query select = connection.query(
        "SELECT f.path, c.content, encode(sha256(c.content), 'hex') FROM work w JOIN work_files f ON f.bundle = "
        "w.bundle"
        " JOIN work_contents c ON c.hash = f.hash WHERE w.id = ? ORDER BY f.path");
    select.bind(id);
    std::vector<WorkFile> files;
    Hashes hashes;
    while (select.step()) {
      std::string path = select.text();
      std::string content = select.bytes();
      hashes[path] = select.text();
      files.push_back({std::move(path), std::move(content)});
    }
    require_submitted(connection, id, hashes);
    return files;
  });
}

bool WorkQueue::beat(const WorkRecord& claimed, double spent_s) {
  Connection& connection = *impl_->connection;
  return connection.transact("go on with work", [&] {
    // The commit does not wait for the disk. All beats of a user's work add to one row, each after the other's commit.
    // What a crash of the server forgets, the next beat says again.
    connection.execute("SET LOCAL synchronous_commit = off");
    if (!is_current(connection, claimed)) return false;
    // A connection that was made anew has lost the lock. A connection that has it gets it once more, and gives all of
    // it up at once (unlock_all()). Rejected: a look into pg_locks, which copies everybody's locks, for every worker
    // every second.
    if (!try_lock(connection, claimed.id)) return false;
    // The devices are written once more, so that the submitter does not pay for fewer. A trigger charges for both.
    Query update = connection.query("UPDATE work SET spent_s = ?, devices = ? WHERE id = ?");
    update.bind(spent_s).bind(claimed.devices).bind(claimed.id).run();
    return true;
  });
}

void WorkQueue::finish(const WorkRecord& claimed, WorkState state, std::optional<SessionId> session,
                       const std::string& message) {
  Connection& connection = *impl_->connection;
  connection.transact("finish work", [&] {
    if (is_current(connection, claimed)) end_work(connection, claimed.id, state, session, message);
    return true;
  });
  connection.attempt("finish work", [&] { unlock_all(connection); });
}

void WorkQueue::require_space() {
  Connection& connection = *impl_->connection;
  connection.transact(
      "write",
      [&] {
        // The row has 256 KiB that cannot be compressed. That is more than fits into the free space of the tables'
        // pages.
        connection
            .query(
                "INSERT INTO work_contents SELECT 'space', string_agg(sha256(CAST(CAST(i AS TEXT) AS BYTEA)),"
                " CAST('' AS BYTEA)) FROM generate_series(1, 8192) AS i")
            .run();
        return true;
      },
      Effect::preview);
}

void WorkQueue::give_back(const WorkRecord& claimed, bool counted, const std::string& message) {
  Connection& connection = *impl_->connection;
  connection.transact("give work back", [&] {
    if (!is_current(connection, claimed)) return true;
    Query update =
        connection.query("UPDATE work SET state = 'queued', attempts = attempts - ?, message = ? WHERE id = ?");
    update.bind(std::int64_t{counted ? 0 : 1}).bind(search::valid_utf8(message)).bind(claimed.id).run();
    return true;
  });
  connection.attempt("give work back", [&] { unlock_all(connection); });
}

std::vector<WorkUser> WorkQueue::users() const {
  Connection& connection = *impl_->connection;
  return connection.look("list users", [&] { return work_users(connection); });
}

void WorkQueue::set_quota(const std::string& user, const Quota& quota) {
  Connection& connection = *impl_->connection;
  connection.transact("set a quota", [&] {
    db::set_quota(connection, user, quota);
    return true;
  });
}

bool WorkQueue::remove_quota(const std::string& user) {
  Connection& connection = *impl_->connection;
  return connection.transact("remove a quota", [&] { return db::remove_quota(connection, user); });
}

}  // namespace warptune::db
