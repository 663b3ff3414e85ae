#include "common/checkpoint/torch_tensor.h"

#include <deque>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/checkpoint/pickle/budget.h"
#include "common/checkpoint/pickle/machine.h"
#include "common/checkpoint/testing/pickle_writer.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Utils(const std::string& name) { return PickleGlobal("torch._utils", name); }
std::string Float(int elements) { return PickleStorage("FloatStorage", "0", elements); }
std::string Plain() { return PickleTensor(Float(6), 1, {2}, {3}); }

// Reads the tensor that `value` pickles. NotFound if it pickles something else.
absl::StatusOr<TorchTensor> Parse(const std::string& value) {
  // The storage's key is borrowed from here.
  static std::deque<std::string>& pickles = *new std::deque<std::string>();
  pickles.push_back(Pickled(value));
  Budget budget(pickles.back().size());
  const absl::StatusOr<pickle::Pickle> pickle = pickle::ReadPickle(pickles.back(), budget);
  if (!pickle.ok()) return pickle.status();
  const absl::optional<TensorCall> call = AsTensor(*pickle->root);
  if (!call) return absl::NotFoundError("no tensor");
  return ParseTensor(*call);
}

TEST(TorchTensorTest, ReadsEveryVersionOfTheCall) {
  const std::vector<std::string> args = {Float(6), PickleInt(1), PickleInts({2}), PickleInts({3})};
  const std::string v3 =
      PickleCall(Utils("_rebuild_tensor_v3"), {PickleStorage("UntypedStorage", "0", 24), PickleInt(1), PickleInts({2}),
                                               PickleInts({3}), "\x89", "N", PickleGlobal("torch", "float32")});
  for (const std::string& value : {PickleCall(Utils("_rebuild_tensor"), args), Plain(), v3}) {
    ASSERT_OK_AND_ASSIGN(const TorchTensor tensor, Parse(value));
    EXPECT_EQ(tensor.dtype, DType::kFloat32);
    EXPECT_EQ(tensor.offset, 1);
    EXPECT_THAT(tensor.shape, ElementsAre(2));
    EXPECT_THAT(tensor.strides, ElementsAre(3));
    EXPECT_EQ(tensor.storage.key, "0");
  }
}

TEST(TorchTensorTest, UnwrapsParametersAndSubclasses) {
  const std::string parameter = PickleCall(Utils("_rebuild_parameter"), {Plain(), "\x88", "N"});
  const std::string with_state = PickleCall(Utils("_rebuild_parameter_with_state"), {Plain(), "\x88", "N", "}"});
  const std::string old_parameter = PickleCall(PickleGlobal("torch.nn.parameter", "Parameter"), {Plain()});
  const std::string subclass = PickleCall(
      PickleGlobal("torch._tensor", "_rebuild_from_type_v2"),
      {Utils("_rebuild_parameter"), PickleGlobal("nets", "Weight"), PickleTuple({Plain(), "\x88", "N"}), "}"});
  for (const std::string& value : {parameter, with_state, old_parameter, subclass}) {
    ASSERT_OK_AND_ASSIGN(const TorchTensor tensor, Parse(value));
    EXPECT_THAT(tensor.shape, ElementsAre(2));
  }
}

// How many values `value`, a tensor, carries from which further tensors might be reached.
size_t CountAttachments(const std::string& value) {
  const std::string bytes = Pickled(value);
  Budget budget(bytes.size());
  const absl::StatusOr<pickle::Pickle> pickle = pickle::ReadPickle(bytes, budget);
  EXPECT_OK(pickle);
  return Attachments(*pickle->root).size();
}

// A DTensor of `shape`, whose local tensor is Plain() and which is placed as `placement` says.
std::string Distributed(const std::vector<int32_t>& shape, const std::string& placement) {
  const std::string type = PickleGlobal("torch.distributed.tensor", "DTensor");
  const std::string placed = PickleCall(PickleGlobal("torch.distributed.tensor.placement_types", placement), {});
  const std::string spec = PickleCall(PickleGlobal("torch.distributed.tensor._dtensor_spec", "DTensorSpec"), {}) +
                           PickleDict({{PickleString("placements"), PickleTuple({placed})}}) + "b";
  const std::string state = PickleDict({{PickleString("_local_tensor"), Plain()}, {PickleString("_spec"), spec}});
  return PickleCall(
      PickleGlobal("torch._tensor", "_rebuild_from_type_v2"),
      {Utils("_rebuild_wrapper_subclass"), type,
       PickleTuple({type, PickleGlobal("torch", "float32"), PickleInts(shape)}), PickleTuple({"N", state})});
}

