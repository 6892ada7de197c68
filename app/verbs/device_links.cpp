#include "verbs/device_links.hpp"

#include <memory>

#include "base/error.hpp"
#include "base/text.hpp"
#include "render/progress_bar.hpp"

namespace tilewright {
namespace {

std::string gigabytes(double bytes_per_us) {
  return format("{:.0f}", bytes_per_us * 1e-3);
}

// All GPUs of the device's kind that have access to each other, beginning with the device. Throws
// an environment error where there is only one.
std::vector<int> gpus_of_kind(const ResolvedDevice& device) {
  const Backend& backend = *device.backend;
  const int first = device.gpu_index;
  std::string why = format("cuda:{} is the only {} of this host", first, device.spec.name);
  std::vector<int> gpus = linked_gpus(first, backend.device_count(), [&](int gpu, int peer) {
    if (!same_model(fingerprint(device.spec, false), fingerprint(backend.device(peer), false))) {
      return false;
    }
    if (backend.has_peer_access(gpu, peer) && backend.has_peer_access(peer, gpu)) return true;
    if (gpu == first)
      why = format("there is no peer access between cuda:{} and cuda:{}", gpu, peer);
    return false;
  });
  if (gpus.size() > 1) return gpus;
  throw environment_error(
      format("device calibrate --links needs two GPUs of one kind with peer access: {}", why));
}

std::string flows_text(const std::vector<LinkFlow>& flows) {
  if (flows.size() > 2) return format("ring of {}", flows.size());
  return format("cuda:{} {} cuda:{}", flows.front().gpu, flows.size() == 1 ? "->" : "<->",
                flows.front().peer);
}

void add_row(Table& table, const ProbedFlows& p, const std::string& flag_us) {
  const LinkRates rates = link_rates(p, 0);
  table.add_row({flows_text(p.flows), gigabytes(p.vector_store_bytes_per_us),
                 gigabytes(p.bulk_store_bytes_per_us), gigabytes(p.cta_vector_store_bytes_per_us),
                 gigabytes(p.cta_bulk_store_bytes_per_us), gigabytes(rates.add_bytes_per_us),
                 gigabytes(rates.load_bytes_per_us), gigabytes(rates.copy_bytes_per_us),
                 format("{:.1f}", rates.copy_us), flag_us});
}

std::string adds_text(const std::vector<ProbedPair>& pairs) {
  AddProbe all;
  for (const ProbedPair& pair : pairs) {
    all.added_count += pair.adds.added_count;
    all.lost_count += pair.adds.lost_count;
  }
  const char* const subject = "adds of two GPUs to one address";
  if (all.lost_count == 0) return format("{}: exact\n", subject);
  return format("{}: lost {} of {}\n", subject, all.lost_count, all.added_count);
}

}  // namespace

std::string links_text(const LinkRates& l) {
  return format(
      "stores {} GB/s ({} of one SM), sums {}, loads {}, copies {} after {:.4g} us; a "
      "flag {:.3g} us",
      gigabytes(l.store_bytes_per_us), gigabytes(l.cta_store_bytes_per_us),
      gigabytes(l.add_bytes_per_us), gigabytes(l.load_bytes_per_us), gigabytes(l.copy_bytes_per_us),
      l.copy_us, l.flag_us);
}

LinkCalibration measure_links(const ResolvedDevice& device, Console& console) {
  const std::vector<int> gpus = gpus_of_kind(device);
  ProgressBar progress(console);
  progress.subject("calibrate");
  const std::unique_ptr<LinkProber> prober = device.backend->open_link_prober(gpus, device.spec);
  LinkCalibration c = calibrate_links(*prober, device.spec, gpus, progress);
  progress.clear();
  return c;
}

std::vector<TextPart> links_report(const LinkCalibration& c) {
  Table table({{"GB/s each way", false},
               {"stores"},
               {"by TMA"},
               {"one SM"},
               {"by TMA"},
               {"sums"},
               {"loads"},
               {"copies"},
               {"after us"},
               {"flag us"}});
  for (const ProbedPair& pair : c.pairs) {
    add_row(table, pair.one_way, "");
    add_row(table, pair.both_ways, format("{:.2f}", pair.flag_us));
  }
  if (c.ring) add_row(table, *c.ring, "");
  return {format("{} of {}, measured\n", c.gpus.size(), c.device.marketing_name), table,
          Sentence{links_text(c.device.links), "links of the file: "}, adds_text(c.pairs)};
}

}  // namespace tilewright
