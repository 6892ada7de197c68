// What several verbs' command lines share. CLI11 itself stays in app/cli*.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "options.hpp"

namespace CLI {
class App;
}

namespace tilewright {

/// The verb that the words named, with its options: what main runs.
using Action = std::function<ExitCode()>;

void add_format(CLI::App& verb, Format& chosen);
void add_device(CLI::App& verb, std::string& device);
void add_dtype(CLI::App& verb, std::string& dtype);
/// --dtype, --out-dtype, --layout and --bias.
void add_kind(CLI::App& verb, KindOptions& kind);
/// Two commands that the help ends with; a test runs them.
void add_examples(CLI::App& verb, const std::string& first, const std::string& second);
/// --check, repeatable, with an example of what it takes.
void add_checks(CLI::App& subject, std::vector<std::string>& checks, const char* example);
/// --op, and where the addresses come from.
void add_accesses(CLI::App& subject, AccessOptions& o);

}  // namespace tilewright
