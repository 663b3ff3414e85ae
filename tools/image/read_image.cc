#include "tools/image/read_image.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/checkpoint/file_kind.h"
#include "common/io/mapped_file.h"
#include "common/sandbox/run_confined.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "tools/image/decode.h"
#include "tools/image/orient.h"

namespace modelport {
namespace {

using Decoder = absl::StatusOr<Decoded> (*)(absl::string_view, PixelMemory&);

// Memory that this process and its children share. The system provides a page when it is first written.
class SharedMemory {
 public:
  // ResourceExhausted if the system has no room for `size` bytes.
  static absl::StatusOr<SharedMemory> Allocate(int64_t size);

  SharedMemory(SharedMemory&& other) noexcept : bytes_(other.bytes_) { other.bytes_ = {}; }
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();

  absl::Span<char> bytes() const { return bytes_; }

 private:
  explicit SharedMemory(absl::Span<char> bytes) : bytes_(bytes) {}

  absl::Span<char> bytes_;
};

absl::StatusOr<SharedMemory> SharedMemory::Allocate(int64_t size) {
  void* const start =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, /*offset=*/0);
  if (start == MAP_FAILED) {
    return absl::ResourceExhaustedError(absl::StrCat("the system has no ", size >> 20, " MiB of memory for an image"));
  }
  return SharedMemory(absl::MakeSpan(static_cast<char*>(start), size));
}

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

struct Format {
  absl::string_view beginning;  // Of every file of the format.
  Decoder decoder;
};

constexpr Format kFormats[] = {
    {{"\xff\xd8\xff", 3}, DecodeJpeg}, {{"\x89PNG\r\n", 6}, DecodePng}, {{"\x76\x2f\x31\x01", 4}, DecodeExr},
    {{"II\x2a\x00", 4}, DecodeTiff},   {{"MM\x00\x2a", 4}, DecodeTiff},  // Classic TIFF.
    {{"II\x2b\x00", 4}, DecodeTiff},   {{"MM\x00\x2b", 4}, DecodeTiff},  // BigTIFF.
};

// An image that is not read, told by its bytes at `offset`.
struct OtherFormat {
  size_t offset;
  absl::string_view bytes;
  absl::string_view name;
  absl::string_view cure;
};

constexpr absl::string_view kHeif = "\n  make a PNG of it: heif-convert IN OUT.png, of Debian's libheif-examples";
constexpr absl::string_view kMagick = "\n  make a PNG of it: convert IN OUT.png, of ImageMagick";

constexpr OtherFormat kOtherFormats[] = {
    {4, "ftypheic", "a HEIC image", kHeif},
    {4, "ftypheix", "a HEIC image", kHeif},
    {4, "ftypmif1", "a HEIF image", kHeif},
    {4, "ftypmsf1", "a HEIF image", kHeif},
    {4, "ftypavif", "an AVIF image", kHeif},
    {4, "ftypavis", "an AVIF image", kHeif},
    {8, "WEBP", "a WebP image", "\n  make a PNG of it: dwebp IN -o OUT.png, of Debian's webp"},
    {0, "GIF8", "a GIF image", kMagick},
    {0, "BM", "a BMP image", kMagick},
    {0, "8BPS", "a Photoshop image", kMagick},
    {0, "SDPX", "a DPX image", kMagick},
    {0, "XPDS", "a DPX image", kMagick},
    {0, "#?R", "a Radiance HDR image", "\n  make an EXR of it: convert IN OUT.exr, of ImageMagick"},
    {4, "jP  ", "a JPEG 2000 image", kMagick},
    {4, "JXL ", "a JPEG XL image", "\n  make a PNG of it: djxl IN OUT.png, of Debian's libjxl-tools"},
    {0, "\xff\x0a", "a JPEG XL image", "\n  make a PNG of it: djxl IN OUT.png, of Debian's libjxl-tools"},
    {4, "ftyp", "an MP4 video, or a photo of a rare kind", "\n  make frames of a video: ffmpeg -i IN OUT.%04d.png"},
};

absl::Status NoImage(absl::string_view bytes) {
  if (bytes.empty()) return absl::InvalidArgumentError("the file is empty");
  for (const OtherFormat& format : kOtherFormats) {
    if (bytes.size() < format.offset || !absl::StartsWith(bytes.substr(format.offset), format.bytes)) continue;
    return absl::InvalidArgumentError(absl::StrCat("is ", format.name, ", which is not read", format.cure));
  }
  const std::string foreign = ForeignKind(bytes);
  return absl::InvalidArgumentError(foreign.empty() ? "is no JPEG, PNG, TIFF or EXR image"
                                                    : absl::StrCat("is no image: ", foreign));
}

absl::StatusOr<Decoder> ChooseDecoder(absl::string_view bytes) {
  for (const Format& format : kFormats) {
    if (absl::StartsWith(bytes, format.beginning)) return format.decoder;
  }
  return NoImage(bytes);
}

// A decoder has pixels of its own beside PixelMemory: libtiff and OpenEXR a copy of all, libjpeg the coefficients of a
// progressive file.
ConfinedLimits LimitsFor(size_t file_size, int64_t max_pixels) {
  return {.memory = (int64_t{256} << 20) + 2 * static_cast<int64_t>(file_size) + 2 * PixelBytes(max_pixels),
          .cpu_time = absl::Minutes(1) + absl::Nanoseconds(100 * max_pixels),
          .wall_time = absl::Minutes(10)};
}

// The answer of the confined process as text: numbers, then a line for each note.
std::string Encode(const Decoded& decoded) {
  return absl::StrCat(decoded.width, " ", decoded.height, " ", decoded.floats ? 1 : 0, " ", decoded.orientation, " ",
                      decoded.plate.left, " ", decoded.plate.top, " ", decoded.plate.pixel_aspect, "\n",
                      absl::StrJoin(decoded.notes, "\n"));
}

// The last three words. What OpenEXR would not write again is none.
bool ParsePlate(const std::vector<std::string>& words, Plate& plate) {
  constexpr int kMost = 1 << 28;
  return absl::SimpleAtoi(words[4], &plate.left) && std::abs(plate.left) <= kMost &&
         absl::SimpleAtoi(words[5], &plate.top) && std::abs(plate.top) <= kMost &&
         absl::SimpleAtof(words[6], &plate.pixel_aspect) && plate.pixel_aspect >= 1e-6f && plate.pixel_aspect <= 1e6f;
}

// The inverse of Encode, for an answer of a process that hostile bytes may have taken over.
absl::StatusOr<Decoded> Decode(const std::string& text, int64_t max_pixels) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  const std::vector<std::string> words = absl::StrSplit(lines.empty() ? "" : lines[0], ' ');
  Decoded decoded;
  int floats = 0;
  if (words.size() != 7 || !absl::SimpleAtoi(words[0], &decoded.width) || decoded.width < 1 ||
      !absl::SimpleAtoi(words[1], &decoded.height) || decoded.height < 1 ||
      int64_t{decoded.width} * decoded.height > max_pixels || !absl::SimpleAtoi(words[2], &floats) ||
      !absl::SimpleAtoi(words[3], &decoded.orientation) || !ParsePlate(words, decoded.plate)) {
    return DamagedImage("the decoder's answer makes no sense");
  }
  decoded.floats = floats != 0;
  decoded.notes.assign(lines.begin() + 1, lines.end());
  return decoded;
}

