#ifndef MODELPORT_RELEASE_RUN_MODELPORT_H_
#define MODELPORT_RELEASE_RUN_MODELPORT_H_

#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/command/command.h"

namespace modelport {

// Runs the command of `commands` that the first argument names: `modelport export --model=...`. Returns the exit status
// of main, as RunTool. `help`, or --help, prints CommandList; `help NAME` what `NAME --help` prints; --version the
// release.
int RunModelport(int argc, const char* const* argv, const std::vector<Command>& commands);

// What `modelport help` prints: a line for each command.
std::string CommandList(const std::vector<Command>& commands);

// `command` by the name with which users of modelport call it.
Command OfModelport(Command command);

// `text` with each call of a tool, such as "bazel run //tools:list -- --x" or "//tools:list", as a call of modelport:
// "modelport list --x".
std::string WithCommandNames(absl::string_view text);

// While this object lives, what is written to `stream` gets WithCommandNames: the tools' messages name Bazel targets,
// which a user of modelport does not have. Each piece of text that is written must hold whole calls.
class CommandNames : private std::streambuf {
 public:
  explicit CommandNames(std::ostream& stream) : stream_(stream), target_(stream.rdbuf(this)) {}
  ~CommandNames() override { stream_.rdbuf(target_); }
  CommandNames(const CommandNames&) = delete;
  CommandNames& operator=(const CommandNames&) = delete;

 private:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override { return target_->pubsync(); }

  std::ostream& stream_;
  std::streambuf* target_;
};

}  // namespace modelport

#endif  // MODELPORT_RELEASE_RUN_MODELPORT_H_
