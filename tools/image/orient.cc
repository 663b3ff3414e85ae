#include "tools/image/orient.h"

#include <libexif/exif-data.h>

#include <memory>

namespace modelport {

int ExifOrientation(absl::string_view exif) {
  const std::unique_ptr<ExifData, void (*)(ExifData*)> data(
      exif_data_new_from_data(reinterpret_cast<const unsigned char*>(exif.data()), exif.size()), exif_data_unref);
  if (data == nullptr) return 1;
  const ExifEntry* const entry = exif_content_get_entry(data->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
  if (entry == nullptr || entry->format != EXIF_FORMAT_SHORT || entry->size < 2) return 1;
  const int orientation = exif_get_short(entry->data, exif_data_get_byte_order(data.get()));
  return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

}  // namespace modelport
