// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>

namespace wstree::simulate {
namespace {

constexpr std::string_view k_format = "wstree-profile";
constexpr std::uint64_t k_version = 1;
constexpr std::uint64_t k_most_iterations = (std::uint64_t{1} << 63) - 1;
constexpr std::uint64_t k_most_members = 1U << 24;

struct Error {
  std::string text;
};

std::string visible(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return result;
}

/// The words of a line, one after the other. Throws an Error that names the missing word.
class Words {
public:
  explicit Words(std::string_view line) : rest_(line) {}

  std::string_view word() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    const std::string_view found = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(found.size());
    return found;
  }
  std::string_view rest() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    return rest_;
  }
  bool at_end() { return rest().empty(); }
  void end() {
    if (!at_end()) throw Error{"something stands behind the end of the line: " + shown(rest())};
  }
  void expect(std::string_view name) {
    const auto found = word();
    if (found != name) throw Error{"'" + std::string(name) + "' is missing" + instead(found)};
  }
  /// Reads `name` and a number in [least, most] behind it.
  std::uint64_t number(std::string_view name, std::uint64_t least, std::uint64_t most) {
    expect(name);
    return value(name, least, most);
  }
  std::uint64_t value(std::string_view name, std::uint64_t least, std::uint64_t most) {
    const auto text = word();
    const auto number = parsed<std::uint64_t>(text);
    if (!number || *number < least || *number > most)
      throw Error{"'" + std::string(name) + "' has to be a whole number from " + std::to_string(least) +
                  " to " + std::to_string(most) + instead(text)};
    return *number;
  }
  double time(std::string_view name) {
    expect(name);
    return time_value(name);
  }
  double time_value(std::string_view name) {
    constexpr double k_most = 1e18; // 30 years in ns
    const auto text = word();
    const auto number = parsed<double>(text);
    if (!number || !(*number >= 0) || *number > k_most)
      throw Error{"'" + std::string(name) + "' has to be a time in ns, up to 1e18" + instead(text)};
    return *number;
  }

private:
  static std::string shown(std::string_view text) {
    constexpr std::size_t k_most = 40;
    return "'" + visible(text.substr(0, k_most)) + (text.size() > k_most ? "...'" : "'");
  }
  static std::string instead(std::string_view found) { return found.empty() ? "" : ", not " + shown(found); }
  template <class T> static std::optional<T> parsed(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

  std::string_view rest_;
};

/// Reads line after line, each of which is either the expected line or an error.
class Reader {
public:
  Reader(std::istream& in, bool may_be_empty) : in_(in), may_be_empty_(may_be_empty) {}

  std::vector<RecordedLoop> read() {
    check_format();
    std::vector<RecordedLoop> loops;
    while (next(), first_word() != "loop" && first_word() != "end") { // later versions may have other
                                                                      // lines here
      if (!line_.empty() && is_digit(line_.front())) throw Error{"a piece that belongs to no execution"};
    }
    while (first_word() == "loop") loops.push_back(loop());
    if (first_word() != "end") throw Error{"'loop' or 'end' is missing"};
    if (loops.empty() && !may_be_empty_)
      throw Error{"the profile has no loop: none was served, or none ran to its end"};
    std::sort(loops.begin(), loops.end(), [](const RecordedLoop& a, const RecordedLoop& b) {
      return std::tie(b.total_ns, a.name, a.iterations) < std::tie(a.total_ns, b.name, b.iterations);
    });
    return loops;
  }
  std::uint64_t line_number() const { return number_; }

private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  std::string_view first_word() const { return std::string_view(line_).substr(0, line_.find(' ')); }

  /// Reads the next line that is neither empty nor a comment.
  void next() {
    do {
      ++number_;
      if (!std::getline(in_, line_)) throw Error{"the profile is cut off: there is no 'end'"};
      if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    } while (number_ > 1 && (line_.empty() || line_.front() == '#'));
  }

