// Starts another program and waits for it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewright {

enum class ChildOutput {
  Captured,  // both streams, in the order in which they were written
  Answer,    // standard output alone; standard error is dropped
  Shown,     // on this program's standard error
};

/// How a program ended.
struct ChildEnd {
  int code = 0;  // its exit code; 128 plus the signal's number; 127 if it does not start
  std::string output;
};

/// Runs a program (words[0]) with its arguments in a folder, without a shell and without standard
/// input. The child inherits this program's environment except the variables that would lead git to
/// a repository other than the folder's. Throws an environment error where there is no room for its
/// output.
ChildEnd run_child(const std::vector<std::string>& words, const std::filesystem::path& folder,
                   ChildOutput output);

/// Runs a program with this one's standard streams, folder and environment, to which `variables`
/// are added as "NAME=value"; `is_quiet` sends its standard output to standard error. While it
/// runs, Ctrl-C is the program's alone, and a signal that another process sends to this one is sent
/// on. `output` is the reason where the program does not start, else empty.
ChildEnd run_program(const std::vector<std::string>& words,
                     const std::vector<std::string>& variables, bool is_quiet);

}  // namespace tilewright
