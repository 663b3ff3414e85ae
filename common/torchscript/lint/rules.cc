#include "common/torchscript/lint/rules.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/pickler.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/torchscript/lint/fact.h"
#include "common/torchscript/lint/finding.h"
#include "common/torchscript/lint/operator_kinds.h"
#include "common/torchscript/lint/trace.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using c10::TypeKind;

bool IsCustomClass(const c10::ClassType& type) {
  return type.name() && absl::StartsWith(type.name()->qualifiedName(), "__torch__.torch.classes.");
}

c10::QualifiedName NameOf(const c10::ClassTypePtr& type) { return *type->name(); }

// True if every runtime reads and writes values of this type.
bool IsStorable(const c10::Type& type) {
  switch (type.kind()) {
    case TypeKind::TensorType:
    case TypeKind::IntType:
    case TypeKind::FloatType:
    case TypeKind::BoolType:
    case TypeKind::StringType:
    case TypeKind::DeviceObjType:
    case TypeKind::NoneType:
    case TypeKind::InterfaceType:
      return true;
    case TypeKind::ClassType:
      return !IsCustomClass(type.expectRef<c10::ClassType>());
    case TypeKind::ListType:
    case TypeKind::DictType:
    case TypeKind::TupleType:
    case TypeKind::OptionalType: {
      const auto inner = type.containedTypes();
      return std::all_of(inner.begin(), inner.end(), [](const c10::TypePtr& inner) { return IsStorable(*inner); });
    }
    default:
      return false;
  }
}

// Pickles the attributes of `module` as saving does, and discards the bytes. Tensors and code are left out: both can
// always be saved. Throws the exceptions of LibTorch if an attribute cannot be saved.
void Pickle(const torch::jit::Module& module) {
  std::vector<c10::ClassTypePtr> types;
  torch::jit::Pickler pickler([](const char*, size_t) {}, /*tensor_table=*/nullptr, NameOf, &types,
                              /*get_tensor_id=*/[](const at::Tensor&) { return ""; });
  pickler.protocol();
  pickler.pushIValue(module._ivalue());
  pickler.stop();
}

// Calls `visit` for every attribute of `type` that is not a submodule.
void ForEachAttribute(const c10::ClassType& type,
                      const std::function<void(const std::string& name, const c10::Type& type)>& visit) {
  for (size_t i = 0; i < type.numAttributes(); ++i) {
    const auto owner = type.getAttribute(i)->cast<c10::ClassType>();
    if (owner == nullptr || !owner->is_module()) visit(type.getAttributeName(i), *type.getAttribute(i));
  }
}

bool WritesInput(const Step& step) {
  const std::vector<c10::Argument>& formals = step.node->schema().arguments();
  for (size_t i = 0; i < std::min(formals.size(), step.inputs.size()); ++i) {
    const c10::AliasInfo* alias = formals[i].alias_info();
    if (alias != nullptr && alias->isWrite() && step.inputs[i]->is_input) return true;
  }
  return false;
}

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

bool IsQuantised(const std::string& name) {
  return absl::StartsWith(name, "quantized::") || absl::StartsWith(name, "aten::quantize_per_") ||
         absl::StartsWith(name, "aten::dequantize") || absl::StartsWith(name, "aten::fake_quantize_per_");
}

// The modules of all its calls, each once, in the order of the calls.
std::vector<std::string> ModulesOf(const Operator& op) {
  std::vector<std::string> modules;
  for (const OperatorCall& call : op.calls) {
    for (const OperatorCall::Place& place : call.places) {
      for (const std::string& module : place.modules) {
        if (std::count(modules.begin(), modules.end(), module) == 0) modules.push_back(module);
      }
    }
  }
  return modules;
}

// A finding about all calls of `op`, at the line of the first.
Finding FindingAbout(const Operator& op, absl::string_view what, absl::string_view cure) {
  return {.modules = ModulesOf(op),
          .line = op.calls.front().places.front().line,
          .message = absl::StrCat(op.name, " ", what),
          .cure = std::string(cure)};
}

// Collects the fixed options that have a finding already, since one for each is enough.
class FixedOptionsSeen {
 public:
  // Returns false if an equal option was inserted before.
  bool Insert(const FixedOption& option);

 private:
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen_;
};

// "aten::zeros makes a tensor of float32, the default".
std::string DescribeFixedOption(const FixedOption& option) {
  switch (option.kind) {
    case FixedOption::Kind::kWritten:
      return absl::StrCat(option.call, option.is_device ? " is given the device " : " is given the dtype ",
                          option.value);
    case FixedOption::Kind::kDefault:
      return absl::StrCat(option.call, option.is_device ? " makes a tensor on the device " : " makes a tensor of ",
                          option.value, ", the default");
    case FixedOption::Kind::kConstant:
      return absl::StrCat("a tensor constant of the code ", option.is_device ? "stays on the device " : "stays ",
                          option.value);
    case FixedOption::Kind::kAttribute:
      return absl::StrCat("the tensor in attribute ", option.call, ", which is no buffer, ",
                          option.is_device ? "stays on the device " : "stays ", option.value);
  }
  return "";
}

