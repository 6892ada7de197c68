// Templates that are damaged, and files that are no templates.

#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "serve/placeholder.hpp"
#include "ship/elf_image.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::error_message_of;
using testing::TemporaryFolder;

std::string whole_template() {
  return read_file(TILEWRIGHT_TEMPLATE_FIXTURE);
}

/// The error of make_image() for a template; empty if it makes an image.
std::string fault_of(std::string_view image) {
  return error_message_of([image] { make_image(image, "name", "payload"); }, ExitCode::Internal);
}

TEST_CASE("a template that is cut off anywhere is refused") {
  const std::string whole = whole_template();
  CHECK(fault_of(whole).empty());
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    // While the tables are cut, in an allocation of its own, so that sanitizers see reads beyond
    // the end.
    const std::vector<char> start(whole.begin(),
                                  whole.begin() + static_cast<int64_t>(bytes < 4096 ? bytes : 0));
    const std::string_view cut = bytes < 4096 ? std::string_view(start.data(), start.size())
                                              : std::string_view(whole).substr(0, bytes);
    if (!contains(fault_of(cut), "build or install tilewright again")) {
      CAPTURE(bytes);
      CHECK(false);
    }
  }
}

TEST_CASE("with any changed bytes there is an image or a reason, never a crash") {
  const std::string whole = whole_template();
  Elf64_Ehdr header;
  std::memcpy(&header, whole.data(), sizeof(header));
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    CAPTURE(round);
    std::string changed = whole;
    for (size_t left = 1 + random() % 3; left > 0; --left) {
      // Damages the tables: they lie at the beginning of the file, the sections' table at the end.
      const size_t at = random() % 2 == 0
                            ? random() % 4096
                            : header.e_shoff + random() % (whole.size() - header.e_shoff);
      changed[at] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    refused += fault_of(changed).empty() ? 0 : 1;
  }
  CHECK(refused > 3000);
  CHECK(refused < 20'000);
}

TEST_CASE("any byte of the first tables may change without a crash") {
  const std::string whole = whole_template();
  std::string changed = whole;
  for (size_t at = 0; at < 4096; ++at) {
    for (const int value : {0x00, 0x01, 0x7f, 0xff}) {
      changed[at] = static_cast<char>(value);
      fault_of(changed);
    }
    changed[at] = whole[at];
  }
}

TEST_CASE("a file that is no template is refused with the reason") {
  CHECK(contains(fault_of(std::string(100, 'x')), "not a shared library for x86-64 or aarch64"));
  CHECK(contains(fault_of(read_file("/bin/sh")), "cannot be used"));
  // An image does not contain the placeholder any more.
  CHECK(contains(fault_of(make_image(whole_template(), "once", "")),
                 "none of its names contains the placeholder"));
}

TEST_CASE("a template that is linked otherwise is refused with the reason") {
  const TemporaryFolder folder;
  const auto fault = [&folder](const std::string& source, const std::string& options) {
    write_file(folder.path() / "source.cpp", source);
    const std::string command =
        format("cd '{}' && {} -shared -fPIC -g0 source.cpp -o out.so {} > log 2>&1",
               folder.path().string(), TILEWRIGHT_CXX, options);
    const int status = std::system(command.c_str());
    REQUIRE_MESSAGE(status == 0, read_file(folder.path() / "log"));
    return fault_of(read_file(folder.path() / "out.so"));
  };
  const std::string named = format("extern \"C\" int {}_f() {{ return 1; }}\n", kPlaceholder);
  const std::string soname = " -Wl,-soname,libx.so";
  const std::string sysv = " -Wl,--hash-style=sysv" + soname;
  CHECK(contains(fault(named, "-Wl,--hash-style=gnu" + soname), "link it with --hash-style=sysv"));
  CHECK(contains(fault(named, "-Wl,--hash-style=sysv"), "it has no SONAME"));
  CHECK(contains(fault(named, sysv), "no section for a payload"));
  CHECK(
      contains(fault("int f() { return 1; }", sysv), "none of its names contains the placeholder"));
  // Without the linker script, the payload's section comes before the writable ones.
  const std::string with_payload =
      named +
      "__attribute__((section(\".tw_payload\"), used)) static const char payload[32] = "
      "{'t','i','l','e','w','r','i','g','h','t',' ','s','h','i','p','1'};\n";
  CHECK(contains(fault(with_payload, sysv), "its payload is not the last"));
}

}  // namespace
}  // namespace tilewright
