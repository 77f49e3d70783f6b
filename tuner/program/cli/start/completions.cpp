// Implements `warptune completions`, which prints the shells' scripts. They hand the words of the line to the program
// (`complete.h`) and take what it answers.
#include <fmt/format.h>

#include <map>

#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"

namespace warptune::tuner::cli {

namespace {

// Bash splits words at '=' and ':', and replaces the last part alone: parts are put together before the question, and
// what stands before the last part is taken off the answers.
constexpr char bash_script[] = R"sh(# bash completion of warptune; written by `warptune completions bash`
_warptune() {
  local breaks=${COMP_WORDBREAKS//[^=:]} words=() i part line word
  for ((i = 1; i <= COMP_CWORD; i++)); do
    part=${COMP_WORDS[i]}
    if [[ $breaks && ${#words[@]} -gt 0 && $part && ! ${part//[$breaks]} ]] ||
       [[ $breaks && ${#words[@]} -gt 0 && ${words[-1]} == *[$breaks] && ! ${COMP_WORDS[i-1]//[$breaks]} ]]; then
      words[-1]+=$part
    else
      words+=("$part")
    fi
  done
  local current=${words[-1]} before=
  [[ $breaks && $current == *[$breaks]* ]] && before=${current%"${current##*[$breaks]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o filenames 2>/dev/null
              while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "${current#"$before"}") ;;
      :folders) compopt -o filenames 2>/dev/null
              while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "${current#"$before"}") ;;
      *) word=${line%%$'\t'*}
         [[ $word == *[=:,] ]] && compopt -o nospace 2>/dev/null
         COMPREPLY+=("$(printf '%q' "${word#"$before"}")") ;;
    esac
  done < <("${COMP_WORDS[0]}" complete "${words[@]}" 2>/dev/null)
}
complete -F _warptune warptune
)sh";

constexpr char zsh_script[] = R"sh(#compdef warptune
# zsh completion of warptune; written by `warptune completions zsh`
_warptune() {
  local line word files
  local -a whole begun
  for line in "${(@f)$("$words[1]" complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) files=_files ;;
      :folders) files='_files -/' ;;
      *) word=${${line%%$'\t'*}//:/\\:}
         [[ $line == *$'\t'* ]] && line=$word:${line#*$'\t'} || line=$word
         [[ $word == *([=,]|\\:) ]] && begun+=("$line") || whole+=("$line") ;;
    esac
  done
  (( $#whole )) && _describe -V warptune whole
  (( $#begun )) && _describe -V warptune begun -S ''
  [[ -n $files ]] && ${=files}
}
if [[ $funcstack[1] == _warptune ]]; then _warptune "$@"; else compdef _warptune warptune; fi
)sh";

constexpr char fish_script[] = R"sh(# fish completion of warptune; written by `warptune completions fish`
function __warptune_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] complete $words[2..-1] 2>/dev/null)
    switch $line
      case ':files'
        __fish_complete_path (commandline -ct)
      case ':folders'
        __fish_complete_directories (commandline -ct)
      case '*'
        printf '%s\n' $line
    end
  end
end
complete -c warptune -f -a '(__warptune_complete)'
)sh";

const std::map<std::string, std::string>& scripts() {
  static const std::map<std::string, std::string> all = {
      {"bash", bash_script}, {"fish", fish_script}, {"zsh", zsh_script}};
  return all;
}

}  // namespace

void add_completions(CLI::App& program) {
  CLI::App* verb = program.add_subcommand("completions", "Print the script that lets a shell complete command lines");
  auto shell = std::make_shared<std::string>();
  verb->add_option("shell", *shell, "the shell")->required()->check(one_of({"bash", "fish", "zsh"}));
  verb->group(verbs::program);
  add_examples(*verb, {{"in this bash", "source <(warptune completions bash)"},
                       {"in every bash", "warptune completions bash >> ~/.bash_completion"},
                       {"in every fish", "warptune completions fish > ~/.config/fish/completions/warptune.fish"},
                       {"in every zsh, from a folder of $fpath", "warptune completions zsh > ~/.zfunc/_warptune"}});
  verb->callback([shell] { write_output("", scripts().at(*shell)); });
}

}  // namespace warptune::tuner::cli
