#include "worker/messages.hpp"

namespace tilewright {

Document message_of(const KernelTrace& trace) {
  Document records = Document::array();
  for (const TraceRecord& record : trace.records) records.push_back(row_of(record));
  return records;
}

KernelTrace trace_from(const Document& node) {
  KernelTrace trace;
  for (const Document& row : node) trace.records.push_back(record_from_row<TraceRecord>(row));
  return trace;
}

std::string line_of(const Document& message) {
  return message.dump(-1, ' ', false, Document::error_handler_t::replace);
}

}  // namespace tilewright
