// The flags of tools. Abseil has one list of flags for a whole program; here each tool has its own, so that all tools
// can be one program.
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

// A flag of any type.
class AnyFlag {
 public:
  AnyFlag(const AnyFlag&) = delete;
  AnyFlag& operator=(const AnyFlag&) = delete;

  const std::string& name() const { return name_; }
  const std::string& help() const { return help_; }
  virtual bool is_switch() const = 0;            // Whether --NAME and --noNAME stand for true and false.
  virtual std::string default_text() const = 0;  // As the user would write it; "" for an empty value.

  // Sets the value that `text` spells. InvalidArgument says what the flag wants.
  virtual absl::Status Set(absl::string_view text) = 0;
  virtual void Reset() = 0;  // To the default.

 protected:
  AnyFlag(std::string name, std::string help) : name_(std::move(name)), help_(std::move(help)) {}
  ~AnyFlag() = default;

 private:
  std::string name_, help_;
};

// The flags of a tool, or of a part that several tools share.
using FlagGroup = std::vector<AnyFlag*>;

// The flags of both groups.
inline FlagGroup operator+(FlagGroup a, const FlagGroup& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A flag, which lasts as long as the program. T is a type that absl::ParseFlag parses.
template <typename T>
class Flag final : public AnyFlag {
 public:
  // Adds the flag to `group`.
  Flag(FlagGroup& group, std::string name, T default_value, std::string help)
      : AnyFlag(std::move(name), std::move(help)), default_(std::move(default_value)), value_(default_) {
    group.push_back(this);
  }

  const T& operator*() const { return value_; }
  const T* operator->() const { return &value_; }

  bool is_switch() const override { return std::is_same_v<T, bool>; }
  std::string default_text() const override { return absl::UnparseFlag(default_); }
  void Reset() override { value_ = default_; }

  absl::Status Set(absl::string_view text) override {
    std::string error;
    if (absl::ParseFlag(text, &value_, &error)) return absl::OkStatus();
    return absl::InvalidArgumentError(is_switch() ? "wants true or false" : error.empty() ? "wants a number" : error);
  }

 private:
  const T default_;
  T value_;
};

// A flag of a part that several tools share, under the help of one of them: a tool that takes it in another way, or has
// another default, says so.
class FlagWithHelp final : public AnyFlag {
 public:
  // Adds the flag to `group`. A flag of another source may not exist before main, so this is constructed in a function.
  FlagWithHelp(FlagGroup& group, AnyFlag& flag, std::string help) : AnyFlag(flag.name(), std::move(help)), flag_(flag) {
    group.push_back(this);
  }

  bool is_switch() const override { return flag_.is_switch(); }
  std::string default_text() const override { return flag_.default_text(); }
  void Reset() override { flag_.Reset(); }
  absl::Status Set(absl::string_view text) override { return flag_.Set(text); }

 private:
  AnyFlag& flag_;
};

// `flags` but those with one of `names`: what a tool refuses, or sets itself, is no flag of it.
FlagGroup Without(FlagGroup flags, absl::Span<const absl::string_view> names);

// Gives each flag of `flags` its default, or else the value that `arguments` give, as --name=value, --name value,
// --name or --noname; "--" is ignored. Returns the other arguments, those without a dash. InvalidArgument names an
// unknown flag, or a value that its flag does not take.
absl::StatusOr<std::vector<std::string>> ParseFlags(const FlagGroup& flags, absl::Span<const char* const> arguments);

// How to write each flag, its help and its default; sorted by name, in lines of at most `columns` characters.
std::string FlagsTable(const FlagGroup& flags, size_t columns = 80);

// `flags` by name.
FlagGroup Sorted(FlagGroup flags);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_COMMAND_FLAGS_H_
