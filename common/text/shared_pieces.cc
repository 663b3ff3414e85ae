#include "common/text/shared_pieces.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace modelport {
namespace {

constexpr size_t kMaxSize = 96;

// A piece of both names.
struct Piece {
  size_t a = 0, b = 0, size = 0;
};

// The longest piece; the first of several.
Piece LongestPiece(absl::string_view a, absl::string_view b) {
  Piece longest;
  // The sizes of the pieces that end at the character of `a` before this one and at each of `b`.
  std::vector<size_t> ending(b.size() + 1), previous(b.size() + 1);
  for (size_t i = 0; i < a.size(); ++i) {
    std::swap(ending, previous);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t size = a[i] == b[j] ? previous[j] + 1 : 0;
      ending[j + 1] = size;
      if (size > longest.size) longest = {i + 1 - size, j + 1 - size, size};
    }
  }
  return longest;
}

size_t SharedSize(absl::string_view a, absl::string_view b) {
  size_t shared = 0;
  std::vector<std::pair<absl::string_view, absl::string_view>> rest = {{a, b}};
  while (!rest.empty()) {
    const auto [left, right] = rest.back();
    rest.pop_back();
    const Piece piece = LongestPiece(left, right);
    if (piece.size == 0) continue;
    shared += piece.size;
    rest.emplace_back(left.substr(0, piece.a), right.substr(0, piece.b));
    rest.emplace_back(left.substr(piece.a + piece.size), right.substr(piece.b + piece.size));
  }
  return shared;
}

absl::string_view End(absl::string_view name) { return name.substr(name.size() - std::min(name.size(), kMaxSize)); }

}  // namespace

double SharedPieces(absl::string_view a, absl::string_view b) {
  a = End(a);
  b = End(b);
  if (a.empty() && b.empty()) return 1;
  return 2.0 * SharedSize(a, b) / (a.size() + b.size());
}

}  // namespace modelport
