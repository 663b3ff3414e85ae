// Numbers that depend on the sizes of a model's inputs: what TorchScript computes with ints, floats and bools, while
// only the names of the sizes are known. Integers are kept as sums of products, so that equal ones have equal texts and
// most arithmetic on sizes vanishes: (14 * h) // 14 is h.
#ifndef MODELPORT_ARTIFACT_FORMAT_ONNX_NUMBER_H_
#define MODELPORT_ARTIFACT_FORMAT_ONNX_NUMBER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace modelport::onnx {

enum class NumberType { kInt, kFloat, kBool };

// How a number is made of others. The operations that ONNX has, too, are named as there.
enum class NumberOp {
  kConstant,
  kSymbol,    // A size that an input has, at least 1.
  kArgument,  // An integer that is an input.
  kSum,       // An integer: a sum of products of integers.
  kFloorDiv,  // Of integers.
  kMod,
  kMax,
  kMin,
  kAdd,  // Of floats, as those that follow.
  kSub,
  kMul,
  kDiv,
  kPow,
  kSqrt,
  kFloor,
  kCeil,
  kRound,
  kToFloat,  // Of an integer.
  kToInt,    // Of a float, towards zero.
  kEqual,
  kLess,
  kAnd,
  kOr,
  kNot,
  kWhere,
};

class Number;

// A sum of products: the factor of each product of numbers, which are sorted by their texts. The empty product is 1.
using Terms = std::map<std::vector<Number>, int64_t>;

class Number {
 public:
  Number() : Number(int64_t{0}) {}
  explicit Number(int64_t value);
  explicit Number(double value);
  explicit Number(bool value);
  static Number Symbol(std::string name);
  static Number Argument(std::string name);

  NumberType type() const;
  NumberOp op() const;
  const std::vector<Number>& arguments() const;  // Empty for constants, inputs and sums.
  // Equal for equal numbers: "14*h", "1 + h*w", "max(h, 2)".
  const std::string& text() const;

  absl::optional<int64_t> AsInt() const;  // Of a constant integer.
  absl::optional<double> AsFloat() const;
  absl::optional<bool> AsBool() const;
  bool is_constant() const { return op() == NumberOp::kConstant; }

  // An integer's terms; one term unless it is a sum.
  Terms terms() const;

  friend bool operator==(const Number& a, const Number& b) { return a.text() == b.text(); }
  friend bool operator<(const Number& a, const Number& b) { return a.text() < b.text(); }

  // The number of this operation, not kSum, and arguments, as they are: the functions below simplify.
  static Number Of(NumberOp op, std::vector<Number> arguments);
  static Number OfTerms(const Terms& terms);

 private:
  struct Node;
  explicit Number(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

  std::shared_ptr<const Node> node_;
};

// Arithmetic as Python's on ints and floats; a number of each kind gives a float.
Number operator+(const Number& a, const Number& b);
Number operator-(const Number& a, const Number& b);
Number operator*(const Number& a, const Number& b);
Number operator-(const Number& a);
Number TrueDiv(const Number& a, const Number& b);
Number FloorDiv(const Number& a, const Number& b);

// How many numbers range(start, end, step) of Python has, where that is not negative. `step` is not 0.
Number StepsOf(const Number& start, const Number& end, int64_t step);
Number Mod(const Number& a, const Number& b);
Number Max(const Number& a, const Number& b);
Number Min(const Number& a, const Number& b);
Number Equal(const Number& a, const Number& b);
Number Less(const Number& a, const Number& b);
Number Not(const Number& a);
Number And(const Number& a, const Number& b);
Number Or(const Number& a, const Number& b);
Number Where(const Number& condition, const Number& a, const Number& b);
Number ToFloat(const Number& a);

// The whole number k for which a is k * b, if one is known.
absl::optional<int64_t> Multiple(const Number& a, const Number& b);

// The least value that the integer can have, if that is known.
absl::optional<int64_t> LowerBound(const Number& number);

// What is known of numbers: H is 14 * h, B is 1, max(h, 2) is 37.
class Facts {
 public:
  // The number with all facts applied.
  Number Apply(const Number& number) const;

  // That a symbol stands for a size of an input: no unit gets its name.
  void Keep(const std::string& symbol) { kept_.insert(symbol); }

  // Takes the bool `condition` for true. What it says of a single number becomes a fact.
  void Assume(const Number& condition);

  // How many facts there are.
  size_t size() const { return known_.size(); }

  // The symbols that stand for a fraction of another: h -> (H, 14).
  const std::map<std::string, std::pair<Number, int64_t>>& units() const { return units_; }

 private:
  std::map<std::string, Number> known_;  // By the text of the number that is known.
  std::map<std::string, std::pair<Number, int64_t>> units_;
  std::set<std::string> kept_;
};

}  // namespace modelport::onnx

#endif  // MODELPORT_ARTIFACT_FORMAT_ONNX_NUMBER_H_
