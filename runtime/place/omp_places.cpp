// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_PLACES (OpenMP 5.2, section 21.1.6).
#include "places.h"

#include "places_builder.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace wstree::place {
namespace {

constexpr std::string_view k_not_understood = "the list of places is not understood";
constexpr std::string_view k_nothing_left = "none of the places has a CPU that may be used";
constexpr std::string_view k_too_large = "there is no memory for so many places";

/// A number for all larger numbers: beyond every CPU, and small enough to calculate with.
constexpr std::int64_t k_huge = std::int64_t{1} << 32;

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Reads one token after the other; blanks may stand between them.
class Scanner {
public:
  explicit Scanner(std::string_view text) noexcept : rest_(text) {}

  bool take(char c) noexcept {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool at_end() noexcept {
    skip_blanks();
    return rest_.empty();
  }

  std::optional<std::int64_t> natural() noexcept {
    skip_blanks();
    if (rest_.empty() || !is_digit(rest_.front())) return std::nullopt;
    std::int64_t value = 0;
    for (; !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1))
      value = std::min(k_huge, value * 10 + (rest_.front() - '0'));
    return value;
  }

  std::optional<std::int64_t> integer() noexcept {
    const bool negative = take('-');
    if (!negative) take('+');
    const auto value = natural();
    return value && negative ? std::optional(-*value) : value;
  }

