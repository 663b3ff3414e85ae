#include "release/pages.h"

#include <iostream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "common/manifest/version.h"
#include "tools/command/tool_call.h"

namespace modelport {
namespace {

// `text` for man: a backslash, a dash or a dot at the start of a line would have a meaning.
std::string Roff(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}, {".", "\\&."}, {"'", "\\(aq"}});
}

// `text` within an option of zsh's _arguments, in single quotes.
std::string Zsh(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "'\\''"}, {"[", "\\["}, {"]", "\\]"}, {":", "\\:"}});
}

std::string RoffFlag(const AnyFlag& flag) {
  const std::string name = absl::StrCat(flag.is_switch() ? "--[no]" : "--", flag.name());
  const std::string& value = flag.default_text();
  return absl::StrCat(".TP\n\\fB", Roff(name), "\\fR", flag.is_switch() ? "" : "=\\fIVALUE\\fR", "\n",
                      Roff(flag.help()), value.empty() ? "" : absl::StrCat(" (default: ", Roff(value), ")"), "\n");
}

std::string RoffCommand(const Command& command) {
  std::string text = absl::StrCat(".SS modelport ", command.name, " [\\fIFLAG\\fR]...",
                                  command.arguments.empty() ? "" : absl::StrCat(" ", Roff(command.arguments)), "\n",
                                  Roff(command.summary), "\n");
  const CommandRun run = command.begin();
  for (const AnyFlag* const flag : Sorted(*run.flags)) absl::StrAppend(&text, RoffFlag(*flag));
  return text;
}

// The words that complete a flag of `command`.
std::string FlagWords(const Command& command) {
  const CommandRun run = command.begin();
  std::string words;
  for (const AnyFlag* const flag : Sorted(*run.flags)) {
    absl::StrAppend(&words, "--", flag->name(), flag->is_switch() ? absl::StrCat(" --no", flag->name()) : "=", " ");
  }
  return absl::StrCat(words, "--help");
}

std::string ZshFlags(const AnyFlag& flag) {
  const std::string help = Zsh(flag.help());
  if (!flag.is_switch()) return absl::StrCat("        '--", flag.name(), "=[", help, "]:value:_files' \\\n");
  return absl::StrCat("        '--", flag.name(), "[", help, "]' '--no", flag.name(), "[not: ", help, "]' \\\n");
}

}  // namespace

std::string ManPage(const std::vector<Command>& commands) {
  std::string page =
      absl::StrCat(".TH MODELPORT 1 \"\" \"Modelport ", kModelportVersion,
                   "\"\n.SH NAME\nmodelport \\- turns published vision models into TorchScript files\n"
                   ".SH SYNOPSIS\n\\fBmodelport\\fR \\fICOMMAND\\fR [\\fIFLAG\\fR]...\n"
                   ".SH DESCRIPTION\nEach command prints its results to stdout and everything else to stderr\\&.\n"
                   ".SH COMMANDS\n");
  for (const Command& command : commands) absl::StrAppend(&page, RoffCommand(command));
  return absl::StrCat(
      page,
      ".SH EXIT STATUS\n0 if the command did what it was asked to do and proved it, else 1\\&. With "
      "\\fB\\-\\-json\\fR 2 for a wrong call, 3 for a damaged file, 4 for what is unavailable, and 1 for what "
      "is refused and all else: ",
      PagePlace("json.md"), "\\&.\n");
}

std::string BashCompletion(const std::vector<Command>& commands) {
  std::string names = "help", cases;
  for (const Command& command : commands) {
    absl::StrAppend(&names, " ", command.name);
    absl::StrAppend(&cases, "      ", command.name, ") words='", FlagWords(command), "' ;;\n");
  }
  return absl::StrCat(
      "# Completion of modelport for bash: `modelport completion bash` prints it.\n"
      "_modelport() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words=\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)) || [[ $command == help ]]; then\n"
      "    words='",
      names,
      "'\n"
      "  elif [[ $word == -* ]]; then\n"
      "    case $command in\n",
      cases,
      "    esac\n"
      "  fi\n"
      "  # Without words, bash completes the names of files.\n"
      "  if [[ -n $words ]]; then mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\"); fi\n"
      "  if [[ ${COMPREPLY[0]-} == *= ]]; then compopt -o nospace; fi\n"
      "}\n"
      "complete -o bashdefault -o default -F _modelport modelport\n");
}

std::string ZshCompletion(const std::vector<Command>& commands) {
  std::string names, cases;
  for (const Command& command : commands) {
    absl::StrAppend(&names, "    '", command.name, ":", Zsh(ShortSummary(command)), "'\n");
    absl::StrAppend(&cases, "    ", command.name, ")\n      _arguments \\\n");
    const CommandRun run = command.begin();
    for (const AnyFlag* const flag : Sorted(*run.flags)) absl::StrAppend(&cases, ZshFlags(*flag));
    absl::StrAppend(&cases, "        '*:file:_files' ;;\n");
  }
  return absl::StrCat(
      "#compdef modelport\n"
      "# Completion of modelport for zsh: `modelport completion zsh` prints it.\n"
      "_modelport() {\n"
      "  local -a commands=(\n",
      names,
      "    'help:Lists the commands, or the flags of one.'\n"
      "  )\n"
      "  if ((CURRENT == 2)) || [[ $words[2] == help ]]; then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  ((CURRENT -= 1))\n"
      "  case $words[1] in\n",
      cases,
      "  esac\n"
      "}\n"
      "_modelport \"$@\"\n");
}

std::vector<Command> PageCommands(const std::vector<Command>& commands) {
  const auto completion = [commands](const NoFlags&, const std::vector<std::string>& words) {
    const std::string shell = words.size() == 1 ? words.front() : "";
    if (shell != "bash" && shell != "zsh") return absl::InvalidArgumentError("wants the name of a shell: bash or zsh");
    std::cout << (shell == "bash" ? BashCompletion(commands) : ZshCompletion(commands));
    return absl::OkStatus();
  };
  const auto man = [commands](const NoFlags&) {
    std::cout << ManPage(commands);
    return absl::OkStatus();
  };
  return {{.name = "completion",
           .summary = "Prints the script by which a shell completes commands and flags.",
           .arguments = "bash|zsh",
           .begin = TakesWords<NoFlags>(completion)},
          {.name = "man", .summary = "Prints the manual page.", .begin = TakesFlags<NoFlags>(man)}};
}

}  // namespace modelport
