#include "store/device_json.hpp"

#include "base/text.hpp"
#include "record/field_table.hpp"
#include "store/device_preset.hpp"
#include "store/rate_keys.hpp"

namespace tilewright {

std::string device_json(const DeviceSpec& d, int gpu_index, const std::string& versions,
                        const std::string& why_no_gpu) {
  const Fields<DeviceSpec> figures = device_figures();
  Document document = document_of(d, figures.first(2));
  document["preset"] = gpu_index < 0;
  document["gpus"] = d.gpus;
  write_fields(d, document, figures.subspan(2, 1));
  document["architecture"] = architecture(d);
  write_fields(d, document, figures.subspan(3));
  write_rates(d, document);
  if (!d.base.empty()) {
    document["base"] = d.base;
    document["defaults"] = inherited_rates(d);
  }
  if (gpu_index >= 0) document["gpu_index"] = gpu_index;
  if (!why_no_gpu.empty()) document["why_no_gpu"] = why_no_gpu;
  Document lines = Document::array();
  for (const std::string_view line : split(versions, '\n')) {
    if (!trim(line).empty()) lines.push_back(std::string(trim(line)));
  }
  if (!lines.empty()) document["versions"] = lines;
  return to_json(document);
}

namespace {

Document products(const std::vector<TimedProduct>& timed) {
  Document list = Document::array();
  for (const TimedProduct& p : timed) {
    list.push_back({{"problem", to_string(p.problem.shape)},
                    {"config", to_string(p.config)},
                    {"measured_us", p.measured_us},
                    {"predicted_us", p.predicted_us},
                    {"residual_pct", residual_pct(p)}});
  }
  return list;
}

Document latency(const LoadLatency& l) {
  return {{"clocks", l.clocks}, {"ns", l.ns}};
}

Document probed(const ProbedRates& p) {
  Document working_sets = Document::array();
  for (const WorkingSetRate& w : p.working_sets) {
    working_sets.push_back({{"bytes", w.bytes}, {"bytes_per_clock", w.bytes_per_clock}});
  }
  return {{"dram_copy_bytes_per_s", p.dram_copy_bytes_per_s},
          {"dram_read_bytes_per_s", p.dram_read_bytes_per_s},
          {"dram_latency", latency(p.dram_latency)},
          {"l2_latency", latency(p.l2_latency)},
          {"l2_near_clocks", p.l2_clocks.low},
          {"l2_far_clocks", p.l2_clocks.high},
          {"read_clock_hz", p.read_clock_hz},
          {"shared_l2_bytes_per_s", p.shared_l2_bytes_per_s},
          {"working_sets", working_sets},
          {"tensor_flops_per_clock_per_sm", p.tensor.flops_per_clock_per_sm},
          {"tensor_clock_hz", p.tensor.clock_hz},
          {"empty_us", p.launch.empty_us},
          {"cluster_us", p.launch.cluster_us},
          {"first_load_us", p.launch.first_load_us}};
}

Document fit(const LineFit& line, const char* slope) {
  return {{"intercept_us", line.intercept},
          {slope, line.slope},
          {"rms_us", line.rms_residual},
          {"worst_us", line.worst_residual}};
}

Document probed_flows(const ProbedFlows& p) {
  Document flows = Document::array();
  for (const LinkFlow& flow : p.flows) flows.push_back(Document::array({flow.gpu, flow.peer}));
  Document copies = Document::array();
  for (const TimedCopy& copy : p.copies) copies.push_back({{"bytes", copy.bytes}, {"us", copy.us}});
  return {{"flows", flows},
          {"vector_store_bytes_per_us", p.vector_store_bytes_per_us},
          {"bulk_store_bytes_per_us", p.bulk_store_bytes_per_us},
          {"cta_vector_store_bytes_per_us", p.cta_vector_store_bytes_per_us},
          {"cta_bulk_store_bytes_per_us", p.cta_bulk_store_bytes_per_us},
          {"add_bytes_per_us", p.add_bytes_per_us},
          {"load_bytes_per_us", p.load_bytes_per_us},
          {"copies", copies},
          {"copy_fit", fit(p.copy, "us_per_byte")}};
}

// The rates as in a device file.
Document links_of(const DeviceSpec& device) {
  Document document;
  write_rates(device, document);
  return document["links"];
}

}  // namespace

std::string calibration_json(const Calibration& c) {
  Document residuals = products(c.depths);
  for (const Document& row : products(c.products)) residuals.push_back(row);
  return to_json({{"device",
                   {{"name", c.device.name},
                    {"marketing_name", c.device.marketing_name},
                    {"l2_effective_bytes", c.device.l2_effective_bytes},
                    {"tensor_flops_per_clock_per_sm", c.device.tensor_flops_per_clock_per_sm},
                    {"sustained_clock_hz", c.device.sustained_clock_hz},
                    {"dram_bytes_per_s", c.device.dram_bytes_per_s},
                    {"l2_bytes_per_clock", c.device.l2_bytes_per_clock},
                    {"launch_us", c.device.launch_us}}},
                  {"l2_read_knee_bytes", c.read_knee_bytes},
                  {"probed", probed(c.probed)},
                  {"depth_fit", fit(c.depth, "us_per_k")},
                  {"residuals", residuals}});
}

std::string link_calibration_json(const LinkCalibration& c) {
  Document pairs = Document::array();
  for (const ProbedPair& pair : c.pairs) {
    const LinkFlow& flow = pair.one_way.flows.front();
    pairs.push_back({{"gpus", Document::array({flow.gpu, flow.peer})},
                     {"one_way", probed_flows(pair.one_way)},
                     {"both_ways", probed_flows(pair.both_ways)},
                     {"flag_us", pair.flag_us},
                     {"added_count", pair.adds.added_count},
                     {"lost_count", pair.adds.lost_count}});
  }
  Document document = {{"device",
                        {{"name", c.device.name},
                         {"marketing_name", c.device.marketing_name},
                         {"gpus", c.device.gpus},
                         {"links", links_of(c.device)}}},
                       {"gpus", c.gpus},
                       {"pairs", pairs}};
  if (c.ring) document["ring"] = probed_flows(*c.ring);
  return to_json(document);
}

std::string diagnosis_json(const std::vector<Finding>& findings, bool healthy) {
  Document list = Document::array();
  for (const Finding& f : findings) {
    Document row = {{"subject", f.subject}, {"health", to_string(f.health)}, {"detail", f.detail}};
    if (!f.advice.empty()) row["advice"] = f.advice;
    list.push_back(row);
  }
  return to_json({{"healthy", healthy}, {"findings", list}});
}

}  // namespace tilewright