  void check_format() {
    const bool any = (++number_, static_cast<bool>(std::getline(in_, line_)));
    if (any && !line_.empty() && line_.back() == '\r') line_.pop_back();
    if (!any || first_word() != k_format)
      throw Error{"this is no profile of WSTREE_RECORD, which begins with '" + std::string(k_format) + " 1'"};
    Words words(line_);
    words.word();
    words.value("version of the profile", k_version, k_version);
    words.end();
  }

  std::string text(std::string_view name) {
    next();
    Words words(line_);
    words.expect(name);
    return visible(words.rest());
  }
  std::uint64_t number(std::string_view name, std::uint64_t least, std::uint64_t most) {
    next();
    return number_here(name, least, most);
  }
  std::uint64_t number_here(std::string_view name, std::uint64_t least, std::uint64_t most) {
    Words words(line_);
    const auto value = words.number(name, least, most);
    words.end();
    return value;
  }

  /// Reads a loop from its first line, which has been read, to the first line behind it, which has been
  /// read, too.
  RecordedLoop loop() {
    RecordedLoop loop;
    loop.name = text("where");
    loop.schedule = text("schedule");
    loop.iterations = number("iterations", 1, k_most_iterations);
    next();
    if (first_word() == "chunk") {
      loop.chunk = number_here("chunk", 1, k_most_iterations);
      next();
    }
    loop.executions_seen = number_here("executions", 1, ~std::uint64_t{0});
    next();
    Words words(line_);
    loop.total_ns = words.time("work");
    words.end();
    next();
    while (first_word() == "execution") {
      loop.executions.push_back(execution(loop.iterations));
      next();
    }
    if (loop.executions.empty()) throw Error{"'execution' is missing"};
    return loop;
  }

  RecordedExecution execution(std::uint64_t iterations) {
    constexpr std::uint64_t k_reserved = 1U << 16; // a wrong number must not cost memory
    RecordedExecution execution;
    Words words(line_);
    words.number("execution", 1, ~std::uint64_t{0});
    execution.members = static_cast<std::uint32_t>(words.number("members", 1, k_most_members));
    execution.elapsed_ns = words.time("elapsed");
    const std::uint64_t pieces = words.number("pieces", 1, iterations);
    words.end();
    execution.pieces.reserve(std::min(pieces, k_reserved));
    std::uint64_t done = 0;
    for (std::uint64_t i = 0; i < pieces; ++i) {
      next();
      if (done == iterations) throw Error{"there are more pieces than iterations"};
      execution.pieces.push_back(piece(done, iterations, execution.members));
      done = execution.pieces.back().end;
    }
    if (done != iterations)
      throw Error{"the pieces end at iteration " + std::to_string(done) + " of " +
                  std::to_string(iterations)};
    return execution;
  }

  Piece piece(std::uint64_t begin, std::uint64_t iterations, std::uint32_t members) {
    if (line_.empty() || !is_digit(line_.front())) throw Error{"a piece is missing"};
    Words words(line_);
    Piece piece;
    piece.begin = words.value("first iteration", 0, iterations - 1);
    if (piece.begin != begin)
      throw Error{"a piece begins at iteration " + std::to_string(piece.begin) + " where " +
                  std::to_string(begin) + " comes next"};
    piece.end = begin + words.value("number of iterations", 1, iterations - begin);
    piece.ns = words.time_value("time");
    words.value("member", 0, members - 1);
    words.end();
    return piece;
  }

  std::istream& in_;
  bool may_be_empty_;
  std::string line_;
  std::uint64_t number_ = 0;
};

} // namespace

std::variant<std::vector<RecordedLoop>, std::string> read_profile(std::istream& in, bool may_be_empty) {
  Reader reader(in, may_be_empty);
  try {
    return reader.read();
  } catch (const Error& error) {
    return "line " + std::to_string(reader.line_number()) + ": " + error.text;
  }
}

} // namespace wstree::simulate
