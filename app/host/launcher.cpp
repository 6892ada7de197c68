#include "host/launcher.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tilewright {
namespace {

// The environment variables of a launcher. Slurm's batch and interactive shells have an
// allocation's size, and even a rank, although Slurm started no ranks there: then `job` is set and
// `step` is not.
struct Launcher {
  const char* rank;
  const char* size;
  const char* local;
  const char* job;  // null: only ranks have these variables
  const char* step;
};

constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", nullptr,
     nullptr},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", nullptr, nullptr},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_JOB_ID", "SLURM_STEP_ID"},
};

// True in a shell that sbatch or salloc started.
bool is_shell(const Launcher& launcher, const Variables& get) {
  if (launcher.job == nullptr) return false;
  return get(launcher.rank) == nullptr ||
         (get(launcher.job) != nullptr && get(launcher.step) == nullptr);
}

// True for "best.rank-2of4.yaml" if `whole` is "best.yaml".
bool is_of_rank(const std::string& name, const std::filesystem::path& whole) {
  const std::string begin = whole.stem().string() + ".rank-";
  const std::string end = whole.extension().string();
  const bool has_both =
      name.size() > begin.size() + end.size() && name.starts_with(begin) && name.ends_with(end);
  if (!has_both) return false;
  const std::string numbers = name.substr(begin.size(), name.size() - begin.size() - end.size());
  const size_t of = numbers.find("of");
  return of != std::string::npos && parse_count(numbers.substr(0, of)) &&
         parse_count(numbers.substr(of + 2));
}

constexpr int64_t kMaxRanks = 1'000'000;

int number_of(const char* name, const std::string& text) {
  const std::optional<int64_t> number = parse_count(text);
  if (number && *number <= kMaxRanks) return static_cast<int>(*number);
  throw usage_error(format("{}='{}' is not a whole number up to {}; --rank R/N replaces it", name,
                           text, kMaxRanks));
}

void require_inside(const Rank& rank) {
  if (rank.rank < rank.size) return;
  throw usage_error(format("{}: there is no rank {} of {}; ranks count from 0", rank.source,
                           rank.rank, rank.size));
}

}  // namespace

Rank launched_rank(const Variables& get) {
  for (const Launcher& launcher : kLaunchers) {
    const char* const rank = get(launcher.rank);
    const char* const size = get(launcher.size);
    if (rank == nullptr && size == nullptr) continue;
    if (is_shell(launcher, get)) continue;
    if (rank == nullptr || size == nullptr) {
      throw usage_error(
          format("{} is set and {} is not; a launcher sets both: add --rank R/N, or --rank 0/1 if "
                 "this is the only process",
                 rank == nullptr ? launcher.size : launcher.rank,
                 rank == nullptr ? launcher.rank : launcher.size));
    }
    Rank found{.rank = number_of(launcher.rank, rank),
               .size = number_of(launcher.size, size),
               .source = format("{}={} {}={}", launcher.rank, rank, launcher.size, size)};
    require_inside(found);
    if (const char* const local = get(launcher.local)) {
      found.local = number_of(launcher.local, local);
    }
    return found;
  }
  return {};
}

Rank parse_rank(const std::string& text) {
  const std::vector<std::string_view> parts = split(text, '/');
  if (parts.size() != 2) {
    throw usage_error(
        format("--rank {}: write R/N, such as 0/4 for the first of four processes", text));
  }
  Rank rank{.rank = number_of("--rank", std::string(parts[0])),
            .size = number_of("--rank", std::string(parts[1])),
            .source = format("--rank {}", text)};
  require_inside(rank);
  return rank;
}

std::string file_of_rank(const std::string& path, const Rank& rank) {
  if (rank.size == 1 || path == "-" || path.empty()) return path;
  const std::filesystem::path whole(path);
  std::filesystem::path name = whole.stem();
  name += format(".rank-{}of{}", rank.rank, rank.size);
  name += whole.extension();
  return (whole.parent_path() / name).string();
}

std::vector<std::string> files_of_ranks(const std::string& path) {
  const std::filesystem::path whole(path);
  const std::filesystem::path folder = whole.has_parent_path() ? whole.parent_path() : ".";
  std::vector<std::string> files;
  std::error_code unreadable;  // an unreadable folder has no files
  for (const auto& file : std::filesystem::directory_iterator(folder, unreadable)) {
    const std::string name = file.path().filename().string();
    const bool is_one = name == whole.filename() || is_of_rank(name, whole);
    if (is_one) files.push_back((whole.parent_path() / name).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tilewright
