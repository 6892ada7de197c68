// Where a verb's words go: results to `out`, talk and progress to `err`.
#pragma once

#include <ostream>

namespace tilewright {

enum class Format { Text, Json };

struct Console {
  std::ostream& out;
  std::ostream& err;
  bool color_out = false;     // colour on `out`
  bool terminal_err = false;  // `err` is a terminal: a progress bar may redraw its line
  int width = 80;             // columns of that terminal
};

}  // namespace tilewright
