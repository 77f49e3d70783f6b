# cmake -D FILES=a.sql;b.sql -D FUNCTION=migrations -D OUTPUT=schema.cpp -P embed_schema.cmake: migrations as C++ string
# literals, in order, which FUNCTION returns.
set(entries "")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  get_filename_component(name ${file} NAME)
  string(APPEND entries "    {\"${name}\", R\"schema(${text})schema\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"db/schema/migrations.h\"

namespace warptune::db {

const std::vector<Migration>& ${FUNCTION}() {
  static const std::vector<Migration> all = {
${entries}  };
  return all;
}

}  // namespace warptune::db
")
