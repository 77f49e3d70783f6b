// Finds what a source and its headers do to a set of macros. This header is private to tuner/kernel.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/device/compile/include_scan.h"
#include "tuner/kernel/source/macro_check.h"

namespace warptune::tuner {

// Certainty is whether something holds, as far as it can be told without knowing any value. "maybe" stands for what
// depends on a value.
enum class Certainty { no, maybe, yes };

class MacroScan {
 public:
  struct Place {
    enum class What { defined, undefined, declared };
    std::string macro;
    std::filesystem::path file;
    int line;
    What what;
    std::string text;  // what is defined, or the word before a declaration's name
  };

  // `numeric` are the macros that stand for numbers. A number in place of a declaration's name makes no sense.
  MacroScan(std::set<std::string> macros, std::set<std::string> numeric, std::set<std::string> other_macros,
            std::vector<std::filesystem::path> include_directories, const SourceReader& read);

  void file(const std::filesystem::path& path);
  // Follows what a line of `path` includes, or an option before it.
  void include(const IncludeName& name, const std::filesystem::path& path);

  const std::vector<Place>& places() const { return places_; }
  bool uses(const std::string& macro) const { return used_.contains(macro); }
  // Returns whether a use may have been missed.
  bool incomplete() const { return incomplete_; }

 private:
  using Tokens = std::vector<SourceToken>;
  struct Branch {
    Certainty outer, taken, now;
  };

  void directive(const Tokens& tokens, std::size_t begin, std::size_t end, const std::filesystem::path& path);
  void condition(const std::string& name, const Tokens& tokens, std::size_t begin, std::size_t end);
  void code(const Tokens& tokens, std::size_t at, const std::filesystem::path& path);
  bool declares(const Tokens& tokens, std::size_t at) const;
  void note_uses(const Tokens& tokens, std::size_t begin, std::size_t end);
  Certainty is_defined(const std::string& name) const;
  Certainty live() const { return branches_.empty() ? Certainty::yes : branches_.back().now; }
  Certainty evaluate(const Tokens& tokens, std::size_t& at, std::size_t end) const;
  Certainty evaluate_all(const Tokens& tokens, std::size_t& at, std::size_t end) const;
  Certainty evaluate_one(const Tokens& tokens, std::size_t& at, std::size_t end) const;

  std::set<std::string> macros_, numeric_;
  std::map<std::string, Certainty> defined_;
  std::vector<std::filesystem::path> include_directories_;
  const SourceReader& read_;
  std::vector<Branch> branches_;
  std::set<std::filesystem::path> seen_;
  std::vector<Place> places_;
  std::set<std::string> used_;
  bool incomplete_ = false;
};

}  // namespace warptune::tuner
