// Describes a template before anything is tuned: what it computes, what can be chosen, and how.
#pragma once

#include <string>
#include <vector>

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

}  // namespace warptune::tuner
