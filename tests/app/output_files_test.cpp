#include "host/output_files.hpp"

#include <doctest/doctest.h>

using namespace tilewright;

TEST_CASE("the extension decides whether a picture or the records are written") {
  CHECK(is_picture("a/b.svg"));
  CHECK(is_picture("b.png"));
  CHECK(is_picture("b.pdf"));
  CHECK_FALSE(is_picture("b.json"));
  CHECK_FALSE(is_picture("-"));
}