// The cure: what to write instead of `option`.
std::string CureFixedOption(const FixedOption& option) {
  switch (option.kind) {
    case FixedOption::Kind::kWritten:
      return option.is_device ? "take the device of a tensor, x.device"
                              : "take the dtype of a tensor, x.dtype, or cast back with .to(x.dtype) before that";
    case FixedOption::Kind::kDefault:
      return option.is_device ? "give device=x.device" : "give dtype=x.dtype";
    case FixedOption::Kind::kConstant:
      return "keep it as a buffer or parameter, which torch.jit.freeze does not; hosts convert and move those";
    case FixedOption::Kind::kAttribute:
      return "register it as a buffer, which hosts convert and move with the module";
  }
  return "";
}

bool FixedOptionsSeen::Insert(const FixedOption& option) {
  return seen_.emplace(option.module, option.line.place, option.call, option.value).second;
}

// "aten::linear at net.py:12".
std::string DescribeStep(const Step& step) {
  const std::string place = FindSourceLine(step.node->sourceRange()).place;
  return absl::StrCat(step.name(), place.empty() ? "" : " at ", place);
}

// A finding about `option`, with the option's module, line and cure.
Finding FixedOptionFinding(const FixedOption& option, std::string message) {
  return {
      .modules = {option.module}, .line = option.line, .message = std::move(message), .cure = CureFixedOption(option)};
}

bool TakesModelDtype(const Step& step) {
  const std::vector<Operand> operands = TensorOperands(step);
  return std::any_of(operands.begin(), operands.end(), [](const Operand& operand) {
    return operand.fact->dtype.model && operand.fact->dtype.fixed == nullptr;
  });
}

Finding NoKernel(const Step& step) {
  return {.modules = {step.module},
          .line = FindSourceLine(step.node->sourceRange()),
          .message = absl::StrCat(step.name(), " does not take float16"),
          .cure = "cast to float32 for it and back: y = f(x.to(torch.float32)).to(x.dtype)"};
}

bool IsFloat64(const at::Tensor& tensor) { return tensor.dim() > 0 && tensor.scalar_type() == c10::kDouble; }

// Whether `value` is a float64 tensor, or a list, dictionary or tuple that contains one.
bool HoldsFloat64(const c10::IValue& value) {
  if (value.isModule()) return false;
  const std::vector<at::Tensor> tensors = HeldTensors(value);
  return std::any_of(tensors.begin(), tensors.end(), IsFloat64);
}

// "[n, 8, 37, 37]": n for a size that is computed.
std::string SizesText(const std::vector<FactPtr>& sizes) {
  const auto format = [](std::string* out, const FactPtr& size) {
    const bool is_known = size->value && size->value->isInt();
    absl::StrAppend(out, is_known ? absl::StrCat(size->value->toInt()) : "n");
  };
  return absl::StrCat("[", absl::StrJoin(sizes, ", ", format), "]");
}

constexpr absl::string_view kSizesCure =
    "compute the sizes from x.shape, without int() before torch.jit.trace, which else keeps those of its example "
    "image; "
    "or use torch.jit.script";

Finding FindingAt(const Step& step, std::string message) {
  return {.modules = {step.module},
          .line = FindSourceLine(step.node->sourceRange()),
          .message = std::move(message),
          .cure = std::string(kSizesCure)};
}

}  // namespace

void CheckAttributeTypes(const LintSubject& subject, std::vector<Finding>& findings) {
  for (const auto& module : subject.module.named_modules()) {
    ForEachAttribute(*module.value.type(), [&](const std::string& name, const c10::Type& type) {
      if (IsStorable(type)) return;
      findings.push_back({.modules = {module.name},
                          .message = absl::StrCat("attribute ", name, " is of type ", type.annotation_str(),
                                                  ", which not every host can load or save again"),
                          .cure = "keep its state in tensors, numbers, strings, or lists and dictionaries of them"});
    });
  }
  const absl::Status saved = CatchTorch([&] { Pickle(subject.module); });
  if (saved.ok()) return;
  findings.push_back({.modules = {""},
                      .message = absl::StrCat("the module cannot be saved again: ", saved.message()),
                      .cure = "remove what the message names; converting a .pt to a .cat saves it again"});
}

void CheckInPlaceWrites(const LintSubject& subject, std::vector<Finding>& findings) {
  for (const Step& step : subject.trace.steps) {
    if (!WritesInput(step)) continue;
    findings.push_back(
        {.modules = {step.module},
         .line = FindSourceLine(step.node->sourceRange()),
         .message = absl::StrCat(step.name(), " writes into the input of forward, whose memory is the host's"),
         .cure = "write into a copy, x.clone(), or use the operator that makes a new tensor"});
  }
}

