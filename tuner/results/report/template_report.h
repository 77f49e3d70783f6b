// Describes a template before anything is tuned (what it computes, what can be chosen, and how) and its search space at
// one problem (sizes, domains, constraints).
#pragma once

#include <string>
#include <vector>

#include "search/space/search_space.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner {

// Holds one template of a list, or why it cannot be read.
struct ListedTemplate {
  std::string name;  // the folder's
  std::filesystem::path manifest;
  KernelTemplate kernel;
  std::string error;  // empty if it was read
};

// Returns a row for each template: name, summary, counts of what can be chosen, manifest, error.
Table template_table(const std::vector<ListedTemplate>& templates);

// Returns all that a manifest says to those who tune it.
Json template_json(const KernelTemplate& kernel);
// Returns the same as rows: what kind of name it is, the name, its values, its default, what it means.
Table template_rows(const KernelTemplate& kernel);

// Returns the values with the default in brackets: "32 64 [128] 256"; the middle of a long domain is left out.
std::string domain_with_default(const search::Parameter& parameter, const search::Value& chosen);

// Returns the Cartesian and the valid size, each parameter's domain before and after the constraints, how many
// combinations each constraint rejects, and for an empty space the constraints that contradict each other. `kernel`, if
// there is a template, knows the defaults and what the parameters are about. Lines have at most `width` characters, if
// that can be had; 0: no limit.
std::string space_report(const search::SearchSpace& space, const KernelTemplate* kernel = nullptr,
                         std::size_t width = 0);

// Returns the same for programs: one row a parameter, with the sizes of the whole in each.
Table space_summary(const search::SearchSpace& space);

// Returns the same as a JSON document.
Json space_json(const search::SearchSpace& space, const KernelTemplate* kernel = nullptr);

// Returns configurations as rows, with a column for each parameter.
Table configuration_table(const search::SearchSpace& space, const std::vector<search::Configuration>& configurations);

}  // namespace warptune::tuner
