// The whole messages that the tools print for mistakes in a plugin and for wrong files.
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/checkpoint/testing/checkpoint_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

constexpr char kPlugin[] = R"yaml(family: tiny
summary: A tiny network
upstream:
  source: https://example.org/tiny
  commit: 0a1b2c3
  licence: Apache-2.0
uses: [layers]
preprocessing:
  mean: [0.5, 0.5, 0.5]
  std: [0.5, 0.5, 0.5]
examples:
  - forward([1, 3, 8, 8])
variants:
  tiny_net:
    summary: two blocks
    module: Tiny(dim=4)
    file: tiny_net.pth
    url: https://example.org/tiny_net.pth
    licence: Apache-2.0
)yaml";

constexpr char kModules[] = R"yaml(modules:
  BasicBlock(dim, down=0):
    parameters:
      gamma: [dim]
    children:
      bn2: Conv2d(dim, dim, kernel=1)
      bn3: {module: "Conv2d(dim, dim, kernel=1)", when: down}
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        x = self.bn2(x)
        return x * self.gamma.reshape(1, -1, 1, 1)
  Tiny(dim):
    children:
      stem: Conv2d(3, dim, kernel=1)
      layer1:
        - BasicBlock(dim)
        - BasicBlock(dim, down=1)
    methods: |
      def forward(self, x: Tensor) -> Tensor:
        return self.layer1(self.stem(x))
functions:
  - |
    def scale(x: Tensor, by: float) -> Tensor:
      return x * by
)yaml";

constexpr char kKeyMap[] = R"yaml(layouts:
  original:
    recognise: [stem.weight]
)yaml";

// A file of the plugin, the mistake in it, and the message.
struct Slip {
  std::string name;
  std::string file;
  std::string right;
  std::string wrong;
  std::string message;
};

std::ostream& operator<<(std::ostream& out, const Slip& slip) { return out << slip.name; }

// Writes `text`, with the mistake `slip` if that is in `file`.
void WritePlugin(const std::string& folder, const std::string& file, const std::string& text, const Slip& slip) {
  std::string written = text;
  if (slip.file == file) {
    ASSERT_NE(text.find(slip.right), std::string::npos) << slip.right;
    written = absl::StrReplaceAll(text, {{slip.right, slip.wrong}});
  }
  std::ofstream(absl::StrCat(folder, "/", file)) << written;
}

// A folder with the plugin below plugins/tiny.
std::string MakeFolder(const Slip& slip) {
  const std::string folder = EmptyFolder("messages");
  EmptyFolder("messages/plugins");
  const std::string plugin = EmptyFolder("messages/plugins/tiny");
  WritePlugin(plugin, "plugin.yaml", kPlugin, slip);
  WritePlugin(plugin, "modules.yaml", kModules, slip);
  WritePlugin(plugin, "keymap.yaml", kKeyMap, slip);
  return folder;
}

class SlipTest : public testing::TestWithParam<Slip> {};

TEST_P(SlipTest, ExportSaysWhatToMend) {
  const std::string folder = MakeFolder(GetParam());
  const ToolResult result =
      RunTool("export", {"--model=tiny_net", "--plugin_path=plugins", "--weights=seeded"}, folder);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, GetParam().message);
  EXPECT_THAT(FileNames(folder), testing::ElementsAre("plugins"));
}

std::string SlipName(const testing::TestParamInfo<Slip>& info) { return info.param.name; }

TEST(MessagesTest, ThePluginWithoutASlipExports) {
  const std::string folder = MakeFolder({});
  const ToolResult result =
      RunTool("export", {"--model=tiny_net", "--plugin_path=plugins", "--weights=seeded"}, folder);
  EXPECT_EQ(result.exit_status, 0) << result.err;
}

constexpr char kCall[] = "x = self.bn2(x)";

// Lines of the method around a slip in its first one.
std::string InForward(const std::string& line, const std::string& mark) {
  return absl::StrCat("  def forward(self, x: Tensor) -> Tensor:\n    ", line, "\n    ", mark,
                      " <--- HERE\n    return x * self.gamma.reshape(1, -1, 1, 1)\n");
}

