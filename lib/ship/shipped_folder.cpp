#include "ship/shipped_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/escape.hpp"
#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/text.hpp"
#include "ship/former_shipment.hpp"
#include "ship/manifest.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStage = ".tilewright.part";

fs::file_type type_of(const fs::path& path) {
  std::error_code unknown;
  return fs::symlink_status(path, unknown).type();
}

bool is_there(const fs::path& path) {
  return type_of(path) != fs::file_type::not_found;
}

void require(const std::error_code& error, std::string_view act, const fs::path& path) {
  if (error) throw file_error(act, path, error.value());
}

void make_folders(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  require(error, "make the folder", path);
}

void move_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  require(error, "write", to);
}

// The digest of a regular file; nothing for a link, a folder or no file.
std::optional<std::string> digest_of(const fs::path& path) {
  if (type_of(path) != fs::file_type::regular) return std::nullopt;
  return hash_text(read_file(path, kMaxStoreBytes));
}

const std::string* find(const Manifest& manifest, const std::string& path) {
  const auto at = manifest.digests.find(path);
  return at == manifest.digests.end() ? nullptr : &at->second;
}

// The shipment in the folder, by its manifest, or by its library and header.
std::optional<Manifest> shipment_in(const fs::path& folder) {
  const fs::path path = folder / kManifestFile;
  if (type_of(path) == fs::file_type::regular) {
    const std::string text = read_file(path);
    if (is_manifest(text)) return parse_manifest(text, path.string());
  }
  return former_shipment(folder);
}

// "a, b, c and 4 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr size_t kMost = 3;
  const size_t shown = std::min(names.size(), kMost);
  std::string text = join(std::span(names).first(shown), ", ");
  if (names.size() > shown) text += format(" and {} more", names.size() - shown);
  return text;
}

std::vector<std::string> entries_of(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error); at != fs::directory_iterator();
       at.increment(error)) {
    names.push_back(one_line(at->path().filename().string()));
  }
  require(error, "read", folder);
  std::sort(names.begin(), names.end());
  return names;
}

// Moves the files of a complete stage to their folder. It can begin again after any of its steps.
class Installation {
 public:
  explicit Installation(const fs::path& folder)
      : folder_(folder), stage_(folder / kStage), fresh_(manifest_in(stage_)) {
    if (auto old = shipment_in(folder_)) old_ = std::move(*old);
  }

  ReplacedShipment run() {
    for (const auto& [path, digest] : fresh_.digests) {
      make_folders((folder_ / path).parent_path());
    }
    for (const auto& [path, digest] : fresh_.digests) install(path, digest);
    for (const auto& [path, digest] : old_.digests) {
      if (find(fresh_, path) == nullptr) retire(path, digest);
    }
    for (const fs::path& changed : changed_) sync_folder_of(changed / kManifestFile);
    move_file(stage_ / kManifestFile, folder_ / kManifestFile);
    sync_folder_of(folder_ / kManifestFile);
    std::error_code ignored;
    fs::remove_all(stage_, ignored);
    return std::move(replaced_);
  }

 private:
  static Manifest manifest_in(const fs::path& folder) {
    const fs::path path = folder / kManifestFile;
    return parse_manifest(read_file(path), path.string());
  }

  void install(const std::string& path, const std::string& digest) {
    const fs::path staged = stage_ / path;
    if (!is_there(staged)) return;  // moved before, or nothing new
    const fs::path place = folder_ / path;
    if (is_there(place)) {
      const std::optional<std::string> now = digest_of(place);
      const std::string* const before = find(old_, path);
      const bool is_ours = now && (now == digest || (before != nullptr && now == *before));
      if (!is_ours) keep(path);
    }
    std::error_code ignored;
    const fs::file_status status = fs::symlink_status(place, ignored);
    if (fs::is_regular_file(status)) fs::permissions(staged, status.permissions(), ignored);
    move_file(staged, place);
    changed_.insert(place.parent_path());
  }

