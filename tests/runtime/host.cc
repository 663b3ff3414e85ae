// Acts as a host of artifacts does, with the LibTorch that it is compiled against, 1.6 or newer: loads one, converts
// it, sets its knobs and runs it.
//
//   host [--device=DEVICE] ARTIFACT COPY RESULTS STEP...
//
// Saves the loaded ARTIFACT as COPY, as a conversion from .pt to .cat does, takes the steps with ARTIFACT and then with
// COPY, and writes the results of all calls to RESULTS, a pickled tuple. A STEP is
//   NAME=VALUE  sets an attribute
//   half        makes the parameters, and from then on the inputs, float16
//   bfloat16    the same for bfloat16
//   groups      adds a result: of how many groups of operators of the last call LibTorch has made fused kernels
//   a call      a method and its arguments, with a space between them and commas in a list; a tensor's is its shape:
//               "forward 1,3,28,42", with "uint8:" in front of it for an image in uint8; it holds noise, or with
//               "FILE:" in front of it the float32 numbers of a file, "image.f32:1,3,28,42". Each call is made twice,
//               because LibTorch profiles the first and may run fused kernels in the second.
//
// DEVICE is cpu, cuda or cuda:INDEX. ARTIFACT is loaded on the CPU and moved to the device, which leaves attributes
// that are neither parameters nor buffers on the CPU; COPY is loaded to the device. For each call, prints the
// milliseconds until its results, which RESULTS has on the CPU, have arrived there, and those of processor time:
// "12.5 11.9 forward 1,3,28,42".
//
// tests/gpu/programs.py compiles it without Bazel, with g++ alone.
#include <ATen/Parallel.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/cuda.h>
#include <torch/script.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// The device of that name, which LibTorch must have.
c10::Device FindDevice(const std::string& name) {
  const c10::Device device(name);
  const int64_t gpus = static_cast<int64_t>(torch::cuda::device_count());
  if (device.is_cuda() && std::max<int64_t>(device.index(), 0) >= gpus) {
    std::ostringstream message;
    message << "--device=" << name << ": this LibTorch finds " << gpus << " GPUs; "
            << (gpus == 0 ? "is it a CUDA build, linked with libtorch_cuda, and does nvidia-smi list a GPU?"
                          : "take a smaller index");
    throw std::runtime_error(message.str());
  }
  return device;
}

// Noise in [0, 1), the same numbers with every LibTorch.
at::Tensor Noise(const std::vector<int64_t>& shape, at::ScalarType dtype) {
  at::Tensor noise = at::empty(shape, at::kFloat);
  uint64_t state = 0;
  for (int64_t i = 0; i < noise.numel(); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    noise.data_ptr<float>()[i] = static_cast<float>(state >> 40) / (1 << 24);
  }
  return noise.to(dtype);
}

std::vector<int64_t> ParseShape(const std::string& text) {
  std::vector<int64_t> shape;
  for (const std::string& number : Split(text, ',')) shape.push_back(std::stoll(number));
  return shape;
}

at::Tensor ReadNumbers(const std::string& path, const std::vector<int64_t>& shape) {
  at::Tensor numbers = at::empty(shape, at::kFloat);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(numbers.data_ptr<float>()), numbers.numel() * sizeof(float));
  if (!file) throw std::runtime_error(path + " lacks numbers");
  return numbers;
}

c10::IValue ParseArgument(const std::string& text, const c10::Type& declared, at::ScalarType dtype) {
  if (text == "none") return c10::IValue();
  if (declared.kind() == c10::TypeKind::OptionalType) {
    return ParseArgument(text, *static_cast<const c10::OptionalType&>(declared).getElementType(), dtype);
  }
  const c10::TypeKind type = declared.kind();
  if (type == c10::TypeKind::StringType) return text;
  if (type == c10::TypeKind::BoolType) return text == "true";
  if (type == c10::TypeKind::FloatType) return std::stod(text);
  if (type == c10::TypeKind::IntType) return static_cast<int64_t>(std::stoll(text));
  const std::string prefix = "uint8:";
  if (text.compare(0, prefix.size(), prefix) == 0) {
    return (ParseArgument(text.substr(prefix.size()), declared, at::kFloat).toTensor() * 256).to(at::kByte);
  }
  if (const size_t colon = text.rfind(':'); colon != std::string::npos) {
    return ReadNumbers(text.substr(0, colon), ParseShape(text.substr(colon + 1))).to(dtype);
  }
  const std::vector<int64_t> numbers = ParseShape(text);
  if (type == c10::TypeKind::ListType) return numbers;
  return Noise(numbers, dtype);
}