std::string AtCall(const std::string& cause, const std::string& line, const std::string& mark) {
  return absl::StrCat("INVALID_ARGUMENT: plugins/tiny/modules.yaml:10: BasicBlock does not compile: ", cause, "\n",
                      InForward(line, mark));
}

Slip CallSlip(const std::string& name, const std::string& line, const std::string& mark, const std::string& cause) {
  return {name, "modules.yaml", kCall, line, AtCall(cause, line, mark)};
}

INSTANTIATE_TEST_SUITE_P(
    Text, SlipTest,
    testing::Values(
        CallSlip("FunctionOfF", "x = F.relu(x)", "    ~~~~~~", "F is not available; call torch.relu"),
        CallSlip("FunctionOfTorchNnFunctional", "x = torch.nn.functional.max_pool2d(x, 2)",
                 "    ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~", "torch.nn.functional is not available; call torch.max_pool2d"),
        CallSlip("FunctionOfAnotherName", "x = F.interpolate(x)", "    ~~~~~~~~~~~~~",
                 "F is not available; call torch.upsample_bilinear2d, torch.upsample_bicubic2d or "
                 "torch.upsample_nearest2d"),
        CallSlip("FunctionThatTorchLacks", "x = F.swoosh(x)", "    ~~~~~~~~",
                 "F is not available, and no operator of torch is called swoosh"),
        CallSlip("ClassOfTorchNn", "x = torch.nn.LeakyReLU()(x)", "    ~~~~~~~~~~~~~~~~~~",
                 "torch.nn is not available; write LeakyReLU(...) under `children`, or call torch.leaky_relu"),
        CallSlip("ClassOfNn", "x = nn.BatchNorm2d(4)(x)", "    ~~~~~~~~~~~~~~",
                 "nn is not available; write BatchNorm2d(...) under `children`"),
        CallSlip("FunctionOfTorchLinalg", "x = torch.linalg.norm(x)", "    ~~~~~~~~~~~~~~~~~",
                 "torch.linalg is not available; call torch.linalg_norm"),
        CallSlip("OperatorMisspelt", "x = torch.rellu(x)", "    ~~~~~~~~~~~",
                 "torch.rellu is not available; nearest: torch.relu, torch.celu, torch.elu"),
        CallSlip("MethodOfTensorMisspelt", "x = x.softmx(1)", "    ~~~~~~~~",
                 "a Tensor has no attribute or method softmx; nearest: softmax"),
        CallSlip("FunctionMisspelt", "x = scal(x, 1.0)", "    ~~~~", "undefined name scal; nearest: scale"),
        CallSlip("OperatorWithoutTorch", "x = relu(x)", "    ~~~~", "undefined name relu; call torch.relu"),
        CallSlip("MemberMisspelt", "x = self.bn4(x)", "    ~~~~~~~~", "BasicBlock has no member bn4; nearest: bn2"),
        CallSlip("MemberThatDependsOnWhen", "x = self.bn3(x)", "    ~~~~~~~~",
                 "bn3 exists only where `when: down` holds (plugins/tiny/modules.yaml:7:7); absent in layer1.0: guard "
                 "with hasattr(self, \"bn3\")"),
        CallSlip("MemberOfAMember", "x = self.bn2.wieght * x", "    ~~~~~~~~~~~~~~~",
                 "Conv2d has no member wieght; nearest: weight"),
        CallSlip("TooManyArgumentsOfAModule", "x = self.bn2(x, 3)", "    ~~~~~~~~",
                 "Expected at most 2 arguments but found 3 positional arguments; the signature is "
                 "Conv2d.forward(self, Tensor x) -> Tensor"),
        CallSlip("WrongArgumentOfAFunction", "x = scale(x, factor=2.0)", "    ~~~~~",
                 "Argument by not provided; the signature is scale(Tensor x, float by) -> Tensor"),
        CallSlip("WrongArgumentOfAnOperator", "x = torch.relu(3)", "    ~~~~~~~~~~",
                 "Expected a value of type 'Tensor' for argument 'self' but instead found type 'int'; the signature "
                 "is aten::relu(Tensor self) -> Tensor")),
    SlipName);

