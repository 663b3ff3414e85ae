#include "registry/recognise/find_checkpoint.h"

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

fs::path Repository(const PublishedFile& file) {
  return HubCache() / absl::StrCat("models--", absl::StrReplaceAll(file.hub, {{"/", "--"}}));
}

fs::path NameInRepository(const PublishedFile& file) { return fs::path(file.name).filename(); }

// Adds where the file may lie in `folder`.
void AddPlaces(const PublishedFile& file, const fs::path& folder, std::vector<std::string>& places) {
  for (const std::string& name : NamesOf(file)) places.push_back(folder / name);
}

}  // namespace

std::vector<std::string> NamesOf(const PublishedFile& file) {
  if (file.name.empty()) return {};
  std::vector<std::string> names = {file.name};
  names.insert(names.end(), file.also.begin(), file.also.end());
  return names;
}

std::vector<std::string> CheckpointPlaces(const PublishedFile& file, const std::string& here,
                                          const std::string& plugin) {
  if (file.name.empty()) return {};
  std::vector<std::string> places;
  AddPlaces(file, here, places);
  if (!plugin.empty()) AddPlaces(file, plugin, places);
  if (file.hub.empty()) return places;
  for (const fs::path& snapshot : Snapshots(Repository(file))) {
    places.push_back(snapshot / NameInRepository(file));
  }
  return places;
}

std::vector<std::string> SearchedPlaces(const PublishedFile& file, const std::string& here) {
  if (file.name.empty()) return {};
  std::vector<std::string> places;
  AddPlaces(file, here, places);
  if (!file.hub.empty()) places.push_back(Repository(file) / "snapshots" / "*" / NameInRepository(file));
  return places;
}

std::string FindCheckpoint(const PublishedFile& file, const std::string& here, const std::string& plugin) {
  for (const std::string& place : CheckpointPlaces(file, here, plugin)) {
    std::error_code error;
    if (fs::is_regular_file(place, error)) return place;
  }
  return "";
}

}  // namespace modelport
