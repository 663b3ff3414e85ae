#include "tools/image/testing/sample_images.h"

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfChromaticities.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <png.h>
#include <tiffio.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// It needs the headers above.
#include <jpeglib.h>

namespace modelport {
namespace {

// Big-endian EXIF data with one field, the orientation.
std::string Exif(int orientation) {
  std::string tiff("MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\0\0\0\0\0\0\0", 26);
  tiff[19] = static_cast<char>(orientation);
  return tiff;
}

}  // namespace

int SampleValue(int x, int y, int channel) { return (x / 8 * 60 + y / 8 * 90 + channel * 40 + 20) % 256; }

std::string MakeJpeg(const SampleJpeg& sample) {
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type.
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = sample.width;
  info.image_height = sample.height;
  info.input_components = sample.channels;
  info.in_color_space = sample.channels == 1 ? JCS_GRAYSCALE : sample.channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  if (sample.progressive) jpeg_simple_progression(&info);
  std::vector<jpeg_scan_info> scans;
  if (sample.many_scans) {
    scans.push_back(
        {.comps_in_scan = sample.channels, .component_index = {0, 1, 2, 3}, .Ss = 0, .Se = 0, .Ah = 0, .Al = 0});
    for (int channel = 0; channel < sample.channels; ++channel) {
      for (int k = 1; k < DCTSIZE2; ++k) {
        scans.push_back(
            {.comps_in_scan = 1, .component_index = {channel, 0, 0, 0}, .Ss = k, .Se = k, .Ah = 0, .Al = 0});
      }
    }
    info.scan_info = scans.data();
    info.num_scans = static_cast<int>(scans.size());
  }
  jpeg_start_compress(&info, TRUE);
  const auto mark = [&](int marker, const std::string& data) {
    jpeg_write_marker(&info, marker, reinterpret_cast<const JOCTET*>(data.data()), data.size());
  };
  if (sample.orientation != 0) mark(JPEG_APP0 + 1, std::string("Exif\0\0", 6) + Exif(sample.orientation));
  if (sample.profile) mark(JPEG_APP0 + 2, std::string("ICC_PROFILE\0\1\1some bytes", 24));
  for (int y = 0; y < sample.height; ++y) {
    std::vector<uint8_t> row;
    for (int x = 0; x < sample.width; ++x) {
      for (int c = 0; c < sample.channels; ++c) row.push_back(SampleValue(x, y, c));
    }
    uint8_t* start = row.data();
    jpeg_write_scanlines(&info, &start, 1);
  }
  jpeg_finish_compress(&info);
  std::string file(reinterpret_cast<const char*>(bytes), size);
  jpeg_destroy_compress(&info);
  std::free(bytes);
  return file;
}

std::string MakePng(const SamplePng& sample) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  std::string file;
  png_set_write_fn(
      png, &file,
      [](png_structp p, png_bytep data, size_t size) {
        static_cast<std::string*>(png_get_io_ptr(p))->append(reinterpret_cast<char*>(data), size);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, sample.width, sample.height, sample.bits, sample.colours,
               sample.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  std::vector<png_color> palette(256);
  for (int i = 0; i < 256; ++i) palette[i] = {png_byte(i), png_byte(255 - i), png_byte(i / 2)};
  if (sample.colours == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, palette.data(), 256);
  std::string exif = Exif(sample.orientation);
  if (sample.orientation != 0) png_set_eXIf_1(png, info, exif.size(), reinterpret_cast<png_bytep>(exif.data()));
  if (sample.gamma != 0) png_set_gAMA(png, info, sample.gamma);
  if (sample.srgb) png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (sample.primaries) png_set_cHRM(png, info, 0.3127, 0.329, 0.708, 0.292, 0.17, 0.797, 0.131, 0.046);
  png_write_info(png, info);
  const auto* const cicp = reinterpret_cast<png_const_bytep>(sample.cicp.data());
  if (!sample.cicp.empty()) png_write_chunk(png, reinterpret_cast<png_const_bytep>("cICP"), cicp, sample.cicp.size());
  const int channels = png_get_channels(png, info);
  std::vector<std::vector<uint8_t>> rows(sample.height);
  std::vector<png_bytep> starts;
  for (int y = 0; y < sample.height; ++y) {
    for (int x = 0; x < sample.width; ++x) {
      for (int c = 0; c < channels; ++c) rows[y].insert(rows[y].end(), sample.bits / 8, SampleValue(x, y, c));
    }
    starts.push_back(rows[y].data());
  }
  png_write_image(png, starts.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return file;
}

namespace {

struct TiffFile {
  std::string bytes;
  uint64_t position = 0;
};

// A TIFF file in memory that can be read and written.
TIFF* OpenTiff(TiffFile& file) {
  return TIFFClientOpen(
      "sample", "w", &file,
      [](thandle_t handle, void* to, tmsize_t size) -> tmsize_t {
        auto& f = *static_cast<TiffFile*>(handle);
        const size_t count = std::min<size_t>(size, f.bytes.size() - std::min(f.position, f.bytes.size()));
        std::copy_n(f.bytes.begin() + f.position, count, static_cast<char*>(to));
        f.position += count;
        return count;
      },
      [](thandle_t handle, void* from, tmsize_t size) -> tmsize_t {
        auto& f = *static_cast<TiffFile*>(handle);
        f.bytes.resize(std::max<size_t>(f.bytes.size(), f.position + size));
        std::copy_n(static_cast<const char*>(from), size, f.bytes.begin() + f.position);
        f.position += size;
        return size;
      },
      [](thandle_t handle, toff_t offset, int from) -> toff_t {
        auto& f = *static_cast<TiffFile*>(handle);
        const toff_t start = from == SEEK_SET ? 0 : from == SEEK_CUR ? f.position : f.bytes.size();
        return f.position = start + offset;
      },
      [](thandle_t) { return 0; },
      [](thandle_t handle) -> toff_t { return static_cast<TiffFile*>(handle)->bytes.size(); }, nullptr, nullptr);
}

void AppendSample(float value, int bits, std::string& row) {
  const auto append = [&row](auto number) { row.append(reinterpret_cast<const char*>(&number), sizeof(number)); };
  if (bits == 8) append(static_cast<uint8_t>(value));
  if (bits == 16) append(static_cast<uint16_t>(value * 257));
  if (bits == 32) append(value / 255.0f);
}

void WritePage(TIFF* tiff, const SampleTiff& sample) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, sample.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, sample.height);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, sample.channels);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, sample.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT,
               sample.bits == 32 ? SAMPLEFORMAT_IEEEFP
               : sample.sign     ? SAMPLEFORMAT_INT
                                 : SAMPLEFORMAT_UINT);
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, sample.orientation);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
               sample.inks ? PHOTOMETRIC_SEPARATED : (sample.channels < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB));
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, sample.jpeg ? COMPRESSION_JPEG : COMPRESSION_ADOBE_DEFLATE);
  if (sample.jpeg) TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, sample.height);
  const bool has_alpha = sample.channels % 2 == 0 && !sample.inks;
  const uint16_t alpha = EXTRASAMPLE_UNASSALPHA;
  if (has_alpha && sample.stated) TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &alpha);
  std::string pixels;
  for (int y = 0; y < sample.height; ++y) {
    std::string row;
    for (int x = 0; x < sample.width; ++x) {
      for (int c = 0; c < sample.channels; ++c) {
        const bool is_alpha = has_alpha && c == sample.channels - 1;
        AppendSample(is_alpha ? sample.alpha : static_cast<float>(SampleValue(x, y, c)), sample.bits, row);
      }
    }
    if (!sample.tiles) TIFFWriteScanline(tiff, row.data(), y);
    pixels += row;
  }
  if (!sample.tiles) return;
  TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
  TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
  TIFFWriteEncodedTile(tiff, 0, pixels.data(), pixels.size());
}

