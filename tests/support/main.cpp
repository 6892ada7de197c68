// The one main of the tests. --update-golden rewrites tests/golden instead of comparing.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

#include "support/golden.hpp"

int main(int argc, char** argv) {
  const bool update = std::any_of(argv, argv + argc,
                                  [](std::string_view word) { return word == "--update-golden"; });
  tilewright::update_golden_files(update);
  return doctest::Context(argc, argv).run();
}
