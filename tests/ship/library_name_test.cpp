#include "ship/library_name.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/text.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

using testing::contains;
using testing::error_message_of;

TEST_CASE("a C identifier names a library") {
  for (const char* const name : {"a", "A", "_", "_a", "_1", "my_gemms", "Gemms2", "int8_gemms"}) {
    CAPTURE(name);
    CHECK_NOTHROW(require_library_name(name));
  }
  CHECK_NOTHROW(require_library_name(std::string(64, 'x')));
}

TEST_CASE("a name that no C function may begin with is refused with the reason") {
  const auto error_message = [](const std::string& name) {
    return error_message_of([&name] { require_library_name(name); });
  };
  CHECK(contains(error_message(""), "it is empty"));
  CHECK(contains(error_message("2gemms"), "it begins with a digit"));
  CHECK(contains(error_message("my-gemms"), "character 3 is not one of a-z, A-Z, 0-9 and _"));
  CHECK(contains(error_message("gemms.so"), "character 6 is"));
  CHECK(contains(error_message("../gemms"), "character 1 is"));
  CHECK(contains(error_message("gemm\xc3\xbc"), "character 5 is"));
  CHECK(contains(error_message(std::string("a\0b", 3)), "character 2 is"));
  CHECK(
      contains(error_message(std::string(65, 'x')), "it has 65 characters, 1 more than the limit"));
  for (const char* const name : {"_A", "_Bool", "__", "__a"}) {
    CHECK(contains(error_message(name), "C reserves names"));
  }
  for (const char* const name : {"lambda", "None", "import", "from", "yield"}) {
    CHECK(contains(error_message(name), "a keyword of Python"));
  }
  for (const char* const name : {"int", "restrict", "namespace", "and", "co_await", "while"}) {
    CHECK(contains(error_message(name), "a keyword of C or C++"));
  }
  CHECK(contains(error_message("int"), "such as my_gemms"));
}

}  // namespace
}  // namespace tilewright
