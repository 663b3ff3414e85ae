#include "artifact/format/onnx/convert.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linspace.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "artifact/format/onnx/aten_call.h"
#include "artifact/format/onnx/openvino.h"
#include "artifact/format/onnx/write_model.h"
#include "common/expression/expression.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "common/torchscript/script/graph_operators.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport::onnx {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A module whose method forward has the arguments x, y, ... of these shapes, "B,3,H,W", and this body.
struct Code {
  std::string body;
  std::vector<std::string> shapes = {"B,4,H,W"};
};

std::string Argument(size_t i) { return std::string(1, static_cast<char>('x' + i)); }

torch::jit::Module MakeModule(const Code& code) {
  torch::jit::Module module("Tested");
  module.register_parameter("weight", at::linspace(-1, 1, 4 * 4 * 3 * 3).reshape({4, 4, 3, 3}), false);
  module.register_parameter("vector", at::linspace(0.5, 2, 4), false);
  module.register_parameter("matrix", at::linspace(-2, 1, 4 * 6).reshape({6, 4}), false);
  std::string text = "def forward(self";
  for (size_t i = 0; i < code.shapes.size(); ++i) absl::StrAppend(&text, ", ", Argument(i), ": Tensor");
  absl::StrAppend(&text, "):\n");
  for (const absl::string_view line : absl::StrSplit(code.body, '\n')) absl::StrAppend(&text, "  ", line, "\n");
  module.define(text);
  module.eval();
  return module;
}

EntryPoint MakeEntryPoint(const Code& code) {
  EntryPoint entry_point;
  entry_point.method = "forward";
  for (size_t i = 0; i < code.shapes.size(); ++i) {
    Port port;
    port.name = Argument(i);
    port.shape.emplace();
    for (const absl::string_view size : absl::StrSplit(code.shapes[i], ',')) {
      port.shape->push_back(*Expression::Parse(size));
    }
    entry_point.inputs.push_back(std::move(port));
  }
  const bool is_pair = absl::StrContains(code.body, "return v, i");
  for (const char* const name : {"out", "second"}) {
    entry_point.outputs.emplace_back();
    entry_point.outputs.back().name = name;
    entry_point.outputs.back().shape.emplace();
    if (!is_pair) break;
  }
  return entry_point;
}

