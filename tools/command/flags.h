// The flags of tools. Abseil has one list of flags for a whole program; here each run of a tool has its own, so that
// all tools can be one program, and several runs one process.
#ifndef MODELPORT_TOOLS_COMMAND_FLAGS_H_
#define MODELPORT_TOOLS_COMMAND_FLAGS_H_

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/flags/marshalling.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace modelport {

class AnyFlag;

// The flags of one run of a tool, which are members of a struct that the run makes. A part that several tools share is
// a struct, too, which adds its flags to their group:
//
//   struct ListFlags {
//     FlagGroup group;
//     Flag<bool> brief{group, "brief", false, "print names alone"};
//     RegistryFlags registry{group};
//   };
using FlagGroup = std::vector<AnyFlag*>;

// A flag of any type.
class AnyFlag {
 public:
  AnyFlag(const AnyFlag&) = delete;
  AnyFlag& operator=(const AnyFlag&) = delete;

  const std::string& name() const { return name_; }
  const std::string& default_text() const { return default_text_; }  // As the user would write it; "" if it is empty.
  const std::string& help() const { return help_; }
  // For a tool that takes the flag of a shared part in another way.
  void set_help(std::string help) { help_ = std::move(help); }
  virtual bool is_switch() const = 0;    // Whether --NAME and --noNAME stand for true and false.
  virtual bool is_default() const = 0;   // Whether the value is that of a run without the flag.
  virtual std::string text() const = 0;  // The value as the user would write it.

  // Sets the value that `text` spells. InvalidArgument says what the flag wants.
  virtual absl::Status Set(absl::string_view text) = 0;

  // What ParseFlags refuses, so that no flag is ignored: this flag without any of `others`, or beside one of them. A
  // reason is a sentence without its full stop.
  void OnlyWith(FlagGroup others) { partners_ = std::move(others); }
  void NotWith(const FlagGroup& others, const std::string& reason);
  absl::Status CheckPartners() const;
  absl::Status CheckOpponents() const;

 protected:
  AnyFlag(std::string name, std::string default_text, std::string help)
      : name_(std::move(name)), default_text_(std::move(default_text)), help_(std::move(help)) {}
  ~AnyFlag() = default;

 private:
  const std::string name_, default_text_;
  std::string help_;
  FlagGroup partners_;
  std::vector<std::pair<const AnyFlag*, std::string>> opponents_;  // With reasons.
};

// A flag with its value, which is the default until ParseFlags sets it. T is a type that absl::ParseFlag parses.
template <typename T>
class Flag final : public AnyFlag {
 public:
  // Adds the flag to `group`, which must not outlive it.
  Flag(FlagGroup& group, std::string name, T default_value, std::string help)
      : AnyFlag(std::move(name), absl::UnparseFlag(default_value), std::move(help)), value_(std::move(default_value)) {
    group.push_back(this);
  }

  const T& operator*() const { return value_; }
  const T* operator->() const { return &value_; }

  bool is_switch() const override { return std::is_same_v<T, bool>; }
  bool is_default() const override { return text() == default_text(); }
  std::string text() const override { return absl::UnparseFlag(value_); }

  absl::Status Set(absl::string_view text) override {
    std::string error;
    if (absl::ParseFlag(text, &value_, &error)) return absl::OkStatus();
    return absl::InvalidArgumentError(is_switch() ? "wants true or false" : error.empty() ? "wants a number" : error);
  }

 private:
  T value_;
};

// The names that a flag has with commas between, each once. InvalidArgument says what is wrong with them.
absl::StatusOr<std::vector<std::string>> NamesOf(const Flag<std::string>& flag);

// Takes `flags` of a shared part out of `group`: what a tool refuses, or sets itself, is no flag of it.
void Remove(FlagGroup& group, const FlagGroup& flags);

// Sets those of `flags` that `arguments` give, as --name=value, --name value, --name or --noname; "--" is ignored.
// Returns the other arguments, those without a dash. InvalidArgument names an unknown flag, a value that its flag does
// not take, or flags that do not go together.
absl::StatusOr<std::vector<std::string>> ParseFlags(const FlagGroup& flags, absl::Span<const char* const> arguments);

// "--name=text" as a shell reads it, with quotes where it needs them.
std::string ShellFlag(absl::string_view name, absl::string_view text);

// Those of `flags` that have another value than the default, each as ShellFlag writes it after a space: what a command
// to type next repeats of this one.
std::string FlagsAgain(const FlagGroup& flags);

// How to write each flag, its help and its default; sorted by name, in lines of at most `columns` characters.
std::string FlagsTable(const FlagGroup& flags, size_t columns = 80);

// `flags` by name.
FlagGroup Sorted(FlagGroup flags);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_COMMAND_FLAGS_H_
