// Declares the states of a session, which say what has become of it. All is in the header, since the interchange
// formats have the states too, without the store.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace warptune::db {

// A session that neither finished nor was interrupted runs, or its program was killed.
enum class SessionState { running, finished, interrupted };
inline constexpr std::array all_session_states{SessionState::running, SessionState::finished,
                                               SessionState::interrupted};

// Returns the name of a state, as stores, reports and interchange files have it.
constexpr std::string_view to_string(SessionState state) {
  switch (state) {
    case SessionState::running:
      return "running";
    case SessionState::finished:
      return "finished";
    case SessionState::interrupted:
      break;
  }
  return "interrupted";
}

// Returns nothing for any other text.
constexpr std::optional<SessionState> session_state_from_string(std::string_view text) {
  for (const SessionState state : all_session_states)
    if (to_string(state) == text) return state;
  return std::nullopt;
}

}  // namespace warptune::db
