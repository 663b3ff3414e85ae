// Stands in for JBIG-KIT, which libtiff calls for the TIFF files that are compressed with JBIG. JBIG-KIT is under the
// GPL, and nobody stores colour images with it. Here every such file fails to decode, with libtiff's error message.
#include <cstddef>

extern "C" {

void jbg_dec_init(void*) {}
int jbg_newlen(unsigned char*, size_t) { return 0; }
int jbg_dec_in(void*, unsigned char*, size_t, size_t*) { return 1; }  // An error.
const char* jbg_strerror(int) { return "this program has no JBIG"; }
unsigned long jbg_dec_getsize(const void*) { return 0; }
unsigned char* jbg_dec_getimage(const void*, int) { return nullptr; }
void jbg_dec_free(void*) {}

// The tools write no TIFF files.
void jbg_enc_init(void*, unsigned long, unsigned long, int, unsigned char**, void (*)(unsigned char*, size_t, void*),
                  void*) {}
void jbg_enc_out(void*) {}
void jbg_enc_free(void*) {}

}  // extern "C"