TEST(TorchTensorTest, ADTensorWhosePartIsTheWholeIsATensor) {
  ASSERT_OK_AND_ASSIGN(const TorchTensor plain, Parse(Plain()));
  const std::vector<int32_t> whole(plain.shape.begin(), plain.shape.end());
  for (const char* placement : {"Replicate", "Shard"}) {
    ASSERT_OK_AND_ASSIGN(const TorchTensor tensor, Parse(Distributed(whole, placement)));
    EXPECT_EQ(tensor.shape, plain.shape);
    EXPECT_EQ(CountAttachments(Distributed(whole, placement)), 0);
  }
  std::vector<int32_t> larger = whole;
  larger[0] *= 2;
  EXPECT_THAT(Parse(Distributed(larger, "Shard")), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("DTensor")));
  EXPECT_THAT(Parse(Distributed(whole, "Partial")), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("DTensor")));
}

TEST(TorchTensorTest, AttachmentsAreHooksAndAttributes) {
  const std::string hooks = PickleCall(PickleGlobal("collections", "OrderedDict"), {});
  const std::string state = PickleDict({{PickleString("scale"), Plain()}});
  const std::string parameter = PickleCall(Utils("_rebuild_parameter"), {Plain(), "\x88", hooks});
  for (const std::string& plain : {Plain(), parameter}) EXPECT_EQ(CountAttachments(plain), 0);

  const std::string with_state = PickleCall(Utils("_rebuild_parameter_with_state"), {Plain(), "\x88", hooks, state});
  const std::string subclass = PickleCall(
      PickleGlobal("torch._tensor", "_rebuild_from_type_v2"),
      {Utils("_rebuild_parameter"), PickleGlobal("nets", "Weight"), PickleTuple({Plain(), "\x88", hooks}), state});
  const std::string with_hooks = PickleCall(Utils("_rebuild_tensor_v2"),
                                            {Float(6), PickleInt(0), PickleInts({2}), PickleInts({1}), "\x89", state});
  const std::string inner = PickleCall(Utils("_rebuild_parameter"), {Plain() + state + "b", "\x88", hooks});
  const std::string key = Plain() + Plain() + "Ns";
  for (const std::string& value : {with_state, subclass, with_hooks, Plain() + state + "b", inner, key}) {
    EXPECT_EQ(CountAttachments(value), 1);
  }
}

TEST(TorchTensorTest, StorageClassGivesTheDType) {
  struct Case {
    std::string storage_class;
    DType dtype;
  };
  const Case cases[] = {
      {"DoubleStorage", DType::kFloat64}, {"HalfStorage", DType::kFloat16}, {"BFloat16Storage", DType::kBFloat16},
      {"LongStorage", DType::kInt64},     {"IntStorage", DType::kInt32},    {"ShortStorage", DType::kInt16},
      {"CharStorage", DType::kInt8},      {"ByteStorage", DType::kUInt8},   {"BoolStorage", DType::kBool},
  };
  for (const Case& c : cases) {
    ASSERT_OK_AND_ASSIGN(const TorchTensor tensor,
                         Parse(PickleTensor(PickleStorage(c.storage_class, "0", 1), 0, {}, {})));
    EXPECT_EQ(tensor.dtype, c.dtype);
  }
}

TEST(TorchTensorTest, EmptyMetadataMarksNothing) {
  const std::string one = PickleInts({1});
  for (const std::string& metadata : {std::string("N"), std::string(")"), std::string("]"), std::string("}")}) {
    EXPECT_OK(
        Parse(PickleCall(Utils("_rebuild_tensor_v2"), {Float(1), PickleInt(0), one, one, "\x89", "N", metadata})));
  }
}

TEST(TorchTensorTest, OffsetCountsFromTheWholeStorage) {
  const std::string view = PickleTuple({PickleString("9"), PickleInt(4), PickleInt(2)});
  const std::string storage =
      PicklePersistentId(PickleTuple({PickleString("storage"), PickleGlobal("torch", "FloatStorage"), PickleString("0"),
                                      PickleString("cpu"), PickleInt(6), view}));
  ASSERT_OK_AND_ASSIGN(const TorchTensor tensor, Parse(PickleTensor(storage, 1, {1}, {1})));
  EXPECT_EQ(tensor.offset, 5);
}

TEST(TorchTensorTest, OtherValuesAreNoTensors) {
  for (const std::string& value :
       {std::string("N"), Float(1), PickleCall(PickleGlobal("os", "system"), {PickleString("ls")}),
        PickleCall(PickleGlobal("mine", "_rebuild_tensor_v2"), {})}) {
    EXPECT_THAT(Parse(value), StatusIs(absl::StatusCode::kNotFound, "no tensor"));
  }
}

