// tilewright: the process around the verbs; handles signals, terminals and exit codes.

#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "host/console.hpp"

namespace {

volatile std::sig_atomic_t first_signal = 0;

// The first signal lets the verb finish what it has begun; the second ends the process.
void on_interrupt(int signal) {
  if (first_signal != 0) _exit(128 + signal);
  first_signal = signal;
  tilewright::request_interruption();
}

// An interrupted process ends with a shell's exit code: 130 for Ctrl-C, 143 for SIGTERM.
int status_of(tilewright::ExitCode code) {
  const bool by_signal = code == tilewright::ExitCode::Interrupted && first_signal != 0;
  return by_signal ? 128 + first_signal : static_cast<int>(code);
}

int terminal_width() {
  winsize size{};
  for (const int terminal : {STDOUT_FILENO, STDERR_FILENO}) {
    if (ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  }
  return 80;
}

}  // namespace

int main(int argc, char** argv) {
  using tilewright::ExitCode;
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGPIPE, SIG_DFL);
  const char* const no_color = std::getenv("NO_COLOR");
  const bool color = no_color == nullptr || *no_color == '\0';
  tilewright::Console console{.out = std::cout, .err = std::cerr};
  console.color_out = color && isatty(STDOUT_FILENO) != 0;
  console.terminal_out = isatty(STDOUT_FILENO) != 0;
  console.terminal_err = isatty(STDERR_FILENO) != 0;
  console.width = terminal_width();
  try {
    const ExitCode code = tilewright::run_command_line(argc, argv, console);
    tilewright::flush_standard_output();
    return status_of(code);
  } catch (const tilewright::Error& error) {
    std::cerr << tilewright::error_text(error.what(), error.code());
    return status_of(error.code());
  } catch (const std::exception& exception) {
    const tilewright::Error error = tilewright::as_error(exception);
    const char* const unforeseen = error.code() == ExitCode::Internal ? "internal error: " : "";
    std::cerr << tilewright::error_text(std::string(unforeseen) + error.what(), error.code());
    return status_of(error.code());
  }
}
