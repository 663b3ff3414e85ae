// One element of a tensor as a number that holds the values of every dtype.
#ifndef MODELPORT_COMMON_TENSOR_NUMBER_H_
#define MODELPORT_COMMON_TENSOR_NUMBER_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/tensor/dtype.h"

namespace modelport {

// An integer for the integer dtypes and bool, whose true is 1; else a double.
using Number = std::variant<int64_t, double>;

// The element at `element`, which need not be aligned, of a dtype that has numbers (HasNumbers).
Number ReadNumber(DType dtype, const char* element);

// Writes `number` to `element`, rounded to the nearest number of a floating dtype; of two, to the one whose last bit is
// 0. An integer of more than 53 bits becomes a double before that. Returns false and writes nothing if the dtype is
// none that numbers are written to (float8 and those without numbers are only read), or has no such number: an integer
// that is out of its range, a fraction, NaN or infinity for an integer dtype, or a finite number that would become
// infinite.
bool WriteNumber(const Number& number, DType dtype, char* element);

// True for the same integer or the same real number, whichever of them is stored as an integer, and for two NaNs. -0.0
// is the same as -0.0 only.
bool IsSameNumber(const Number& a, const Number& b);

// True if the dtype holds `number` without rounding.
bool HoldsExactly(DType dtype, const Number& number);

// The shortest decimal that is read back as the same number: "3", "0.1", "1e-06", "nan".
std::string NumberText(const Number& number);

// The same for each of them, in their order.
bool AreSameNumbers(const std::vector<Number>& a, const std::vector<Number>& b);

// "3", or "3, 0.1" of several.
std::string NumbersText(const std::vector<Number>& numbers);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TENSOR_NUMBER_H_
