// Which files may include which. The rules read #include lines only, so they also hold for files
// that this machine does not compile.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

using Files = std::map<std::string, std::string>;  // path from the top of the sources -> text

/// A folder and its level. Folders within one top folder (`top_folder`) have an order of their own.
struct Floor {
  std::string_view folder;
  int floor;
  std::string_view top_folder;  // the top folder; the folder itself where it is not subdivided
  int order = 0;
};

constexpr std::array kFloors = {
    Floor{"kernels/map", 0, "kernels", 0},
    Floor{"kernels/ptx", 0, "kernels", 1},
    Floor{"kernels/tools", 0, "kernels", 2},
    Floor{"kernels/sm80", 0, "kernels", 3},
    Floor{"kernels/sm90", 0, "kernels", 3},
    Floor{"kernels/skinny", 0, "kernels", 3},
    Floor{"lib/base", 0, "lib/base"},
    Floor{"lib/layout/algebra", 1, "lib/layout", 0},
    Floor{"lib/layout/smem", 1, "lib/layout", 1},
    Floor{"lib/layout/text", 1, "lib/layout", 1},
    Floor{"lib/tile/workload", 1, "lib/tile", 0},
    Floor{"lib/tile/config", 1, "lib/tile", 1},
    Floor{"lib/tile/plan", 1, "lib/tile", 2},
    Floor{"lib/tile/family", 1, "lib/tile", 3},
    Floor{"lib/stats", 1, "lib/stats"},
    Floor{"lib/model", 2, "lib/model"},
    Floor{"lib/draw", 2, "lib/draw"},
    Floor{"lib/search", 3, "lib/search"},
    Floor{"lib/answer", 4, "lib/answer"},
    Floor{"lib/gate", 4, "lib/gate"},
    Floor{"lib/harness", 4, "lib/harness"},
    Floor{"lib/capture", 4, "lib/capture"},
    Floor{"lib/record", 5, "lib/record"},
    Floor{"lib/store", 6, "lib/store"},
    Floor{"lib/gpu/launch", 5, "lib/gpu", 0},
    Floor{"lib/gpu/compile", 5, "lib/gpu", 1},
    Floor{"lib/gpu/contenders", 5, "lib/gpu", 2},
    Floor{"lib/gpu/measure", 5, "lib/gpu", 3},
    Floor{"lib/gpu", 5, "lib/gpu", 4},
    Floor{"lib/exchange", 7, "lib/exchange"},
    Floor{"lib/serve", 7, "lib/serve"},
    Floor{"lib/ship", 8, "lib/ship"},
    Floor{"lib/page", 8, "lib/page"},
    Floor{"lib/worker", 7, "lib/worker"},
    Floor{"app/host", 9, "app", 0},
    Floor{"app/request", 9, "app", 1},
    Floor{"app/render", 9, "app", 2},
    Floor{"app/verbs", 9, "app", 3},
    Floor{"app/cli", 9, "app", 4},
    Floor{"app", 9, "app", 5},
};

/// A third party's headers begin with `prefix`; files that begin with `place` may include them.
struct ThirdParty {
  std::string_view prefix;
  std::string_view place;
};

constexpr std::array kThirdParties = {
    ThirdParty{"fmt/", "lib/base/text."},
    ThirdParty{"xxhash", "lib/base/text."},
    ThirdParty{"CLI/", "app/cli/"},
    ThirdParty{"cairo", "lib/draw/"},
    ThirdParty{"fontconfig/", "lib/draw/machine_font."},
    ThirdParty{"yaml-cpp/", "lib/record/"},
    ThirdParty{"nlohmann/", "lib/record/"},
    ThirdParty{"tilewright_harness.h", "lib/harness/"},
    ThirdParty{"zlib", "lib/serve/payload."},
    ThirdParty{"cu", "lib/gpu/"},
    ThirdParty{"nv", "lib/gpu/"},
};

/// The constants of one config; the host writes this header for each kernel.
constexpr std::string_view kGeneratedHeader = "config.cuh";

struct Include {
  std::string name;
  bool quoted = false;
};

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> includes;
  for (const std::string_view raw : split(text, '\n')) {
    std::string_view line = trim(raw);
    if (line.empty() || line[0] != '#') continue;
    line = trim(line.substr(1));
    if (line.substr(0, 7) != "include") continue;
    line = trim(line.substr(7));
    const size_t end = line.empty() ? 0 : line.find_first_of("\">", 1);
    if (end == 0 || end == std::string_view::npos) continue;
    includes.push_back({std::string(line.substr(1, end - 1)), line[0] == '"'});
  }
  return includes;
}

