// Reads the parts of a T1 file. This header is private to tuner/kernel.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/kernel/kernel_template.h"
#include "tuner/kernel/manifest/document.h"

namespace warptune::tuner {

using T1Names = std::set<std::string>;

// T1Expressions reads what T1 writes where Warptune has expressions: Python with ProblemSize[0], max(PARAMETER) over
// its values, and the names of BenchmarkConfig. All of these become plain expressions here.
class T1Expressions {
 public:
  T1Expressions(const Node& document, std::vector<search::Parameter> parameters);

  // `names` are those that mean something at this place. Throws ManifestError at `node`.
  search::Expression parse(const Node& node, const T1Names& names) const;
  // Returns the same as text, unchecked.
  std::string rewrite(const Node& node) const;

  const std::vector<search::Parameter>& parameters() const { return parameters_; }
  // Returns ProblemSize's entry for an axis, or nothing if the file has none.
  const std::optional<std::string>& problem(std::size_t axis) const { return problem_.at(axis); }
  void set_problem(std::size_t axis, std::string text) { problem_.at(axis) = std::move(text); }

 private:
  std::string with_problem(std::string text, const Node& node) const;
  std::string with_extremes(std::string text) const;

  std::vector<search::Parameter> parameters_;
  std::array<std::optional<std::string>, 3> problem_;
  DerivedExpressions constants_;
};

// Reads the CompilerOptions, each for the compilers that know it.
void read_t1_options(const Node& node, KernelTemplate& kernel);

// Binds the arguments of MemType Constant as Kernel Tuner does. Each is copied to the variable of that name, where the
// source has one, and passed to the kernel. Returns the names of those that are passed: none where the kernel has no
// parameters for them.
std::set<std::string> bind_t1_constants(const Node& specification, KernelTemplate& kernel);
// Defines Kernel Tuner's macros, as far as the source asks for them and does not use the names for something of its
// own.
void define_kernel_tuner_macros(KernelTemplate& kernel);
// Parameters that the source and the launch do not use are noted: T1 cannot say that one is there for the conditions.
void note_unused_parameters(const Node& document, KernelTemplate& kernel);

// Notes BenchmarkConfig's names that are parameters' as well.
void note_hidden_constants(const Node& document, KernelTemplate& kernel);

// `t1_names` returns the names of parameters, and `t1_constant_names` those of sizes and of the limits of a device.
T1Names t1_names(const std::vector<search::Parameter>& parameters);
T1Names t1_constant_names(const KernelTemplate& kernel);

// Refuses every key that T1's tuners do not know, and says of those without effect here what counts instead.
std::vector<std::string> check_t1_keys(const Node& document);

std::vector<search::Parameter> t1_parameters(const Node& document);
std::vector<std::string> t1_conditions(const Node& document, const T1Expressions& expressions);

// Reads the template's arguments and what ReferenceArguments say of them.
void read_t1_arguments(const Node& specification, const T1Expressions& expressions, const std::filesystem::path& folder,
                       KernelTemplate& kernel);

// Chooses the template's default configuration: the Defaults, or what is nearest to them among the configurations that
// the conditions allow. KTT's files have no Defaults, and others' are not always allowed.
void choose_t1_default(const Node& document, KernelTemplate& kernel);

}  // namespace warptune::tuner