ReadImageResult TurnUpright(Decoded decoded, const char* memory) {
  ReadImageResult result = {.was_linear = std::count(decoded.notes.begin(), decoded.notes.end(), kSceneLinear) > 0,
                            .notes = std::move(decoded.notes)};
  const auto [width, height, floats, orientation] =
      std::tuple(decoded.width, decoded.height, decoded.floats, decoded.orientation);
  result.image.plate = decoded.plate;
  result.image.width = orientation >= 5 ? height : width;
  result.image.height = orientation >= 5 ? width : height;
  if (floats) {
    result.image.pixels = CopyUpright(reinterpret_cast<const float*>(memory), width, height, orientation);
  } else {
    result.image.pixels = CopyUpright(reinterpret_cast<const uint8_t*>(memory), width, height, orientation);
  }
  if (orientation != 1) result.notes.push_back(absl::StrCat("turned upright (orientation ", orientation, ")"));
  return result;
}

absl::StatusOr<ReadImageResult> Read(absl::string_view bytes, int64_t max_pixels) {
  ASSIGN_OR_RETURN(const Decoder decoder, ChooseDecoder(bytes));
  ASSIGN_OR_RETURN(const SharedMemory shared, SharedMemory::Allocate(PixelBytes(max_pixels)));
  const auto decode = [&]() -> absl::StatusOr<std::string> {
    PixelMemory memory(shared.bytes());
    ASSIGN_OR_RETURN(const Decoded decoded, decoder(bytes, memory));
    return Encode(decoded);
  };
  const absl::StatusOr<std::string> answer = RunConfined(LimitsFor(bytes.size(), max_pixels), decode);
  // The decoder crashed.
  if (absl::IsAborted(answer.status())) return DamagedImage(answer.status().message());
  RETURN_IF_ERROR(answer.status());
  ASSIGN_OR_RETURN(Decoded decoded, Decode(*answer, max_pixels));
  return TurnUpright(std::move(decoded), shared.bytes().data());
}

}  // namespace

absl::StatusOr<ReadImageResult> ReadImage(const std::string& path, int64_t max_pixels) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  absl::StatusOr<ReadImageResult> result = Read(file->bytes(), max_pixels);
  if (!result.ok()) return Annotate(result.status(), path);
  RETURN_IF_ERROR(file->CheckUnchanged());
  return result;
}

}  // namespace modelport
