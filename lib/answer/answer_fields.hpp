// The fields of an answer table's records, each listed once: reader and writer visit the same
// fields in the same order.
#pragma once

#include "answer/answer_table.hpp"

namespace tilewright {

/// Calls visit(name, field) for every field of a kind of products; sizes are not part of it.
template <class Visit, class Kind>
void visit_kind(Visit&& visit, Kind& kind) {
  visit("op", kind.op);
  visit("uplo", kind.uplo);
  visit("dtype", kind.kind.dtype);
  visit("layout", kind.kind.layout);
  auto& epilogue = kind.kind.epilogue;
  visit("out_dtype", epilogue.out_dtype);
  visit("alpha", epilogue.alpha);
  visit("beta", epilogue.beta);
  visit("bias", epilogue.bias);
  visit("activation", epilogue.activation);
  visit("scale_a", epilogue.scale_a);
  visit("scale_b", epilogue.scale_b);
  visit("row_bias", epilogue.row_bias);
  visit("stacked", epilogue.stacked);
  visit("scale_d", epilogue.scale_d);
  visit("absmax", epilogue.absmax);
  visit("accumulate", kind.kind.accumulation);
  visit("sms", kind.kind.sms);
  visit("parallel", kind.parallel.collective);
  visit("gpus", kind.parallel.gpus);
}

/// Visits all of a device except the rates of its table.
template <class Visit, class Device>
void visit_device(Visit&& visit, Device& device) {
  visit("name", device.name);
  visit("marketing_name", device.marketing_name);
  visit("compute_major", device.compute_major);
  visit("compute_minor", device.compute_minor);
  visit("sm_count", device.sm_count);
  visit("smem_per_cta_bytes", device.smem_per_cta_bytes);
  visit("registers_per_sm", device.registers_per_sm);
  visit("max_cluster_size", device.max_cluster_size);
  visit("l2_bytes", device.l2_bytes);
  visit("l2_effective_bytes", device.l2_effective_bytes);
  visit("memory_bytes", device.memory_bytes);
  visit("tensor_flops_per_clock_per_sm", device.tensor_flops_per_clock_per_sm);
  visit("sustained_clock_hz", device.sustained_clock_hz);
  visit("dram_bytes_per_s", device.dram_bytes_per_s);
  visit("l2_bytes_per_clock", device.l2_bytes_per_clock);
  visit("launch_us", device.launch_us);
  visit("gpus", device.gpus);
  visit("own_rates", device.file_rates);
  visit("base", device.base);
}

template <class Visit, class Row>
void visit_row(Visit&& visit, Row& row) {
  visit("problem", row.problem);
  visit("config", row.choice);
  visit("pinned", row.pinned);
  visit("predicted_us", row.predicted_us);
  visit("median_us", row.median_us);
  visit("file", row.file);
}

/// Visits all of a row's pin except `beside`.
template <class Visit, class Pin>
void visit_pin(Visit&& visit, Pin& pin) {
  visit("version", pin.version);
  visit("name", pin.name);
  visit("algorithm", pin.algorithm.bits);
  visit("workspace_bytes", pin.algorithm.workspace_bytes);
  visit("us", pin.median_us);
  visit("ratio", pin.ratio);
  visit("first_us", pin.first_us);
  visit("first_ratio", pin.first_ratio);
}

template <class Visit, class Tried>
void visit_trial(Visit&& visit, Tried& trial) {
  visit("problem", trial.problem);
  visit("date", trial.date);
  visit("rounds", trial.rounds);
  visit("predicted", trial.predicted);
  visit("times", trial.times);
}

template <class Visit, class BucketType>
void visit_bucket(Visit&& visit, BucketType& bucket) {
  visit("kind", bucket.kind);
  visit("m", bucket.m);
  visit("n", bucket.n);
  visit("k", bucket.k);
  visit("by_model", bucket.by_model);
  if (!bucket.by_model) {
    visit("from", bucket.from);
    visit("config", bucket.choice);
  }
  visit("worst_regret", bucket.worst_regret);
  visit("held_out", bucket.held_out);
  visit("trials", bucket.trials);
  visit("date", bucket.date);
}

template <class Visit, class Kernel>
void visit_kernel(Visit&& visit, Kernel& kernel) {
  visit("problem", kernel.workload);
  visit("config", kernel.config);
  visit("a", kernel.places.a);
  visit("b", kernel.places.b);
  visit("c", kernel.places.c);
  visit("d", kernel.places.d);
  visit("programs", kernel.programs);
}

template <class Visit, class Range>
void visit_range(Visit&& visit, Range& range) {
  visit("kind", range.kind);
  visit("shape", range.shape);
  visit("low", range.low);
  visit("high", range.high);
  visit("step", range.step);
  visit("config", range.config);
  visit("source", range.source);
}

}  // namespace tilewright
