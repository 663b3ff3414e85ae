#include "artifact/format/onnx/openvino.h"

#include <ATen/ops/empty.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "artifact/format/onnx/onnx.pb.h"
#include "common/status/status_macros.h"

namespace modelport::onnx {
namespace {

namespace fs = std::filesystem;

// What is used of OpenVINO's C interface, openvino/c/openvino.h.
struct OvShape {
  int64_t rank;
  int64_t* dims;
};
enum OvType : int { kOvBool = 1, kOvF16 = 3, kOvF32 = 4, kOvF64 = 5, kOvI32 = 9, kOvI64 = 10, kOvU8 = 16 };

struct OvVersion {
  const char* build;  // "2026.4.1-22982-e213a147257-releases/2026/4"
  const char* description;
};

struct Library {
  int (*get_openvino_version)(OvVersion*);
  void (*version_free)(OvVersion*);
  int (*core_create)(void**);
  int (*core_read_model)(void*, const char*, const char*, void**);
  int (*core_read_model_from_memory_buffer)(void*, const char*, size_t, const void*, void**);
  int (*core_compile_model)(void*, void*, const char*, size_t, void**, ...);
  int (*compiled_model_create_infer_request)(void*, void**);
  int (*tensor_create_from_host_ptr)(int, OvShape, void*, void**);
  int (*infer_request_set_tensor)(void*, const char*, void*);
  int (*infer_request_infer)(void*);
  int (*infer_request_get_tensor)(void*, const char*, void**);
  int (*tensor_get_shape)(void*, OvShape*);
  int (*tensor_get_size)(void*, size_t*);
  int (*tensor_get_element_type)(void*, int*);
  int (*tensor_data)(void*, void**);
  int (*shape_free)(OvShape*);
  void (*tensor_free)(void*);
  void (*infer_request_free)(void*);
  void (*compiled_model_free)(void*);
  void (*model_free)(void*);
  const char* (*get_last_err_msg)();
  void* core = nullptr;
};

// The folders that may have the library, in their order.
std::vector<std::string> Folders() {
  if (const char* const own = std::getenv("MODELPORT_OPENVINO")) return {own};
  std::vector<std::string> folders;
  if (const char* const tests = std::getenv("TEST_SRCDIR")) folders.push_back(absl::StrCat(tests, "/openvino/lib"));
  std::error_code error;
  const std::string program = fs::read_symlink("/proc/self/exe", error).string();
  if (!error) folders.push_back(absl::StrCat(program, ".runfiles/openvino/lib"));
  return folders;
}

// The C library in `folder`; empty if it has none.
std::string LibraryIn(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (absl::StartsWith(entry->path().filename().string(), "libopenvino_c.so")) return entry->path().string();
  }
  return "";
}

absl::Status Missing(absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat(
      "ONNX files run in OpenVINO, ", why,
      "\n  for programs that Bazel builds: add --config=onnx to its command, which fetches it once (60 MB)"
      "\n  for all others: set MODELPORT_OPENVINO to the folder openvino/libs of its package, pip download openvino==",
      kOpenVinoVersion));
}

template <typename F>
bool Load(void* handle, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  return function != nullptr;
}