class StringWriter : public Writer {
 public:
  absl::Status Write(absl::string_view bytes) override {
    text.append(bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  std::string text;
};

std::string WriteFile(const Model& model, int opset = kOpset) {
  StringWriter writer;
  EXPECT_OK(WriteModel(
      model, {"1", "", opset}, [] { return std::vector<std::pair<std::string, std::string>>(); }, writer));
  const std::string path = absl::StrCat(testing::TempDir(), "/tested.onnx");
  std::ofstream(path, std::ios::binary) << writer.text;
  return path;
}

// The example call of sizes in which the letters have these values.
std::string CallOf(const Code& code, const std::vector<std::pair<std::string, int>>& letters) {
  std::vector<std::string> arguments;
  for (const std::string& shape : code.shapes) {
    std::vector<std::string> sizes = absl::StrSplit(shape, ',');
    for (std::string& size : sizes) {
      for (const auto& [letter, value] : letters) {
        if (size == letter) size = absl::StrCat(value);
      }
    }
    arguments.push_back(absl::StrCat("[", absl::StrJoin(sizes, ", "), "]"));
  }
  return absl::StrCat("forward(", absl::StrJoin(arguments, ", "), ")");
}

// The tensors of a result, in their order.
std::vector<at::Tensor> TensorsOf(const c10::IValue& result) {
  if (result.isTensor()) return {result.toTensor()};
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& value : result.toTupleRef().elements()) tensors.push_back(value.toTensor());
  return tensors;
}

// Converts `code`, and runs the file in OpenVINO at sizes that divide 14, at others that do, and in a batch.
void ExpectSame(const Code& code, int opset) {
  const std::vector<std::vector<std::pair<std::string, int>>> sizes = {
      {{"B", 1}, {"H", 14}, {"W", 28}}, {{"B", 2}, {"H", 42}, {"W", 14}}, {{"B", 3}, {"H", 28}, {"W", 28}}};
  SCOPED_TRACE(code.body);
  const torch::jit::Module module = MakeModule(code);
  const EntryPoint entry_point = MakeEntryPoint(code);
  const absl::StatusOr<ConvertedModel> made = Convert(module, entry_point, {}, opset);
  ASSERT_OK(made.status());
  const ConvertedModel& converted = *made;
  const absl::StatusOr<OpenVinoModel> file = OpenVinoModel::Load(WriteFile(converted.model, opset));
  ASSERT_OK(file.status());
  for (const auto& letters : sizes) {
    ASSERT_OK_AND_ASSIGN(const Call call, ParseCall(CallOf(code, letters)));
    SCOPED_TRACE(call.text);
    ASSERT_OK_AND_ASSIGN(const std::vector<c10::IValue> inputs, ExampleInputs(module, call));
    ASSERT_OK_AND_ASSIGN(const c10::IValue result, RunExample(module, call));
    std::vector<std::pair<std::string, at::Tensor>> given;
    for (const ConvertedPort& port : converted.inputs) given.emplace_back(port.name, inputs[port.place].toTensor());
    std::vector<std::string> names;
    for (const ConvertedPort& port : converted.outputs) names.push_back(port.name);
    const absl::StatusOr<std::vector<at::Tensor>> outputs = file->Run(given, names);
    ASSERT_OK(outputs.status());
    const std::vector<at::Tensor> expected = TensorsOf(result);
    ASSERT_EQ(outputs->size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const absl::StatusOr<Difference> difference =
          CompareValues(expected[i].contiguous(), (*outputs)[i], converted.outputs[i].name);
      ASSERT_OK(difference.status());
      EXPECT_LT(difference->relative, 1e-5);
    }
  }
}

// Each line is the body of a method of x [B, 4, H, W] and y, which is the same.
constexpr const char* kLines[] = {
    // Elementwise.
    "return x + y",
    "return torch.add(x, y, alpha=2)",
    "return torch.sub(x, y, alpha=3)",
    "return x - 0.5",
    "return torch.rsub(x, 1.5)",
    "return x * y + 2 * x",
    "return x / (y + 3.0)",
    "return 1.0 / (x + 3.0)",
    "return torch.pow(x, 2)",
    "return torch.pow(x.abs() + 0.1, 1.5)",
    "return torch.pow(2.0, x)",
    "return torch.where(x > y, x, y * 2)",
    "return torch.where(x < 0.2, x, y) + torch.where(x >= y, x, y) + torch.where(x <= 0.1, x, y)",
    "return (torch.eq(x, x) & torch.ne(x, y)).to(6)",
    "return torch.logical_and(x > 0, torch.logical_not(y > 0)).to(6)",
    "return torch.logical_or(x > 0, y > 0).to(6) + ((x > 0.5) | ~(x > 0)).to(6)",
    "return x.masked_fill(y > 0, 0.25)",
    "return x.abs() + x.neg() + x.sign()",
    "return x.relu() + x.sigmoid() + x.tanh()",
    "return x.exp() + x.expm1() + (x + 2).log()",
    "return (x + 2).sqrt() + (x + 2).rsqrt() + x.square() + (x + 2).reciprocal()",
    "return x.sin() + x.cos() + x.tan() + x.atan() + x.erf()",
    "return (x * 5).floor() + (x * 5).ceil() + (x * 5).round()",
    "return torch.softplus(x)",
    "return torch.gelu(x) + torch.gelu(x, approximate=\"tanh\")",
    "return torch.silu(x) + torch.leaky_relu(x, 0.2)",
    "return torch.prelu(x, self.vector)",
    "return x.clamp(-0.5, 0.5) + x.clamp_min(0.1) + x.clamp_max(0.2) + x.clamp(min=0.0)",
    "return torch.maximum(x, y) + torch.minimum(x, y)",
    "return torch.addcmul(x, x, y, value=0.5)",
    "return torch.lerp(x, y, 0.25)",
    "return x.to(7).to(6).contiguous().detach().clone()",
    "return torch.dropout(x, 0.5, False)",
    "return x * x.shape[2] + x.shape[3] / x.shape[2]",
    // Shapes.
    "return x.reshape(x.shape[0], -1)",
    "return x.view(x.shape[0], 2, 2, x.shape[2] * x.shape[3]).flatten(1, 2)",
    "return x.reshape_as(y).view_as(y)",
    "return x.flatten(2).transpose(1, 2)",
    "return x.unflatten(1, [2, -1])",
    "return x.permute(0, 2, 3, 1)",
    "return x.transpose(-1, -2).contiguous()",
    "return x[0, 0].t()",
    "return x.unsqueeze(1).squeeze(1).unsqueeze(-1)",
    "return x[:, 1] + x[:, -1] + x.select(1, 2)",
    "return x[:, 1:3, 2:, :-3]",
    "return x[:, :, ::2, 1::3]",
    "return x.narrow(1, 1, 2)",
    "a, b = x.chunk(2, 1)\nreturn a * b",
    "a, b = x.split(3, 1)\nreturn torch.cat([a, b, y], 1)",
    "a, b = x.split([1, 3], 1)\nc, d = torch.split_with_sizes(x, [3, 1], 1)\nreturn a * b + c * d",
    "a, b, c, d = x.unbind(1)\nreturn torch.stack([a, b + c, d], -1)",
    "return torch.cat([x, y], 1) + torch.cat([x, y], -3)",
    "return x[:, :1].expand(-1, 4, -1, -1) + self.vector.reshape(1, 4, 1, 1).expand_as(x)",
    "return x[:, :1].repeat(1, 2, 1, 1)",
    "return x.flip([3]) + x.flip([-2, 1])",
    "return torch.constant_pad_nd(x, [1, 2, 0, 3], 0.5)",
    "return torch.replication_pad2d(x, [1, 2, 0, 3])",
    "return torch.reflection_pad2d(x, [1, 2, 0, 3])",
    "return torch.replication_pad1d(x[:, 0], [1, 2]) + torch.reflection_pad1d(x[:, 0], [2, 1])",
    "return torch.pixel_shuffle(x, 2)",
    "return torch.pixel_unshuffle(x, 2)",
    "return x + torch.zeros(x.shape[2], x.shape[3]) + torch.ones([x.shape[3]]) + torch.full([x.shape[2], 1], 2.5)",
    "return x + torch.zeros_like(x) + torch.ones_like(y) + torch.full_like(x, 0.5) + torch.full_like(x, x.shape[2] / "
    "4)",
    "return x + torch.arange(x.shape[3]) * 0.5 + torch.arange(1, 2 * x.shape[3], 2)",
    "return x + torch.linspace(-1, 1, x.shape[3]) + torch.linspace(-1, 1, x.shape[3] // 28 + 1).sum()",
    "return x[:, torch.tensor([3, 0, 1])]",
    "return x[torch.arange(x.shape[0]).unsqueeze(1), torch.argmax(x.flatten(2).sum(2), 1, True)]",
    "return x[torch.tensor([[0]]), torch.tensor([[3, -1]])]",
    "return x.index_select(1, torch.tensor([2, 2]))",
    "return x.gather(1, (y > 0).to(4))",
    // Layers.
    "return torch.linear(x.permute(0, 2, 3, 1), self.matrix)",
    "return torch.linear(x.permute(0, 2, 3, 1), self.matrix, self.matrix.sum(1))",
    "return torch.matmul(x, y.transpose(-1, -2))",
    "return torch.bmm(x.flatten(0, 1), y.flatten(0, 1).transpose(1, 2))",
    "return torch.mm(x[0, 0], y[0, 0].t()) + torch.addmm(x[0, 0, :, :1], x[0, 0], y[0, 0].t())",
    "return torch.einsum(\"bchw,bcvw->bhv\", [x, y])",
    "return torch.conv2d(x, self.weight, self.vector, [2, 1], [1, 2], [1, 2])",
    "return torch.conv2d(x, self.weight[:, :1], None, [1, 1], [0, 0], [1, 1], 4)",
    "return torch.conv1d(x[:, :, 0], self.weight[:, :, 0], self.vector, [1], [1])",
    "return torch.conv_transpose2d(x, self.weight, self.vector, [2, 3], [1, 0], [1, 2])",
    "return torch.max_pool2d(x, [3, 3], [2, 2], [1, 1])",
    "return torch.avg_pool2d(x, [3, 2], [2, 1], [1, 1])",
    "return torch.adaptive_avg_pool2d(x, [1, 1])",
    "return torch.layer_norm(x.permute(0, 2, 3, 1), [4], self.vector, self.vector, 1e-6)",
    "return torch.layer_norm(x.permute(0, 2, 3, 1), [4])",
    "return torch.batch_norm(x, self.vector, self.vector, self.vector, self.vector, False, 0.1, 1e-5, False)",
    "return torch.group_norm(x, 2, self.vector, self.vector, 1e-5)",
    "return torch.softmax(x, -1) + torch.softmax(x, 1)",
    "return x.mean([2, 3], True) + x.mean([-1], True)",
    "return x.sum([1]) + (x > 0).sum([1])",
    "return x * x.sum() + x.mean()",
    "return x.var([1]) + x.var([-2, 1], False, True)[:, 0]",
    "return torch.amax(x, [2]) + torch.amin(x, [2])",
    "v, i = torch.max(x, 1)\nreturn v, i",
    "return x - torch.max(x) * torch.min(x)",
    "return torch.max(x, x.flip(1)) + torch.min(x, 2 * x)",
    "v, i = torch.min(x, 2, True)\nreturn v, i",
    "return torch.argmax(x, 1) - torch.argmin(x, 1)",
    "v, i = torch.sort(x, 2)\nw, j = torch.sort(y, -1, descending=True)\nreturn torch.cat([v, x.gather(2, i), w, "
    "y.gather(-1, j)], 1)",
    "return torch.sort(x.flatten(), stable=True, dim=0)[0]",
    "return torch.any(x > 0.99).to(6) * x + torch.any(y > 0.9, 1, True).to(6)",
    "return torch.dot(x[0, 0, 0], y[0, 0, 0])",
    "return torch.norm(x, 2, [1], True)",
    "return torch.scaled_dot_product_attention(x.permute(0, 2, 3, 1), y.permute(0, 2, 3, 1), x.permute(0, 2, 3, 1))",
    "z = x.permute(0, 2, 3, 1)\nreturn torch.scaled_dot_product_attention(z, z, z, torch.matmul(y, y.transpose(2, "
    "3))[:, 0, 0, 0].reshape(-1, 1, 1, 1), 0.0, False, scale=0.5)",
    // Other ranks than 4.
    "a = x[0, 0, 0]\nb = a.flip([0]) + a.sum() - torch.softmax(a, 0)\nreturn torch.cat([b, a[1:-1], "
    "a.unsqueeze(0).repeat(2, 1).flatten()], -1)",
    "a = x[0, 0]\nb = a[0]\nreturn torch.matmul(a, b) + torch.matmul(b, a.t()) + torch.matmul(b, b)",
    "a = x[0]\nreturn torch.matmul(a, a.transpose(1, 2)) + torch.matmul(x[:, :1], a.transpose(1, 2))",
    "z = x.unsqueeze(1).unsqueeze(-1)\nreturn z.permute(5, 0, 1, 3, 2, 4).mean([-3], True).flatten(-2)",
    "s = x.sum()\nt = torch.stack([s, y.mean(), s * 2])\nreturn t[1:] / s + torch.softmax(t / s, 0)[0]",
    "return x.select(-1, -1) + x.narrow(-2, 1, 2).sum([-2, -1]).unsqueeze(-1) + torch.norm(x, 2, [-1])",
    "return torch.linear(x[:, :, 0, 0], self.matrix, self.matrix.sum(1))",
    "z = x.flatten(2).transpose(1, 2)\nreturn torch.linear(z, self.matrix).sum([2]) + torch.layer_norm(z, [4])[:, :, "
    "0]",
    "return torch.prelu(x[:, :, 0], self.vector) + torch.prelu(x[:, :, 0, 0], self.vector).unsqueeze(-1)",
    "return torch.batch_norm(x[:, :, 0], self.vector, self.vector, self.vector, self.vector, False, 0.1, 1e-5, False)",
    "return torch.batch_norm(x[:, :, 0, 0], self.vector, self.vector, self.vector, self.vector, False, 0.1, 1e-5, "
    "False)",
    "return torch.group_norm(x.flatten(2), 2, self.vector, self.vector, 1e-5)",
    // Sizes.
    "return torch.upsample_bilinear2d(x, [x.shape[2] * 2, x.shape[3] * 2], False)",
    "return torch.upsample_bilinear2d(x, [x.shape[2] * 2 - 1, x.shape[3] + 3], True)",
    "return torch.upsample_bilinear2d(x, [9, 11], False)",
    "return torch.upsample_linear1d(x[:, 0], [11], False)",
    "return torch.upsample_nearest2d(x, [x.shape[2] * 2, x.shape[3] * 3])",
    "return torch.upsample_bicubic2d(x, [x.shape[2] + 5, 9], False)",
    "return torch.upsample_bicubic2d(x, [19, 33], False, 1.35, 1.2)",
    "return torch._upsample_bicubic2d_aa(x, [9, x.shape[3] + 4], False)",
    "return torch._upsample_bilinear2d_aa(x, [9, x.shape[3] + 4], False)",
    // Of tables with as many rows as columns, smaller or larger than the result or of its size.
    "t = torch.sin(torch.arange(50).reshape(1, 2, 5, 5) * 1.7)\nreturn torch._upsample_bicubic2d_aa(t, [x.shape[2], "
    "x.shape[3] + 4], False)",
    "t = torch.sin(torch.arange(9800).reshape(1, 2, 70, 70) * 1.7)\nreturn torch._upsample_bilinear2d_aa(t, "
    "[x.shape[2], "
    "x.shape[3]], False)",
    "t = torch.sin(torch.arange(9800).reshape(1, 2, 70, 70) * 1.7)\nreturn torch._upsample_bicubic2d_aa(t, "
    "[x.shape[2], "
    "x.shape[3]], False)",
    "t = torch.sin(torch.arange(392).reshape(1, 2, 14, 14) * 1.7)\nreturn torch._upsample_bicubic2d_aa(t, [x.shape[2], "
    "x.shape[2]], False) * x.shape[3]",
    "t = torch.sin(torch.arange(50).reshape(1, 2, 5, 5) * 1.7)\nreturn torch.upsample_bicubic2d(t, [x.shape[2], "
    "x.shape[3]], False, (x.shape[2] + 0.1) / 5.0, (x.shape[3] + 0.1) / 5.0)",
    "t = torch.sin(torch.arange(50).reshape(1, 2, 5, 5) * 1.7)\nreturn torch.upsample_bicubic2d(t, [x.shape[2], "
    "x.shape[3]], False)",
    // Far beyond the borders.
    "t = torch.sin(torch.arange(50).reshape(1, 2, 5, 5) * 1.7)\nreturn torch.upsample_bicubic2d(t, [x.shape[2], "
    "x.shape[3]], False, 0.3, 0.2)",
    // Of images of known sizes, of one known size, and of as many rows as columns that are not known.
    "t = torch.arange(50).reshape(1, 2, 5, 5) + x[0:1, 0:1, 0:1, 0:1]\nreturn torch.upsample_bicubic2d(t, [9, 4], "
    "False) "
    "+ torch._upsample_bicubic2d_aa(t, [9, 4], False) + torch._upsample_bilinear2d_aa(t, [9, 4], False)",
    "t = torch.arange(50).reshape(1, 2, 5, 5) + x[0:1, 0:1, 0:1, 0:1]\nreturn torch.upsample_bicubic2d(t, [9, "
    "x.shape[3]], False) + torch._upsample_bicubic2d_aa(t, [9, x.shape[3]], False)",
    "return torch.upsample_bicubic2d(x.narrow(3, 0, 5), [x.shape[2] + 3, 9], False)",
    "z = torch.matmul(x, x.transpose(2, 3))\nreturn torch.upsample_bicubic2d(z, [x.shape[2] + 5, x.shape[3]], False) + "
    "torch._upsample_bicubic2d_aa(z, [x.shape[2] + 5, x.shape[3]], False)",
    "return torch.grid_sampler(x, torch.tanh(y.permute(0, 2, 3, 1))[:, :, :, 0:2] * 1.5, 0, 1, True)",
    "return torch.grid_sampler(x, torch.tanh(y.permute(0, 2, 3, 1))[:, 1:, :, 0:2], 0, 0, False)",
    "return torch.grid_sampler(x, torch.tanh(y.permute(0, 2, 3, 1))[:, :, :, 0:2], 1, 1, True)",
    // In place, views and structures.
    "z = x.clone()\nz += y\nz *= 2.0\nz.relu_()\nreturn z",
    "t = torch.ones(4, 1, 1)\nt += x.mean()\nz = t * x\nt *= 2.0\nreturn z + t",
    "z = x.clone()\nfor i in range(4):\n  channel = z.narrow(1, i, 1)\n  channel -= 0.1 * i\n  channel /= 2.0\nreturn "
    "z",
    "z = torch.stack([x, y], 2)\ntorch.neg_(z[:, :, 0])\nreturn z",
    "d: Dict[str, Tensor] = {\"a\": x}\nd[\"b\"] = y\nl = [d[\"a\"]]\nl.append(d[\"b\"])\nreturn torch.cat(l + [x], 1)",
    "d: Dict[str, Tensor] = {\"a\": x}\ne = d.copy()\ne[\"a\"] = y * 2\nreturn d[\"a\"] + e[\"a\"]",
    "z = x.clone()\na, b = z[:, 0:2], z[:, 2:3]\na *= torch.exp_(b)\nreturn z + a.mean([1], True)",
    // Conditions on sizes.
    "if x.shape[2] == 14:\n  z = x\nelse:\n  z = x[:, :, 3:]\nreturn torch.cat([z, z * 2.0], 2) * z.shape[2]",
    "assert x.shape[2] % 14 == 0, \"sides are multiples of 14\"\nreturn x.reshape(x.shape[0], 4, x.shape[2] // 14, 14, "
    "x.shape[3])",
    "if x.shape[2] == 14 and x.shape[3] == 28:\n  z = x * 2.0\nelse:\n  z = x - 1.0\nreturn z",
    "t = torch.ones(1, 4, 28)\nif x.shape[2] == 28:\n  z = t\nelse:\n  z = torch.upsample_linear1d(t, [x.shape[2]], "
    "True) * 3.0\nreturn z",
    "n = x.shape[2] if x.shape[2] > x.shape[3] else x.shape[3] + 1\nreturn x * n",
    "return x.reshape(x.shape[0], 4, -1)[:, :, :max(int((x.shape[2] * x.shape[3]) ** 0.5), 1)]",
    "return x[:, :, :max(x.shape[2] - 20, 3), :min(x.shape[3], 20)]",
    "return torch.upsample_nearest2d(x, [2, 4])",
    "return torch.upsample_nearest2d(x, [x.shape[2] + 3, x.shape[3] // 7])",
    "z = x.clone()\nif x.shape[2] == 14:\n  v = z[:, :2]\nelse:\n  v = z[:, 2:]\nreturn v + 1.0",
    "t = torch.ones(4)\nt += y.mean() + 3.0\nreturn x * t.reshape(2, 2).sum()",
    "t = torch.ones(4)\nt += y.mean() + 3.0\nreturn x * t.to(7).sum()",
    "t = torch.ones(2, 3)\nt += y.mean()\nreturn x + t.t()[0, 0]",
    "return x + torch.arange(x.shape[3], 0, -1)",
    "for i in range(x.shape[2], x.shape[2] - 3, -1):\n  y = y + 1.0\nreturn y * x",
    "d: Dict[str, Tensor] = {}\nfor i in range(2):\n  d[\"l{}\".format(i)] = y * float(i + 1)\nreturn x + "
    "d[\"l{}\".format(0)]",
    "return x * torch.stack([torch.var(x, [0, 1, 2, 3], False, False), x.mean()]).sum()",
    "return x.index_select(1, torch.argmax(y[0, :, 0, 0], 0))",
    "z = torch.einsum(\"bchw,bchw->bchw\", [x, y[:, :1]])\nreturn z * z.shape[1]",
    // A part that was written to, taken again below a condition and behind it.
    "z = x.clone()\nv = z[:, :2]\nz += 1.0\nif x.shape[2] == 14:\n  w = v * 2.0\nelse:\n  w = v - 1.0\nreturn v + w",
    // What other sizes do not have.
    "z = y[:, :, 0]\nif x.shape[2] > 20:\n  z = x[:, :, 20]\nreturn z * 2.0",
    "z = x[:, 0, 0]\nz = torch.where(z > 0, z, float(\"-inf\"))\nz = torch.where(y[:, 0, 0, :1] > 0.5, z, "
    "float(\"-inf\"))\nq = y.permute(0, 2, 3, 1)\nreturn torch.scaled_dot_product_attention(q, q, q, z.reshape(-1, 1, "
    "1, x.shape[3]))",
};

// The same of integers and bools, which rounding would move in half precision.
constexpr const char* kIntegerLines[] = {
    "i = (x * 5).to(4)\nj = (y * 7).to(4)\nreturn i + j * 2 - torch.sub(i, j, alpha=3) + torch.rsub(i, 7)",
    "i = (x * 5).to(4)\nreturn i / 2 + i * 0.5 + i / (i + 40) + 1.0 / (i + 40)",
    "i = (x * 5).to(4)\nreturn torch.pow(i, 2) + i.abs() + i.neg() + i.sign() + i.relu() + i.square()",
    "i = (x * 5).to(4)\nreturn i.exp() + i.expm1() + i.sigmoid() + (i + 40).sqrt() + (i + 40).rsqrt() + (i + "
    "40).reciprocal()",
    "i = (x * 5).to(4)\nreturn i.floor() + i.ceil() + i.round()",
    "i = (x * 5).to(4)\nreturn i.clamp(-2, 2) + i.clamp_min(1) + torch.maximum(i, i.flip([1])) + torch.minimum(i, 2 * "
    "i)",
    "i = (x * 5).to(4)\nreturn i.clamp(-1.5, 1.5) + i.clamp_max(0.5)",
    "i = (x * 5).to(4)\nreturn torch.where(i > 0, i, x) + torch.where(i >= 0.5, i, 1) + i.masked_fill(i.eq(2), -1)",
    "i = (x * 5).to(4)\nreturn i.sum([1]) + i.to(3).sum([1]) + torch.amax(i, [1]) + torch.max(i) - i.sum()",
    "v, i = torch.sort((x * 5).to(4), 1)\nreturn v + torch.sort(i.flatten())[0].sum()",
    "return torch.cat([(x * 5).to(4), x, x > 0], 1)",
    "return torch.stack([(x * 5).to(3), (y * 3).to(4)], 1)",
    "b = x > 0\nc = y > 0.5\nreturn (b + c).to(6) + (b * c).to(6) + b * 2 + b * x + c.sum([1], True)",
    "b = x > 0\nreturn (b.eq(y > 0.5) & b.ne(y > 1)).to(6) + b.flip([1]).to(6) + b.unsqueeze(1).expand(-1, 2, -1, -1, "
    "-1).to(6)[:, 0]",
    "return torch.any((x * 5).to(4)) | torch.any(y, 1)",
    // Of bytes, any is a byte: the sum of two is 2.
    "i = (x.abs() * 5).to(0)\nreturn (torch.any(i, 1) + torch.any(i)).to(6)",
    "i = (x * 5).to(3)\nreturn torch.pow(i, 2.0) * 0.5 + (x > 0) ** 2",
    "return torch.full([x.shape[2]], 3) + (x[0, 0, 0, 0] * 5).to(4)",
};

TEST(ConvertTest, EachLineComputesTheSameInOpenVino) {
  for (const auto lines : {absl::MakeSpan(kLines), absl::MakeSpan(kIntegerLines)}) {
    for (const char* const line : lines) ExpectSame({line, {"B,4,H,W", "B,4,H,W"}}, kOpset);
  }
}

TEST(ConvertTest, EachLineComputesTheSameInOtherOpsets) {
  for (const auto lines : {absl::MakeSpan(kLines), absl::MakeSpan(kIntegerLines)}) {
    for (const char* const line : lines) {
      for (const int opset : {18, 20, kNewestOpset}) ExpectSame({line, {"B,4,H,W", "B,4,H,W"}}, opset);
    }
  }
}

// Converts `code` of a module in float16, and runs the file in OpenVINO at one size. The result may be as far from the
// module's as four times what that differs from the one in float64, and some steps of float16.
void ExpectSameInFloat16(const Code& code) {
  SCOPED_TRACE(code.body);
  torch::jit::Module module = MakeModule(code);
  module.to(at::kHalf);
  const absl::StatusOr<ConvertedModel> converted = Convert(module, MakeEntryPoint(code));
  ASSERT_OK(converted.status());
  for (const auto& input : converted->model.graph.input()) {
    EXPECT_EQ(input.type().tensor_type().elem_type(), onnx_file::TensorProto::FLOAT);
  }
  const absl::StatusOr<OpenVinoModel> file = OpenVinoModel::Load(WriteFile(converted->model));
  ASSERT_OK(file.status());
  ASSERT_OK_AND_ASSIGN(const Call call, ParseCall(CallOf(code, {{"B", 2}, {"H", 28}, {"W", 14}})));
  ASSERT_OK_AND_ASSIGN(const std::vector<c10::IValue> inputs, ExampleInputs(module, call));
  std::vector<c10::IValue> exact_inputs;
  std::vector<std::pair<std::string, at::Tensor>> given;
  for (size_t i = 0; i < inputs.size(); ++i) {
    exact_inputs.emplace_back(inputs[i].toTensor().to(at::kDouble));
    given.emplace_back(converted->inputs[i].name, inputs[i].toTensor().to(at::kFloat));
  }
  torch::jit::Module exact_module = module.deepcopy();
  exact_module.to(at::kDouble);
  const absl::StatusOr<c10::IValue> result = RunExample(module, call);
  if (!result.ok()) {
    // ATen has no antialiased resizes of float16 on a CPU.
    EXPECT_THAT(code.body, HasSubstr("2d_aa("));
    return;
  }
  const std::vector<at::Tensor> expected = TensorsOf(*result);
  const std::vector<at::Tensor> exact = TensorsOf(exact_module.forward(exact_inputs));
  std::vector<std::string> names;
  for (const ConvertedPort& port : converted->outputs) names.push_back(port.name);
  const absl::StatusOr<std::vector<at::Tensor>> outputs = file->Run(given, names);
  ASSERT_OK(outputs.status());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ((*outputs)[i].sizes(), expected[i].sizes());
    const at::Tensor wanted = expected[i].to(at::kDouble), right = exact[i].to(at::kDouble);
    const double noise = (wanted - right).abs().max().item<double>(), largest = right.abs().max().item<double>();
    const double difference = ((*outputs)[i].to(at::kDouble) - wanted).abs().max().item<double>();
    EXPECT_LE(difference, 4 * noise + 16 * Epsilon(at::kHalf) * largest);
  }
}

