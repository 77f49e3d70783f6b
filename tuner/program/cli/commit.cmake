# cmake -DSOURCE=… -DOUTPUT=… -P commit.cmake: writes the commit of the sources, and whether they were changed since, as a C++ file.
# Run by every build, since no list of files tells when a commit changes; the output is written only if it differs, and is all
# that is compiled again. (Asking at configure time, as is common, names the commit of the day on which the folder was set up.)
set(commit "$Format:%h$")  # filled in by `git archive`, so that a tarball knows its commit too
if(commit MATCHES "Format")
  set(commit "")
  find_package(Git QUIET)
  file(REAL_PATH "${SOURCE}" SOURCE)
  set(git "${GIT_EXECUTABLE}" --no-optional-locks -c safe.directory=* -C "${SOURCE}")
  if(Git_FOUND)
    execute_process(COMMAND ${git} rev-parse --show-toplevel OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  # A tarball that lies in somebody's repository has not that repository's commit.
  if(top STREQUAL SOURCE)
    execute_process(COMMAND ${git} describe --always --abbrev=7 --exclude=* "--dirty= with changes" OUTPUT_VARIABLE commit
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
if(commit)
  set(text "commit ${commit}")
else()
  set(text "commit unknown, not built from a repository")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT
     "#include \"tuner/program/cli/start/version.h\"\n\nnamespace warptune::tuner::cli {\nconst char commit_text[] = \"${text}\";\n}\n" @ONLY)