class ExrStream : public Imf::OStream {
 public:
  explicit ExrStream(std::string& bytes) : Imf::OStream("sample"), bytes_(bytes) {}
  void write(const char from[], int size) override {
    bytes_.resize(std::max<size_t>(bytes_.size(), position_ + size));
    std::copy_n(from, size, bytes_.begin() + position_);
    position_ += size;
  }
  uint64_t tellp() override { return position_; }
  void seekp(uint64_t position) override { position_ = position; }

 private:
  std::string& bytes_;
  uint64_t position_ = 0;
};

}  // namespace

std::string MakeTiff(const SampleTiff& sample) {
  TiffFile file;
  TIFF* const tiff = OpenTiff(file);
  for (int page = 0; page < sample.pages; ++page) {
    WritePage(tiff, sample);
    TIFFWriteDirectory(tiff);
  }
  TIFFClose(tiff);
  return file.bytes;
}

std::string MakeExr(const SampleExr& sample) {
  const Imath::Box2i data({sample.left, sample.top}, {sample.left + sample.width - 1, sample.top + sample.height - 1});
  const Imath::V2i first(sample.display_left, sample.display_top);
  const Imath::Box2i display(first, first + Imath::V2i(sample.display_width - 1, sample.display_height - 1));
  Imf::Header header(sample.display_width == 0 ? data : display, data, sample.pixel_aspect);
  if (const std::vector<float>& xy = sample.primaries; !xy.empty()) {
    Imf::addChromaticities(header, Imf::Chromaticities({xy[0], xy[1]}, {xy[2], xy[3]}, {xy[4], xy[5]}, {xy[6], xy[7]}));
  }
  Imf::FrameBuffer buffer;
  std::vector<float> values = sample.values;
  values.resize(sample.width * sample.height * sample.channels.size());
  for (size_t i = 0; i < sample.channels.size(); ++i) {
    header.channels().insert(sample.channels[i], Imf::Channel(Imf::FLOAT));
    auto base = reinterpret_cast<intptr_t>(values.data() + i * sample.width * sample.height);
    base -= (sample.top * sample.width + sample.left) * static_cast<intptr_t>(sizeof(float));
    buffer.insert(sample.channels[i],
                  Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(base), sizeof(float), sizeof(float) * sample.width));
  }
  std::string bytes;
  ExrStream stream(bytes);
  {
    Imf::OutputFile file(stream, header, 0);
    file.setFrameBuffer(buffer);
    file.writePixels(sample.height);
  }
  return bytes;
}

}  // namespace modelport
