// The command line: words in, a verb's exit code out.
#pragma once

#include "base/error.hpp"
#include "console.hpp"

namespace tilewright {

/// Parses the arguments, runs the verb they name. Throws Error for bad usage.
ExitCode run_command_line(int argc, const char* const* argv, Console& console);

}  // namespace tilewright
