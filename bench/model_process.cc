#include "bench/model_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

// Two ends of a pipe, which programs that are started do not inherit.
struct Pipe {
  int read = -1, write = -1;
};

absl::StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) == 0) return Pipe{ends[0], ends[1]};
  return absl::ErrnoToStatus(errno, "no pipe to a model");
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

absl::StatusOr<ModelProcess> ModelProcess::Start(const std::string& name, const std::vector<std::string>& command,
                                                 const std::vector<std::string>& variables) {
  ASSIGN_OR_RETURN(const Pipe questions, MakePipe());
  ASSIGN_OR_RETURN(const Pipe answers, MakePipe());
  // An end of the process shows as an answer that does not come.
  signal(SIGPIPE, SIG_IGN);
  std::vector<std::string> arguments = {"env"};
  arguments.insert(arguments.end(), variables.begin(), variables.end());
  arguments.insert(arguments.end(), command.begin(), command.end());
  const std::vector<char*> pointers = Pointers(arguments);
  // vfork and not fork: a copy of this process's memory would count as the model's.
  const pid_t pid = vfork();
  if (pid == 0) {
    dup2(questions.read, STDIN_FILENO);
    dup2(answers.write, STDOUT_FILENO);
    execv("/usr/bin/env", pointers.data());
    _exit(127);
  }
  close(questions.read);
  close(answers.write);
  ModelProcess process(name, pid, fdopen(questions.write, "w"), fdopen(answers.read, "r"));
  ASSIGN_OR_RETURN(const std::vector<std::string> words, process.Ask("", 2));
  if (words[0] != "ready" || !absl::SimpleAtoi(words[1], &process.loaded_bytes_)) {
    return absl::InternalError(absl::StrCat(name, ": is not ready, says ", Brief(absl::StrJoin(words, " "))));
  }
  return process;
}

ModelProcess::ModelProcess(ModelProcess&& other) noexcept
    : name_(std::move(other.name_)),
      pid_(std::exchange(other.pid_, 0)),
      questions_(other.questions_),
      answers_(other.answers_),
      loaded_bytes_(other.loaded_bytes_) {}

ModelProcess::~ModelProcess() {
  if (pid_ == 0) return;
  std::fclose(questions_);  // Ends the process: it has no more lines to read.
  std::fclose(answers_);
  waitpid(pid_, nullptr, 0);
}

absl::StatusOr<std::vector<std::string>> ModelProcess::Ask(absl::string_view question, size_t count) {
  if (!question.empty()) {
    std::fprintf(questions_, "%s\n", std::string(question).c_str());
    std::fflush(questions_);
  }
  char line[1000] = {};
  if (std::fgets(line, sizeof(line), answers_) == nullptr) {
    return absl::InternalError(absl::StrCat(name_, ": the process has ended; what it printed stands above"));
  }
  std::vector<std::string> words = absl::StrSplit(absl::StripAsciiWhitespace(line), ' ');
  if (words.size() == count) return words;
  return absl::InternalError(absl::StrCat(name_, ": wants ", count, " words, says ", Brief(line)));
}

absl::StatusOr<std::vector<double>> ModelProcess::AskNumbers(absl::string_view question, size_t count) {
  ASSIGN_OR_RETURN(const std::vector<std::string> words, Ask(question, count));
  std::vector<double> numbers(count);
  for (size_t i = 0; i < count; ++i) {
    if (absl::SimpleAtod(words[i], &numbers[i])) continue;
    return absl::InternalError(absl::StrCat(name_, ": wants numbers, says ", Brief(absl::StrJoin(words, " "))));
  }
  return numbers;
}

absl::StatusOr<ModelRun> ModelProcess::Run(absl::string_view inputs, int threads) {
  ASSIGN_OR_RETURN(const std::vector<double> numbers, AskNumbers(absl::StrCat("run ", threads, " ", inputs), 3));
  return ModelRun{numbers[0], numbers[1], static_cast<int64_t>(numbers[2])};
}

absl::StatusOr<KernelTime> ModelProcess::Kernels(absl::string_view inputs, int threads) {
  ASSIGN_OR_RETURN(const std::vector<double> numbers, AskNumbers(absl::StrCat("kernels ", threads, " ", inputs), 2));
  return KernelTime{numbers[0], numbers[1]};
}

absl::StatusOr<std::vector<float>> ModelProcess::LastOutput(const std::string& folder, absl::string_view output) {
  const std::string path = absl::StrCat(folder, "/output");
  RETURN_IF_ERROR(Ask(absl::StrCat("save ", path, output.empty() ? "" : " ", output), 1).status());
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  std::vector<float> elements(bytes.size() / sizeof(float));
  std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(float));
  return elements;
}

}  // namespace modelport
