#include "common/checkpoint/numpy_array.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/checkpoint/pickle/python_objects.h"

namespace modelport {
namespace {

using pickle::Value;

// NumPy's own limit is 64.
constexpr size_t kMaxRank = 64;

// The call of `name` in a module of NumPy, whose path differs from release to release; null for any other value.
const pickle::Object* CallOf(const Value& value, absl::string_view name) {
  const auto* const object = value.As<pickle::Object>();
  const auto* const function = object == nullptr ? nullptr : object->callable->As<pickle::Global>();
  if (function == nullptr || function->name != name) return nullptr;
  return function->module == "numpy" || absl::StartsWith(function->module, "numpy.") ? object : nullptr;
}

// The state that the pickle gives an object, which is a tuple; null if it gives none.
const std::vector<const Value*>* StateOf(const pickle::Object& object) {
  if (object.given == nullptr) return nullptr;
  for (const Value* const given : object.given->As<pickle::List>()->items) {
    if (const auto* const tuple = given->As<pickle::Tuple>()) return &tuple->items;
  }
  return nullptr;
}

absl::string_view TextOf(const Value* value) {
  const auto* const text = value == nullptr ? nullptr : value->As<pickle::String>();
  return text == nullptr ? "" : text->text;
}

absl::optional<DType> ReadDType(const Value& value) {
  constexpr std::pair<absl::string_view, DType> kDTypes[] = {
      {"f8", DType::kFloat64},   {"f4", DType::kFloat32},    {"f2", DType::kFloat16}, {"i8", DType::kInt64},
      {"i4", DType::kInt32},     {"i2", DType::kInt16},      {"i1", DType::kInt8},    {"u1", DType::kUInt8},
      {"b1", DType::kBool},      {"u2", DType::kUInt16},     {"u4", DType::kUInt32},  {"u8", DType::kUInt64},
      {"c8", DType::kComplex64}, {"c16", DType::kComplex128}};
  const pickle::Object* const call = CallOf(value, "dtype");
  if (call == nullptr) return absl::nullopt;
  // (version, byte order, ...).
  const std::vector<const Value*>* const state = StateOf(*call);
  if (state != nullptr && state->size() > 1 && TextOf((*state)[1]) == ">") return absl::nullopt;
  const absl::string_view code = TextOf(pickle::Argument(*call, 0));
  for (const auto& [name, dtype] : kDTypes) {
    if (name == code) return dtype;
  }
  return absl::nullopt;
}

absl::optional<NumpyArray> MakeArray(const Value& dtype, const Value& shape, bool is_column_major, const Value& bytes) {
  const absl::optional<DType> element = ReadDType(dtype);
  absl::optional<Shape> sides = pickle::Ints(shape, kMaxRank);
  if (!element || !sides || !BytesOfArray(bytes)) return absl::nullopt;
  return NumpyArray{*element, *std::move(sides), is_column_major, &bytes};
}

}  // namespace

absl::optional<NumpyArray> AsNumpyArray(const Value& value) {
  // _frombuffer(bytes, dtype, shape, order), of protocol 5.
  if (const pickle::Object* const call = CallOf(value, "_frombuffer")) {
    const std::vector<const Value*>& args = call->args->As<pickle::Tuple>()->items;
    if (args.size() != 4) return absl::nullopt;
    return MakeArray(*args[1], *args[2], TextOf(args[3]) == "F", *args[0]);
  }
  // _reconstruct(class, ...), which is then given (version, shape, dtype, is_column_major, bytes).
  const pickle::Object* const call = CallOf(value, "_reconstruct");
  const std::vector<const Value*>* const state = call == nullptr ? nullptr : StateOf(*call);
  if (state == nullptr || state->size() != 5) return absl::nullopt;
  const bool* const is_column_major = (*state)[3]->As<bool>();
  return MakeArray(*(*state)[2], *(*state)[1], is_column_major != nullptr && *is_column_major, *(*state)[4]);
}

absl::optional<StoredBytes> BytesOfArray(const Value& value) {
  if (const auto* const bytes = value.As<pickle::Bytes>()) return StoredBytes{bytes->bytes, /*is_text=*/false};
  const auto* const call = value.As<pickle::Object>();
  if (call == nullptr || !pickle::IsGlobal(*call->callable, "_codecs", "encode")) return absl::nullopt;
  const Value* const text = pickle::Argument(*call, 0);
  if (text == nullptr || text->As<pickle::String>() == nullptr || TextOf(pickle::Argument(*call, 1)) != "latin1") {
    return absl::nullopt;
  }
  return StoredBytes{TextOf(text), /*is_text=*/true};
}

absl::StatusOr<std::string> DecodeText(absl::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char first = text[i];
    if (first < 0x80) {
      bytes += static_cast<char>(first);
      continue;
    }
    const bool is_pair = (first == 0xc2 || first == 0xc3) && i + 1 < text.size() && (text[i + 1] & 0xc0) == 0x80;
    if (!is_pair) {
      return absl::DataLossError(
          absl::StrCat("its bytes are a text, and the one at ", i, " is of no character up to 255"));
    }
    bytes += static_cast<char>(((first & 0x03) << 6) | (text[++i] & 0x3f));
  }
  return bytes;
}

std::vector<int64_t> ColumnMajorStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

}  // namespace modelport
