// Values are expressions of other variables, so that a grid keeps the name of the size that it is made of. When one of
// these changes later, what was made of it keeps the value that it had. Rejected: values alone, for then the size's
// name would be lost.
#include <algorithm>

#include "tuner/kernel/draft/facts/host_scope.h"
#include "tuner/kernel/draft/facts/host_writes.h"

namespace warptune::tuner::draft {

namespace {

using Result = std::optional<CExpression>;

class HostReader {
 public:
  HostReader(const SourceFacts& facts, TokenSpan body, std::size_t place, HostScope& scope)
      : facts_(facts), body_(body), place_(place), scope_(scope), blocks_(controlled_code(body)) {}

  void run() {
    for (std::size_t at = 0; at < body_.size(); ++at) {
      if (body_[at].kind != SourceToken::Kind::word) continue;
      if (at < place_) read_before(at);
      if (is(at + 1, "(") && body_[at].text.starts_with("cuda")) read_call(at);
    }
  }

 private:
  void read_before(std::size_t at) {
    if (is(at, "dim3")) read_dimensions(at + 1);
    if (is(at + 1, "(")) read_addresses(at);
    if (is(at + 1, "=")) return read_value(at);
    const bool streamed = at > 1 && is(at - 1, ">") && is(at - 2, ">") && is_input(at);
    const bool stepped = is_step(body_, at + 1) || (at > 1 && is_step(body_, at - 2) && !is_operand(at - 2));
    if (stepped)
      update(at, is(at + 1, "+") || is(at - 1, "+") ? plus_one(at) : Result());
    else if (is_compound_assignment(body_, at + 1))
      update(at, is(at + 1, "+") && is(at + 3, "1") && is(at + 4, ";") ? plus_one(at) : Result());
    else if (streamed)
      change(at, name_at(at), true);
  }

  bool is(std::size_t at, std::string_view text) const { return at < body_.size() && body_[at].is(text); }

  // Returns whether an operand stands before `at`: a + +b is a sum and no step.
  bool is_operand(std::size_t at) const {
    if (at == 0 || is(at - 1, "else") || is(at - 1, "do") || is(at - 1, "return")) return false;
    const SourceToken& before = body_[at - 1];
    return before.kind == SourceToken::Kind::word || before.kind == SourceToken::Kind::number || before.is("]");
  }

  // Returns whether the statement reads from a stream, as in std::cin >> n.
  bool is_input(std::size_t at) const {
    while (at > 0 && !is(at - 1, ";") && !is(at - 1, "{") && !is(at - 1, "}")) --at;
    return is(at, "cin") || is(at, "file") || is(at, "in") || is(at, "input");
  }

  // Returns the name at `at`: "n", or "grid.x" for a member.
  std::string name_at(std::size_t at) const {
    return at > 1 && is(at - 1, ".") ? body_[at - 2].text + "." + body_[at].text : body_[at].text;
  }

  Result plus_one(std::size_t at) const {
    return CExpression::binary("+", CExpression::name(name_at(at)), CExpression::integer(1));
  }

  static std::vector<CExpression> list(TokenSpan tokens) {
    std::vector<CExpression> result;
    for (const TokenSpan part : split_arguments(tokens))
      result.push_back(parse_c(part).value_or(CExpression::name("?")));
    return result;
  }

  TokenSpan until(std::size_t at) const {
    std::size_t end = at;
    for (; end < body_.size() && !is(end, ";") && !is(end, ",") && !is(end, ")"); ++end) {
      end += template_list(body_, end);
      if (is(end, "(") || is(end, "[") || is(end, "{")) end = closing(body_, end);
    }
    return body_.subspan(at, std::min(end, body_.size()) - at);
  }

  // Reads a declaration of dimensions: dim3 a(…), b = dim3(…), c{…};
  void read_dimensions(std::size_t at) {
    while (at < body_.size() && body_[at].kind == SourceToken::Kind::word) {
      const std::string& name = body_[at].text;
      std::size_t open = at + 1;
      if (is(open, "=")) open += is(open + 1, "dim3") ? 2 : 1;
      if (is(open, "(") || is(open, "{")) {
        const std::size_t close = closing(body_, open);
        if (close >= body_.size()) return;
        scope_.dimensions[name] = list(body_.subspan(open + 1, close - open - 1));
        at = close + 1;
      } else if (is(at + 1, "=")) {
        const TokenSpan value = until(open);
        scope_.dimensions[name] = list(value);
        at = open + value.size();
      } else {
        ++at;
      }
      if (!is(at, ",")) return;
      ++at;
    }
  }