  /// Letters, digits and underscores.
  std::string_view word() noexcept {
    skip_blanks();
    std::size_t size = 0;
    while (size < rest_.size() && (is_digit(rest_[size]) || rest_[size] == '_' ||
                                   (lower(rest_[size]) >= 'a' && lower(rest_[size]) <= 'z')))
      ++size;
    const std::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }

private:
  void skip_blanks() noexcept {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

/// The interval that may follow a number or a place: ":length" and ":stride".
struct Interval {
  std::int64_t length = 1;
  std::int64_t stride = 1;
};

std::optional<Interval> take_interval(Scanner& scanner) noexcept {
  Interval interval;
  if (!scanner.take(':')) return interval;
  const auto length = scanner.natural();
  if (!length || *length == 0) return std::nullopt;
  interval.length = *length;
  if (scanner.take(':')) {
    const auto stride = scanner.integer();
    if (!stride || *stride == 0) return std::nullopt;
    interval.stride = *stride;
  }
  return interval;
}

constexpr bool is_cpu(std::int64_t number) noexcept { return number >= 0 && number < CpuSet::k_cpus; }

/// Parses a list of places in numbers, as OMP_PLACES may have it.
class ListParser {
public:
  ListParser(const Machine& machine, std::string_view text, PlacesBuilder& builder) noexcept
      : machine_(machine), scanner_(text), builder_(builder) {}

  /// Returns false if the text was not understood.
  bool parse() noexcept {
    do {
      if (!parse_places()) return false;
    } while (scanner_.take(','));
    return scanner_.at_end();
  }

private:
  bool parse_places() noexcept {
    const bool excluded = scanner_.take('!');
    CpuSet place;
    if (scanner_.take('{')) {
      if (!parse_cpus(place)) return false;
    } else {
      const auto cpu = scanner_.natural(); // OpenMP 5.1: a place of one CPU
      if (!cpu) return false;
      if (is_cpu(*cpu)) place.add(static_cast<std::uint32_t>(*cpu));
    }
    const auto interval = excluded ? Interval{} : take_interval(scanner_);
    if (!interval) return false;
    std::int64_t shift = 0;
    for (std::int64_t i = 0; i < interval->length && may_hit(shift) && !builder_.is_full(); ++i) {
      add_cpus(place, shift);
      excluded ? builder_.end_excluded() : builder_.end_place();
      shift += interval->stride;
    }
    return true;
  }

  /// Parses the CPUs between braces, and the closing brace. An excluded CPU stays so, before and
  /// after others.
  bool parse_cpus(CpuSet& place) noexcept {
    CpuSet excluded;
    do {
      const bool exclude = scanner_.take('!');
      const auto first = scanner_.natural();
      if (!first) return false;
      const auto interval = exclude ? Interval{} : take_interval(scanner_);
      if (!interval) return false;
      std::int64_t cpu = *first;
      for (std::int64_t i = 0; i < interval->length && is_cpu(cpu); ++i) {
        (exclude ? excluded : place).add(static_cast<std::uint32_t>(cpu));
        cpu += interval->stride;
      }
    } while (scanner_.take(','));
    for (std::uint32_t cpu = excluded.next(0); cpu < CpuSet::k_cpus; cpu = excluded.next(cpu + 1))
      place.remove(cpu);
    return scanner_.take('}');
  }

  /// Adds the place's CPUs that the machine has, in its order. A place may name thousands of CPUs that the
  /// machine lacks.
  void add_cpus(const CpuSet& place, std::int64_t shift) noexcept {
    for (std::uint32_t i = 0; i < machine_.cpus(); ++i) {
      const std::int64_t cpu = std::int64_t{machine_.cpu(i).os} - shift;
      if (is_cpu(cpu) && place.has(static_cast<std::uint32_t>(cpu))) builder_.add_cpu(i);
    }
  }

  static constexpr bool may_hit(std::int64_t shift) noexcept { return is_cpu(shift < 0 ? -shift : shift); }

  const Machine& machine_;
  Scanner scanner_;
  PlacesBuilder& builder_;
};

struct Abstract {
  std::string_view name;
  std::array<Level, 3> levels; // the machine's first of these counts; none: each hardware thread by itself
  std::uint32_t count;
};
constexpr std::array<Abstract, 7> k_abstract{{
    {"threads", {}, 0},
    {"cores", {Level::core}, 1},
    {"l2_caches", {Level::l2, Level::core}, 2},
    {"l3_caches", {Level::l3, Level::l2, Level::core}, 3},
    {"ll_caches", {Level::l3, Level::l2, Level::core}, 3},
    {"numa_domains", {Level::numa, Level::package, Level::machine}, 3},
    {"sockets", {Level::package, Level::machine}, 2},
}};

const Abstract* find_abstract(std::string_view word) noexcept {
  for (const Abstract& abstract : k_abstract)
    if (std::ranges::equal(word, abstract.name, {}, lower)) return &abstract;
  return nullptr;
}

/// Returns the number of the CPU's domain and its level.
std::pair<Level, std::uint32_t> domain_of(const Machine& machine, const Abstract& abstract,
                                          std::uint32_t cpu) noexcept {
  for (std::uint32_t i = 0; i < abstract.count; ++i) {
    const std::uint32_t domain = machine.cpu(cpu).domain[static_cast<std::size_t>(abstract.levels[i])];
    if (domain != Cpu::k_none) return {abstract.levels[i], domain};
  }
  return {Level::core, cpu};
}

/// Returns false if the text was not understood.
bool parse_abstract(const Machine& machine, const Abstract& abstract, Scanner& scanner,
                    PlacesBuilder& builder) noexcept {
  std::int64_t left = k_huge;
  if (scanner.take('(')) {
    const auto count = scanner.natural();
    if (!count || *count == 0 || !scanner.take(')')) return false;
    left = *count;
  }
  if (!scanner.at_end()) return false;
  for (std::uint32_t cpu = 0; cpu < machine.cpus() && left > 0; --left) {
    const auto domain = domain_of(machine, abstract, cpu);
    do builder.add_cpu(cpu++);
    while (cpu < machine.cpus() && domain_of(machine, abstract, cpu) == domain);
    builder.end_place();
  }
  return true;
}

} // namespace

std::unique_ptr<const Places> Places::parse(const Machine& machine, std::string_view text,
                                            std::string_view& why) noexcept {
  PlacesBuilder builder;
  Scanner scanner(text);
  const Abstract* abstract = find_abstract(scanner.word());
  const bool understood = abstract != nullptr ? parse_abstract(machine, *abstract, scanner, builder)
                                              : ListParser(machine, text, builder).parse();
  if (!understood) {
    why = k_not_understood;
    return nullptr;
  }
  std::unique_ptr<const Places> places = builder.finish();
  why = places != nullptr ? std::string_view() : builder.is_full() ? k_too_large : k_nothing_left;
  return places;
}

} // namespace wstree::place
