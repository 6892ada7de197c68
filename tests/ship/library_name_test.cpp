#include "ship/library_name.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/text.hpp"
#include "support/complaint.hpp"

namespace tilewright {
namespace {

using testing::complaint_of;
using testing::contains;

TEST_CASE("a C identifier names a library") {
  for (const char* const name : {"a", "A", "_", "_a", "_1", "my_gemms", "Gemms2", "int8_gemms"}) {
    CAPTURE(name);
    CHECK_NOTHROW(require_library_name(name));
  }
  CHECK_NOTHROW(require_library_name(std::string(64, 'x')));
}

TEST_CASE("a name that no C function may begin with is refused with the reason") {
  const auto complaint = [](const std::string& name) {
    return complaint_of([&name] { require_library_name(name); });
  };
  CHECK(contains(complaint(""), "it is empty"));
  CHECK(contains(complaint("2gemms"), "it begins with a digit"));
  CHECK(contains(complaint("my-gemms"), "character 3 is none of a-z, A-Z, 0-9 and _"));
  CHECK(contains(complaint("gemms.so"), "character 6 is"));
  CHECK(contains(complaint("../gemms"), "character 1 is"));
  CHECK(contains(complaint("gemm\xc3\xbc"), "character 5 is"));
  CHECK(contains(complaint(std::string("a\0b", 3)), "character 2 is"));
  CHECK(contains(complaint(std::string(65, 'x')), "it has 65 characters, 1 more than fit"));
  for (const char* const name : {"_A", "_Bool", "__", "__a"}) {
    CHECK(contains(complaint(name), "C reserves names"));
  }
  for (const char* const name : {"int", "restrict", "namespace", "and", "co_await", "while"}) {
    CHECK(contains(complaint(name), "a keyword of C or C++"));
  }
  CHECK(contains(complaint("int"), "such as my_gemms"));
}

}  // namespace
}  // namespace tilewright