const Floor* floor_of(std::string_view path) {
  for (const Floor& floor : kFloors) {
    if (path.substr(0, floor.folder.size()) == floor.folder &&
        path.substr(floor.folder.size(), 1) == "/") {
      return &floor;
    }
  }
  return nullptr;
}

/// The file that a quoted include refers to: the include roots are lib, kernels and, for app, app.
std::optional<std::string> resolve(const Files& files, std::string_view includer,
                                   const std::string& name) {
  for (const std::string_view root : {"lib/", "kernels/", "app/"}) {
    if (root == "app/" && includer.substr(0, 4) != "app/") continue;
    const std::string path = std::string(root) + name;
    if (files.count(path) == 1) return path;
  }
  return std::nullopt;
}

bool is_standard(std::string_view name) {
  if (name.find_first_of("./") == std::string_view::npos) return true;
  constexpr std::array<std::string_view, 11> kPosix = {
      "stddef.h", "stdint.h", "string.h", "elf.h",   "sys/",  "unistd.h",
      "dlfcn.h",  "fcntl.h",  "poll.h",   "spawn.h", "link.h"};
  return std::any_of(kPosix.begin(), kPosix.end(),
                     [&](std::string_view p) { return name.substr(0, p.size()) == p; });
}

std::string judge_angle(std::string_view path, std::string_view name) {
  const bool kernel = path.substr(0, 8) == "kernels/";
  if (kernel) return format("{} includes <{}>: kernels include only each other", path, name);
  if (is_standard(name)) return {};
  for (const ThirdParty& party : kThirdParties) {
    if (name.substr(0, party.prefix.size()) != party.prefix) continue;
    if (path.substr(0, party.place.size()) == party.place) return {};
    return format("{} includes <{}>: only {} may", path, name, party.place);
  }
  return format("{} includes <{}>: no floor knows this library", path, name);
}

std::string judge_quoted(const Files& files, std::string_view path, const std::string& name) {
  const Floor* const own = floor_of(path);
  if (own->top_folder == "kernels" && name == kGeneratedHeader) return {};
  const std::optional<std::string> target = resolve(files, path, name);
  if (!target) return format("{} includes \"{}\", which is no file", path, name);
  const Floor* const other = floor_of(*target);
  if (other == nullptr) return format("{} includes {}, which is on no floor", path, *target);
  if (other->folder == own->folder || other->floor < own->floor) return {};
  if (other->top_folder == own->top_folder && other->order < own->order) return {};
  return format("{} (floor {}) includes {} (floor {})", path, own->floor, *target, other->floor);
}

/// Searches depth first; a file that is found again while it is still open closes a cycle.
void find_cycles(const Files& files, const std::string& path, std::vector<std::string>& open,
                 std::set<std::string>& done, std::vector<std::string>& found) {
  if (done.count(path) == 1) return;
  if (std::find(open.begin(), open.end(), path) != open.end()) {
    found.push_back(format("{} includes itself: {}", path, join(open, " -> ")));
    return;
  }
  open.push_back(path);
  for (const Include& include : includes_of(files.at(path))) {
    if (!include.quoted) continue;
    const std::optional<std::string> target = resolve(files, path, include.name);
    if (target) find_cycles(files, *target, open, done, found);
  }
  open.pop_back();
  done.insert(path);
}

/// One line for every broken rule.
std::vector<std::string> violations(const Files& files) {
  std::vector<std::string> found;
  std::set<std::string> cairo_users;
  std::set<std::string> done;
  for (const auto& [path, text] : files) {
    if (floor_of(path) == nullptr) {
      found.push_back(path + " is on no floor");
      continue;
    }
    for (const Include& include : includes_of(text)) {
      if (include.name.substr(0, 5) == "cairo") cairo_users.insert(path);
      const std::string verdict = include.quoted ? judge_quoted(files, path, include.name)
                                                 : judge_angle(path, include.name);
      if (!verdict.empty()) found.push_back(verdict);
    }
    std::vector<std::string> open;
    find_cycles(files, path, open, done, found);
  }
  if (cairo_users.size() > 1) found.push_back("Cairo is included by more than one file");
  return found;
}

