// Compares two files of results that tests/runtime/host.cc wrote, of any precisions. Compiles as the host does.
//
//   compare EXPECTED ACTUAL
//
// Prints the largest difference and the tensor that has it: "1.2e-06 results[2].depth". The difference of two tensors
// is the largest one of two finite elements, as a fraction of the range of the expected ones, or the share of the
// elements that are finite in one tensor only or, for integers and bools, that are not equal.
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/script.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Worst {
  double difference = -1;
  std::string name;
};

double Share(const at::Tensor& truths) { return truths.to(at::kDouble).mean().item<double>(); }

double Difference(const at::Tensor& expected, const at::Tensor& actual) {
  if (!at::isFloatingType(expected.scalar_type())) return Share(expected != actual);
  const at::Tensor a = expected.to(at::kDouble), b = actual.to(at::kDouble);
  const at::Tensor a_finite = at::isfinite(a), b_finite = at::isfinite(b);
  const at::Tensor both = a_finite.logical_and(b_finite);
  const at::Tensor values = a.masked_select(both);
  const double share = Share(a_finite.logical_xor(b_finite));
  if (values.numel() == 0) return share;
  const double least = values.min().item<double>(), most = values.max().item<double>();
  const double size = most > least ? most - least : std::abs(most);
  const double largest = (values - b.masked_select(both)).abs().max().item<double>();
  return std::max(share, size > 0 ? largest / size : largest);
}

void Compare(const c10::IValue& expected, const c10::IValue& actual, const std::string& name, Worst& worst) {
  const std::runtime_error differ(name + ": the structures or shapes differ");
  if (expected.isTensor()) {
    if (!actual.isTensor() || expected.toTensor().sizes() != actual.toTensor().sizes()) throw differ;
    if (expected.toTensor().numel() == 0) return;
    const double difference = Difference(expected.toTensor(), actual.toTensor());
    if (difference > worst.difference) worst = {difference, name};
  } else if (expected.isTuple() || expected.isList()) {
    if (expected.isTuple() != actual.isTuple() || expected.isList() != actual.isList()) throw differ;
    const auto items = [](const c10::IValue& value) {
      return value.isTuple() ? std::vector<c10::IValue>(value.toTuple()->elements()) : value.toList().vec();
    };
    const std::vector<c10::IValue> a = items(expected), b = items(actual);
    if (a.size() != b.size()) throw differ;
    for (size_t i = 0; i < a.size(); ++i) Compare(a[i], b[i], name + "[" + std::to_string(i) + "]", worst);
  } else if (expected.isGenericDict()) {
    if (!actual.isGenericDict() || expected.toGenericDict().size() != actual.toGenericDict().size()) throw differ;
    for (const auto& entry : expected.toGenericDict()) {
      if (!actual.toGenericDict().contains(entry.key())) throw differ;
      Compare(entry.value(), actual.toGenericDict().at(entry.key()), name + "." + entry.key().toStringRef(), worst);
    }
  } else {
    throw std::runtime_error(name + ": neither a tensor nor a tuple, list or dictionary of tensors");
  }
}

c10::IValue Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be read");
  return torch::jit::pickle_load({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: compare EXPECTED ACTUAL\n";
    return 1;
  }
  try {
    Worst worst;
    Compare(Read(argv[1]), Read(argv[2]), "results", worst);
    if (worst.difference < 0) throw std::runtime_error(std::string(argv[1]) + " has no element to compare");
    std::cout << worst.difference << " " << worst.name << "\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
