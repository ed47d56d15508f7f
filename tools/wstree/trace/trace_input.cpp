// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace_input.h"

#include "inspect/statistics.h"
#include "support/text_file.h"

#include <cerrno>
#include <stdexcept>
#include <zlib.h>

namespace wstree::cli {

namespace {

constexpr int k_gzip = 16; // to be added to the bits of the window
constexpr std::size_t k_most_unpacked = std::size_t{1} << 30;

} // namespace

std::optional<std::string> read_packed(const std::string& path) {
  auto text = read_text(path);
  if (!text || !text->starts_with("\x1f\x8b")) return text;
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + k_gzip) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(text->data());
  stream.avail_in = static_cast<uInt>(text->size());
  std::string unpacked;
  int status = Z_OK;
  while (status == Z_OK && unpacked.size() < k_most_unpacked) {
    char piece[1 << 16];
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    status = inflate(&stream, Z_NO_FLUSH);
    unpacked.append(piece, sizeof piece - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) {
    errno = status == Z_OK ? EFBIG : EBADMSG;
    return std::nullopt;
  }
  return unpacked;
}

std::string packed(std::string_view text) {
  z_stream stream{};
  constexpr int k_memory = 8;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + k_gzip, k_memory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("the trace cannot be packed");
  std::string result(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int status = deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("the trace cannot be packed");
  return result;
}

bool is_trace(const nlohmann::json& document) {
  return document.is_object() && document.contains("traceEvents") && document["traceEvents"].is_array() &&
         document.contains("otherData") && document["otherData"].is_object();
}

std::map<std::string, std::string> names_in(const nlohmann::json& trace, names::Resolver& resolver) {
  std::map<std::string, std::string> names;
  const auto& about = trace.at("otherData");
  if (!about.contains("sites") || !about["sites"].is_array()) return names;
  for (const auto& site : about["sites"]) {
    if (!site.is_object() || !site.contains("where") || !site["where"].is_string()) continue;
    names[name_in_traces(site)] = loop_text(site, name_of_loop(site, resolver));
  }
  return names;
}

} // namespace wstree::cli
