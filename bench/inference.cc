// Compares the time and the memory of an artifact with those of upstream's own model, in processes that take turns.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "bench/kernel_time.h"
#include "bench/measure.h"
#include "bench/model_process.h"
#include "bench/own_folder.h"
#include "bench/seeded_file.h"
#include "common/status/status_macros.h"
#include "common/text/table.h"
#include "common/text/units.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tools/command/command.h"
#include "tools/command/flags.h"
#include "tools/command/user_path.h"

namespace modelport {
namespace {

struct InferenceFlags {
  FlagGroup group;
  Flag<std::string> model{group, "model", "dav2_vits", "a model of bench/upstream_models.json"};
  Flag<std::vector<std::string>> sizes{group, "sizes", {"518x518"}, "HEIGHTxWIDTH of images, with commas between"};
  Flag<int> views{group, "views", 1, "how many images a model of several views gets"};
  Flag<std::vector<std::string>> threads{group, "threads", {"1", "2"}, "numbers of threads, with commas between"};
  Flag<int> rounds{group, "rounds", 5, "how many times each process runs; they take turns"};
  Flag<std::string> runtime{group, "runtime", "1.12",
                            "a LibTorch for which the artifact is made a second time, with attention in parts where "
                            "that release lacks the operator; none: leave that out"};
  Flag<int> first_side{group, "first_side", 56,
                       "the height and width of the image that each process gets first, which decides how much memory "
                       "the later calls take (docs/cpp.md#memory); 0: no such call"};
  Flag<bool> written_out{group, "written_out", true,
                         "whether the artifact runs a second time with all weights of the attention at once, as DINOv2 "
                         "and Depth Anything V2 write it"};
  Flag<std::string> dtype{
      group, "dtype", "none",
      "a dtype of weights with which the artifact is made a further time, such as bfloat16; none: leave that out"};
  Flag<bool> onnx{group, "onnx", false, "whether the model's ONNX file runs, too, in OpenVINO; wants --config=onnx"};
  Flag<std::string> onnx_python{group, "onnx_python", "",
                                "a Python with ONNX Runtime, to run the ONNX file there; by default it is left out"};
  Flag<std::string> upstream_python{group, "upstream_python", "",
                                    "a Python with PyTorch, to run upstream's model; by default it is left out"};
  Flag<std::string> upstream_repo{
      group, "upstream_repo", "",
      "the folder of upstream's source, if it is not installed in that Python; several with colons between"};
  Flag<bool> keep_memory{group, "keep_memory", true,
                         "whether every process keeps the memory that a call frees for the next one, as docs/cpp.md "
                         "says; else glibc decides, and calls wait for fresh pages"};
  Flag<std::string> folder{group, "folder", "/tmp", "where a folder for the files of the benchmark is made"};
};

constexpr char kModels[] = "bench/upstream_models.json";

// The sizes that stand for letters in a row's inputs.
using Sizes = std::map<std::string, int64_t>;

// The words of ModelProcess::Run for the field "inputs" of a row, or for a part of it: [1, "N", 3, "H", "W"], 1200, or
// several of these in a list or by names.
std::string InputWords(const nlohmann::ordered_json& inputs, const Sizes& sizes) {
  const auto is_size = [](const auto& value) { return value.is_string() || value.is_number(); };
  if (inputs.is_string()) return absl::StrCat(sizes.at(inputs.get<std::string>()));
  if (inputs.is_number()) return absl::StrCat(inputs.get<int64_t>());
  const bool is_shape = inputs.is_array() && std::all_of(inputs.begin(), inputs.end(), is_size);
  std::vector<std::string> words;
  for (const auto& value : inputs) words.push_back(InputWords(value, sizes));
  return absl::StrJoin(words, is_shape ? "," : " ");
}

absl::StatusOr<std::vector<int64_t>> ParseIntegers(const std::string& text, char separator, size_t count) {
  std::vector<int64_t> values;
  for (const absl::string_view part : absl::StrSplit(text, separator)) {
    if (!absl::SimpleAtoi(part, &values.emplace_back()) || values.back() < 1) values.clear();
  }
  if (values.size() == count) return values;
  return absl::InvalidArgumentError(absl::StrCat(text, ": wants ", count, " positive numbers"));
}

// Variables with which glibc keeps what a process frees.
std::vector<std::string> KeptMemory() {
  return {"MALLOC_MMAP_THRESHOLD_=4000000000", "MALLOC_TRIM_THRESHOLD_=8000000000"};
}

// Names OpenVINO, as --config=onnx puts it beside this program, to the processes: their own runfiles may be missing.
std::vector<std::string> FoundOpenVino() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::absolute("../openvino/lib", error);
  const bool is_named = std::getenv("MODELPORT_OPENVINO") != nullptr;
  if (is_named || !std::filesystem::is_directory(folder, error)) return {};
  return {absl::StrCat("MODELPORT_OPENVINO=", folder.string())};
}

constexpr char kRunArtifact[] = "bench/run_artifact";

// Exports `model` with `flag` besides, which may be empty, to the file `name` in `folder`. Returns its path.
absl::StatusOr<std::string> Export(const std::string& model, const std::string& folder, const std::string& name,
                                   const std::string& flag) {
  const std::string path = absl::StrCat(folder, "/", name);
  const std::string command =
      absl::StrCat("tools/export/export --model=", model, " --weights=seeded --noverify --out=", path, " ", flag);
  if (Measure(command).exit_status != 0) return absl::InternalError(absl::StrCat("this command fails: ", command));
  return path;
}

// The command that runs upstream's model, with a checkpoint in `folder`.
absl::StatusOr<std::vector<std::string>> UpstreamCommand(const InferenceFlags& flags, const CatalogEntry& entry,
                                                         const std::string& folder) {
  const std::string checkpoint = absl::StrCat(folder, "/m.pth");
  RETURN_IF_ERROR(WriteSeededTorchZip(entry, checkpoint));
  return std::vector<std::string>{"env",
                                  absl::StrCat("PYTHONPATH=", ResolveUserPath(*flags.upstream_repo)),
                                  ResolveUserPath(*flags.upstream_python),
                                  "bench/upstream_model.py",
                                  kModels,
                                  entry.variant->name,
                                  checkpoint};
}

constexpr char kNewest[] = "newest.pt";  // The artifact of the first row.

// The processes of the rows, the artifact first.
absl::StatusOr<std::vector<ModelProcess>> StartAll(const InferenceFlags& flags, const std::string& folder) {
  ASSIGN_OR_RETURN(const Registry registry, Registry::Load(BuiltInPlugins(), {}));
  ASSIGN_OR_RETURN(const CatalogEntry entry, registry.Find(*flags.model));
  std::vector<ModelProcess> rows;
  std::vector<std::string> variables = *flags.keep_memory ? KeptMemory() : std::vector<std::string>();
  const std::vector<std::string> openvino = FoundOpenVino();
  variables.insert(variables.end(), openvino.begin(), openvino.end());
  const auto add = [&](const std::string& name, const std::vector<std::string>& command) {
    absl::StatusOr<ModelProcess> process = ModelProcess::Start(name, command, variables);
    if (process.ok()) rows.push_back(*std::move(process));
    return process.status();
  };
  ASSIGN_OR_RETURN(const std::string newest, Export(*flags.model, folder, kNewest, ""));
  RETURN_IF_ERROR(add("artifact", {kRunArtifact, newest}));
  if (const std::string dtype = *flags.dtype; dtype != "none") {
    ASSIGN_OR_RETURN(const std::string path,
                     Export(*flags.model, folder, absl::StrCat(dtype, ".pt"), absl::StrCat("--dtype=", dtype)));
    RETURN_IF_ERROR(add(absl::StrCat("artifact in ", dtype), {kRunArtifact, path}));
  }
  if (const std::string runtime = *flags.runtime; runtime != "none") {
    ASSIGN_OR_RETURN(const std::string path, Export(*flags.model, folder, absl::StrCat("for", runtime, ".pt"),
                                                    absl::StrCat("--runtime=", runtime)));
    RETURN_IF_ERROR(add(absl::StrCat("artifact for ", runtime), {kRunArtifact, path}));
  }
  if (*flags.written_out) {
    RETURN_IF_ERROR(add("attention written out", {kRunArtifact, newest, "written_out"}));
  }
  if (*flags.onnx || !flags.onnx_python->empty()) {
    ASSIGN_OR_RETURN(const std::string path, Export(*flags.model, folder, "m.onnx", "--target=onnx"));
    if (*flags.onnx) RETURN_IF_ERROR(add("ONNX in OpenVINO", {kRunArtifact, path}));
    if (const std::string python = *flags.onnx_python; !python.empty()) {
      RETURN_IF_ERROR(add("ONNX in ONNX Runtime", {ResolveUserPath(python), "bench/onnx_runtime.py", path}));
    }
  }
  if (!flags.upstream_python->empty()) {
    ASSIGN_OR_RETURN(const std::vector<std::string> command, UpstreamCommand(flags, entry, folder));
    RETURN_IF_ERROR(add("upstream, eager", command));
  }
  return rows;
}

// "1.20 s (1.18 to 1.31)": the median and the extremes.
std::string Spread(const std::vector<double>& values, const char* unit) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return absl::StrFormat("%.3g%s (%.3g to %.3g)", Median(values), unit, *least, *most);
}