TEST(ConvertTest, EachLineComputesTheSameInFloat16) {
  for (const char* const line : kLines) ExpectSameInFloat16({line, {"B,4,H,W", "B,4,H,W"}});
}

// Numbers that float16 cannot hold, as those of sizes may be, are those of float32 in LibTorch, too.
TEST(ConvertTest, NumbersBesideFloat16AreWhatTheyAre) {
  for (const char* const line :
       {"return x * 70000.0", "return (x + 60000.0) / 100000.0", "return x * 1e-8 * 1e8",
        "return x / (x.shape[2] * x.shape[3] * 1000)", "return x * (x.shape[2] * 1000 * x.shape[3]) / 1e6"}) {
    ExpectSameInFloat16({line, {"B,4,H,W"}});
  }
}

TEST(ConvertTest, SumsOfManyNumbersAreInFloat32) {
  const Code code{"return torch.softmax(x, 1) * x.mean()"};
  torch::jit::Module module = MakeModule(code);
  module.to(at::kHalf);
  ASSERT_OK_AND_ASSIGN(const ConvertedModel converted, Convert(module, MakeEntryPoint(code)));
  std::vector<std::string> operations;
  for (const auto& node : converted.model.graph.node()) operations.push_back(node.op_type());
  // Of the input, for softmax and the mean; of both results, and of the output.
  EXPECT_EQ(std::count(operations.begin(), operations.end(), "Cast"), 5) << absl::StrJoin(operations, " ");
}

