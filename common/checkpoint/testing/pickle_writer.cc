#include "common/checkpoint/testing/pickle_writer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/io/byte_reader.h"

namespace modelport {

std::string Pickled(absl::string_view value) { return absl::StrCat("\x80\x02", value, "."); }

std::string PickleString(absl::string_view text) {
  return absl::StrCat("X", LittleEndian<uint32_t>(text.size()), text);
}

std::string PickleInt(int32_t number) { return absl::StrCat("J", LittleEndian(number)); }

std::string PickleGlobal(absl::string_view module, absl::string_view name) {
  return absl::StrCat("c", module, "\n", name, "\n");
}

std::string PickleTuple(const std::vector<std::string>& items) {
  return absl::StrCat("(", absl::StrJoin(items, ""), "t");
}

std::string PickleInts(const std::vector<int32_t>& numbers) {
  std::vector<std::string> items;
  for (const int32_t number : numbers) items.push_back(PickleInt(number));
  return PickleTuple(items);
}

std::string PickleList(const std::vector<std::string>& items) {
  return absl::StrCat("](", absl::StrJoin(items, ""), "e");
}

std::string PickleDict(const std::vector<std::pair<std::string, std::string>>& entries) {
  return absl::StrCat("}(", absl::StrJoin(entries, "", absl::PairFormatter("")), "u");
}

std::string PickleCall(absl::string_view global, const std::vector<std::string>& args) {
  return absl::StrCat(global, PickleTuple(args), "R");
}

std::string PicklePersistentId(absl::string_view id) { return absl::StrCat(id, "Q"); }

std::string PickleStorage(absl::string_view type, absl::string_view key, int32_t elements) {
  return PicklePersistentId(PickleTuple({PickleString("storage"), PickleGlobal("torch", type), PickleString(key),
                                         PickleString("cpu"), PickleInt(elements)}));
}

std::string PickleTensor(absl::string_view storage, int32_t offset, const std::vector<int32_t>& shape,
                         const std::vector<int32_t>& strides) {
  const std::string requires_grad = "\x89";
  const std::string hooks = PickleCall(PickleGlobal("collections", "OrderedDict"), {});
  return PickleCall(
      PickleGlobal("torch._utils", "_rebuild_tensor_v2"),
      {std::string(storage), PickleInt(offset), PickleInts(shape), PickleInts(strides), requires_grad, hooks});
}

}  // namespace modelport
