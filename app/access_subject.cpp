#include "access_subject.hpp"

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "layout/smem/access_list.hpp"

namespace tilewright {

std::vector<WarpAccess> read_accesses(const AccessOptions& o) {
  const AccessOp op = parse_access_op(o.op);
  if (o.addresses.empty() == o.file.empty()) {
    throw usage_error(
        "one of --addresses a0,...,a31 and --file FILE.csv says which bytes the lanes access");
  }
  if (!o.addresses.empty()) return {parse_access(op, o.addresses)};
  return parse_access_lines(op, read_file(o.file), o.file == "-" ? "stdin" : o.file);
}

std::string lane_list(const std::vector<int>& lanes) {
  std::vector<std::string> words;
  for (size_t i = 0; i < lanes.size();) {
    size_t last = i;
    while (last + 1 < lanes.size() && lanes[last + 1] == lanes[last] + 1) ++last;
    words.push_back(last == i ? format("{}", lanes[i]) : format("{}-{}", lanes[i], lanes[last]));
    i = last + 1;
  }
  return join(words, ",");
}

}  // namespace tilewright