TEST(ConvertTest, EachRowHasALine) {
  std::set<std::string> called;
  for (const char* const line : kLines) {
    const torch::jit::Module module = MakeModule({line, {"B,4,H,W", "B,4,H,W"}});
    const auto graph = module.get_method("forward").graph();
    ForEachNode(*graph->block(), [&](const torch::jit::Node& node) { called.insert(node.kind().toQualString()); });
  }
  for (const absl::Span<const Row> rows : {ElementwiseRows(), ShapeRows(), LayerRows()}) {
    for (const Row& row : rows) {
      const std::string name(row.name);
      EXPECT_TRUE(called.count(name) > 0 || called.count(name + "_") > 0) << name << " is in no line above";
    }
  }
}

absl::Status Refused(const std::string& body) {
  const Code code{body, {"B,4,H,W", "B,4,H,W"}};
  return Convert(MakeModule(code), MakeEntryPoint(code)).status();
}

TEST(ConvertTest, WhatHasNoFormIsRefusedWithItsLine) {
  EXPECT_THAT(
      Refused("z = x + y\nreturn torch.cumsum(z, 1)"),
      StatusIs(absl::StatusCode::kUnimplemented,
               AllOf(HasSubstr("aten::cumsum has no ONNX form here: add a row to artifact/format/onnx, or write"),
                     HasSubstr("return torch.cumsum(z, 1)"))));
  EXPECT_THAT(Refused("if bool(x.sum() > 0):\n  return x\nreturn y"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("aten::Bool")));
  EXPECT_THAT(Refused("for i in range(x.shape[2]):\n  y = y + x\nreturn y"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("number of steps depends on the input's size")));
  EXPECT_THAT(Refused("return x[y > 0]"), StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("by a mask")));
  EXPECT_THAT(Refused("if x.shape[2] == 14:\n  z = x\nelse:\n  z = x[0]\nreturn z"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("tensors of other kinds")));
}

