// What stands in braces is replaced from left to right, once: a value is never searched for further names.
#include "tuner/kernel/kernel_names.h"

namespace warptune::tuner {

std::string with_values(const std::string& text, const search::NamedValues& values) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t close = text[i] == '{' ? text.find('}', i) : std::string::npos;
    const search::Value* value =
        close == std::string::npos ? nullptr : search::find_value(values, text.substr(i + 1, close - i - 1));
    if (value) {
      result += search::to_text(*value);
      i = close;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string kernel_name(const Launch& launch, const search::NamedValues& scope) {
  return with_values(launch.kernel, scope);
}

std::set<std::string> launched_kernels(std::initializer_list<const std::vector<Launch>*> lists) {
  std::set<std::string> names;
  for (const std::vector<Launch>* launches : lists)
    for (const Launch& launch : *launches) {
      if (!launch.is_kernel()) continue;
      std::string name = launch.kernel.substr(0, launch.kernel.find('<'));
      if (name.find('{') != std::string::npos) return {};
      std::erase(name, ' ');
      names.insert(name.substr(name.rfind(':') + 1));
    }
  return names;
}

}  // namespace warptune::tuner