  // Removes a file that the new shipment does not have, and its folders if they are empty then.
  void retire(const std::string& path, const std::string& digest) {
    const fs::path place = folder_ / path;
    const bool is_gone = !is_there(place);  // its empty folders may be left
    if (!is_gone && digest_of(place) == digest) {
      std::error_code error;
      fs::remove(place, error);
      require(error, "remove", place);
    } else if (!is_gone) {
      keep(path);
    }
    changed_.insert(folder_);
    for (fs::path up = place.parent_path(); up != folder_; up = up.parent_path()) {
      if (::rmdir(up.c_str()) != 0 && errno != ENOENT) break;  // a killed run removed some
    }
  }

  void keep(const std::string& path) {
    if (replaced_.kept_in.empty()) replaced_.kept_in = unused_name();
    const fs::path to = folder_ / replaced_.kept_in / path;
    make_folders(to.parent_path());
    move_file(folder_ / path, to);
    replaced_.kept.push_back(path);
  }

  std::string unused_name() const {
    std::string name = "previous";
    for (int i = 2; is_there(folder_ / name); ++i) name = format("previous-{}", i);
    return name;
  }

  fs::path folder_;
  fs::path stage_;
  Manifest fresh_;
  Manifest old_;
  std::set<fs::path> changed_;
  ReplacedShipment replaced_;
};

// Completes the replacement of a run that was killed, or removes what it had not completed.
void recover(const fs::path& folder) {
  const fs::path stage = folder / kStage;
  if (type_of(stage) != fs::file_type::directory) return;
  if (is_there(stage / kManifestFile)) {
    Installation(folder).run();
  } else {
    std::error_code error;
    fs::remove_all(stage, error);
    require(error, "remove", stage);
  }
}

// The folder itself, without links and a slash at the end.
fs::path place_of(const fs::path& folder) {
  if (folder.empty() || folder == "-") {
    throw usage_error(format("-o '{}' names no folder: ship writes many files", folder.string()));
  }
  std::error_code error;
  const fs::path place = fs::weakly_canonical(fs::absolute(folder), error);
  require(error, "write", folder);
  return place.has_filename() ? place : place.parent_path();
}

// The nearest folder that is there, at or above `path`.
fs::path nearest_folder(fs::path path) {
  while (!is_there(path) && path.has_parent_path() && path != path.parent_path()) {
    path = path.parent_path();
  }
  return path;
}

void require_writable_folder(const fs::path& folder) {
  const fs::path nearest = nearest_folder(folder);
  if (!fs::is_directory(nearest)) throw file_error("write", folder, ENOTDIR);
  if (::access(nearest.c_str(), R_OK | W_OK | X_OK) != 0) throw file_error("write", folder, errno);
}

// The shipment in a folder that is there and that no killed run left behind; nothing if the folder
// is empty.
std::optional<Manifest> require_shipment(const fs::path& folder) {
  const std::vector<std::string> entries = entries_of(folder);
  if (entries.empty()) return std::nullopt;
  if (std::optional<Manifest> shipment = shipment_in(folder)) return shipment;
  throw usage_error(format(
      "'{}' holds {}, and no shipment that this command wrote (no {}): name a folder that is "
      "empty or absent, or move away what lies there",
      folder.string(), listed(entries), kManifestFile));
}

// Throws an error unless the folders of a file are folders, as far as they are there, and can be
// written to: then its rename succeeds.
void require_parents(const fs::path& folder, const std::string& path) {
  fs::path up = folder;
  for (const fs::path& part : fs::path(path).parent_path()) {
    up /= part;
    if (!is_there(up)) return;
    if (type_of(up) != fs::file_type::directory) {
      throw usage_error(format(
          "'{}' is no folder, and the shipment needs one there: move it away, or name another "
          "folder for the shipment",
          up.string()));
    }
    if (::access(up.c_str(), R_OK | W_OK | X_OK) != 0) throw file_error("write", up, errno);
  }
}