INSTANTIATE_TEST_SUITE_P(
    Definitions, SlipTest,
    testing::Values(
        Slip{"MethodTwice", "modules.yaml", "  Tiny(dim):\n",
             "      def forward(self, x: Tensor) -> Tensor:\n        return x\n  Tiny(dim):\n",
             "INVALID_ARGUMENT: plugins/tiny/modules.yaml:12: BasicBlock does not compile: forward is defined "
             "twice; "
             "the first is at plugins/tiny/modules.yaml:9\n"
             "    x = self.bn2(x)\n    return x * self.gamma.reshape(1, -1, 1, 1)\n"
             "  def forward(self, x: Tensor) -> Tensor:\n      ~~~~~~~ <--- HERE\n    return x\n"},
        Slip{"FunctionTwice", "modules.yaml", "functions:\n",
             "functions:\n  - |\n    def scale(x: Tensor) -> Tensor:\n      return x\n",
             "INVALID_ARGUMENT: plugins/tiny/modules.yaml:26: a function does not compile: function scale is "
             "defined "
             "twice; the first is at plugins/tiny/modules.yaml:23\n"
             "  def scale(x: Tensor, by: float) -> Tensor:\n      ~~~~~ <--- HERE\n    return x * by\n"}),
    SlipName);

INSTANTIATE_TEST_SUITE_P(
    Examples, SlipTest,
    testing::Values(
        Slip{"ExampleThatFails", "modules.yaml", kCall, "x = x.reshape(1, 3, 5)",
             "INVALID_ARGUMENT: plugins/tiny/plugin.yaml:12:5: example forward([1, 3, 8, 8]): shape '[1, 3, 5]' is "
             "invalid for input of size 256\n"
             "    File \"plugins/tiny/modules.yaml\", line 20, in forward\n"
             "  def forward(self, x: Tensor) -> Tensor:\n    return self.layer1(self.stem(x))\n"
             "           ~~~~~~~~~~~ <--- HERE\n"
             "    File \"plugins/tiny/modules.yaml\", line 10, in forward\n"
             "  def forward(self, x: Tensor) -> Tensor:\n    x = x.reshape(1, 3, 5)\n"
             "        ~~~~~~~~~ <--- HERE\n    return x * self.gamma.reshape(1, -1, 1, 1)\n"},
        Slip{"ExampleOfAMisspeltMethod", "plugin.yaml", "forward(", "forwards(",
             "INVALID_ARGUMENT: plugins/tiny/plugin.yaml:12:5: example forwards([1, 3, 8, 8]): no method forwards; "
             "nearest: forward\n"},
        Slip{"ExampleWithTooManyArguments", "plugin.yaml", "8, 8])", "8, 8], 2)",
             "INVALID_ARGUMENT: plugins/tiny/plugin.yaml:12:5: example forward([1, 3, 8, 8], 2): forward takes 1 "
             "arguments, given by position\n"},
        Slip{"ExampleWithAWrongArgument", "plugin.yaml", "[1, 3, 8, 8]", "2",
             "INVALID_ARGUMENT: plugins/tiny/plugin.yaml:12:5: example forward(2): forward() Expected a value of type "
             "'Tensor' for argument 'x' but instead found type 'int'.\n"
             "  Position: 1\n  Declaration: forward(Tiny self, Tensor x) -> Tensor\n"},
        Slip{"PythonsWordInAnExample", "plugin.yaml", "8, 8])", "8, 8], False)",
             "INVALID_ARGUMENT: plugins/tiny/plugin.yaml:12:5: column 23 of \"forward([1, 3, 8, 8], False)\": False is "
             "Python syntax: write false\n"}),
    SlipName);

