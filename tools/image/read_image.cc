#include "tools/image/read_image.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/functional/function_ref.h"
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

using Decoder = absl::StatusOr<Decoded> (*)(absl::string_view, Content, PixelMemory&);

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

absl::StatusOr<ReadImageResult> Read(absl::string_view bytes, Decoder decoder, Content content, int64_t max_pixels) {
  ASSIGN_OR_RETURN(const SharedMemory shared, SharedMemory::Allocate(PixelBytes(max_pixels)));
  const auto decode = [&]() -> absl::StatusOr<std::string> {
    PixelMemory memory(shared.bytes());
    ASSIGN_OR_RETURN(const Decoded decoded, decoder(bytes, content, memory));
    return Encode(decoded);
  };
  const absl::StatusOr<std::string> answer = RunConfined(LimitsFor(bytes.size(), max_pixels), decode);
  // The decoder crashed.
  if (absl::IsAborted(answer.status())) return DamagedImage(answer.status().message());
  RETURN_IF_ERROR(answer.status());
  ASSIGN_OR_RETURN(Decoded decoded, Decode(*answer, max_pixels));
  return TurnUpright(std::move(decoded), shared.bytes().data());
}

// The decoder for depth.
absl::StatusOr<Decoder> ChooseDepthDecoder(absl::string_view bytes) {
  ASSIGN_OR_RETURN(const Decoder decoder, ChooseDecoder(bytes));
  if (decoder == DecodeExr || decoder == DecodePng) return decoder;
  return absl::InvalidArgumentError("depth is read from EXR, in metres, and from PNG of 16 bits, in millimetres");
}

// The depth in the pixels of an image whose red, green and blue are `scale` metres.
absl::StatusOr<ReadDepthResult> DepthIn(const ReadImageResult& read, float scale) {
  ReadDepthResult depth = {.width = read.image.width, .height = read.image.height};
  const auto* const values = std::get_if<std::vector<float>>(&read.image.pixels);
  if (values == nullptr) return absl::InvalidArgumentError("has 8 bits; depth in a PNG is 16 bits of millimetres");
  for (size_t i = 0; i < values->size(); i += 3) {
    if ((*values)[i] != (*values)[i + 1] || (*values)[i] != (*values)[i + 2]) {
      return absl::InvalidArgumentError("is a colour image; depth is one number a pixel");
    }
    depth.metres.push_back((*values)[i] * scale);
  }
  const int64_t holes = std::count(depth.metres.begin(), depth.metres.end(), 0.0f);
  if (holes > 0) depth.notes.push_back(absl::StrCat("depth: 0 at ", holes, " pixels, which the model takes as 0 m"));
  return depth;
}

// What `read` makes of the bytes of the file, with an error that names it.
template <typename Result>
absl::StatusOr<Result> ReadFile(const std::string& path,
                                absl::FunctionRef<absl::StatusOr<Result>(absl::string_view)> read) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  absl::StatusOr<Result> result = read(file->bytes());
  if (!result.ok()) return Annotate(result.status(), path);
  RETURN_IF_ERROR(file->CheckUnchanged());
  return result;
}

}  // namespace

absl::StatusOr<ReadImageResult> ReadImage(const std::string& path, int64_t max_pixels) {
  return ReadFile<ReadImageResult>(path, [&](absl::string_view bytes) -> absl::StatusOr<ReadImageResult> {
    ASSIGN_OR_RETURN(const Decoder decoder, ChooseDecoder(bytes));
    return Read(bytes, decoder, Content::kColours, max_pixels);
  });
}

absl::StatusOr<ReadImageResult> ReadAlpha(const std::string& path, int64_t max_pixels) {
  return ReadFile<ReadImageResult>(path, [&](absl::string_view bytes) -> absl::StatusOr<ReadImageResult> {
    ASSIGN_OR_RETURN(const Decoder decoder, ChooseDecoder(bytes));
    return Read(bytes, decoder, Content::kAlpha, max_pixels);
  });
}

absl::StatusOr<ReadDepthResult> ReadDepth(const std::string& path, int64_t max_pixels) {
  return ReadFile<ReadDepthResult>(path, [&](absl::string_view bytes) -> absl::StatusOr<ReadDepthResult> {
    ASSIGN_OR_RETURN(const Decoder decoder, ChooseDepthDecoder(bytes));
    ASSIGN_OR_RETURN(const ReadImageResult read, Read(bytes, decoder, Content::kDepth, max_pixels));
    constexpr float kMetresInPng = 65.535f;  // 65535 millimetres are read as 1.
    ASSIGN_OR_RETURN(ReadDepthResult depth, DepthIn(read, decoder == DecodePng ? kMetresInPng : 1));
    for (const std::string& note : read.notes) {
      if (absl::EndsWith(note, "taken as 0")) depth.notes.push_back(absl::StrCat("depth: ", note));
    }
    return depth;
  });
}

}  // namespace modelport