// One number of each run.
template <typename Get>
std::vector<double> Each(const std::vector<ModelRun>& runs, Get get) {
  std::vector<double> values;
  for (const ModelRun& run : runs) values.push_back(get(run));
  return values;
}

double Cpu(const ModelRun& run) { return run.cpu_seconds; }
double Wall(const ModelRun& run) { return run.wall_seconds; }

// How many times the CPU time of the artifact each run took, in the same round.
std::vector<double> Ratios(const std::vector<ModelRun>& runs, const std::vector<ModelRun>& artifact) {
  std::vector<double> ratios;
  for (size_t i = 0; i < runs.size(); ++i) ratios.push_back(runs[i].cpu_seconds / artifact[i].cpu_seconds);
  return ratios;
}

// The largest difference of two elements, as a part of the largest element.
double Difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0, difference = a.size() == b.size() ? 0 : INFINITY;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max<double>(largest, std::abs(a[i]));
    difference = std::max<double>(difference, std::abs(a[i] - b[i]));
  }
  return difference / largest;
}

int64_t Peak(const std::vector<ModelRun>& runs) {
  int64_t peak = 0;
  for (const ModelRun& run : runs) peak = std::max(peak, run.peak_bytes);
  return peak;
}

// One line of the tables.
struct Measurement {
  std::string size;  // "518 x 518"
  int threads = 1;
  std::string inputs;  // The words of ModelProcess::Run.
  std::string output;  // The output that is compared, "" if the model returns a tensor.
  double seconds = 0;  // Of processor time, which Compare found that the artifact takes.
};