Files sources() {
  const std::filesystem::path root = TILEWRIGHT_SOURCE_DIR;
  const std::set<std::string> endings = {".cpp", ".hpp", ".h", ".cu", ".cuh"};
  Files files;
  for (const char* const folder : {"app", "kernels", "lib"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (endings.count(entry.path().extension().string()) == 0) continue;
      files[entry.path().lexically_relative(root).string()] = read_file(entry.path());
    }
  }
  return files;
}

TEST_CASE("every file includes only its own folder and lower layers") {
  const Files files = sources();
  CHECK(files.size() > 20);
  const std::vector<std::string> found = violations(files);
  CHECK_MESSAGE(found.empty(), join(found, "\n"));
}

TEST_CASE("a tree that keeps the rules has no violation") {
  CHECK(violations({{"kernels/map/a.cuh", ""},
                    {"kernels/sm90/k.cu", "#include \"config.cuh\"\n#include \"map/a.cuh\"\n"},
                    {"lib/base/text.hpp", "#include <fmt/core.h>\n#include <string>\n"},
                    {"lib/tile/plan/t.hpp", "#include \"base/text.hpp\"\n#include \"map/a.cuh\"\n"},
                    {"lib/draw/d.cpp", "#include <cairo.h>\n#include \"tile/plan/t.hpp\"\n"},
                    {"app/cli/command_line.hpp", "#include <sys/ioctl.h>\n"},
                    {"app/cli/command_line.cpp",
                     "#include <CLI/CLI.hpp>\n#include \"cli/command_line.hpp\"\n"}})
            .empty());
}

TEST_CASE("each rule finds the file that breaks it") {
  const auto broken = [](const Files& files) { return violations(files).size(); };
  // Includes upwards, sideways, of a missing file, in a circle.
  CHECK(broken({{"lib/base/a.hpp", "#include \"tile/plan/t.hpp\"\n"},
                {"lib/tile/plan/t.hpp", ""}}) == 1);
  CHECK(broken({{"lib/tile/plan/t.hpp", "#include \"stats/s.hpp\"\n"}, {"lib/stats/s.hpp", ""}}) ==
        1);
  CHECK(broken({{"lib/tile/plan/t.hpp", "#include \"gone.hpp\"\n"}}) == 1);
  CHECK(broken({{"lib/other/o.hpp", ""}}) == 1);
  CHECK(broken({{"kernels/k.cuh", ""}}) == 1);
  CHECK(broken({{"kernels/map/a.cuh", "#include \"sm90/p.cuh\"\n"}, {"kernels/sm90/p.cuh", ""}}) ==
        1);
  CHECK(broken({{"kernels/sm80/a.cuh", "#include \"sm90/p.cuh\"\n"}, {"kernels/sm90/p.cuh", ""}}) ==
        1);
  CHECK(broken({{"lib/tile/config/c.hpp", "#include \"tile/plan/p.hpp\"\n"},
                {"lib/tile/plan/p.hpp", ""}}) == 1);
  CHECK(broken({{"lib/tile/plan/a.hpp", "#include \"tile/plan/b.hpp\"\n"},
                {"lib/tile/plan/b.hpp", "#include \"tile/plan/a.hpp\"\n"}}) == 1);
  CHECK(broken({{"app/render/r.hpp", "#include \"verbs/v.hpp\"\n"}, {"app/verbs/v.hpp", ""}}) == 1);
  // Third parties outside their place, unknown ones, and Cairo in two files.
  CHECK(broken({{"lib/tile/plan/t.cpp", "#include <fmt/core.h>\n"}}) == 1);
  CHECK(broken({{"app/main.cpp", "  #  include <CLI/CLI.hpp>\n"}}) == 1);
  CHECK(broken({{"lib/search/s.cpp", "#include <cuda_runtime_api.h>\n"}}) == 1);
  CHECK(broken({{"lib/gpu/g.cpp", "#include <nlohmann/json.hpp>\n"}}) == 1);
  CHECK(broken({{"lib/gpu/g.cpp", "#include <boost/any.hpp>\n"}}) == 1);
  CHECK(broken({{"lib/draw/a.cpp", "#include <cairo.h>\n"},
                {"lib/draw/b.cpp", "#include <cairo-svg.h>\n"}}) == 1);
  CHECK(broken({{"kernels/sm90/k.cu", "#include <cstdint>\n"}}) == 1);
}

}  // namespace
}  // namespace tilewright
