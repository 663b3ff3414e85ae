#include "tools/predict/print_predictions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "common/manifest/describe_manifest.h"
#include "common/manifest/manifest_facts.h"
#include "common/text/first_few.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "nlohmann/json.hpp"
#include "tools/command/report.h"
#include "tools/command/terminal.h"
#include "tools/predict/pictures/pictures.h"

namespace modelport {
namespace {

std::string Source(const Manifest& manifest) {
  if (manifest.warning().empty()) {
    const std::string origin = WeightsOrigin(manifest);
    return absl::StrCat(WeightsSourceText(manifest), origin.empty() ? "" : absl::StrCat(" (", origin, ")"));
  }
  return absl::StrCat(manifest.warning(), " (", manifest.weights().seeded(), ")");
}

// What was read: the one image and its size, or how many images.
std::string Inputs(const std::vector<PredictJob>& jobs, const std::vector<PredictedImage>& images) {
  if (jobs[0].others.size() == 1) {
    std::set<std::string> frames;
    for (const PredictJob& job : jobs) frames.insert({job.input, job.others[0]});
    return absl::StrCat(frames.size(), " images, ", images[0].width, " x ", images[0].height);
  }
  if (images.size() > 1) return absl::StrCat(images.size(), " images");
  if (images[0].width == 0) return images[0].input;  // It could not be read.
  return absl::StrCat(images[0].input, ", ", images[0].width, " x ", images[0].height);
}

// Each note once, with the number of images that it is about.
void AddNotes(const std::vector<PredictedImage>& images, Table& table) {
  std::map<std::string, int> notes;
  for (const PredictedImage& image : images) {
    for (const std::string& note : image.notes) ++notes[note];
  }
  for (const auto& [note, count] : notes) {
    table.AddRow({"note", images.size() > 1 ? absl::StrCat(note, " (", Counted(count, "image"), ")") : note});
  }
}

// The range of all images' depths; "" if there are none.
std::string Depths(const Manifest& manifest, const std::vector<PredictedImage>& images) {
  absl::optional<ValueRange> all;
  for (const PredictedImage& image : images) {
    if (!image.status.ok() || !image.depth) continue;
    if (!all) all = image.depth;
    all->min = std::min(all->min, image.depth->min);
    all->max = std::max(all->max, image.depth->max);
  }
  if (!all) return "";
  return absl::StrFormat("%.4g to %.4g, %s", all->min, all->max, DepthUnit(manifest));
}

std::string Written(const std::vector<PredictJob>& jobs, const std::vector<PredictedImage>& images) {
  std::vector<std::string> paths;
  for (size_t i = 0; i < images.size(); ++i) {
    if (images[i].status.ok() && !jobs[i].output.empty()) paths.push_back(jobs[i].output);
  }
  if (paths.size() < 3) return absl::StrJoin(paths, " and ");
  return absl::StrCat(Counted(static_cast<int64_t>(paths.size()), "file"), ": ", paths.front(), " to ", paths.back());
}

void AddLabels(const std::vector<PredictedImage>& images, Table& table) {
  for (const PredictedImage& image : images) {
    for (const Label& label : image.labels) {
      const std::string name = label.name.empty() ? "" : absl::StrCat(label.name, ", ");
      table.AddRow({"label", absl::StrFormat("%5.1f %%  %sclass %d%s", 100 * label.probability, name, label.index,
                                             images.size() > 1 ? absl::StrCat("  ", image.input) : "")});
    }
  }
}

void AddDifferences(const std::vector<PredictedImage>& images, Table& table) {
  for (const PredictedImage& image : images) {
    if (!image.difference) continue;
    const auto& [largest, mean, range] = *image.difference;
    table.AddRow({"difference", absl::StrFormat("largest %.3g, mean %.3g, of a range of %.3g%s", largest, mean, range,
                                                images.size() > 1 ? absl::StrCat("  ", image.input) : "")});
  }
}

// What was done for the image of a job.
nlohmann::ordered_json ReportOf(const Manifest& manifest, const PredictedImage& image, const PredictJob& job) {
  nlohmann::ordered_json json = {{"input", image.input}, {"width", image.width}, {"height", image.height}};
  if (!image.status.ok()) json["error"] = ErrorReport(image.status);
  if (job.others.size() == 1) json.update({{"next", job.others[0]}, {"timestep", job.timestep}});
  if (image.status.ok() && !job.output.empty()) json["output"] = job.output;
  if (image.status.ok() && !job.overlay.empty()) json["overlay"] = job.overlay;
  if (!image.notes.empty()) json["notes"] = image.notes;
  if (image.depth) {
    const Manifest::Result& output = MainOutput(manifest);
    json["depth"] = {{"min", image.depth->min},
                     {"max", image.depth->max},
                     {"unit", output.unit()},
                     {"larger_is", output.larger_is()}};
  }
  if (image.motion) json["longest_motion"] = *image.motion;
  if (image.difference) {
    const auto& [largest, mean, range] = *image.difference;
    json["difference"] = {{"largest", largest}, {"mean", mean}, {"range", range}};
  }
  for (const Label& label : image.labels) {
    json["labels"].push_back({{"index", label.index}, {"name", label.name}, {"probability", label.probability}});
  }
  return json;
}

// Which model it was, and whose weights it had.
nlohmann::ordered_json ReportOf(const Manifest& manifest) {
  return {{"model", manifest.request().model()},
          {"source", WeightsSource(manifest)},
          {"seeded", !manifest.warning().empty()}};
}

}  // namespace

void PrintPredictions(const LoadedArtifact& artifact, const PredictionReport& report, std::ostream& out) {
  const std::vector<PredictedImage>& images = report.images;
  Table table;
  table.AddRow({"model", artifact.manifest.request().model()});
  if (artifact.manifest_sha256) table.AddRow({"artifact", artifact.path});
  for (const std::string& remark : report.remarks) table.AddRow({"", remark});
  table.AddRow({"source", Source(artifact.manifest)});
  table.AddRow({"input", Inputs(report.jobs, images)});
  for (const std::string& note : report.notes) table.AddRow({"note", note});
  AddNotes(images, table);
  if (images.size() == 1 && !images[0].colour.empty()) table.AddRow({"image", images[0].colour});
  if (images.size() == 1 && images[0].motion) {
    table.AddRow({"motion", absl::StrFormat("up to %.1f pixels", *images[0].motion)});
  }
  if (const std::string depths = Depths(artifact.manifest, images); !depths.empty()) table.AddRow({"depth", depths});
  AddLabels(images, table);
  AddDifferences(images, table);
  if (!report.scene.points.empty()) {
    table.AddRow({"points", absl::StrCat(report.counts.points, ", without ", report.counts.left_out,
                                         " of little confidence, of sky or without depth")});
  }
  if (const std::string written = Written(report.jobs, images); !written.empty()) table.AddRow({"wrote", written});
  for (const std::string& path : {report.scene.cameras, report.scene.points}) {
    if (!path.empty()) table.AddRow({"wrote", path});
  }
  table.AddRow({"time", FormatSeconds(absl::ToDoubleSeconds(report.time))});
  out << FitStdout(table);
}

nlohmann::ordered_json PredictionsReport(const LoadedArtifact& artifact, const PredictionReport& report) {
  auto images = nlohmann::ordered_json::array();
  for (size_t i = 0; i < report.images.size(); ++i)
    images.push_back(ReportOf(artifact.manifest, report.images[i], report.jobs[i]));
  nlohmann::ordered_json json = ReportOf(artifact.manifest);
  json.update({{"remarks", report.remarks}, {"notes", report.notes}, {"images", images}});
  if (artifact.manifest_sha256) json["artifact"] = artifact.path;
  if (!report.scene.cameras.empty()) json["cameras"] = report.scene.cameras;
  if (!report.scene.points.empty()) {
    json["points"] = {
        {"path", report.scene.points}, {"count", report.counts.points}, {"left_out", report.counts.left_out}};
  }
  json["seconds"] = absl::ToDoubleSeconds(report.time);
  return json;
}

nlohmann::ordered_json BenchmarkReport(const LoadedArtifact& artifact, const PredictedImage& image,
                                       const Benchmark& benchmark) {
  nlohmann::ordered_json json = ReportOf(artifact.manifest);
  json.update({{"input", image.input},
               {"width", image.width},
               {"height", image.height},
               {"notes", image.notes},
               {"runs", benchmark.runs},
               {"median_seconds", benchmark.median_seconds},
               {"p90_seconds", benchmark.p90_seconds},
               {"peak_bytes", static_cast<int64_t>(benchmark.peak_memory)}});
  return json;
}

void PrintBenchmark(const LoadedArtifact& artifact, const PredictedImage& image, const Benchmark& benchmark,
                    std::ostream& out) {
  const auto milliseconds = [](double seconds) { return absl::StrFormat("%.1f ms", seconds * 1000); };
  Table table;
  table.AddRow({"model", artifact.manifest.request().model()});
  table.AddRow({"input", absl::StrCat(image.input, ", ", image.width, " x ", image.height)});
  AddNotes({image}, table);
  table.AddRow({"runs", absl::StrCat(benchmark.runs)});
  table.AddRow({"median", milliseconds(benchmark.median_seconds)});
  table.AddRow({"p90", milliseconds(benchmark.p90_seconds)});
  table.AddRow({"rate", absl::StrFormat("%.3g images/s", 1 / benchmark.median_seconds)});
  table.AddRow({"peak memory", FormatBytes(benchmark.peak_memory)});
  out << FitStdout(table);
}

absl::Status FailuresOf(const std::vector<PredictedImage>& images) {
  std::vector<absl::Status> failures;
  for (const PredictedImage& image : images) {
    if (!image.status.ok()) failures.push_back(image.status);
  }
  if (failures.empty()) return absl::OkStatus();
  if (images.size() == 1) return failures[0];
  return absl::Status(
      failures[0].code(),
      absl::StrCat(failures.size(), " of ", images.size(), " images failed; the others are done",
                   FirstFewLines(failures.size(), "  ", [&](size_t i) { return std::string(failures[i].message()); })));
}

}  // namespace modelport
