#include "tools/predict/find_images.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/io/output_place.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kExtensions[] = {".exr", ".jpeg", ".jpg", ".png", ".tif", ".tiff"};

// A path whose name has a place for a number.
struct NumberedPath {
  std::string before;
  std::string after;
  size_t digits;  // At least so many.
};

// Takes %04d or #### in the name of `path` apart; nullopt if there is neither.
absl::optional<NumberedPath> ParseNumbered(const std::string& path) {
  const size_t name = path.rfind('/') + 1;
  if (const size_t hash = path.find('#', name); hash != path.npos) {
    const size_t end = std::min(path.find_first_not_of('#', hash), path.size());
    return NumberedPath{path.substr(0, hash), path.substr(end), end - hash};
  }
  const size_t percent = path.find('%', name);
  if (percent == path.npos) return absl::nullopt;
  const size_t end = path.find_first_not_of("0123456789", percent + 1);
  if (end == path.npos || path[end] != 'd') return absl::nullopt;
  const std::string width = path.substr(percent + 1, end - percent - 1);
  size_t digits = 1;
  if (!width.empty() && (!absl::SimpleAtoi(width, &digits) || digits > 18)) return absl::nullopt;
  return NumberedPath{path.substr(0, percent), path.substr(end + 1), std::max<size_t>(1, digits)};
}

absl::StatusOr<std::vector<std::string>> FilesOf(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path().string());
  }
  if (error == std::errc::no_such_file_or_directory) {
    return absl::NotFoundError(absl::StrCat(folder, ": no such folder"));
  }
  if (error) return absl::ErrnoToStatus(error.value(), folder);
  std::sort(files.begin(), files.end());
  return files;
}

bool HasImageExtension(const std::string& path) {
  const std::string extension = absl::AsciiStrToLower(fs::path(path).extension().string());
  return std::count(std::begin(kExtensions), std::end(kExtensions), extension) > 0;
}

absl::StatusOr<std::vector<FoundImage>> ImagesOfFolder(const std::string& folder) {
  ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesOf(folder));
  std::vector<FoundImage> images;
  for (const std::string& file : files) {
    if (HasImageExtension(file)) images.push_back({file, ""});
  }
  if (!images.empty()) return images;
  return absl::NotFoundError(
      absl::StrCat(folder, ": has no image: no file of the extensions .exr, .jpg, .jpeg, .png, .tif, .tiff"));
}

absl::StatusOr<std::vector<FoundImage>> ImagesOfSequence(const std::string& input, const NumberedPath& path) {
  const std::string folder = fs::path(path.before).parent_path().string();
  ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesOf(folder.empty() ? "." : folder));
  const std::string beginning = folder.empty() ? absl::StrCat("./", path.before) : path.before;
  std::map<int64_t, FoundImage> images;
  for (const std::string& file : files) {
    absl::string_view digits = file;
    int64_t number = 0;
    if (!absl::ConsumePrefix(&digits, beginning) || !absl::ConsumeSuffix(&digits, path.after) ||
        digits.size() < path.digits || !std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit) ||
        (digits.size() > path.digits && digits[0] == '0') || !absl::SimpleAtoi(digits, &number)) {
      continue;
    }
    images[number] = {file, std::string(digits)};
  }
  if (images.empty()) return absl::NotFoundError(absl::StrCat(input, ": no file of this sequence exists"));
  std::vector<FoundImage> ordered;
  for (auto& [number, image] : images) ordered.push_back(std::move(image));
  return ordered;
}

absl::StatusOr<std::vector<FoundImage>> ImagesOfWildcard(const std::string& pattern) {
  glob_t found = {};
  const std::unique_ptr<glob_t, void (*)(glob_t*)> owner(&found, globfree);
  std::vector<FoundImage> images;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) images.push_back({found.gl_pathv[i], ""});
  }
  if (images.empty()) return absl::NotFoundError(absl::StrCat(pattern, ": no file fits this pattern"));
  return images;
}

absl::StatusOr<std::vector<FoundImage>> ImagesOf(const std::string& input) {
  std::error_code error;
  if (fs::is_directory(input, error)) return ImagesOfFolder(input);
  if (fs::exists(input, error)) return std::vector<FoundImage>{{input, ""}};
  if (const absl::optional<NumberedPath> path = ParseNumbered(input)) return ImagesOfSequence(input, *path);
  if (input.find_first_of("*?[") != input.npos) return ImagesOfWildcard(input);
  return absl::NotFoundError(absl::StrCat(input, ": no such file or folder"));
}

// The output for `image`.
absl::StatusOr<std::string> NameOutput(const FoundImage& image, const std::string& out, bool is_folder) {
  const std::string stem = fs::path(image.path).stem().string();
  if (is_folder) return (fs::path(out) / absl::StrCat(stem, ".png")).string();
  if (const absl::optional<NumberedPath> path = ParseNumbered(out)) {
    if (image.number.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(out, ": ", image.path, " has no number; use * for its name"));
    }
    const size_t zeros = path->digits - std::min(path->digits, image.number.size());
    return absl::StrCat(path->before, std::string(zeros, '0'), image.number, path->after);
  }
  const size_t star = out.find('*', out.rfind('/') + 1);
  return star == out.npos ? out : absl::StrCat(out.substr(0, star), stem, out.substr(star + 1));
}

absl::Status CheckExtension(const std::string& path) {
  const std::string extension = absl::AsciiStrToLower(fs::path(path).extension().string());
  if (extension == ".png" || extension == ".exr") return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(path, ": wants a name that ends with .png or .exr"));
}

}  // namespace

absl::StatusOr<std::vector<FoundImage>> FindImages(const std::vector<std::string>& inputs) {
  std::vector<FoundImage> images;
  for (const std::string& input : inputs) {
    ASSIGN_OR_RETURN(const std::vector<FoundImage> more, ImagesOf(input));
    images.insert(images.end(), more.begin(), more.end());
  }
  std::vector<std::string> paths;
  for (const FoundImage& image : images) paths.push_back(image.path);
  std::sort(paths.begin(), paths.end());
  const auto twice = std::adjacent_find(paths.begin(), paths.end());
  if (twice == paths.end()) return images;
  return absl::InvalidArgumentError(absl::StrCat(*twice, ": is named twice"));
}

absl::Status CheckIsNoInput(const std::string& output, const std::vector<FoundImage>& images) {
  std::error_code error;
  if (!fs::exists(output, error)) return absl::OkStatus();
  for (const FoundImage& image : images) RETURN_IF_ERROR(CheckNotSameFile(output, image.path));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> NameOutputs(const std::vector<FoundImage>& images, const std::string& out) {
  std::error_code error;
  const bool is_folder = fs::is_directory(out, error) || absl::EndsWith(out, "/");
  std::map<std::string, std::string> inputs;  // By the output.
  std::vector<std::string> outputs;
  for (const FoundImage& image : images) {
    ASSIGN_OR_RETURN(const std::string output, NameOutput(image, out, is_folder));
    RETURN_IF_ERROR(CheckExtension(output));
    RETURN_IF_ERROR(FindOutputPlace(output).status());
    RETURN_IF_ERROR(CheckIsNoInput(output, images));
    if (const auto [first, is_new] = inputs.emplace(output, image.path); !is_new) {
      return absl::InvalidArgumentError(absl::StrCat(output, ": would be written for ", first->second, " and for ",
                                                     image.path, "\n  --out wants a folder, or a name with * or %04d"));
    }
    outputs.push_back(output);
  }
  return outputs;
}

}  // namespace modelport
