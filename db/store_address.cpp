// Tells addresses from files by their schemes, and takes passwords out of addresses with regular expressions.
#include "db/store_address.h"

#include <regex>

namespace warptune::db {

bool is_address(const std::filesystem::path& name) {
  const std::string& text = name.native();
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

std::filesystem::path shown_name(const std::filesystem::path& name) {
  if (!is_address(name)) return name == ":memory:" ? name : std::filesystem::absolute(name);
  // A password stands in "//user:secret@host", or among the parameters in "?password=secret". A secret with an @ of its
  // own has to be written with %40, as libpq wants it too. For whoever writes it plainly, all up to the last @ is taken
  // out.
  static const std::regex user_part("^(postgres(?:ql)?://[^:/@?]*):[^/?]*@");
  static const std::regex parameter("([?&])(password|sslpassword)=[^&]*");
  return std::regex_replace(std::regex_replace(name.native(), user_part, "$1@"), parameter, "$1$2=***");
}

bool may_exist(const std::filesystem::path& name) {
  std::error_code not_there;  // a name too long for a file is none
  return is_address(name) || std::filesystem::exists(name, not_there);
}

}  // namespace warptune::db