INSTANTIATE_TEST_SUITE_P(
    Yaml, SlipTest,
    testing::Values(
        Slip{"UsesMissing", "plugin.yaml", "uses: [layers]\n", "",
             "INVALID_ARGUMENT: plugins/tiny/modules.yaml:6:12: unknown module type \"Conv2d\"; family layers has it: "
             "add "
             "layers to `uses` in plugin.yaml\n"},
        Slip{"UsesMisspelt", "plugin.yaml", "[layers]", "[layer]",
             "INVALID_ARGUMENT: plugins/tiny/plugin.yaml:7:8: unknown family \"layer\"; nearest: layers\n"},
        Slip{"ExtendsNothing", "plugin.yaml", std::string(kPlugin).substr(0, std::string(kPlugin).find("variants:")),
             "family: tiny\nsummary: A tiny network\nextends: tinny\n",
             "INVALID_ARGUMENT: plugins/tiny/plugin.yaml:3:10: unknown family \"tinny\"; nearest: tiny\n"},
        Slip{"CallInBraces", "modules.yaml", "\"Conv2d(dim, dim, kernel=1)\"", "Conv2d(dim, dim, kernel=1)",
             "INVALID_ARGUMENT: plugins/tiny/modules.yaml:7:21: quote the call \"Conv2d(dim, ...\": in braces and "
             "brackets "
             "a comma ends text without quotes\n"},
        Slip{"PythonsFalseInAField", "plugin.yaml", "    licence: Apache-2.0\n",
             "    licence: Apache-2.0\n    published: False\n",
             "INVALID_ARGUMENT: plugins/tiny/plugin.yaml:20:16: field \"published\" wants true or false, has "
             "\"False\"\n"},
        Slip{"PythonsFalseInACondition", "modules.yaml", "when: down", "when: False",
             "INVALID_ARGUMENT: plugins/tiny/modules.yaml:7:57: column 1 of \"False\": False is Python syntax: write "
             "false\n"},
        Slip{"PythonsNoneInACall", "modules.yaml", "down=1", "down=None",
             "INVALID_ARGUMENT: plugins/tiny/modules.yaml:17:11: column 22 of \"BasicBlock(dim, down=None)\": None is "
             "Python syntax: there is no null, leave the argument out or write 0\n"},
        Slip{"WrongArgumentOfAType", "modules.yaml", "down=1", "downs=1",
             "INVALID_ARGUMENT: plugins/tiny/modules.yaml:17:11: BasicBlock has no argument \"downs\"; nearest: down; "
             "the "
             "signature is BasicBlock(dim, down=0)\n"},
        Slip{"FieldsOfATypeNotIndented", "modules.yaml",
             "    parameters:\n      gamma: [dim]\n    children:\n      bn2",
             "  parameters:\n      gamma: [dim]\n  children:\n      bn2",
             "INVALID_ARGUMENT: plugins/tiny/modules.yaml:8:5: not valid YAML: this is not a field of the map above: "
             "fields start in the same column and have a \":\"\n"},
        Slip{"FieldsOfAVariantNotIndented", "plugin.yaml", "    ", "  ",
             "INVALID_ARGUMENT: plugins/tiny/plugin.yaml:14:3: \"tiny_net\" has no value: write it after the name, or "
             "below it and indented deeper\n"},
        Slip{"FieldTooDeep", "plugin.yaml", "  commit", "   commit",
             "INVALID_ARGUMENT: plugins/tiny/plugin.yaml:5:10: not valid YAML: no field begins here: start it in the "
             "column "
             "of the fields around it, or quote text that has \": \" in it\n"},
        Slip{"TabInTheIndentation", "plugin.yaml", "    summary", "\tsummary",
             "INVALID_ARGUMENT: plugins/tiny/plugin.yaml:15:2: not valid YAML: a tab in the indentation; use spaces\n"},
        Slip{"LineTooDeepInAMethod", "modules.yaml", "        return x * self", "         return x * self",
             "INVALID_ARGUMENT: plugins/tiny/modules.yaml:11: BasicBlock does not compile: expected newline but found "
             "'indent' here\n  def forward(self, x: Tensor) -> Tensor:\n    x = self.bn2(x)\n"
             "     return x * self.gamma.reshape(1, -1, 1, 1)\n"},
        Slip{"MethodsWithoutABlock", "modules.yaml",
             "    methods: |\n      def forward(self, x: Tensor) -> Tensor:\n        x",
             "    methods:\n      def forward(self, x: Tensor) -> Tensor:\n        x",
             "INVALID_ARGUMENT: plugins/tiny/modules.yaml:9:45: not valid YAML: TorchScript must be a block: write "
             "\"|\" "
             "after the name of its field\n"},
        Slip{"FunctionsWithoutAList", "modules.yaml", "functions:\n  - |\n", "functions: |\n",
             "INVALID_ARGUMENT: plugins/tiny/modules.yaml:21:12: field \"functions\" wants a list, has a block of "
             "text\n"},
        Slip{"NoPlaceOfTheWeights", "plugin.yaml", "    url: https://example.org/tiny_net.pth\n", "",
             "INVALID_ARGUMENT: plugins/tiny/plugin.yaml:14:3: variant tiny_net wants url or hub, or published: false "
             "for weights that are not public\n"}),
    SlipName);