  // Returns the axis of a member, as 1 for "grid.y".
  static std::size_t axis_of_member(const std::string& name) {
    return name.ends_with(".y") ? 1 : name.ends_with(".z") ? 2 : 0;
  }
  static std::string variable_of_member(const std::string& name) { return name.substr(0, name.find('.')); }

  Result value_of(const std::string& name) const {
    if (name.find('.') != std::string::npos) {
      const auto known = scope_.dimensions.find(variable_of_member(name));
      if (known == scope_.dimensions.end()) return std::nullopt;
      const std::size_t axis = axis_of_member(name);
      return axis < known->second.size() ? known->second[axis] : CExpression::integer(1);
    }
    const auto known = scope_.values.find(name);
    return known == scope_.values.end() ? Result() : known->second;
  }

  // Puts the variable's present value into all expressions that are made of it, so that they stay what they are when it
  // changes.
  void freeze(const std::string& name) {
    const CExpression old = value_of(name).value_or(CExpression::name("?"));
    const auto keep = [&](CExpression& expression) {
      if (has_name(expression, name)) expression = with_value(expression, name, old);
    };
    for (auto& [other, value] : scope_.values)
      if (other != name) keep(value);
    for (auto& [other, dimensions] : scope_.dimensions) std::ranges::for_each(dimensions, keep);
    for (auto& [other, bytes] : scope_.allocated_bytes) keep(bytes);
  }

  static bool has_name(const CExpression& expression, const std::string& name) {
    return expression.is(CExpression::Kind::name, name) ||
           std::ranges::any_of(expression.parts, [&](const CExpression& part) { return has_name(part, name); });
  }

  static CExpression with_value(const CExpression& expression, const std::string& name, const CExpression& value) {
    return replaced(
        expression, [&](const std::string& any) { return any == name ? Result(value) : Result(); }, 1);
  }

  void set(const std::string& name, const CExpression& value) {
    freeze(name);
    scope_.changed.erase(name);
    if (name.find('.') == std::string::npos) {
      scope_.values.insert_or_assign(name, value);
      return;
    }
    auto& dimensions = scope_.dimensions[variable_of_member(name)];
    const std::size_t axis = axis_of_member(name);
    dimensions.resize(std::max(dimensions.size(), axis + 1), CExpression::integer(1));
    dimensions[axis] = value;
  }

  // Records that the variable's value is not known from here on. Where `may_stay` is set, it may also have kept its
  // value.
  void change(std::size_t at, const std::string& name, bool may_stay) {
    const Result first = value_of(name);
    freeze(name);
    if (name.find('.') != std::string::npos) return set(name, CExpression::name("?"));
    const Result number = first ? Result(simplified(*first)) : std::nullopt;
    const bool keeps = may_stay && number && number->is_integer();
    scope_.changed.insert_or_assign(name, HostScope::Change{body_[at].line, keeps ? number->value : 0});
    scope_.values.erase(name);
  }

  // Reads a change of the old value: n++, n *= 2, n = n + 1. `next` is the new value, made of the old one; it is
  // nothing if `init` cannot read the change.
  void update(std::size_t at, Result next) {
    const std::string name = name_at(at);
    // A variable of a loop around the launch, for (i = 0; …; ++i), keeps its first value, for the manifest has the
    // launch once.
    if (std::ranges::any_of(blocks_, [&](const ControlledCode& code) {
          return code.is_loop && code.has_in_header(at) && code.controls(place_);
        }))
      return;
    const Result old = value_of(name);
    if (next && old) next = with_value(*next, name, *old);
    const ControlledCode* condition = nullptr;
    for (const ControlledCode& code : blocks_) {
      if ((!code.controls(at) && !code.has_in_header(at)) || (!code.is_loop && code.controls(place_))) continue;
      const bool is_alone = !condition && !code.is_loop && !code.condition.empty() && is_only_statement(code, at);
      if (!is_alone) next = std::nullopt;
      condition = &code;
    }
    if (next && old && condition) {
      const Result when = parse_c(condition->condition);
      next = when ? Result(CExpression{CExpression::Kind::conditional, "?", 0, {*when, *next, *old}}) : Result();
    }
    if (next && old)
      set(name, *next);
    else
      change(at, name, false);
  }

  // Returns whether the statement at `at` is the only one that the condition controls: if (n % t) ++blocks; also in
  // braces.
  bool is_only_statement(const ControlledCode& code, std::size_t at) const {
    const TokenSpan inner = body_.subspan(code.begin, code.end - code.begin);
    return code.controls(at) &&
           std::ranges::count_if(inner, [](const SourceToken& token) { return token.is(";"); }) == 1;
  }

