#include "pipeline/find_checkpoint.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

fs::path HubCache() {
  if (const std::string cache = Environment("HF_HUB_CACHE"); !cache.empty()) return cache;
  if (const std::string home = Environment("HF_HOME"); !home.empty()) return fs::path(home) / "hub";
  return fs::path(Environment("HOME")) / ".cache" / "huggingface" / "hub";
}

// Snapshot folders of a repository; the commit that refs/main names comes first, the others in order of name.
std::vector<fs::path> Snapshots(const fs::path& repository) {
  std::string main;
  std::ifstream(repository / "refs" / "main") >> main;
  std::vector<fs::path> snapshots;
  std::error_code error;
  fs::directory_iterator entry(repository / "snapshots", error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) snapshots.push_back(entry->path());
  std::sort(snapshots.begin(), snapshots.end(), [&](const fs::path& a, const fs::path& b) {
    return std::make_pair(a.filename() != main, a) < std::make_pair(b.filename() != main, b);
  });
  return snapshots;
}

fs::path Repository(const Variant& variant) {
  return HubCache() / absl::StrCat("models--", absl::StrReplaceAll(variant.hub, {{"/", "--"}}));
}

fs::path NameInRepository(const Variant& variant) { return fs::path(variant.file).filename(); }

}  // namespace

std::vector<std::string> CheckpointPlaces(const Variant& variant, const std::string& here) {
  if (variant.file.empty()) return {};
  std::vector<std::string> places = {fs::path(here) / variant.file};
  if (variant.hub.empty()) return places;
  for (const fs::path& snapshot : Snapshots(Repository(variant))) {
    places.push_back(snapshot / NameInRepository(variant));
  }
  return places;
}

std::vector<std::string> SearchedPlaces(const Variant& variant, const std::string& here) {
  if (variant.file.empty()) return {};
  std::vector<std::string> places = {fs::path(here) / variant.file};
  if (!variant.hub.empty()) places.push_back(Repository(variant) / "snapshots" / "*" / NameInRepository(variant));
  return places;
}

std::string FindCheckpoint(const Variant& variant, const std::string& here) {
  for (const std::string& place : CheckpointPlaces(variant, here)) {
    std::error_code error;
    if (fs::is_regular_file(place, error)) return place;
  }
  return "";
}

}  // namespace modelport
