// Reading and writing whole interchange files. What each format holds, and what is lost: README.md beside this.
#pragma once

#include <filesystem>
#include <ostream>

#include "db/interchange/recorded_space.h"
#include "db/interchange/text_file.h"

namespace warptune::db {

// A Kernel Tuner cache file or T4 results, told apart by content; gzip or plain, a file or a pipe. A record that cannot
// be taken costs itself, and one whose time cannot be believed is a failure; both are in the notes. Throws
// InterchangeError that says where and what was expected: for what is no such file, and where no record is left.
RecordedSpace read_recorded_space(const std::filesystem::path& file);
// From a text of which nothing was taken yet.
RecordedSpace read_recorded_space(InputText& text);

// Reading what these wrote gives equal data. Numbers keep every bit. They throw std::invalid_argument for a number that
// JSON cannot hold (not finite).
void write_kernel_tuner(const RecordedSpace& space, std::ostream& out);
void write_t4(const RecordedSpace& space, std::ostream& out);
// One line a trial, for spreadsheets: parameters, outcome, measurements, phases, message (RFC 4180).
void write_csv(const RecordedSpace& space, std::ostream& out);

using RecordedSpaceWriter = void (*)(const RecordedSpace& space, std::ostream& out);
// The writer's text as a file, complete or not at all; compressed if the name ends in ".gz". Throws as OutputText does.
void write_recorded_space(const RecordedSpace& space, RecordedSpaceWriter writer, const std::filesystem::path& file);

}  // namespace warptune::db