// Runs the processes in turn, `rounds` times, and adds a row for each to `table`.
absl::Status Compare(std::vector<ModelProcess>& rows, int rounds, const std::string& folder, Measurement& measurement,
                     Table& table) {
  const auto& [size, threads, inputs, output_name, seconds] = measurement;
  std::vector<std::vector<ModelRun>> runs(rows.size());
  // The first two runs profile and compile.
  constexpr int kWarmUp = 2;
  for (int round = -kWarmUp; round < rounds; ++round) {
    for (size_t i = 0; i < rows.size(); ++i) {
      ASSIGN_OR_RETURN(const ModelRun run, rows[i].Run(inputs, threads));
      if (round >= 0) runs[i].push_back(run);
    }
  }
  measurement.seconds = Median(Each(runs[0], Cpu));
  ASSIGN_OR_RETURN(const std::vector<float> expected, rows.back().LastOutput(folder, output_name));
  for (size_t i = 0; i < rows.size(); ++i) {
    ASSIGN_OR_RETURN(const std::vector<float> output, rows[i].LastOutput(folder, output_name));
    table.AddRow({size, absl::StrCat(threads), rows[i].name(), Spread(Each(runs[i], Cpu), " s"),
                  Spread(Ratios(runs[i], runs[0]), " x"), Spread(Each(runs[i], Wall), " s"), FormatBytes(Peak(runs[i])),
                  FormatBytes(Peak(runs[i]) - rows[i].loaded_bytes()),
                  absl::StrFormat("%.1e", Difference(output, expected))});
  }
  return absl::OkStatus();
}