TEST(ConvertTest, WhatMightBeAnotherResultIsRefused) {
  // A place that is negative at some sizes counts from the end there.
  EXPECT_THAT(Refused("return x[:, :, :x.shape[2] - x.shape[3]]"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("H - W may be negative and count from the end")));
  EXPECT_THAT(Refused("return x[:, :, x.shape[2] - x.shape[3]]"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("may be negative and count from the end")));
  EXPECT_THAT(Refused("return torch.dropout(x, 0.5, True)"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("of a module that is trained")));
  EXPECT_THAT(Refused("l = [1]\nl.extend([2])\nreturn x * len(l)"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("aten::extend has no form here")));
  EXPECT_THAT(Refused("t = torch.zeros(3)\nif x.shape[2] == 14:\n  t += 1.0\nelse:\n  t += 2.0\nreturn x * t.sum()"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("below a condition on sizes")));
  EXPECT_THAT(Refused("return torch.div(x, y, rounding_mode=\"floor\")"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("has a rounding mode")));
  EXPECT_THAT(Refused("l = [1, 2, 3]\nreturn x * len(l[:x.shape[2]])"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("a part of a list that depends")));
  // Where the condition holds, what is written to z is written to x.
  EXPECT_THAT(Refused("if x.shape[2] == 14:\n  z = x\nelse:\n  z = y\nz += 1.0\nreturn z + x"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("a condition on sizes chose")));
  EXPECT_THAT(Refused("l = [x, y]\nreturn l"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("is no output of an ONNX file")));
  EXPECT_THAT(Refused("return torch.norm(x, 1)"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("other than that of squares")));
  EXPECT_THAT(Refused("return torch.norm(x, 2, dtype=6)"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("with a dtype of its own")));
  EXPECT_THAT(Refused("return torch.round(x, decimals=1)"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("to decimals")));
  EXPECT_THAT(Refused("for t in [x, y, x][::-1]:\n  x = x + t\nreturn x"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("from its end to its beginning")));
  EXPECT_THAT(Refused("z = x.clone()\ntorch.add(x, y, out=z)\nreturn z"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("writes into its argument out")));
  EXPECT_THAT(Refused("torch.neg(torch.ones(4, 6), out=self.matrix)\nreturn x"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("writes into its argument out")));
  EXPECT_THAT(Refused("z = x.clone()\nz.transpose_(2, 3)\nreturn z"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("changes the shape of a tensor")));
  EXPECT_THAT(Refused("return torch.scaled_dot_product_attention(x, y, y, x > 0)"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("with a mask of bools")));
  EXPECT_THAT(Refused("return torch.linspace(0, x.shape[2], x.shape[3], dtype=4) + x"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("of integers")));
  EXPECT_THAT(Refused("return x * (x.shape[2] & 1)"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("aten::__and__")));
}

