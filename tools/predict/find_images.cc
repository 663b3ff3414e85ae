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
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/io/input_record.h"
#include "common/io/output_place.h"
#include "common/status/status_macros.h"
#include "common/text/first_few.h"
#include "common/text/units.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kExtensions[] = {".exr", ".jpeg", ".jpg", ".png", ".tif", ".tiff"};

// Of images that are not read.
constexpr absl::string_view kUnreadExtensions[] = {".avif", ".bmp",  ".cr2", ".cr3", ".dng", ".dpx", ".gif", ".hdr",
                                                   ".heic", ".heif", ".jp2", ".nef", ".psd", ".tga", ".webp"};

// A path whose name has a place for a number.
struct NumberedPath {
  std::string before;
  std::string after;
  size_t digits;  // At least so many.
};

// Takes `path` apart at the "%04d" that begins at `percent`; nullopt if that is no such place.
absl::optional<NumberedPath> ParsePercent(const std::string& path, size_t percent) {
  const size_t end = path.find_first_not_of("0123456789", percent + 1);
  if (end == path.npos || path[end] != 'd') return absl::nullopt;
  const std::string width = path.substr(percent + 1, end - percent - 1);
  size_t digits = 1;
  if (!width.empty() && (!absl::SimpleAtoi(width, &digits) || digits > 18)) return absl::nullopt;
  return NumberedPath{path.substr(0, percent), path.substr(end + 1), std::max<size_t>(1, digits)};
}

// Takes the name of `path` apart at %04d or else at ####, of several the longest and last; nullopt if there is neither.
// The other signs belong to the name: "50%", "take#2".
absl::optional<NumberedPath> ParseNumbered(const std::string& path) {
  const size_t name = path.rfind('/') + 1;
  for (size_t percent = name; (percent = path.find('%', percent)) != path.npos; ++percent) {
    if (absl::optional<NumberedPath> found = ParsePercent(path, percent)) return found;
  }
  absl::optional<NumberedPath> longest;
  for (size_t hash = name; (hash = path.find('#', hash)) != path.npos;) {
    const size_t end = std::min(path.find_first_not_of('#', hash), path.size());
    if (!longest || end - hash >= longest->digits) longest = {path.substr(0, hash), path.substr(end), end - hash};
    hash = end;
  }
  return longest;
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

// "3 files of .heic": the images of a folder, by the extensions of formats that are not read.
std::string DescribeUnread(const std::map<std::string, int64_t>& unread) {
  std::vector<std::string> kinds;
  for (const auto& [extension, count] : unread)
    kinds.push_back(absl::StrCat(Counted(count, "file"), " of ", extension));
  return absl::StrJoin(kinds, ", ");
}

absl::Status AddFolder(const std::string& folder, FoundImages& found) {
  ASSIGN_OR_RETURN(const std::vector<std::string> files, FilesOf(folder));
  const size_t before = found.images.size();
  std::map<std::string, int64_t> unread;
  for (const std::string& file : files) {
    // What a system keeps beside a file, such as ._photo.jpg, is no image.
    if (fs::path(file).filename().string()[0] == '.') continue;
    if (HasImageExtension(file)) found.images.push_back({file, ""});
    const std::string extension = absl::AsciiStrToLower(fs::path(file).extension().string());
    if (std::count(std::begin(kUnreadExtensions), std::end(kUnreadExtensions), extension) > 0) ++unread[extension];
  }
  if (!unread.empty() && found.images.size() > before) {
    found.notes.push_back(
        absl::StrCat(folder, ": left out ", DescribeUnread(unread), ", which are not read; save them as .png or .exr"));
  }
  if (found.images.size() > before) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat(
      folder, ": has no image: no file of the extensions .exr, .jpg, .jpeg, .png, .tif, .tiff",
      unread.empty() ? "" : absl::StrCat("\n  it has ", DescribeUnread(unread), ": save them as .png or .exr")));
}

// "0003, 0007-0009": the numbers that are not among `images`, in ranges.
std::string MissingNumbers(const std::map<int64_t, FoundImage>& images, size_t digits) {
  std::vector<std::string> ranges;
  const auto text = [&](int64_t number) { return absl::StrFormat("%0*d", static_cast<int>(digits), number); };
  int64_t next = images.begin()->first;
  for (const auto& [number, image] : images) {
    if (number - 1 == next) ranges.push_back(text(next));
    if (number - 1 > next) ranges.push_back(absl::StrCat(text(next), "-", text(number - 1)));
    next = number + 1;
  }
  return FirstFew(ranges);
}

absl::Status AddSequence(const std::string& input, const NumberedPath& path, MissingFrames missing,
                         FoundImages& found) {
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
  if (const std::string gaps = MissingNumbers(images, path.digits); !gaps.empty()) {
    const bool is_one = std::all_of(gaps.begin(), gaps.end(), absl::ascii_isdigit);
    const std::string lacks =
        absl::StrCat(input, is_one ? ": lacks the frame " : ": lacks the frames ", gaps, " between ",
                     images.begin()->second.number, " and ", images.rbegin()->second.number);
    if (missing == MissingFrames::kError) {
      return absl::NotFoundError(absl::StrCat(lacks, "\n  --missing=skip goes on without them"));
    }
    found.notes.push_back(lacks);
  }
  for (auto& [number, image] : images) found.images.push_back(std::move(image));
  return absl::OkStatus();
}

