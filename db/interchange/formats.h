// Reads and writes whole interchange files. README.md beside this says what each format holds, and what is lost.
#pragma once

#include <filesystem>
#include <ostream>

#include "db/interchange/recorded_space.h"
#include "db/interchange/text_file.h"

namespace warptune::db {

// Reads a Kernel Tuner cache file or T4 results, told apart by content; gzip or plain, a file or a pipe. A record that
// cannot be taken is left out, and one whose time cannot be believed becomes a failure; the notes name both. Throws
// InterchangeError, which says where and what was expected, if it is no such file or if no record is left.
RecordedSpace read_recorded_space(const std::filesystem::path& file);
// Reads a text of which nothing was taken yet.
RecordedSpace read_recorded_space(InputText& text);

// Reading what these wrote gives equal data. Numbers keep every bit. They throw std::invalid_argument for a number that
// JSON cannot hold (not finite).
void write_kernel_tuner(const RecordedSpace& space, std::ostream& out);
void write_t4(const RecordedSpace& space, std::ostream& out);
// Writes one line for each trial, for spreadsheets: parameters, outcome, measurements, phases, timestamp, message (RFC
// 4180).
void write_csv(const RecordedSpace& space, std::ostream& out);

using RecordedSpaceWriter = void (*)(const RecordedSpace& space, std::ostream& out);
// Writes the writer's text to a file, which appears complete or not at all, and is compressed if its name ends in
// ".gz". Throws as OutputText does.
void write_recorded_space(const RecordedSpace& space, RecordedSpaceWriter writer, const std::filesystem::path& file);

}  // namespace warptune::db
