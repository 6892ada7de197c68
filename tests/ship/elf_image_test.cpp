#include "ship/elf_image.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>

#include "base/files.hpp"
#include "base/text.hpp"
#include "serve/payload.hpp"
#include "serve/placeholder.hpp"
#include "ship/library_name.hpp"
#include "support/error_message.hpp"
#include "support/temporary_folder.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::error_message_of;
using testing::TemporaryFolder;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
constexpr bool kIsSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kIsSanitized = false;
#endif

const std::string& fixture() {
  static const std::string image = read_file(TILEWRIGHT_TEMPLATE_FIXTURE);
  return image;
}

/// Keeps a library loaded in this process until destruction.
class Library {
 public:
  Library(const std::filesystem::path& path, int mode) : handle_(dlopen(path.c_str(), mode)) {
    const char* const error = handle_ == nullptr ? dlerror() : "";
    REQUIRE_MESSAGE(handle_ != nullptr, error);
  }
  ~Library() { dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  void* find(const std::string& name) const { return dlsym(handle_, name.c_str()); }

  template <typename Result, typename... Arguments>
  Result call(const std::string& name, Arguments... arguments) const {
    void* const found = find(name);
    REQUIRE_MESSAGE(found != nullptr, name);
    return reinterpret_cast<Result (*)(Arguments...)>(found)(arguments...);
  }

 private:
  void* handle_;
};

std::string random_name(std::mt19937& random, size_t size) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  for (;;) {
    std::string name;
    while (name.size() < size) name += kLetters[random() % kLetters.size()];
    try {
      require_library_name(name);
      return name;
    } catch (const Error&) {
      continue;
    }
  }
}

std::string random_payload(std::mt19937& random, size_t bytes) {
  std::string payload(bytes, '\0');
  for (char& c : payload) c = static_cast<char>(random());
  return payload;
}

uint64_t sum_of(std::string_view bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), uint64_t{0},
                         [](uint64_t sum, char c) { return sum + static_cast<unsigned char>(c); });
}

/// Checks the results of all functions of the fixture, under the image's name.
void check_library(const Library& library, const std::string& name, std::string_view payload) {
  CHECK(library.call<int>(name + "_answer") == 42);
  CHECK(library.call<int>("__tvm_ffi_" + name + "_f") == 43);
  CHECK(library.call<uint64_t>(name + "_sum") == sum_of(payload));
  library.call<void, void*>(name + "_free", library.call<void*, size_t>(name + "_malloc", 100));
  CHECK(library.find(std::string(kPlaceholder) + "_answer") == nullptr);
  CHECK(library.find(name) == nullptr);
}

/// The output of a command, errors and warnings included; the command must succeed.
std::string output_of(const std::filesystem::path& folder, const std::string& command) {
  const std::string line = format("cd '{}' && LC_ALL=C {} > output 2>&1", folder.string(), command);
  const int status = std::system(line.c_str());
  const std::string output = read_file(folder / "output");
  REQUIRE_MESSAGE(status == 0, output);
  return output;
}

/// The output of readelf for the whole file, which must have no warning.
std::string readelf(const std::filesystem::path& folder, const std::string& file) {
  const std::string output = output_of(folder, "readelf -a -W " + file);
  CHECK(!contains(output, "Warning"));
  CHECK(!contains(output, "Error"));
  CHECK(!contains(output, "<corrupt"));
  return output;
}

TEST_CASE("an image with any name loads, and its functions are found by that name") {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  for (size_t size = 1; size <= kMaxNameCharacters; ++size) {
    const std::string name = random_name(random, size);
    CAPTURE(name);
    const std::string payload = random_payload(random, random() % 5000);
    write_file(folder.path() / name, make_image(fixture(), name, payload));
    check_library(Library(folder.path() / name, RTLD_NOW | RTLD_LOCAL), name, payload);
    const std::string listing = readelf(folder.path(), name);
    CHECK(contains(listing, format("Library soname: [lib{}.so]", name)));
    CHECK(!contains(listing, kPlaceholder));
  }
}

TEST_CASE("a payload of any size is mapped and survives strip") {
  const TemporaryFolder folder;
  std::mt19937 random(2);
  constexpr size_t kSizes[] = {0, 1, 15, 16, 4063, 4064, 4065, 4095, 4096, 4097, 1 << 20, 8 << 20};
  for (const size_t size : kSizes) {
    CAPTURE(size);
    const std::string payload = random_payload(random, size);
    const std::string name = format("of_{}_bytes", size);
    write_file(folder.path() / name, make_image(fixture(), name, payload));
    check_library(Library(folder.path() / name, RTLD_NOW | RTLD_LOCAL), name, payload);
    readelf(folder.path(), name);
    output_of(folder.path(), format("strip -o stripped_{0} {0}", name));
    readelf(folder.path(), "stripped_" + name);
    check_library(Library(folder.path() / ("stripped_" + name), RTLD_NOW), name, payload);
  }
}