// Throws a usage error for a file to write at a place that is not the earlier shipment's.
void require_own_places(const fs::path& folder, const Manifest& old, const Manifest& fresh) {
  std::vector<std::string> foreign;
  for (const auto& [path, digest] : old.digests) require_parents(folder, path);
  for (const auto& [path, digest] : fresh.digests) {
    require_parents(folder, path);
    const bool is_in_the_way =
        find(old, path) == nullptr && is_there(folder / path) && digest_of(folder / path) != digest;
    if (is_in_the_way) foreign.push_back(path);
  }
  if (foreign.empty()) return;
  throw usage_error(format(
      "'{}' holds {}, which the shipment of lib{} there does not list and this one would replace: "
      "move it away, or name another folder for the shipment",
      folder.string(), listed(foreign), one_line(old.name)));
}

// Removes a stage that was not completed.
class StageGuard {
 public:
  explicit StageGuard(fs::path stage) : stage_(std::move(stage)) {}
  ~StageGuard() {
    std::error_code ignored;
    if (!stage_.empty()) fs::remove_all(stage_, ignored);
  }
  StageGuard(const StageGuard&) = delete;
  StageGuard& operator=(const StageGuard&) = delete;
  void release() { stage_.clear(); }

 private:
  fs::path stage_;
};

void write_new(const fs::path& path, std::string_view content) {
  throw_if_interrupted();
  make_folders(path.parent_path());
  if (const int error = replace_file(path, content, {})) throw file_error("write", path, error);
}

// Writes the files that `folder` does not have with this content, then the manifest.
void write_stage(const fs::path& stage, const fs::path& folder, const Manifest& manifest,
                 const std::map<std::string, std::string>& files) {
  for (const auto& [path, content] : files) {
    if (digest_of(folder / path) == manifest.digests.at(path)) continue;
    write_new(stage / path, content);
  }
  write_new(stage / kManifestFile, print_manifest(manifest));
}

// A folder that is absent comes into being with all its files, by one rename.
void make_shipment(const fs::path& folder, const Manifest& manifest,
                   const std::map<std::string, std::string>& files) {
  make_folders(folder.parent_path());
  const fs::path whole = temporary_beside(folder);
  StageGuard guard(whole);
  for (const auto& [path, content] : files) write_new(whole / path, content);
  write_new(whole / kManifestFile, print_manifest(manifest));
  move_file(whole, folder);
  guard.release();
  sync_folder_of(folder);
}

ReplacedShipment replace_shipment(const fs::path& folder, const Manifest& manifest,
                                  const std::map<std::string, std::string>& files) {
  const std::optional<Manifest> old = require_shipment(folder);
  require_own_places(folder, old.value_or(Manifest{}), manifest);
  StageGuard guard(folder / kStage);
  write_stage(folder / kStage, folder, manifest, files);
  guard.release();
  try {
    ReplacedShipment replaced = Installation(folder).run();
    if (old) replaced.name = old->name;
    return replaced;
  } catch (const Error& error) {
    throw Error(error.code(),
                format("{}; the shipment is complete in '{}', and the next one to this folder "
                       "moves it first",
                       error.what(), (folder / kStage).string()));
  }
}

}  // namespace

void require_shipment_place(const fs::path& folder) {
  const fs::path place = place_of(folder);
  require_writable_folder(place);
  if (!is_there(place)) return;
  const FileLock lock(place / kManifestFile);
  recover(place);
  require_shipment(place);
}

ReplacedShipment write_shipment(const fs::path& folder, const std::string& name,
                                const std::map<std::string, std::string>& files) {
  const fs::path place = place_of(folder);
  require_writable_folder(place);
  const Manifest manifest = manifest_of(name, files);
  if (!is_there(place)) {
    make_shipment(place, manifest, files);
    return {};
  }
  const FileLock lock(place / kManifestFile);
  recover(place);
  return replace_shipment(place, manifest, files);
}

}  // namespace tilewright