TEST(TorchTensorTest, RefusesUnsupportedTensors) {
  struct Case {
    std::string value;
    absl::StatusCode code;
    std::string message;
  };
  constexpr absl::StatusCode kDataLoss = absl::StatusCode::kDataLoss;
  constexpr absl::StatusCode kUnimplemented = absl::StatusCode::kUnimplemented;
  const std::string rebuild = Utils("_rebuild_tensor_v2");
  const std::string one = PickleInts({1});
  const std::string namespace_object = PickleCall(PickleGlobal("argparse", "Namespace"), {});
  std::string wrapped = Plain();
  for (int i = 0; i < 20; ++i) wrapped = PickleCall(Utils("_rebuild_parameter"), {wrapped, "\x88", "N"});
  const Case cases[] = {
      {PickleCall(rebuild, {}), kDataLoss, "wants a storage, offset, size and stride"},
      {PickleCall(rebuild, {"N", "K\1", one, one}), kDataLoss, "wants a storage"},
      {PickleCall(rebuild, {namespace_object, "K\1", one, one}), kDataLoss, "wants a storage"},
      {PickleCall(rebuild, {Float(1), "N", one, one}), kDataLoss, "wants a storage"},
      {PickleCall(rebuild, {Float(1), "K\1", PickleTuple({"N"}), one}), kDataLoss, "wants a storage"},
      {PickleCall(rebuild, {Float(1), "K\1", one, PickleInts(std::vector<int32_t>(65, 1))}), kDataLoss,
       "wants a storage"},
      {PickleCall(rebuild, {PickleCall(PickleGlobal("torch.storage", "_load_from_bytes"), {one}), "K\1", one, one}),
       kUnimplemented, "a tensor within a pickle, as pickle.dump writes it"},
      {PickleTensor(PicklePersistentId("N"), 0, {1}, {1}), kDataLoss, "storage: wants a class, key, location and size"},
      {PickleTensor(Float(-1), 0, {1}, {1}), kDataLoss, "storage: wants a class"},
      {PickleTensor(PickleStorage("FloatStorage", std::string(101, '1'), 1), 0, {1}, {1}), kDataLoss, "storage: wants"},
      {PickleTensor(PickleStorage("TypedStorage", "0", 1), 0, {1}, {1}), kUnimplemented,
       "a tensor of the unknown storage class torch.TypedStorage"},
      {PickleTensor(PickleStorage("QInt8Storage", "0", 1), 0, {1}, {1}), kUnimplemented, "a tensor of dtype qint8"},
      {PickleCall(Utils("_rebuild_tensor_v3"),
                  {Float(1), PickleInt(0), one, one, "\x89", "N", PickleGlobal("torch", "float4_e2m1fn_x2")}),
       kUnimplemented, "a tensor of dtype torch.float4_e2m1fn_x2"},
      {PickleCall(Utils("_rebuild_tensor_v3"), {Float(1), PickleInt(0), one, one}), kDataLoss, "wants a dtype"},
      {PickleCall(rebuild,
                  {Float(1), PickleInt(0), one, one, "\x89", "N", PickleDict({{PickleString("neg"), "\x88"}})}),
       kUnimplemented, "negated or conjugated"},
      {PickleCall(Utils("_rebuild_sparse_tensor"), {}), kUnimplemented, "a sparse tensor"},
      {PickleCall(Utils("_rebuild_qtensor"), {}), kUnimplemented, "a quantised tensor"},
      {PickleCall(Utils("_rebuild_meta_tensor_no_storage"), {}), kUnimplemented, "a meta tensor"},
      {PickleCall(Utils("_rebuild_new_tensor"), {}), kUnimplemented, "made by torch._utils._rebuild_new_tensor"},
      {PickleCall(Utils("_rebuild_parameter"), {}), kUnimplemented, "made by torch._utils._rebuild_parameter"},
      {PickleCall(Utils("_rebuild_parameter"), {namespace_object}), kUnimplemented, "made by argparse.Namespace"},
      {wrapped, kUnimplemented, "made by torch._utils._rebuild_parameter"},
  };
  for (const Case& c : cases) EXPECT_THAT(Parse(c.value), StatusIs(c.code, HasSubstr(c.message)));
}

// A pickle of one reference, whose tuple has `items`.
class Reference {
 public:
  explicit Reference(const std::vector<std::string>& items) : bytes_(Pickled(PicklePersistentId(PickleTuple(items)))) {
    Budget budget(bytes_.size());
    pickle_ = *pickle::ReadPickle(bytes_, budget);
  }

  const pickle::PersistentId& id() const { return *pickle_.persistent_ids.front(); }

 private:
  std::string bytes_;
  pickle::Pickle pickle_;
};

std::vector<std::string> Items(const std::string& type = "FloatStorage", const std::string& key = "7",
                               int32_t elements = 6) {
  return {PickleString("storage"), PickleGlobal("torch", type), PickleString(key), PickleString("cpu"),
          PickleInt(elements)};
}

