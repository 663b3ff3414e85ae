#include "common/io/sha256_pair.h"

// SHA256_CTX, whose state the paired compression works on, is deprecated in favour of an interface that hides it.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <algorithm>
#include <cstdint>

#include "absl/strings/escaping.h"
#include "common/io/sha256_pair_blocks.h"

namespace modelport {
namespace {

constexpr size_t kBlock = SHA256_CBLOCK;

void Append(SHA256_CTX& context, absl::string_view bytes) { SHA256_Update(&context, bytes.data(), bytes.size()); }

// Appends what is missing of the context's current block, if `bytes` has it.
void FillBlock(SHA256_CTX& context, absl::string_view& bytes) {
  const size_t missing = std::min(bytes.size(), (kBlock - context.num) % kBlock);
  Append(context, bytes.substr(0, missing));
  bytes.remove_prefix(missing);
}

// Counts `bytes` as appended. The context keeps the number of bits in two halves.
void Count(SHA256_CTX& context, uint64_t bytes) {
  const uint64_t bits = (uint64_t{context.Nh} << 32 | context.Nl) + 8 * bytes;
  context.Nl = static_cast<uint32_t>(bits);
  context.Nh = static_cast<uint32_t>(bits >> 32);
}

std::string HexDigest(SHA256_CTX context) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), &context);
  return absl::BytesToHexString(digest);
}

}  // namespace

struct Sha256Pair::Contexts {
  SHA256_CTX first, second;
};

Sha256Pair::Sha256Pair() : contexts_(std::make_unique<Contexts>()) {
  SHA256_Init(&contexts_->first);
  SHA256_Init(&contexts_->second);
}

Sha256Pair::~Sha256Pair() = default;

void Sha256Pair::Update(absl::string_view first, absl::string_view second) {
  SHA256_CTX& a = contexts_->first;
  SHA256_CTX& b = contexts_->second;
  FillBlock(a, first);
  FillBlock(b, second);
  if (HasShaInstructions() && a.num == 0 && b.num == 0) {
    const size_t blocks = std::min(first.size(), second.size()) / kBlock;
    CompressBlockPairs(a.h, first.data(), b.h, second.data(), blocks);
    Count(a, blocks * kBlock);
    Count(b, blocks * kBlock);
    first.remove_prefix(blocks * kBlock);
    second.remove_prefix(blocks * kBlock);
  }
  Append(a, first);
  Append(b, second);
}

std::string Sha256Pair::FirstHexDigest() const { return HexDigest(contexts_->first); }

std::string Sha256Pair::SecondHexDigest() const { return HexDigest(contexts_->second); }

}  // namespace modelport
