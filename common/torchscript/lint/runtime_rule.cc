#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/torchscript/lint/rules.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime_obstacles.h"

namespace modelport {
namespace {

struct Cure {
  absl::string_view call;  // The start of RuntimeObstacle::call.
  absl::string_view cure;
};

// Operators that published models use and that old runtimes lack, and how to replace them there.
constexpr Cure kCures[] = {
    {"aten::_upsample_",
     "if F.interpolate without antialiasing calls it, call torch._C._nn.upsample_bilinear2d, upsample_bicubic2d or "
     "upsample_nearest2d; for antialiasing, write it as a matmul with the weights of every pixel"},
    {"aten::amax(", "use torch.max over the dimension, or x.flatten(k).max(k)[0]"},
    {"aten::amin(", "use torch.min over the dimension, or x.flatten(k).min(k)[0]"},
    {"aten::floor_divide(", "write torch.floor(x / y)"},
    {"aten::inverse(", "write the inverse out for the sizes that occur"},
    {"aten::linalg_inv", "write the inverse out for the sizes that occur"},
    {"aten::linalg_vector_norm(", "write torch.sqrt((x * x).sum(dim))"},
    {"aten::maximum(", "use torch.max(x, y)"},
    {"aten::meshgrid(", "call torch.meshgrid without indexing"},
    {"aten::minimum(", "use torch.min(x, y)"},
    {"aten::movedim(", "use permute or transpose"},
    {"aten::new_ones(", "use torch.ones with the tensor's dtype and device"},
    {"aten::outer(", "write x[:, None] * y[None]"},
    {"aten::pad(", "call torch._C._nn.reflection_pad2d, replication_pad2d or torch.constant_pad_nd"},
    {"aten::round(", "write math.floor(x + 0.5), or round halves to even by hand"},
    {"aten::scaled_dot_product_attention(", "write the attention out: matmul, softmax, matmul"},
    {"aten::silu", "write x * torch.sigmoid(x)"},
    {"aten::slice(", "give every bound: x[0:2] for x[:2], x[0:x.size(0) - 1] for x[:-1]"},
    {"aten::tile(", "use repeat"},
    {"aten::unflatten(", "use reshape"},
};

std::string FindCure(const RuntimeObstacle& obstacle, absl::string_view runtime) {
  for (const Cure& cure : kCures) {
    if (absl::StartsWith(obstacle.call, cure.call)) return std::string(cure.cure);
  }
  if (!obstacle.call.empty()) return absl::StrCat("write it with operators that LibTorch ", runtime, " has");
  return absl::StrCat("save the file with LibTorch ", runtime, ", or export it with --runtime=", runtime);
}

}  // namespace

void CheckRuntimeObstacles(const LintSubject& subject, std::vector<Finding>& findings) {
  if (subject.runtime == nullptr) return;
  for (const RuntimeObstacle& obstacle : FindObstacles(*subject.runtime, subject.format, subject.operators)) {
    const std::string message = absl::StrCat(obstacle.call, obstacle.call.empty() ? "" : ": ", obstacle.cause);
    const std::string cure = FindCure(obstacle, subject.runtime->name);
    if (obstacle.places.empty()) findings.push_back({.modules = {""}, .message = message, .cure = cure});
    for (const OperatorCall::Place& place : obstacle.places) {
      findings.push_back({.modules = place.modules, .line = place.line, .message = message, .cure = cure});
    }
  }
}

}  // namespace modelport