// Adds a row of `artifact` to `peaks`.
absl::Status CompareWithKernels(ModelProcess& artifact, const Measurement& measurement, Table& peaks) {
  const auto& [size, threads, inputs, output, seconds] = measurement;
  ASSIGN_OR_RETURN(const KernelTime kernels, artifact.Kernels(inputs, threads));
  peaks.AddRow({size, absl::StrCat(threads), absl::StrFormat("%.3g", kernels.flop * 1e-9),
                absl::StrFormat("%.3g", kernels.flop / seconds * 1e-9),
                absl::StrFormat("%.3g", kernels.flop / kernels.cpu_seconds * 1e-9),
                absl::StrFormat("%.0f %%", 100 * kernels.cpu_seconds / seconds)});
  return absl::OkStatus();
}

absl::Status Run(const InferenceFlags& flags) {
  std::ifstream stream(kModels);
  const auto models = nlohmann::ordered_json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!models.contains(*flags.model)) {
    return absl::NotFoundError(absl::StrCat("--model=", *flags.model, ": ", kModels, " has no such model"));
  }
  const nlohmann::ordered_json& row = models[*flags.model];
  ASSIGN_OR_RETURN(const OwnFolder folder, OwnFolder::Create(ResolveUserPath(*flags.folder)));
  ASSIGN_OR_RETURN(std::vector<ModelProcess> processes, StartAll(flags, folder.path()));
  const auto words = [&](int64_t height, int64_t width) {
    return InputWords(row["inputs"], {{"H", height}, {"W", width}, {"N", *flags.views}});
  };
  if (const int side = *flags.first_side; side != 0) {
    for (ModelProcess& process : processes) RETURN_IF_ERROR(process.Run(words(side, side), 1).status());
  }
  std::cout << *flags.model << ", float32 unless a row says otherwise, " << *flags.rounds
            << " rounds in turn, freed memory " << (*flags.keep_memory ? "kept" : "as glibc has it")
            << "; median (least to most)\n";
  Table table, peaks;
  peaks.AddRow({"size", "threads", "GFLOP", "GFLOP/s of the artifact", "of its kernels alone", "kernels"});
  table.AddRow({"size", "threads", "", "CPU", "to the artifact, by rounds", "wall", "peak memory",
                "over the loaded model", "difference"});
  std::vector<Measurement> measurements;
  for (const std::string& size : *flags.sizes) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> sides, ParseIntegers(size, 'x', 2));
    for (const std::string& threads : *flags.threads) {
      ASSIGN_OR_RETURN(const std::vector<int64_t> count, ParseIntegers(threads, ',', 1));
      Measurement& measurement = measurements.emplace_back(Measurement{.size = absl::StrCat(sides[0], " x ", sides[1]),
                                                                       .threads = static_cast<int>(count[0]),
                                                                       .inputs = words(sides[0], sides[1]),
                                                                       .output = row.value("output", "")});
      RETURN_IF_ERROR(Compare(processes, *flags.rounds, folder.path(), measurement, table));
    }
  }
  std::cout << table.ToString() << "difference: from the last row, as a part of its largest element\n" << std::endl;
  processes.clear();  // Their memory may be most of the machine's.
  const std::vector<std::string> command = {kRunArtifact, absl::StrCat(folder.path(), "/", kNewest)};
  ASSIGN_OR_RETURN(ModelProcess artifact, ModelProcess::Start("kernels", command, KeptMemory()));
  for (const Measurement& measurement : measurements) {
    RETURN_IF_ERROR(CompareWithKernels(artifact, measurement, peaks));
  }
  std::cout << peaks.ToString()
            << "of matrix products and convolutions, and CPU time; kernels: the part of the artifact's time that these "
               "take when each runs alone\n";
  return absl::OkStatus();
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  return modelport::RunTool(
      argc, argv,
      {.name = "inference",
       .summary = "Measures an artifact beside upstream's own model, in processes that take turns.",
       .begin = modelport::TakesFlags<modelport::InferenceFlags>(modelport::Run)});
}
