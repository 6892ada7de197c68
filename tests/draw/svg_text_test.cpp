#include "draw/svg_text.hpp"

#include <doctest/doctest.h>

using namespace tilewright;

TEST_CASE("paths are short, the surface has no number, the title is there") {
  CHECK(settled_svg("<?xml?>\n<svg width=\"60px\">\n<g id=\"surface13\">\n"
                    "<path style=\"stroke-width:1.234567;\" d=\"M 5.511719 -0.001 L 10 20.500000 "
                    "Z M -3.999 100 \"/>\n</g></svg>\n",
                    "a<b") ==
        "<?xml?>\n<svg width=\"60px\">\n<title>a&lt;b</title>\n<g id=\"scene\">\n"
        "<path style=\"stroke-width:1.234567;\" d=\"M 5.51 0 L 10 20.5 "
        "Z M -4 100 \"/>\n</g></svg>\n");
}

TEST_CASE("text that is not what Cairo writes passes through") {
  for (const char* text : {"", "plain", "<g id=\"surface", "<path d=\"M 1.2.3 4 \"/>", "<svg"}) {
    const std::string settled = settled_svg(text, "t");
    CHECK(settled.substr(0, 2) == std::string(text).substr(0, 2));
  }
  CHECK(settled_svg("<path d=\"M 1.2.3 4\"/>", "t") == "<path d=\"M 1.2.3 4\"/>");
}
