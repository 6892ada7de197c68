// Writes a shipment to its folder: all of it or nothing, and over an earlier shipment only.
//
//   D/                   files of the shipment, MANIFEST, files that a user added
//   D/previous/          files of an earlier shipment that somebody edited; previous-2/ and so on
//   D/.tilewright.part/  a shipment on its way; with its MANIFEST it is complete, and then the
//   files
//                        move to D one by one. The next run completes what was killed meanwhile.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tilewright {

/// Throws an error unless `folder` is absent, empty or holds a shipment, and can be written to: a
/// usage error that names what lies there. Completes a replacement that was killed.
void require_shipment_place(const std::filesystem::path& folder);

/// What write_shipment() found in the folder.
struct ReplacedShipment {
  std::string name;                    // of the library; empty: there was none
  std::string kept_in = {};            // the folder of the edited files, in the folder; empty: none
  std::vector<std::string> kept = {};  // their paths
};

/// Writes the files, by their paths, and their manifest. An earlier shipment is replaced as a
/// whole: its other files are removed, and those whose content is not the manifest's are moved to
/// `kept_in`. Files that no manifest lists stay as they are; one at the path of a file to write is
/// refused. On an error nothing is replaced. Throws like require_shipment_place().
ReplacedShipment write_shipment(const std::filesystem::path& folder, const std::string& name,
                                const std::map<std::string, std::string>& files);

}  // namespace tilewright