  // Returns whether `at` is in a loop that ends before the launch and writes to what the value is made of.
  bool goes_round(std::size_t at, const CExpression& value) const {
    const std::set<std::string> names = names_in(value);
    return std::ranges::any_of(blocks_, [&](const ControlledCode& code) {
      if (!code.is_loop || !code.controls(at) || code.controls(place_)) return false;
      const auto assigned = assigned_names(body_.subspan(code.header, code.end - code.header));
      return std::ranges::any_of(names, [&](const std::string& name) { return assigned.contains(name); });
    });
  }

  void read_value(std::size_t at) {
    if (at > 0 && is(at - 1, "->")) return;
    const std::string name = name_at(at);
    const Result value = parse_c(until(at + 2));
    const bool is_dimensions = value && scope_.dimensions.contains(name) && name.find('.') == std::string::npos;
    if (is_dimensions && value->kind == CExpression::Kind::call && value->text == "dim3") {
      for (const char axis : {'x', 'y', 'z'}) freeze(name + "." + axis);
      scope_.dimensions[name] = value->parts;
      return;
    }
    if (!value)
      return name.find('.') != std::string::npos ? set(name, CExpression::name("?")) : change_if_known(at, name);
    // A variable that may keep its value does keep it: n = argc > 1 ? atoi(argv[1]) : n
    const bool may_stay = value->kind == CExpression::Kind::conditional && !manifest_text(*value) &&
                          std::ranges::count(value->parts, CExpression::name(name)) == 1;
    if (may_stay && value_of(name)) return;
    if (names_in(*value).contains(name)) return update(at, value);
    if (goes_round(at, *value)) return change(at, name, false);
    // n = atoi(argv[1]) says less than the number before it.
    if (!is_foreign_call(*value) || !value_of(name)) set(name, *value);
  }

  // Returns whether the value is a call that no manifest has a word for, whatever its arguments are.
  static bool is_foreign_call(CExpression value) {
    if (value.kind != CExpression::Kind::call) return false;
    std::ranges::fill(value.parts, CExpression::integer(1));
    return !manifest_text(value);
  }

  // Marks a variable with a known value as changed: a new value that `init` cannot read replaces the old one all the
  // same.
  void change_if_known(std::size_t at, const std::string& name) {
    if (value_of(name)) change(at, name, true);
  }

  // Marks the variables that a call may write to as changed: f(&n), and f(n) where f takes a reference.
  void read_addresses(std::size_t at) {
    for (const WrittenArgument& written : arguments_written_by(facts_, body_, at)) {
      change(written.place, body_[written.place].text, true);
      if (body_[at].text.starts_with("cudaOccupancyMaxPotentialBlockSize") && written.position == 1)
        scope_.blocks_of_device.insert(body_[written.place].text);
    }
  }

  static std::string last_word(TokenSpan tokens) {
    for (std::size_t at = tokens.size(); at-- > 0;)
      if (tokens[at].kind == SourceToken::Kind::word) return tokens[at].text;
    return "";
  }

  void read_call(std::size_t at) {
    const std::string& name = body_[at].text;
    const std::size_t close = closing(body_, at + 1);
    if (close >= body_.size()) return;
    const auto arguments = split_arguments(body_.subspan(at + 2, close - at - 2));
    if (arguments.size() < 2) return;
    if (name.starts_with("cudaMalloc") && name != "cudaMallocHost" && name != "cudaMallocPitch") {
      if (const auto bytes = parse_c(arguments[1]))
        scope_.allocated_bytes.insert_or_assign(last_word(arguments[0]), *bytes);
    } else if (name.starts_with("cudaMemset")) {
      scope_.cleared.insert(last_word(arguments[0]));
    } else if (name.starts_with("cudaMemcpy") && arguments.size() > 3) {
      const bool down = contains_word(arguments[3], "cudaMemcpyDeviceToHost");
      if (down) scope_.downloaded.insert(last_word(arguments[1]));
      if (contains_word(arguments[3], "cudaMemcpyHostToDevice")) scope_.uploaded.insert(last_word(arguments[0]));
    }
  }

  const SourceFacts& facts_;
  const TokenSpan body_;
  const std::size_t place_;
  HostScope& scope_;
  const std::vector<ControlledCode> blocks_;
};

}  // namespace

void read_host_code(const SourceFacts& facts, TokenSpan body, std::size_t place, HostScope& scope) {
  HostReader(facts, body, place, scope).run();
}

}  // namespace warptune::tuner::draft