void CheckRuntimeObstacles(const LintSubject& subject, std::vector<Finding>& findings) {
  if (subject.runtime == nullptr) return;
  for (const RuntimeObstacle& obstacle : FindObstacles(*subject.runtime, subject.format, subject.operators)) {
    const std::string message = absl::StrCat(obstacle.call, obstacle.call.empty() ? "" : ": ", obstacle.cause);
    const std::string cure = FindCure(obstacle, subject.runtime->name);
    if (subject.unknown_operators.count(obstacle.call.substr(0, obstacle.call.find('('))) > 0) continue;
    if (obstacle.places.empty()) findings.push_back({.modules = {""}, .message = message, .cure = cure});
    for (const OperatorCall::Place& place : obstacle.places) {
      findings.push_back({.modules = place.modules, .line = place.line, .message = message, .cure = cure});
    }
  }
}

void CheckQuantised(const LintSubject& subject, std::vector<Finding>& findings) {
  for (const Operator& op : subject.operators) {
    if (!IsQuantised(op.name)) continue;
    findings.push_back(
        FindingAbout(op, "computes with integers of 8 bits, for which GPUs and half precision have no kernels",
                     "save the module as it is before it is quantised; the host chooses the precision"));
  }
}

void CheckUnknownOperators(const LintSubject& subject, std::vector<Finding>& findings) {
  for (const Operator& op : subject.operators) {
    if (subject.unknown_operators.count(op.name) == 0) continue;
    findings.push_back(FindingAbout(op, "is not an operator of LibTorch: a library that hosts do not have adds it",
                                    "write it with operators of PyTorch, and save the module again"));
  }
}

void CheckDevices(const LintSubject& subject, std::vector<Finding>& findings) {
  for (const FixedOptionPtr& option : subject.trace.fixed_options) {
    if (!option->is_device || option->kind != FixedOption::Kind::kWritten) continue;
    findings.push_back(
        FixedOptionFinding(*option, absl::StrCat(DescribeFixedOption(*option), ", wherever the host runs the model")));
  }
  FixedOptionsSeen seen;
  for (const Step& step : subject.trace.steps) {
    if (TakesTwoDevices(step.name())) continue;
    const FixedOptionPtr option = FindClash(step, &Fact::device);
    if (option == nullptr || option->kind == FixedOption::Kind::kWritten || !seen.Insert(*option)) continue;
    findings.push_back(FixedOptionFinding(
        *option, absl::StrCat(DescribeFixedOption(*option), "; ", DescribeStep(step),
                              " gets it together with tensors on the device that the host chooses")));
  }
}

void CheckHalf(const LintSubject& subject, std::vector<Finding>& findings) {
  FixedOptionsSeen seen;
  for (const Step& step : subject.trace.steps) {
    if (LacksHalf(step.name()) && TakesModelDtype(step)) findings.push_back(NoKernel(step));
    if (!WantsOneDtype(step.name())) continue;
    const FixedOptionPtr option = FindClash(step, &Fact::dtype);
    if (option == nullptr || !seen.Insert(*option)) continue;
    findings.push_back(FixedOptionFinding(
        *option, absl::StrCat(DescribeFixedOption(*option), "; ", DescribeStep(step),
                              " refuses it together with tensors of the precision that the host chooses")));
  }
}

void CheckFloat64(const LintSubject& subject, std::vector<Finding>& findings) {
  for (const auto& module : subject.module.named_modules()) {
    for (const auto& attribute : module.value.named_attributes(/*recurse=*/false)) {
      if (!HoldsFloat64(attribute.value)) continue;
      findings.push_back({.modules = {module.name},
                          .message = absl::StrCat(attribute.value.isTensor() ? "the tensor " : "a tensor in ",
                                                  attribute.name, " is float64"),
                          .cure = "convert it to float32 before saving"});
    }
  }
  for (const FixedOptionPtr& option : subject.trace.fixed_options) {
    if (option->value != "float64" || option->kind == FixedOption::Kind::kAttribute) continue;
    findings.push_back(FixedOptionFinding(*option, DescribeFixedOption(*option)));
    if (option->kind != FixedOption::Kind::kConstant)
      findings.back().cure = "use float32, or the dtype of a tensor, x.dtype";
  }
}

void CheckFixedSizes(const LintSubject& subject, std::vector<Finding>& findings) {
  // A model that works at a size of its own, and gives results of the image's size, resizes on purpose.
  const bool result_follows = subject.trace.result->extents.rest == Extent::kImage;
  for (const Step& step : subject.trace.steps) {
    if (FixesShape(step)) {
      findings.push_back(FindingAt(step, absl::StrCat(step.name(), " gives what is made of the image the fixed sizes ",
                                                      SizesText(step.sizes), ", so images of other sizes fail")));
    } else if (FixesResize(step) && !result_follows) {
      findings.push_back(FindingAt(
          step, absl::StrCat(step.name(), " resizes to ", SizesText(step.sizes), ", whatever size the image has")));
    } else if (AddsTable(step)) {
      findings.push_back(FindingAt(step, absl::StrCat(step.name(),
                                                      " combines what is made of the image with a table of "
                                                      "fixed sizes, so images of other sizes fail")));
    }
  }
}

}  // namespace modelport