// The next constant often gets the memory of one that is no longer used.
TEST(ConvertTest, ConstantsInTheSameMemoryOneAfterTheOtherAreApart) {
  ExpectSame(
      {"for i in range(8):\n  t = torch.ones(4, 1, 1)\n  t += 1.0\n  x = x * t\nreturn x + y", {"B,4,H,W", "B,4,H,W"}},
      kOpset);
  ExpectSame(
      {"for i in range(8):\n  t = torch.ones(4, 1, 1)\n  t += y.mean()\n  x = x + t\nreturn x", {"B,4,H,W", "B,4,H,W"}},
      kOpset);
}

TEST(ConvertTest, AViewOfATensorThatChangedIsNotRead) {
  EXPECT_THAT(Refused("z = x.clone()\nv = z.permute(0, 1, 3, 2)\nz += 1.0\nreturn v"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("written to through another view")));
  EXPECT_THAT(Refused("z = x.clone()\nv = z.permute(0, 1, 3, 2)\nv += 1.0\nreturn z"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("written to through another view")));
  EXPECT_THAT(Refused("z = x.clone()\nv = z[:, 1:].contiguous()\nv += 1.0\nreturn z"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("written to through another view")));
  EXPECT_THAT(Refused("t = torch.ones(2, 3)\nv = t.t()\nt += x.mean()\nreturn x + v.sum()"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("reads a view of a constant that was written to")));
  // Views of constants.
  EXPECT_THAT(Refused("t = torch.zeros(64)\nv = t[:x.shape[2]]\nv += x.mean() + 1.0\nreturn x + t.sum()"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("or below one")));
  EXPECT_THAT(Refused("t = torch.ones(4, 1, 1)\nv = t.expand_as(x)\nt += 1.0 + y.mean()\nreturn v"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("a constant of which there is a view")));
  EXPECT_THAT(Refused("t = torch.ones(4, 1, 1)\nt.add_(y.mean())\nv = t.expand_as(x)\nt.mul_(2.0)\nreturn v"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("written to through another view")));
  // What a condition chose.
  EXPECT_THAT(
      Refused("z = x.clone()\nif x.shape[2] == 14:\n  v = z[:, :2]\nelse:\n  v = z[:, 2:]\nz += 100.0\nreturn v"),
      StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("written to through another view")));
  EXPECT_THAT(Refused("t = torch.ones(4, 1, 1)\nt.add_(y.mean())\nv = t.permute(1, 0, 2)\nif x.shape[2] == 14:\n  z = "
                      "v\nelse:\n  z = torch.zeros(1, 4, 1)\nt.mul_(2.0)\nreturn z"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("written to through another view")));
  EXPECT_THAT(Refused("t = torch.ones(4, 1, 1)\nz = x + t\nt += 1.0\nreturn z * t"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("a constant that was used before")));
  EXPECT_THAT(Refused("z = self.weight\nz += x.mean()\nreturn z"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("writes into a weight")));
  EXPECT_THAT(Refused("v = self.matrix.t()\nv += 1.0\nreturn x"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("writes into a weight")));
  EXPECT_THAT(Refused("z = x.clone()\nif x.shape[2] == 14:\n  z += 1.0\nelse:\n  z += 2.0\nreturn z"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("or below one")));
}

