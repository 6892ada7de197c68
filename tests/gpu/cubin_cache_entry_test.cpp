// Entries of the kernel cache as bytes: only whole ones can be read back.
#include <doctest/doctest.h>

#include <string>

#include "base/text.hpp"
#include "gpu/compile/cubin_cache.hpp"

namespace tilewright {
namespace {

const std::string kKey = hash_text("a kernel");
const CompiledKernel kKernel{.cubin = std::string("\x7f"
                                                  "ELF\0\n\0code",
                                                  11),
                             .log = "ptxas info    : Used 24 registers\n"};

bool is_kernel(const std::optional<CompiledKernel>& read, const CompiledKernel& kernel) {
  return read && read->cubin == kernel.cubin && read->log == kernel.log;
}

TEST_CASE("an entry reads back, also with an empty log") {
  CHECK(is_kernel(decode_entry(kKey, encode_entry(kKey, kKernel)), kKernel));
  const CompiledKernel silent{.cubin = "code", .log = ""};
  CHECK(is_kernel(decode_entry(kKey, encode_entry(kKey, silent)), silent));
}

TEST_CASE("an entry with a changed bit, cut off or followed by more is invalid") {
  const std::string whole = encode_entry(kKey, kKernel);
  for (size_t at = 0; at < whole.size(); ++at) {
    CAPTURE(at);
    CHECK(!decode_entry(kKey, whole.substr(0, at)));
    CHECK(!decode_entry(kKey, whole.substr(at + 1)));
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      CHECK(!decode_entry(kKey, changed));
    }
  }
  for (const char* const tail : {"x", "\n", "0"}) CHECK(!decode_entry(kKey, whole + tail));
}

TEST_CASE("an entry of another kernel or version, or without machine code, is invalid") {
  const std::string whole = encode_entry(kKey, kKernel);
  CHECK(!decode_entry(hash_text("another"), whole));
  CHECK(!decode_entry(kKey, encode_entry(kKey, {.cubin = "", .log = "error: no"})));
  std::string content = whole.substr(whole.find('\n') + 1);
  content.replace(content.find("version 2"), 9, "version 1");
  CHECK(!decode_entry(kKey, hash_text(content) + "\n" + content));
}

}  // namespace
}  // namespace tilewright