struct TensorHeader {
  std::string key;
  std::string shape;
  int bytes;
};

const std::vector<TensorHeader>& Tensors() {
  static const auto* tensors = new std::vector<TensorHeader>{{"stem.weight", "[4, 3, 1, 1]", 48},
                                                             {"stem.bias", "[4]", 16},
                                                             {"layer1.0.gamma", "[4]", 16},
                                                             {"layer1.0.bn2.weight", "[4, 4, 1, 1]", 64},
                                                             {"layer1.0.bn2.bias", "[4]", 16},
                                                             {"layer1.1.gamma", "[4]", 16},
                                                             {"layer1.1.bn2.weight", "[4, 4, 1, 1]", 64},
                                                             {"layer1.1.bn2.bias", "[4]", 16},
                                                             {"layer1.1.bn3.weight", "[4, 4, 1, 1]", 64},
                                                             {"layer1.1.bn3.bias", "[4]", 16}};
  return *tensors;
}

// Writes a checkpoint of `tensors`, which are zeros, each key behind `prefix`.
void WriteCheckpoint(const std::string& folder, const std::vector<TensorHeader>& tensors,
                     const std::string& prefix = "") {
  std::string header;
  int offset = 0;
  for (const TensorHeader& tensor : tensors) {
    absl::StrAppend(&header, header.empty() ? "{" : ", ", "\"", prefix, tensor.key,
                    "\": {\"dtype\": \"F32\", \"shape\": ", tensor.shape, ", \"data_offsets\": [", offset, ", ",
                    offset + tensor.bytes, "]}");
    offset += tensor.bytes;
  }
  std::ofstream(folder + "/tiny.safetensors", std::ios::binary)
      << SafetensorsFile(header + "}", std::string(offset, '\0'));
}

ToolResult Export(const std::string& folder, const std::string& weights) {
  return RunTool("export", {"--model=tiny_net", "--plugin_path=plugins", weights}, folder);
}

// The part of inspect's output that says how the checkpoint fits.
std::string InspectedFit(const std::string& folder) {
  const ToolResult result = RunTool("inspect", {"--checkpoint=tiny.safetensors", "--plugin_path=plugins"}, folder);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  // The answer comes before what the file holds.
  const size_t begin = result.out.find("\nfits ") + 1;
  EXPECT_LT(begin, result.out.find("\nstate dict "));
  return result.out.substr(begin, result.out.find("\n\n", begin) + 1 - begin);
}

TEST(CheckpointMessagesTest, APrefixOfAllKeysIsTaken) {
  const std::string folder = MakeFolder({});
  WriteCheckpoint(folder, Tensors(), "model.");
  const ToolResult result = Export(folder, "--checkpoint=tiny.safetensors");
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, testing::HasSubstr("model"));
}

TEST(CheckpointMessagesTest, BehindAPrefixWhatIsMissingIsNamedAsTheModelNamesIt) {
  const std::string folder = MakeFolder({});
  std::vector<TensorHeader> tensors = Tensors();
  tensors.pop_back();
  WriteCheckpoint(folder, tensors, "model.");
  EXPECT_EQ(
      Export(folder, "--checkpoint=tiny.safetensors").err,
      "FAILED_PRECONDITION: tiny.safetensors: does not fit tiny_net (layout original in dictionary model): 1 of 10 "
      "keys missing\n  missing: layer1.1.bn3.bias [4]\n");
}