// `pattern` for glob(), in which the folders that exist under the names that they have there are no patterns.
std::string WithLiteralFolders(const std::string& pattern) {
  std::error_code error;
  size_t end = 0;  // Of the longest such part.
  for (size_t slash = 0; (slash = pattern.find('/', slash)) != pattern.npos; ++slash) {
    if (slash > 0 && !fs::is_directory(pattern.substr(0, slash), error)) break;
    end = slash;
  }
  return absl::StrCat(
      absl::StrReplaceAll(pattern.substr(0, end), {{"\\", "\\\\"}, {"*", "\\*"}, {"?", "\\?"}, {"[", "\\["}}),
      pattern.substr(end));
}

absl::Status AddWildcard(const std::string& pattern, FoundImages& found) {
  glob_t paths = {};
  const std::unique_ptr<glob_t, void (*)(glob_t*)> owner(&paths, globfree);
  if (glob(WithLiteralFolders(pattern).c_str(), 0, nullptr, &paths) != 0 || paths.gl_pathc == 0) {
    return absl::NotFoundError(absl::StrCat(pattern, ": no file fits this pattern"));
  }
  for (size_t i = 0; i < paths.gl_pathc; ++i) found.images.push_back({paths.gl_pathv[i], ""});
  return absl::OkStatus();
}

// The sign of compositors for the view of a stereo pair in a name, "%V" or "%v"; "" if there is none.
std::string ViewSign(const std::string& path) {
  for (const char* const sign : {"%V", "%v"}) {
    if (absl::StrContains(path, sign)) return sign;
  }
  return "";
}

absl::Status AddImages(const std::string& input, MissingFrames missing, FoundImages& found) {
  std::error_code error;
  if (fs::is_directory(input, error)) return AddFolder(input, found);
  if (fs::exists(input, error)) {
    found.images.push_back({input, ""});
    return absl::OkStatus();
  }
  if (const std::string sign = ViewSign(input); !sign.empty()) {
    const std::string view = sign == "%V" ? "left" : "l";
    return absl::NotFoundError(absl::StrCat(input, ": no such file, and ", sign,
                                            " stands for a view, of which one is wanted\n  write its name, as in ",
                                            absl::StrReplaceAll(input, {{sign, view}})));
  }
  if (const absl::optional<NumberedPath> path = ParseNumbered(input)) return AddSequence(input, *path, missing, found);
  if (input.find_first_of("*?[") != input.npos) return AddWildcard(input, found);
  return absl::NotFoundError(absl::StrCat(input, ": no such file or folder"));
}

// The number of the frame; nullopt if the name has none.
absl::optional<int64_t> FrameNumber(const FoundImage& image) {
  std::string digits = image.number;
  if (digits.empty()) {
    const std::string stem = fs::path(image.path).stem().string();
    const size_t last = stem.find_last_of("0123456789");
    if (last == stem.npos) return absl::nullopt;
    const size_t before = stem.find_last_not_of("0123456789", last);
    const size_t first = before == stem.npos ? 0 : before + 1;
    digits = stem.substr(first, last + 1 - first);
  }
  int64_t number = 0;
  return absl::SimpleAtoi(digits, &number) ? absl::make_optional(number) : absl::nullopt;
}

// `image` with another number: in the place of its own in the name, or else behind the name.
FoundImage Renumbered(const FoundImage& image, int64_t number) {
  const size_t digits = image.number.empty() ? 4 : image.number.size();
  const std::string text = absl::StrFormat("%0*d", static_cast<int>(digits), number);
  const fs::path path(image.path);
  std::string name = path.filename().string();
  const size_t place = image.number.empty() ? name.npos : name.rfind(image.number);
  if (place == name.npos) {
    name = absl::StrCat(path.stem().string(), ".", text, path.extension().string());
  } else {
    name.replace(place, image.number.size(), text);
  }
  return {(path.parent_path() / name).string(), text};
}

std::string Stem(const FoundImage& image) { return fs::path(image.path).stem().string(); }

// The images by what `key` says of each; nullopt if it says nothing of one, or the same of two.
template <typename Key>
absl::optional<std::map<std::string, const FoundImage*>> ByKey(const std::vector<FoundImage>& images, const Key& key) {
  std::map<std::string, const FoundImage*> found;
  for (const FoundImage& image : images) {
    const absl::optional<std::string> text = key(image);
    if (!text || !found.emplace(*text, &image).second) return absl::nullopt;
  }
  return found;
}

