#include "tools/image/colour_map.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace modelport {
namespace {

// Spectral of ColorBrewer (colorbrewer2.org) in reverse, which is linear between these colours.
constexpr uint32_t kSpectral[] = {0x5e4fa2, 0x3288bd, 0x66c2a5, 0xabdda4, 0xe6f598, 0xffffbf,
                                  0xfee08b, 0xfdae61, 0xf46d43, 0xd53e4f, 0x9e0142};

// The 256 colours of Turbo, by Anton Mikhailov of Google (Apache License 2.0), in hexadecimal digits.
constexpr char kTurbo[] =
    "30123b31154232184a341b51351e5836215f37236538266c3929723a2c793b2f7f3c32853c358b3d37913e3a963f3d9c4040a14043a6"
    "4145ab4148b0424bb5434eba4350be4353c24456c74458cb455bce455ed24560d64563d94666dd4668e0466be3466de64670e84673eb"
    "4675ed4678f0467af2467df4467ff64682f84584f94587fb4589fc448cfd438efd4291fe4193fe4096fe3f98fe3e9bfe3c9dfd3ba0fc"
    "39a2fc38a5fb36a8f934aaf833acf631aff52fb1f32db4f12bb6ef2ab9ed28bbeb26bde925c0e623c2e421c4e120c6df1ec9dc1dcbda"
    "1ccdd71bcfd41ad1d219d3cf18d5cc18d7ca17d9c717dac417dcc217debf18e0bd18e1ba19e3b81ae4b61be5b41de7b11ee8af20e9ac"
    "22eba924eca627eda329eea02cef9d2ff09a32f19735f39438f4913bf48d3ff58a42f68746f7834af8804df97c51f97955fa7659fb72"
    "5dfb6f61fc6c65fc6869fd656dfd6271fd5f74fe5c78fe597cfe5680fe5384fe5087fe4d8bfe4b8efe4892fe4695fe4498fe429bfd40"
    "9efd3ea1fc3da4fc3ba6fb3aa9fb39acfa37aef937b1f836b3f835b6f735b9f534bbf434bef334c0f233c3f133c5ef33c8ee33caed33"
    "cdeb34cfea34d1e834d4e735d6e535d8e335dae236dde036dfde36e1dc37e3da37e5d838e7d738e8d538ead339ecd139edcf39efcd39"
    "f0cb3af2c83af3c63af4c43af6c23af7c039f8be39f9bc39f9ba38fab737fbb537fbb336fcb035fcae34fdab33fda932fda631fda330"
    "fea12ffe9e2efe9b2dfe982cfd952bfd9229fd8f28fd8c27fc8926fc8624fb8323fb8022fa7d20fa7a1ff9771ef8741cf7711bf76e1a"
    "f66b18f56817f46516f36315f26014f15d13ef5a11ee5810ed550fec520eea500de94d0de84b0ce6490be5460ae3440ae24209e04008"
    "de3e08dd3c07db3a07d93806d73606d63405d43205d23005d02f04ce2d04cb2b03c92903c72803c52602c32402c02302be2102bb1f01"
    "b91e01b61c01b41b01b11901ae1801ac1601a91501a61401a31201a011019d10019a0e01970d01940c01910b018e0a018b0901870801"
    "8407018106027d05027a0402";

// `value` in 0..1 as one of 256 steps, as matplotlib rounds it.
int Step(double value) { return static_cast<int>(std::clamp(value * 256, 0.0, 255.0)); }

double Part(uint32_t colour, int channel) { return colour >> (16 - 8 * channel) & 0xff; }

Rgb Spectral(double value) {
  constexpr int kLast = 10;
  const double position = Step(value) / 255.0 * kLast;
  const int before = std::min(static_cast<int>(position), kLast - 1);
  const double rest = position - before;
  Rgb colour;
  for (int i = 0; i < 3; ++i) {
    const double exact = Part(kSpectral[before], i) * (1 - rest) + Part(kSpectral[before + 1], i) * rest;
    colour[i] = static_cast<uint8_t>(exact + 1e-9);  // matplotlib truncates, too.
  }
  return colour;
}

int Digit(char hexadecimal) { return hexadecimal <= '9' ? hexadecimal - '0' : hexadecimal - 'a' + 10; }

Rgb Turbo(double value) {
  const char* const digits = kTurbo + int64_t{6} * Step(value);
  Rgb colour;
  for (int i = 0; i < 3; ++i) colour[i] = Digit(digits[2 * i]) * 16 + Digit(digits[2 * i + 1]);
  return colour;
}

Rgb Grey(double value) {
  const auto grey = static_cast<uint8_t>(Step(value));
  return {grey, grey, grey};
}

}  // namespace

absl::StatusOr<ColourMap> FindColourMap(absl::string_view name) {
  if (name == "spectral") return Spectral;
  if (name == "turbo") return Turbo;
  if (name == "grey") return Grey;
  return absl::InvalidArgumentError(absl::StrCat("no colours of the name ", name, "; known: spectral, turbo, grey"));
}

}  // namespace modelport