// The value with its tensors on the device.
c10::IValue Move(const c10::IValue& value, const c10::Device& device) {
  if (value.isTensor()) return value.toTensor().to(device);
  if (value.isTuple()) {
    std::vector<c10::IValue> elements;
    for (const c10::IValue& element : value.toTuple()->elements()) elements.push_back(Move(element, device));
    return c10::ivalue::Tuple::create(elements);
  }
  if (value.isList()) {
    const auto list = value.toList().copy();
    for (size_t i = 0; i < list.size(); ++i) list.set(i, Move(list.get(i), device));
    return list;
  }
  if (value.isGenericDict()) {
    const auto dict = value.toGenericDict().copy();
    for (const auto& entry : dict) entry.setValue(Move(entry.value(), device));
    return dict;
  }
  return value;
}

void SetAttribute(torch::jit::Module& module, const std::string& name, const std::string& value) {
  if (module.attr(name).isInt()) {
    module.setattr(name, static_cast<int64_t>(std::stoll(value)));
  } else {
    module.setattr(name, std::stod(value));
  }
}

c10::IValue CallMethod(const torch::jit::Module& module, const c10::Device& device, const std::string& step) {
  const std::vector<std::string> words = Split(step, ' ');
  torch::jit::Method method = module.get_method(words[0]);
  const auto& arguments = method.function().getSchema().arguments();
  const at::ScalarType dtype = (*module.parameters().begin()).scalar_type();
  std::vector<c10::IValue> inputs;
  for (size_t i = 1; i < words.size(); ++i) {
    inputs.push_back(Move(ParseArgument(words[i], *arguments.at(i).type(), dtype), device));
  }
  const std::clock_t processor_start = std::clock();
  const auto start = std::chrono::steady_clock::now();
  const c10::IValue result = Move(method(inputs), at::kCPU);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  const double processor_time = 1e3 * static_cast<double>(std::clock() - processor_start) / CLOCKS_PER_SEC;
  std::cout << time.count() << " " << processor_time << " " << step << "\n";
  return result;
}

// Releases name the nodes differently: FusionGroup, TensorExprGroup, TensorExprDynamicGroup, CudaFusionGroup.
int64_t CountFusedGroups(const torch::jit::Block& block) {
  int64_t groups = 0;
  for (const torch::jit::Node* node : block.nodes()) {
    if (std::string(node->kind().toUnqualString()).find("Group") != std::string::npos) ++groups;
    for (const torch::jit::Block* inner : node->blocks()) groups += CountFusedGroups(*inner);
  }
  return groups;
}

void TakeSteps(torch::jit::Module& module, const c10::Device& device, const std::vector<std::string>& steps,
               std::vector<c10::IValue>& results) {
  for (const std::string& step : steps) {
    const size_t equals = step.find('=');
    if (step == "half") {
      module.to(at::kHalf);
    } else if (step == "bfloat16") {
      module.to(at::kBFloat16);
    } else if (step == "groups") {
      results.emplace_back(CountFusedGroups(*torch::jit::lastExecutedOptimizedGraph()->block()));
    } else if (equals != std::string::npos) {
      SetAttribute(module, step.substr(0, equals), step.substr(equals + 1));
    } else {
      for (int pass = 0; pass < 2; ++pass) results.push_back(CallMethod(module, device, step));
    }
  }
}

void Host(const c10::Device& device, const std::string& artifact, const std::string& copy,
          const std::string& results_path, const std::vector<std::string>& steps) {
  at::set_num_threads(1);
  const torch::NoGradGuard no_grad;
  torch::jit::Module module = torch::jit::load(artifact);
  module.save(copy);
  module.to(device);
  torch::jit::Module converted = torch::jit::load(copy, device);
  std::vector<c10::IValue> results;
  for (torch::jit::Module* loaded : {&module, &converted}) {
    loaded->eval();
    TakeSteps(*loaded, device, steps, results);
  }
  const std::vector<char> pickled = torch::jit::pickle_save(c10::ivalue::Tuple::create(results));
  std::ofstream file(results_path, std::ios::binary);
  file.write(pickled.data(), static_cast<std::streamsize>(pickled.size()));
  if (!file.flush()) throw std::runtime_error(results_path + " cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string flag = "--device=";
  std::string device = "cpu";
  if (!arguments.empty() && arguments[0].compare(0, flag.size(), flag) == 0) {
    device = arguments[0].substr(flag.size());
    arguments.erase(arguments.begin());
  }
  if (arguments.size() < 3) {
    std::cerr << "usage: host [--device=cpu|cuda|cuda:INDEX] ARTIFACT COPY RESULTS STEP...\n";
    return 1;
  }
  try {
    Host(FindDevice(device), arguments[0], arguments[1], arguments[2], {arguments.begin() + 3, arguments.end()});
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