// The output for `image`.
absl::StatusOr<std::string> NameOutput(const FoundImage& image, const std::string& out, bool is_folder,
                                       const std::string& extension) {
  const std::string stem = Stem(image);
  std::error_code error;
  if (fs::is_regular_file(out, error)) return out;
  if (is_folder) return (fs::path(out) / absl::StrCat(stem, extension)).string();
  if (const absl::optional<NumberedPath> path = ParseNumbered(out)) {
    if (image.number.empty()) {
      const bool is_sign = path->digits > 1 || !absl::StrContains(out, absl::StrCat(path->before, "#"));
      if (!is_sign) return out;  // One # without a number for it is a part of the name: take#2.png.
      return absl::InvalidArgumentError(absl::StrCat(
          out, ": ", image.path, " was not given as a frame of a sequence, as frame.%04d.png is; use * for its name"));
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
  return absl::InvalidArgumentError(absl::StrCat(path, ": wants a name that ends with .png or .exr",
                                                 extension.empty() ? ", or a folder that is there" : ""));
}

}  // namespace

absl::StatusOr<FoundImages> FindImages(const std::vector<std::string>& inputs, MissingFrames missing) {
  FoundImages found;
  for (const std::string& input : inputs) RETURN_IF_ERROR(AddImages(input, missing, found));
  std::vector<std::string> paths;
  for (const FoundImage& image : found.images) paths.push_back(image.path);
  std::sort(paths.begin(), paths.end());
  const auto twice = std::adjacent_find(paths.begin(), paths.end());
  if (twice != paths.end()) return absl::InvalidArgumentError(absl::StrCat(*twice, ": is named twice"));
  for (const std::string& path : paths) RecordInput(path);
  return found;
}

absl::StatusOr<std::vector<std::pair<FoundImage, FoundImage>>> PairByFrame(const std::vector<FoundImage>& images,
                                                                           const std::vector<FoundImage>& companions) {
  std::vector<std::pair<FoundImage, FoundImage>> pairs;
  if (images.size() == 1 && companions.size() == 1) {
    pairs.emplace_back(images[0], companions[0]);
    return pairs;
  }
  const auto number = [](const FoundImage& image) -> absl::optional<std::string> {
    const absl::optional<int64_t> frame = FrameNumber(image);
    return frame ? absl::make_optional(absl::StrCat(*frame)) : absl::nullopt;
  };
  const auto stem = [](const FoundImage& image) { return absl::make_optional(Stem(image)); };
  auto own = ByKey(images, number), others = ByKey(companions, number);
  const bool by_number = own && others;
  if (!by_number) {
    own = ByKey(images, stem);
    others = ByKey(companions, stem);
  }
  if (!own || !others) {
    return absl::InvalidArgumentError("several files have one name; pairs are found by frame number or by name");
  }
  for (const FoundImage& image : images) {
    const std::string key = by_number ? *number(image) : *stem(image);
    const auto found = others->find(key);
    if (found == others->end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("none of ", Counted(static_cast<int64_t>(companions.size()), "file"), " is for ", image.path,
                       by_number ? absl::StrCat(", frame ", key) : absl::StrCat(": none is called ", key)));
    }
    pairs.emplace_back(image, *found->second);
  }
  return pairs;
}

absl::StatusOr<std::vector<FrameBetween>> FramesBetween(const std::vector<FoundImage>& images, int64_t count) {
  if (images.size() < 2) {
    return absl::InvalidArgumentError("--between makes frames between images, of which --input names one alone");
  }
  std::vector<FrameBetween> frames;
  int64_t number = 1;
  if (!images[0].number.empty()) number = FrameNumber(images[0]).value_or(1);
  for (size_t i = 0; i + 1 < images.size(); ++i) {
    for (int64_t k = 1; k <= count; ++k) {
      const double timestep = static_cast<double>(k) / static_cast<double>(count + 1);
      frames.push_back({images[i], images[i + 1], timestep, Renumbered(images[i], ++number)});
    }
    ++number;
  }
  return frames;
}

absl::StatusOr<std::vector<std::string>> NameOutputs(const std::vector<FoundImage>& images, const std::string& out,
                                                     const std::string& extension) {
  std::error_code error;
  const bool is_folder = fs::is_directory(out, error) || absl::EndsWith(out, "/");
  std::map<std::string, std::string> inputs;  // By the output.
  std::vector<std::string> outputs;
  for (const FoundImage& image : images) {
    ASSIGN_OR_RETURN(const std::string output, NameOutput(image, out, is_folder, extension));
    RETURN_IF_ERROR(CheckExtension(output));
    RETURN_IF_ERROR(FindOutputPlace(output).status());
    RETURN_IF_ERROR(CheckReplacesNoInput(output));
    if (const auto [first, is_new] = inputs.emplace(output, image.path); !is_new) {
      return absl::InvalidArgumentError(
          absl::StrCat(output, ": would be written for ", first->second, " and for ", image.path,
                       is_folder || absl::StrContains(out, "*")
                           ? "\n  they have one name: write them into two folders, or rename one of them"
                           : "\n  --out wants a folder, or a name with * or %04d"));
    }
    outputs.push_back(output);
  }
  return outputs;
}

}  // namespace modelport
