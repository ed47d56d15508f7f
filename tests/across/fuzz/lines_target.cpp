// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader of the kernel's small files, on a file with any content.
#include "support/bytes.h"
#include "support/files.h"
#include "support/target.h"

#include "line_reader.h"

#include <string>

namespace wstree::fuzz::lines_target {
namespace {

using namespace place;

void body(std::string_view input) {
  // The first byte stretches every x, so that short inputs reach the size of the buffer.
  Bytes bytes(input);
  const std::size_t stretch = std::size_t{1} << bytes.between(0, 12);
  std::string content;
  for (const char c : bytes.rest().substr(0, 100)) content.append(c == 'x' ? stretch : 1, c);
  if (content.size() > 100'000) return;

  const MemoryFile file(content);
  LineReader reader(PathText(file.path()));
  require(reader.is_open(), "the file is open");
  auto expected = lines_of(content);
  if (expected.back().empty()) expected.pop_back(); // the end of the last line, or no line at all
  for (const auto line : expected) {
    if (line.size() > LineReader::k_longest) continue;
    require(reader.next() == line, "each line comes as it is, but for those that are too long", line);
  }
  require(!reader.next() && !reader.next(), "nothing comes behind the last line");
}

const Registration registration("lines", body);

} // namespace
} // namespace wstree::fuzz::lines_target
