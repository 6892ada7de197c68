// The command line: takes the arguments, returns the verb's exit code.
#pragma once

#include "base/error.hpp"
#include "host/console.hpp"

namespace tilewright {

/// Parses the arguments and runs the verb that they name. Throws Error for bad usage.
ExitCode run_command_line(int argc, const char* const* argv, Console& console);

}  // namespace tilewright
