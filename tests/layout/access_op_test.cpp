#include "layout/smem/access_op.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "layout/smem/wavefronts.hpp"
#include "support/error_message.hpp"

namespace tilewright {
namespace {

std::string lanes(int count, int step) {
  std::vector<std::string> addresses;
  for (int lane = 0; lane < count; ++lane) addresses.push_back(std::to_string(lane * step));
  return join(addresses, ",");
}

std::string why(const char* op, const std::string& text) {
  return testing::error_message_of([&] { parse_access_lines(parse_access_op(op), text, "x.csv"); });
}

using testing::contains;

TEST_CASE("an access has 32 addresses; matrix instructions may omit those that they ignore") {
  const WarpAccess load = parse_access(parse_access_op("ld.b32"), format(" {}\n", lanes(32, 4)));
  CHECK(load.addresses[0] == 0);
  CHECK(load.addresses[31] == 124);
  const WarpAccess matrix = parse_access(parse_access_op("ldmatrix.x2"), lanes(16, 16));
  CHECK(matrix.addresses[15] == 240);
  CHECK(matrix.addresses[16] == kInactive);
  CHECK(parse_access(parse_access_op("ldmatrix.x2"), lanes(32, 16)).addresses[31] == 496);
}

TEST_CASE("a file has one access per line, with blanks and comments between them") {
  const std::string text = format("# two\n\n{}\r\n  {}\n", lanes(32, 4), lanes(32, 8));
  const auto accesses = parse_access_lines(parse_access_op("st.b32"), text, "x.csv");
  REQUIRE(accesses.size() == 2);
  CHECK(accesses[1].addresses[1] == 8);
}

TEST_CASE("an error names the line and the lane") {
  CHECK(contains(why("ld.b32", lanes(31, 4)), "x.csv:1: ld.b32 takes 32 byte addresses"));
  CHECK(contains(why("ld.b32", lanes(33, 4)), "not 33"));
  CHECK(contains(why("ldmatrix.x1", lanes(9, 16)), "ldmatrix.x1 takes 8 byte addresses"));
  CHECK(contains(why("ld.b32", format("\n{},x", lanes(31, 4))), "x.csv:2: lane 31: 'x'"));
  CHECK(contains(why("ld.b32", lanes(31, 4) + ",-2"), "'-2' is not a byte address"));
  CHECK(contains(why("ld.b32", lanes(31, 4) + ",99999999999999999999"), "is not a byte address"));
  CHECK(contains(why("ld.v4", lanes(32, 4)), "x.csv:1: lane 1: address 4 is not a multiple"));
  CHECK(contains(why("ld.v4", "# nothing\n"), "x.csv has no access"));
}

TEST_CASE("misspelt operations get a suggestion") {
  const auto op_error = [](const char* text) {
    return testing::error_message_of([&] { parse_access_op(text); });
  };
  CHECK(contains(op_error("ldmatrix.x8"), "did you mean 'ldmatrix.x"));
  CHECK(contains(op_error("ld.b23"), "did you mean 'ld.b32'?"));
  CHECK(contains(op_error("ld.b32.trans"), "unknown operation"));
  CHECK(contains(op_error(""), "the operations are ld and st"));
}

}  // namespace
}  // namespace tilewright
