// Earlier sessions that a search begins from: of the same kernel on another device, at another size, in another
// version.
#pragma once

#include <string>
#include <vector>

#include "db/store.h"
#include "search/models/earlier_trials.h"
#include "tuner/kernel/problem.h"
#include "tuner/session/request.h"

namespace warptune::tuner {

// "auto", "off", or sessions and files. Throws RequestError for a mixture.
TransferRequest parse_transfer(const std::vector<std::string>& words, std::vector<EarlierFile> files = {});

// The session of a store that a number or a name means. Throws RequestError, which begins with `expected`: what the
// user may say.
db::SessionRecord named_session(const db::Store& store, const std::string& word, const std::string& expected);

struct TransferSource {
  std::string name;  // its number, or its file
  db::SessionRecord session;
  search::EarlierTrials trials;
};

// What a search is about, for comparing sessions with it.
struct TransferTarget {
  const db::SessionKey& key;
  db::SessionId own = 0;  // the session itself, if the store knows it; never a source
  const std::string& objective;
  const search::SearchSpace& space;
  const search::NamedValues& default_values;  // what a parameter was before it became one
};

// The closest first, with weights that fall with the distance in sizes (by their logarithms), variants, device (by its
// multiprocessors, memory bandwidth, registers, shared memory and compute capability) and source. Only sessions with
// the same objective on the same backend, of which two trials at least are in the space; named ones may be of any kind.
// Throws RequestError for a session that the store does not have, for a session or a file that tells nothing of this
// space, db::StoreError.
std::vector<TransferSource> transfer_sources(const db::Store& store, const TransferRequest& request,
                                             const TransferTarget& target);

// "2 earlier sessions: 3 (NVIDIA A100, M=1024), 7 (…)".
std::string text_of(const std::vector<TransferSource>& sources);

}  // namespace warptune::tuner