TEST(CheckpointMessagesTest, CountersOfBatchNormAreToBeListedAsUnused) {
  const std::string folder = MakeFolder({});
  std::vector<TensorHeader> tensors = Tensors();
  tensors.push_back({"layer1.0.bn2.num_batches_tracked", "[]", 4});
  tensors.push_back({"layer1.1.bn2.num_batches_tracked", "[]", 4});
  WriteCheckpoint(folder, tensors);
  EXPECT_EQ(Export(folder, "--checkpoint=tiny.safetensors").err,
            R"text(FAILED_PRECONDITION: tiny.safetensors: does not fit tiny_net (layout original): 2 unexpected
  unexpected: layer1.0.bn2.num_batches_tracked []
  unexpected: layer1.1.bn2.num_batches_tracked []
  2 unexpected keys are counters of BatchNorm: list them under unused as {key: "{path*}.num_batches_tracked", reason: counts the batches of training}
)text");
}

TEST(CheckpointMessagesTest, RulesThatMatchNothingAreNamed) {
  const std::string folder = MakeFolder({"", "keymap.yaml", "    recognise: [stem.weight]\n",
                                         "    recognise: [stem.weight]\n    prefix: model.\n"
                                         "    missing:\n      - {key: layer1.0.bn2.biass, reason: a slip}\n"
                                         "    unused:\n      - {key: \"model.head.{rest*}\", reason: the head}\n",
                                         ""});
  std::vector<TensorHeader> tensors = Tensors();
  tensors[4] = {"head.weight", "[4]", 16};
  WriteCheckpoint(folder, tensors, "model.");
  EXPECT_EQ(
      Export(folder, "--checkpoint=tiny.safetensors").err,
      R"text(FAILED_PRECONDITION: tiny.safetensors: does not fit tiny_net (layout original): 1 of 10 keys missing, 1 unexpected
  missing: layer1.0.bn2.bias [4]
  unexpected: model.head.weight [4]
  rules of `unused` that match no key: model.head.{rest*} (plugins/tiny/keymap.yaml:8:9); they see keys after `prefix`, `strip` and `renames`
  rules of `missing` that match no parameter or buffer: layer1.0.bn2.biass (plugins/tiny/keymap.yaml:6:9)
)text");
}

TEST(CheckpointMessagesTest, InspectNamesTheNearestModelAndWhatDiffers) {
  const std::string folder = MakeFolder({});
  std::vector<TensorHeader> tensors = Tensors();
  tensors[1] = {"stem.bias", "[3]", 12};
  tensors.push_back({"head.weight", "[4]", 16});
  WriteCheckpoint(folder, tensors);
  EXPECT_EQ(InspectedFit(folder), R"text(fits no model of the catalog
the nearest is tiny_net (layout original): 1 unexpected, 1 of wrong shape
  unexpected: head.weight [4]
  wrong shape: stem.bias wants [4], has [3]
)text");
}

TEST(CheckpointMessagesTest, InspectNamesNoModelThatIsFarAway) {
  const std::string folder = MakeFolder({});
  WriteCheckpoint(folder, {{"a", "[4]", 16}, {"stem.bias", "[4]", 16}});
  EXPECT_EQ(InspectedFit(folder), "fits no model of the catalog\n");
}

// The tensors with other names.
std::vector<TensorHeader> RenamedTensors() {
  std::vector<TensorHeader> tensors = Tensors();
  for (TensorHeader& tensor : tensors) {
    tensor.key = absl::StrReplaceAll(tensor.key, {{"stem", "input.conv"}, {"layer1", "body"}, {"bn", "norm"}});
  }
  return tensors;
}

TEST(CheckpointMessagesTest, InspectNamesTheNearestModelByShapes) {
  const std::string folder = MakeFolder({});
  WriteCheckpoint(folder, RenamedTensors());
  EXPECT_EQ(InspectedFit(folder), R"text(fits no model of the catalog
the nearest is tiny_net by shapes alone: 10 of its 10 slots have a tensor of their shape; the names are of no layout that it knows
  --draft prints rules for a layout of its own, to be checked
)text");
}

