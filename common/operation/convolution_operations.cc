// Operations that make one convolution of several, whose weights and biases are the tensors, pair by pair.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/operation/operation.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// A convolution of stride 1 without groups.
struct Convolution {
  int64_t outputs, inputs, height, width;
  std::vector<double> weight;  // [outputs, inputs, height, width]
  std::vector<double> bias;    // [outputs]

  static Convolution Zeros(int64_t outputs, int64_t inputs, int64_t height, int64_t width) {
    return {outputs,
            inputs,
            height,
            width,
            std::vector<double>(outputs * inputs * height * width),
            std::vector<double>(outputs)};
  }

  // The kernel of an input for an output.
  const double* Kernel(int64_t output, int64_t input) const {
    return weight.data() + (output * inputs + input) * height * width;
  }
  double* Kernel(int64_t output, int64_t input) { return weight.data() + (output * inputs + input) * height * width; }
};

// Adds `factor` times the kernel of `from` to that of `to`, `top` and `left` elements from its corner.
void AddKernel(const Convolution& from, const double* kernel, double factor, int64_t top, int64_t left,
               const Convolution& to, double* sum) {
  for (int64_t y = 0; y < from.height; ++y) {
    for (int64_t x = 0; x < from.width; ++x) {
      sum[(top + y) * to.width + left + x] += factor * kernel[y * from.width + x];
    }
  }
}

// What `second` makes of the results of `first`.
Convolution Chain(const Convolution& first, const Convolution& second) {
  Convolution chain = Convolution::Zeros(second.outputs, first.inputs, first.height + second.height - 1,
                                         first.width + second.width - 1);
  chain.bias = second.bias;
  for (int64_t output = 0; output < second.outputs; ++output) {
    for (int64_t middle = 0; middle < first.outputs; ++middle) {
      const double* const kernel = second.Kernel(output, middle);
      for (int64_t y = 0; y < second.height; ++y) {
        for (int64_t x = 0; x < second.width; ++x) {
          const double factor = kernel[y * second.width + x];
          chain.bias[output] += factor * first.bias[middle];
          for (int64_t input = 0; input < first.inputs; ++input) {
            AddKernel(first, first.Kernel(middle, input), factor, y, x, chain, chain.Kernel(output, input));
          }
        }
      }
    }
  }
  return chain;
}

// Adds `branch`, with its kernels in the middle of those of `sum`.
void AddBranch(const Convolution& branch, Convolution* sum) {
  const int64_t top = (sum->height - branch.height) / 2, left = (sum->width - branch.width) / 2;
  for (int64_t output = 0; output < sum->outputs; ++output) {
    sum->bias[output] += branch.bias[output];
    for (int64_t input = 0; input < sum->inputs; ++input) {
      AddKernel(branch, branch.Kernel(output, input), 1, top, left, *sum, sum->Kernel(output, input));
    }
  }
}

// The sum of what both make of the same input.
Convolution Sum(const Convolution& a, const Convolution& b) {
  Convolution sum = Convolution::Zeros(a.outputs, a.inputs, std::max(a.height, b.height), std::max(a.width, b.width));
  AddBranch(a, &sum);
  AddBranch(b, &sum);
  return sum;
}

// InvalidArgument: `weight` and `bias` are not those of a convolution.
absl::Status CheckConvolution(const Shape& weight, const Shape& bias) {
  if (weight.size() == 4 && weight[2] > 0 && weight[3] > 0 && bias == Shape{weight[0]}) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(ShapeString(weight), " and ", ShapeString(bias),
                                                 " are not the weight and the bias of a convolution"));
}

std::vector<double> Reals(const Array& array) {
  const Array elements = RowMajor(array);
  return ReadReals(elements.view.dtype, elements.view.data, *ElementCount(elements.view.shape));
}

// Makes one convolution of the first `count`, two at a time, and leaves the others. Computed in float64 and rounded
// once, to no less than float32.
struct ConvolutionOperation : OperationType {
  // Of two convolutions, or of the shapes of their weights. InvalidArgument: why they do not fit.
  virtual absl::StatusOr<Shape> MergedShape(const Shape& first, const Shape& second) const = 0;
  virtual Convolution Merged(const Convolution& first, const Convolution& second) const = 0;

  absl::string_view parameters() const final { return "count"; }
  bool AcceptsArguments(Arguments arguments) const final {
    return OperationType::AcceptsArguments(arguments) && arguments[0] > 1 && arguments[0] <= 100;
  }

