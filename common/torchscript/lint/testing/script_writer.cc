#include "common/torchscript/lint/testing/script_writer.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "common/checkpoint/testing/zip_writer.h"

namespace modelport {
namespace {

// Two pickles of an object of __torch__.Net: one sets its attributes from a dictionary, one calls __setstate__(5).
constexpr char kNet[] = "\x80\2c__torch__\nNet\n)\x81}(X\x08\0\0\0training\x89ub.";
constexpr char kNetWithState[] = "\x80\2c__torch__\nNet\n)\x81K\5b.";

template <size_t size>
ScriptRecords Records(const char (&data)[size], const std::string& code) {
  return {{"m/data.pkl", std::string(data, size - 1)},
          {"m/code/__torch__.py", code},
          {"m/constants.pkl", "\x80\2)."},
          {"m/.data/version", "3\n"},
          {"m/byteorder", "little"}};
}

}  // namespace

ScriptRecords RecordsWithCode(const std::string& code) { return Records(kNet, code); }

std::string NetClass(const std::string& methods) {
  return absl::StrCat("class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n", methods);
}

std::string NetForward(const std::string& body) {
  return absl::StrCat("  def forward(self: __torch__.Net, x: Tensor) -> Tensor:\n", body);
}

std::string FileThatRuns(const std::string& statements, const std::string& more) {
  const std::string code = NetClass(absl::StrCat(NetForward("    return x\n"),
                                                 "  def __getstate__(self: __torch__.Net) -> int:\n    return 5\n",
                                                 "  def __setstate__(self: __torch__.Net, state: int) -> NoneType:\n",
                                                 statements, "    self.training = False\n    return None\n", more));
  return ZipArchive(Records(kNetWithState, code));
}

}  // namespace modelport