TEST(CheckpointMessagesTest, TheDraftOfALayoutExports) {
  const std::string folder = MakeFolder({});
  WriteCheckpoint(folder, RenamedTensors());
  const ToolResult draft =
      RunTool("inspect", {"--checkpoint=tiny.safetensors", "--plugin_path=plugins", "--draft"}, folder);
  EXPECT_EQ(draft.exit_status, 0) << draft.err;
  EXPECT_EQ(draft.out, R"text(# tiny_net from tiny.safetensors
# DRAFT: fills 10 of 10 slots from 10 of 10 keys. Names and shapes suggest it; check every rule.
layouts:
  drafted:
    recognise:
      - "input.conv.weight"
      - "body.{i}.gamma"
    sources:
      - {slot: "stem.{leaf}", key: "input.conv.{leaf}"}
      - {slot: "layer1.{i}.gamma", key: "body.{i}.gamma"}
      - {slot: "layer1.{i}.bn2.{leaf}", key: "body.{i}.norm2.{leaf}"}
      - {slot: "layer1.{i}.bn3.{leaf}", key: "body.{i}.norm3.{leaf}"}
)text");
  EXPECT_EQ(Export(folder, "--checkpoint=tiny.safetensors").exit_status, 1);
  std::ofstream(folder + "/plugins/tiny/keymap.yaml") << draft.out;
  const ToolResult exported = Export(folder, "--checkpoint=tiny.safetensors");
  EXPECT_EQ(exported.exit_status, 0) << exported.err;
}

TEST(CheckpointMessagesTest, ADraftWantsAModelThatIsNear) {
  const std::string folder = MakeFolder({});
  WriteCheckpoint(folder, {{"a", "[7]", 28}});
  const ToolResult draft =
      RunTool("inspect", {"--checkpoint=tiny.safetensors", "--plugin_path=plugins", "--draft"}, folder);
  EXPECT_EQ(draft.exit_status, 1);
  EXPECT_EQ(draft.err,
            "FAILED_PRECONDITION: tiny.safetensors: no model of the catalog has most of its shapes\n"
            "  --model=NAME drafts a layout for that model\n");
}

TEST(CheckpointMessagesTest, ADraftIsALayoutOfItsOwn) {
  const std::string folder = MakeFolder({});
  WriteCheckpoint(folder, Tensors());
  EXPECT_EQ(RunTool("inspect", {"--checkpoint=tiny.safetensors", "--draft", "--layout=original"}, folder).err,
            "INVALID_ARGUMENT: --draft and --layout do not go together: a draft is a layout of its own\n");
}

TEST(CheckpointMessagesTest, VerifyOfAModelOfNoPluginNamesTheFlag) {
  const std::string folder = MakeFolder({"", "plugin.yaml", "  tiny_net:", "  da3_smal:", ""});
  ASSERT_EQ(RunTool("export", {"--model=da3_smal", "--plugin_path=plugins", "--weights=seeded"}, folder).exit_status,
            0);
  EXPECT_EQ(
      RunTool("verify", {"--artifact=da3_smal.pt"}, folder).err,
      "NOT_FOUND: da3_smal.manifest.json: unknown model \"da3_smal\"; nearest: " + ExampleModel("published views") +
          "\n"
          "  --plugin_path=FOLDER adds the plugins that are not built in\n");
}

TEST(CheckpointMessagesTest, WeightsInNoPublicPlaceAreNotCalledAnnounced) {
  const std::string folder =
      MakeFolder({"", "plugin.yaml", "    url: https://example.org/tiny_net.pth\n", "    published: false\n", ""});
  EXPECT_EQ(Export(folder, "--weights=published").err,
            "NOT_FOUND: --weights=published: no checkpoint of tiny_net\n  no ./tiny_net.pth\n"
            "  pass --checkpoint=FILE if you have its weights: the plugin names no place where they are published\n");
}

}  // namespace
}  // namespace modelport