  absl::StatusOr<DType> ResultDType(Arguments, DType dtype) const final {
    if (IsFloating(dtype)) return dtype == DType::kFloat64 ? dtype : DType::kFloat32;
    return absl::InvalidArgumentError(absl::StrCat("wants a floating dtype, has ", DTypeName(dtype)));
  }
  bool ChangesNumbers(Arguments, const Shape&) const final { return true; }
  absl::optional<size_t> CountResults(Arguments arguments, size_t inputs) const final {
    const size_t merged = 2 * arguments[0];
    return inputs % 2 == 0 && inputs >= merged ? absl::make_optional(inputs - merged + 2) : absl::nullopt;
  }
  // What the sums were made of is lost.
  absl::optional<Operation> Inverse(Arguments, size_t) const final { return absl::nullopt; }

  absl::StatusOr<std::vector<Shape>> Shapes(Arguments arguments, const std::vector<Shape>& inputs) const final {
    for (size_t i = 0; i < inputs.size(); i += 2) RETURN_IF_ERROR(CheckConvolution(inputs[i], inputs[i + 1]));
    Shape merged = inputs[0];
    for (int64_t i = 1; i < arguments[0]; ++i) {
      ASSIGN_OR_RETURN(merged, MergedShape(merged, inputs[2 * i]));
    }
    std::vector<Shape> shapes = {merged, {merged[0]}};
    shapes.insert(shapes.end(), inputs.begin() + 2 * arguments[0], inputs.end());
    return shapes;
  }
  absl::StatusOr<std::vector<Array>> Apply(Arguments arguments, std::vector<Array> inputs) const final {
    const size_t count = arguments[0];
    Convolution merged = Read(inputs[0], inputs[1]);
    for (size_t i = 1; i < count; ++i) merged = Merged(merged, Read(inputs[2 * i], inputs[2 * i + 1]));
    std::vector<Convolution> convolutions = {std::move(merged)};
    for (size_t i = 2 * count; i < inputs.size(); i += 2) convolutions.push_back(Read(inputs[i], inputs[i + 1]));
    const DType dtype = *ResultDType(arguments, inputs[0].view.dtype);
    std::vector<Array> results;
    for (const auto& [outputs, columns, height, width, weight, bias] : convolutions) {
      ASSIGN_OR_RETURN(results.emplace_back(), Write(weight, dtype, {outputs, columns, height, width}));
      ASSIGN_OR_RETURN(results.emplace_back(), Write(bias, dtype, {outputs}));
    }
    return results;
  }

 protected:
  ~ConvolutionOperation() = default;

 private:
  static Convolution Read(const Array& weight, const Array& bias) {
    const Shape& shape = weight.view.shape;
    return {shape[0], shape[1], shape[2], shape[3], Reals(weight), Reals(bias)};
  }
  static absl::StatusOr<Array> Write(const std::vector<double>& reals, DType dtype, Shape shape) {
    auto [array, memory] = NewArray(dtype, std::move(shape));
    RETURN_IF_ERROR(WriteReals(reals, dtype, memory));
    return array;
  }
};

struct ChainConvolutions final : ConvolutionOperation {
  absl::string_view name() const override { return "chain_convolutions"; }

  absl::StatusOr<Shape> MergedShape(const Shape& first, const Shape& second) const override {
    if (first[0] != second[1]) {
      return absl::InvalidArgumentError(absl::StrCat("a convolution of ", ShapeString(second),
                                                     " does not take what one of ", ShapeString(first), " gives"));
    }
    Shape chain = {second[0], first[1], first[2], first[3]};
    for (const int64_t dim : {2, 3}) {
      ASSIGN_OR_RETURN(chain, WithSize(chain, dim, static_cast<__int128>(first[dim]) + second[dim] - 1));
    }
    return chain;
  }
  Convolution Merged(const Convolution& first, const Convolution& second) const override {
    return Chain(first, second);
  }
};

struct AddConvolutions final : ConvolutionOperation {
  absl::string_view name() const override { return "add_convolutions"; }

  absl::StatusOr<Shape> MergedShape(const Shape& first, const Shape& second) const override {
    Shape sum = first;
    if (first[0] != second[0] || first[1] != second[1] || (first[2] - second[2]) % 2 != 0 ||
        (first[3] - second[3]) % 2 != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("convolutions of ", ShapeString(first), " and ", ShapeString(second), " have no sum"));
    }
    for (const int64_t dim : {2, 3}) {
      ASSIGN_OR_RETURN(sum, WithSize(sum, dim, std::max(first[dim], second[dim])));
    }
    return sum;
  }
  Convolution Merged(const Convolution& first, const Convolution& second) const override { return Sum(first, second); }
};

constexpr ChainConvolutions kChainConvolutions{};
constexpr AddConvolutions kAddConvolutions{};

}  // namespace

absl::Span<const OperationType* const> ConvolutionOperations() {
  static constexpr const OperationType* kAll[] = {&kChainConvolutions, &kAddConvolutions};
  return kAll;
}

}  // namespace modelport
