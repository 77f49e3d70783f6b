// Finds the earlier sessions that a search begins from: of the same kernel on another device, at another size, in
// another version.
#pragma once

#include <string>
#include <vector>

#include "db/store.h"
#include "search/models/earlier_trials.h"
#include "tuner/kernel/problem.h"
#include "tuner/session/request.h"

namespace warptune::tuner {

// Parses "auto", "off", or sessions by number or name, which `files` may accompany. Throws RequestError for a mixture.
TransferRequest parse_transfer(const std::vector<std::string>& words, std::vector<EarlierFile> files = {});

// Returns whether a word of the user's is a file's path; a number is always a session's.
bool names_file(const std::string& word);

// Returns the session of a store that a number or a name means. Throws a RequestError that begins with `expected`,
// which says what the user may say.
db::SessionRecord named_session(const db::Store& store, const std::string& word, const std::string& expected);

struct TransferSource {
  std::string name;  // its number, or its file
  db::SessionRecord session;
  search::EarlierTrials trials;
};

// Describes the search that sessions are compared with.
struct TransferTarget {
  const db::SessionKey& key;
  db::SessionId own = 0;  // the session itself, if the store knows it; never a source
  const std::string& objective;
  const search::SearchSpace& space;
  const search::NamedValues& default_values;  // the value of a parameter before it became one
};

// Returns the sources that the request asks for, with weights that fall with the distance in sizes (by their
// logarithms), variants, device (by its multiprocessors, memory bandwidth, registers, shared memory and compute
// capability) and source. Those of the store or of a file come closest first. They are sessions with the same objective
// of which at least two trials are in the space. Sessions that are not named must also be of the same kernel and on the
// same backend. Throws RequestError for a session that the store does not have, for a session or a file that tells
// nothing of this space, db::StoreError.
std::vector<TransferSource> transfer_sources(const db::Store& store, const TransferRequest& request,
                                             const TransferTarget& target);

// Returns a text such as "2 earlier sessions: 3 (NVIDIA A100, M=1024), 7 (…)".
std::string text_of(const std::vector<TransferSource>& sources);

}  // namespace warptune::tuner