std::vector<std::string> With(std::string item, std::vector<std::string> items = Items()) {
  items.push_back(std::move(item));
  return items;
}

TEST(TorchStorageTest, ReadsTheReference) {
  const Reference reference(Items());
  EXPECT_TRUE(IsStorage(reference.id()));
  EXPECT_EQ(StorageKey(reference.id()), "7");
  ASSERT_OK_AND_ASSIGN(const TorchStorage storage, ParseStorage(reference.id()));
  EXPECT_EQ(storage.key, "7");
  EXPECT_EQ(storage.elements, 6);
  EXPECT_EQ(storage.view_offset, 0);
  EXPECT_EQ(storage.type->dtype, DType::kFloat32);
  EXPECT_EQ(storage.type->byte_size, 4);
}

TEST(TorchStorageTest, ALegacyViewHasAnOffset) {
  const std::string view = PickleTuple({PickleString("8"), PickleInt(2), PickleInt(4)});
  const Reference reference(With(view));
  ASSERT_OK_AND_ASSIGN(const TorchStorage storage, ParseStorage(reference.id()));
  EXPECT_EQ(storage.view_offset, 2);
}

TEST(TorchStorageTest, AnUnsupportedDTypeHasASizeAllTheSame) {
  const Reference reference(Items("QInt32Storage"));
  ASSERT_OK_AND_ASSIGN(const TorchStorage storage, ParseStorage(reference.id()));
  EXPECT_EQ(storage.type->dtype, absl::nullopt);
  EXPECT_EQ(storage.type->byte_size, 4);
}

TEST(TorchStorageTest, OtherReferencesAreNoStorages) {
  const Reference module({PickleString("module"), PickleGlobal("nets", "Net"), PickleString("net.py")});
  EXPECT_FALSE(IsStorage(module.id()));
  EXPECT_EQ(StorageKey(module.id()), absl::nullopt);
  EXPECT_THAT(ParseStorage(module.id()), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("storage: wants a class")));
}

TEST(TorchStorageTest, AnUnknownClassIsUnsupportedAndHasAKey) {
  const Reference reference(Items("FancyStorage"));
  EXPECT_EQ(StorageKey(reference.id()), "7");
  EXPECT_THAT(ParseStorage(reference.id()), StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("FancyStorage")));
}

TEST(TorchStorageTest, RefusesMalformedReferences) {
  std::vector<std::string> without_size = Items();
  without_size.pop_back();
  const std::string offset_too_large = PickleTuple({PickleString("8"), PickleInt(7), PickleInt(4)});
  for (const std::vector<std::string>& items :
       {without_size, Items("FloatStorage", "7", -1), Items("FloatStorage", std::string(101, 'x')),
        With(offset_too_large), With(PickleInt(2))}) {
    const Reference reference(items);
    EXPECT_THAT(ParseStorage(reference.id()), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("wants a")));
  }
}

TEST(TorchTensorTest, TheTensorOfOneProcessIsNamed) {
  const std::string type = PickleGlobal("torch.distributed.tensor", "DTensor");
  const std::string value = PickleCall(PickleGlobal("torch._tensor", "_rebuild_from_type_v2"),
                                       {Utils("_rebuild_wrapper_subclass"), type, PickleTuple({type, "N"}),
                                        PickleDict({{PickleString("_local_tensor"), Plain()}})});
  EXPECT_THAT(Parse(value), StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr("holds a tensor of class torch.distributed.tensor.DTensor: the part")));
}

TEST(ProcessShardsTest, KnowsTheClasses) {
  EXPECT_TRUE(IsShardClass("torch.distributed._shard.sharded_tensor.api.ShardedTensor"));
  EXPECT_TRUE(IsShardClass("torch.distributed.tensor.DTensor"));
  EXPECT_TRUE(IsShardClass("DTensor"));
  EXPECT_FALSE(IsShardClass("nets.MyDTensor"));
}

TEST(ProcessShardsTest, KnowsFlatParameters) {
  for (const char* key : {"_flat_param", "flat_param", "encoder._fsdp_wrapped_module._flat_param", "a.flat_param_12"}) {
    EXPECT_TRUE(IsFlatParameter(key)) << key;
  }
  for (const char* key : {"flat_param.weight", "flat_params", "flat_param_x", "inflat_param"}) {
    EXPECT_FALSE(IsFlatParameter(key)) << key;
  }
}

TEST(ProcessShardsTest, SaysHowToSaveTheWhole) {
  EXPECT_THAT(HoldsShards("w, a DTensor"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(StartsWith("holds w, a DTensor: the part of one process, as FSDP saves it"),
                             HasSubstr("full_state_dict=True"))));
}

}  // namespace
}  // namespace modelport