// The sizes of an input or output, "14*h".
std::vector<std::string> SizesOf(const onnx_file::ValueInfoProto& info) {
  std::vector<std::string> texts;
  for (const auto& size : info.type().tensor_type().shape().dim()) {
    texts.push_back(size.has_dim_param() ? size.dim_param() : absl::StrCat(size.dim_value()));
  }
  return texts;
}

TEST(ConvertTest, AMultipleOfASizeOfAnotherInputIsThat) {
  const Code code{"return torch.avg_pool2d(y, [2, 2], [2, 2], [0, 0]) + x", {"B,4,H,W", "B,4,2 * H,2 * W"}};
  ASSERT_OK_AND_ASSIGN(const ConvertedModel converted, Convert(MakeModule(code), MakeEntryPoint(code)));
  EXPECT_THAT(SizesOf(converted.model.graph.input(1)), testing::ElementsAre("B", "4", "2*H", "2*W"));
  EXPECT_THAT(SizesOf(converted.model.graph.output(0)), testing::ElementsAre("B", "4", "H", "W"));
}

TEST(ConvertTest, SizesAreInTheUnitsOfTheModel) {
  const Code code{
      "assert x.shape[2] % 14 == 0 and x.shape[3] % 14 == 0\n"
      "return torch.conv2d(x, self.weight.repeat(1, 1, 5, 5)[:, :, :14, :14], None, [14, 14]).flatten(2)"};
  ASSERT_OK_AND_ASSIGN(const ConvertedModel converted, Convert(MakeModule(code), MakeEntryPoint(code)));
  EXPECT_THAT(SizesOf(converted.model.graph.input(0)), testing::ElementsAre("B", "4", "14*h", "14*w"));
  EXPECT_THAT(SizesOf(converted.model.graph.output(0)), testing::ElementsAre("B", "4", "h*w"));
  // A convolution and a reshape to a constant shape: no arithmetic on sizes.
  std::vector<std::string> operations;
  for (const auto& node : converted.model.graph.node()) operations.push_back(node.op_type());
  EXPECT_THAT(operations, testing::ElementsAre("Conv", "Reshape"));
}