TEST_CASE("an image needs no more than a C++ program has, and exports nothing else") {
  const TemporaryFolder folder;
  write_file(folder.path() / "libshort.so", make_image(fixture(), "short", "payload"));
  std::string defined = output_of(folder.path(), "nm -D --defined-only libshort.so");
  for (const std::string_view line : split(trim(defined), '\n')) {
    CHECK_MESSAGE(contains(line, "short_"), line);
  }
  CHECK(contains(output_of(folder.path(), "objdump -T libshort.so"), "__tvm_ffi_short_f\n"));
  // Names that are tails of our names still belong to the C library.
  const std::string undefined = output_of(folder.path(), "nm -D --undefined-only libshort.so");
  CHECK((kIsSanitized || contains(undefined, " U free@")));
  const std::string dynamic = output_of(folder.path(), "readelf -dW libshort.so");
  for (const std::string_view line : split(dynamic, '\n')) {
    if (kIsSanitized || !contains(line, "(NEEDED)")) continue;
    const bool is_known = contains(line, "[libstdc++.so") || contains(line, "[libgcc_s.so") ||
                          contains(line, "[libm.so") || contains(line, "[libc.so") ||
                          contains(line, "[ld-linux");
    CHECK_MESSAGE(is_known, line);
  }
  CHECK(!contains(dynamic, "RPATH"));
  CHECK(!contains(dynamic, "RUNPATH"));
}

TEST_CASE("two images of one template live in one process") {
  const TemporaryFolder folder;
  const std::string ones(5000, '\1');
  const std::string twos(70'000, '\2');
  write_file(folder.path() / "one", make_image(fixture(), "one", ones));
  write_file(folder.path() / "two", make_image(fixture(), "two", twos));
  for (const int mode : {RTLD_LOCAL, RTLD_GLOBAL}) {
    const Library one(folder.path() / "one", RTLD_NOW | mode);
    const Library two(folder.path() / "two", RTLD_NOW | mode);
    check_library(one, "one", ones);
    check_library(two, "two", twos);
    CHECK(one.find("two_answer") == nullptr);
    for (const char* const name : {"one_answer", "two_sum", "__tvm_ffi_two_f"}) {
      CHECK((dlsym(RTLD_DEFAULT, name) != nullptr) == (mode == RTLD_GLOBAL));
    }
  }
}

TEST_CASE("a library reads its payload's blobs and survives a damaged one") {
  const TemporaryFolder folder;
  const std::string payload = pack_payload(std::vector{Blob{"table", std::string(9999, 't')}});
  write_file(folder.path() / "whole", make_image(fixture(), "whole", payload));
  const Library whole(folder.path() / "whole", RTLD_NOW);
  CHECK(whole.call<int64_t>("whole_blob_bytes", "table") == 9999);
  CHECK(whole.call<int64_t>("whole_blob_bytes", "chair") == -1);
  write_file(folder.path() / "cut", make_image(fixture(), "cut", payload.substr(1)));
  CHECK(Library(folder.path() / "cut", RTLD_NOW).call<int64_t>("cut_blob_bytes", "table") == -2);
}

TEST_CASE("a C program links with an image and runs") {
  // With sanitizers the program itself would have to load their runtime.
  if (kIsSanitized) return;
  const TemporaryFolder folder;
  write_file(folder.path() / "libgemms.so", make_image(fixture(), "gemms", "\x01\x02\x03"));
  write_file(folder.path() / "main.c",
             "int gemms_answer(void);\n"
             "unsigned long gemms_sum(void);\n"
             "int main(void) { return gemms_answer() == 42 && gemms_sum() == 6 ? 0 : 1; }\n");
  output_of(folder.path(), format("{} -x c main.c -x none -L. -lgemms -o main", TILEWRIGHT_CXX) +
                               " && LD_LIBRARY_PATH=. ./main");
  CHECK(contains(output_of(folder.path(), "readelf -d main"), "Shared library: [libgemms.so]"));
}

TEST_CASE("a name that does not fit is refused") {
  for (const size_t size : {size_t{0}, kMaxNameCharacters + 1}) {
    const std::string name(size, 'x');
    CHECK(
        contains(error_message_of([&name] { make_image(fixture(), name, ""); }, ExitCode::Internal),
                 "has 1 to 64 characters"));
  }
}

}  // namespace
}  // namespace tilewright