absl::StatusOr<Library> OpenLibrary() {
  std::string path;
  for (const std::string& folder : Folders()) {
    path = LibraryIn(folder);
    if (!path.empty()) break;
  }
  if (path.empty()) {
    const bool is_own = std::getenv("MODELPORT_OPENVINO") != nullptr;
    return Missing(is_own ? absl::StrCat("of which MODELPORT_OPENVINO=", Folders()[0], " has no libopenvino_c.so")
                          : "which is not at hand");
  }
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return Missing(absl::StrCat("which cannot be loaded: ", dlerror()));
  Library library;
  const bool is_whole =
      Load(handle, "ov_get_openvino_version", library.get_openvino_version) &&
      Load(handle, "ov_version_free", library.version_free) && Load(handle, "ov_core_create", library.core_create) &&
      Load(handle, "ov_core_read_model", library.core_read_model) &&
      Load(handle, "ov_core_read_model_from_memory_buffer", library.core_read_model_from_memory_buffer) &&
      Load(handle, "ov_core_compile_model", library.core_compile_model) &&
      Load(handle, "ov_compiled_model_create_infer_request", library.compiled_model_create_infer_request) &&
      Load(handle, "ov_tensor_create_from_host_ptr", library.tensor_create_from_host_ptr) &&
      Load(handle, "ov_infer_request_set_tensor", library.infer_request_set_tensor) &&
      Load(handle, "ov_infer_request_infer", library.infer_request_infer) &&
      Load(handle, "ov_infer_request_get_tensor", library.infer_request_get_tensor) &&
      Load(handle, "ov_tensor_get_shape", library.tensor_get_shape) &&
      Load(handle, "ov_tensor_get_size", library.tensor_get_size) &&
      Load(handle, "ov_tensor_get_element_type", library.tensor_get_element_type) &&
      Load(handle, "ov_tensor_data", library.tensor_data) && Load(handle, "ov_shape_free", library.shape_free) &&
      Load(handle, "ov_tensor_free", library.tensor_free) &&
      Load(handle, "ov_infer_request_free", library.infer_request_free) &&
      Load(handle, "ov_compiled_model_free", library.compiled_model_free) &&
      Load(handle, "ov_model_free", library.model_free) &&
      Load(handle, "ov_get_last_err_msg", library.get_last_err_msg);
  if (!is_whole) return Missing(absl::StrCat("and ", path, " lacks functions of release ", kOpenVinoVersion));
  OvVersion version = {};
  // Manifests state the release in which a file was proven.
  if (library.get_openvino_version(&version) != 0 ||
      !absl::StartsWith(version.build, absl::StrCat(kOpenVinoVersion, "-"))) {
    return Missing(absl::StrCat("of which ", path, " is release ", version.build == nullptr ? "?" : version.build,
                                ", not ", kOpenVinoVersion));
  }
  library.version_free(&version);
  if (library.core_create(&library.core) != 0)
    return Missing(absl::StrCat("which fails: ", library.get_last_err_msg()));
  return library;
}

// Loaded once, and never unloaded: its threads may still run when the program ends.
const absl::StatusOr<Library>& TheLibrary() {
  static const auto* const library = new absl::StatusOr<Library>(OpenLibrary());
  return *library;
}

absl::optional<OvType> TypeOf(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return kOvF32;
    case at::kHalf:
      return kOvF16;
    case at::kLong:
      return kOvI64;
    case at::kByte:
      return kOvU8;
    default:
      return absl::nullopt;
  }
}

absl::optional<at::ScalarType> ScalarTypeOf(int type) {
  switch (type) {
    case kOvF32:
      return at::kFloat;
    case kOvF16:
      return at::kHalf;
    case kOvF64:
      return at::kDouble;
    case kOvI64:
      return at::kLong;
    case kOvI32:
      return at::kInt;
    case kOvU8:
      return at::kByte;
    case kOvBool:
      return at::kBool;
    default:
      return absl::nullopt;
  }
}

absl::Status Failed(const Library& library, absl::string_view what) {
  const char* const message = library.get_last_err_msg();
  return absl::DataLossError(absl::StrCat("OpenVINO cannot ", what, ": ", message == nullptr ? "?" : message));
}

// The content of a file with the addresses of external elements in the place of their files, in the words that ONNX
// Runtime and OpenVINO have for it.
absl::StatusOr<std::string> WithAddresses(absl::string_view bytes, const FileModel& model) {
  onnx_file::ModelProto message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::DataLossError("is damaged, or no ONNX file");
  }
  for (onnx_file::TensorProto& tensor : *message.mutable_graph()->mutable_initializer()) {
    if (tensor.data_location() != onnx_file::TensorProto::EXTERNAL) continue;
    const auto found = model.constants.find(tensor.name());
    if (found == model.constants.end() || !found->second.is_external) {
      return absl::InternalError(absl::StrCat("the initializer ", tensor.name(), " was read otherwise"));
    }
    const absl::string_view elements = found->second.bytes;
    for (onnx_file::StringStringEntryProto& entry : *tensor.mutable_external_data()) {
      if (entry.key() == "location") entry.set_value("*/_ORT_MEM_ADDR_/*");
      if (entry.key() == "offset") entry.set_value(absl::StrCat(reinterpret_cast<uintptr_t>(elements.data())));
      if (entry.key() == "length") entry.set_value(absl::StrCat(elements.size()));
    }
  }
  return message.SerializeAsString();
}

// A copy of what `tensor` has.
absl::StatusOr<at::Tensor> Copy(const Library& library, void* tensor) {
  OvShape shape = {};
  size_t count = 0;
  int type = 0;
  void* data = nullptr;
  std::vector<int64_t> sizes;
  if (library.tensor_get_shape(tensor, &shape) == 0) {
    sizes.assign(shape.dims, shape.dims + shape.rank);
    library.shape_free(&shape);
  } else if (library.tensor_get_size(tensor, &count) != 0 || count != 1) {  // It has no shape of a single number.
    return Failed(library, "read a result");
  }
  if (library.tensor_get_element_type(tensor, &type) != 0 || library.tensor_data(tensor, &data) != 0) {
    return Failed(library, "read a result");
  }
  const absl::optional<at::ScalarType> scalar_type = ScalarTypeOf(type);
  if (!scalar_type) return absl::DataLossError(absl::StrCat("OpenVINO gives a result of type ", type));
  at::Tensor copy = at::empty(sizes, *scalar_type);
  if (copy.nbytes() > 0) std::memcpy(copy.mutable_data_ptr(), data, copy.nbytes());
  return copy;
}

}  // namespace