TEST(ConvertTest, AWeightOfALinearLayerIsStoredAsTheProductTakesIt) {
  const Code code = {"return torch.linear(x.permute(0, 2, 3, 1), self.matrix)"};
  const torch::jit::Module module = MakeModule(code);
  ASSERT_OK_AND_ASSIGN(const ConvertedModel converted, Convert(module, MakeEntryPoint(code), {}, kOpset));
  const Model& model = converted.model;
  ASSERT_THAT(model.constants, testing::ElementsAre("matrix.T"));
  EXPECT_TRUE(model.tensors[0].equal(module.attr("matrix").toTensor().t()));
  std::vector<std::string> operations;
  for (const onnx_file::NodeProto& node : model.graph.node()) operations.push_back(node.op_type());
  EXPECT_THAT(operations, testing::ElementsAre("Transpose", "MatMul"));  // The image alone is transposed.
}

TEST(ConvertTest, WeightsKeepTheirNamesAndEqualCodeGivesEqualBytes) {
  const Code code{"return torch.conv2d(x, self.weight, self.vector)"};
  const torch::jit::Module module = MakeModule(code);
  ASSERT_OK_AND_ASSIGN(const ConvertedModel first, Convert(module, MakeEntryPoint(code)));
  ASSERT_OK_AND_ASSIGN(const ConvertedModel second, Convert(module, MakeEntryPoint(code)));
  EXPECT_THAT(first.model.constants, testing::ElementsAre("weight", "vector"));
  EXPECT_EQ(first.model.graph.SerializeAsString(), second.model.graph.SerializeAsString());
}

}  // namespace
}  // namespace modelport::onnx