struct OpenVinoModel::Compiled {
  const Library& library;
  void* model = nullptr;
  void* compiled = nullptr;

  ~Compiled() {
    if (compiled != nullptr) library.compiled_model_free(compiled);
    if (model != nullptr) library.model_free(model);
  }
};

absl::Status CheckOpenVino() { return TheLibrary().status(); }

absl::StatusOr<OpenVinoModel> OpenVinoModel::Load(const std::string& path, int threads) {
  RETURN_IF_ERROR(CheckOpenVino());
  const Library& library = *TheLibrary();
  const auto result = std::make_shared<Compiled>(Compiled{library});
  if (library.core_read_model(library.core, path.c_str(), nullptr, &result->model) != 0) {
    return Failed(library, "read the file");
  }
  return Compile(result, threads);
}

absl::StatusOr<OpenVinoModel> OpenVinoModel::LoadBytes(absl::string_view bytes, const FileModel& model) {
  RETURN_IF_ERROR(CheckOpenVino());
  const Library& library = *TheLibrary();
  std::string text;
  if (model.has_external()) {
    ASSIGN_OR_RETURN(text, WithAddresses(bytes, model));
    bytes = text;
  }
  const auto result = std::make_shared<Compiled>(Compiled{library});
  if (library.core_read_model_from_memory_buffer(library.core, bytes.data(), bytes.size(), nullptr, &result->model) !=
      0) {
    return Failed(library, "read the file");
  }
  return Compile(result, /*threads=*/0);
}

absl::StatusOr<OpenVinoModel> OpenVinoModel::Compile(std::shared_ptr<Compiled> read, int threads) {
  const Library& library = read->library;
  // Processors with matrix units would compute in bfloat16 otherwise.
  if (library.core_compile_model(library.core, read->model, "CPU", 4, &read->compiled, "INFERENCE_PRECISION_HINT",
                                 "f32", "INFERENCE_NUM_THREADS", absl::StrCat(threads).c_str()) != 0) {
    return Failed(library, "compile the file");
  }
  // Of a giant, what was read and what was compiled are more than fits.
  library.model_free(read->model);
  read->model = nullptr;
  return OpenVinoModel(std::move(read));
}

absl::StatusOr<std::vector<at::Tensor>> OpenVinoModel::Run(
    const std::vector<std::pair<std::string, at::Tensor>>& inputs, const std::vector<std::string>& outputs) const {
  const Library& library = compiled_->library;
  void* request = nullptr;
  if (library.compiled_model_create_infer_request(compiled_->compiled, &request) != 0) return Failed(library, "run");
  const std::shared_ptr<void> request_owner(request, library.infer_request_free);
  std::vector<std::shared_ptr<void>> owners;
  const auto own = [&](void* tensor) { owners.emplace_back(tensor, library.tensor_free); };
  for (const auto& [name, tensor] : inputs) {
    const absl::optional<OvType> type = TypeOf(tensor.scalar_type());
    if (!type) return absl::InvalidArgumentError(absl::StrCat(name, ": a type of input that is not known"));
    std::vector<int64_t> sizes = tensor.sizes().vec();
    void* input = nullptr;
    // Nothing writes to it.
    if (library.tensor_create_from_host_ptr(*type, {static_cast<int64_t>(sizes.size()), sizes.data()},
                                            const_cast<void*>(tensor.const_data_ptr()), &input) != 0) {
      return Failed(library, absl::StrCat("take the input ", name));
    }
    own(input);
    if (library.infer_request_set_tensor(request, name.c_str(), input) != 0) {
      return Failed(library, absl::StrCat("take the input ", name));
    }
  }
  if (library.infer_request_infer(request) != 0) return Failed(library, "run the file");
  std::vector<at::Tensor> results;
  for (const std::string& name : outputs) {
    void* output = nullptr;
    if (library.infer_request_get_tensor(request, name.c_str(), &output) != 0) {
      return Failed(library, absl::StrCat("give the output ", name));
    }
    own(output);
    ASSIGN_OR_RETURN(at::Tensor tensor, Copy(library, output));
    results.push_back(std::move(tensor));
  }
  return results;
}

}  // namespace modelport::onnx
