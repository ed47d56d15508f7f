// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gnuplot.h"

#include "inspect/program.h"
#include "support/environment.h"
#include "support/output_of.h"

#include <array>
#include <fmt/format.h>
#include <fstream>

namespace wstree::cli::bench {

namespace {

namespace fs = std::filesystem;

struct Known {
  std::string_view candidate;
  Style style;
};

/// The tree stands out; relatives have related colours.
const std::array<Known, 19> k_known{{{"wstree", {"#c0392b", 7}},
                                     {"static", {"#7f8c8d", 1}},
                                     {"dyn1", {"#1f77b4", 2}},
                                     {"dyn64", {"#5dade2", 3}},
                                     {"guided", {"#2e8b57", 4}},
                                     {"trapez", {"#8fbc5a", 12}},
                                     {"steal1", {"#7d3c98", 6}},
                                     {"steal64", {"#bb8fce", 8}},
                                     {"tbb_auto", {"#d98324", 5}},
                                     {"tbb_affinity", {"#f0b429", 9}},
                                     {"tbb_static", {"#a0785a", 13}},
                                     {"tbb_simple", {"#6e4b2a", 11}},
                                     {"wsrange", {"#e67e73", 10}},
                                     {"wsqueue", {"#f1a9a0", 14}},
                                     {"dynamic", {"#1f77b4", 2}},
                                     {"dynamic,64", {"#5dade2", 3}},
                                     {"static_steal", {"#7d3c98", 6}},
                                     {"wsfixed", {"#e67e22", 5}},
                                     {"dyn", {"#1f77b4", 2}}}};

constexpr std::array<const char*, 9> k_colours{"#1f77b4", "#2e8b57", "#7d3c98", "#d98324", "#c0392b",
                                               "#5c6b73", "#3aa6b9", "#d4558b", "#6b8e23"};

std::string document(const Picture& picture, const std::string& terminal, const fs::path& file) {
  return fmt::format("set encoding utf8\nset terminal {} size {},{}\nset output {}\n{}", terminal,
                     picture.width, picture.height, literal(file.string()), picture.script);
}

/// "" if the file is there, else what gnuplot said.
std::string draw_one(const Picture& picture, const fs::path& gnuplot, const fs::path& folder,
                     const char* ending, const std::string& terminal) {
  const auto file = folder / (picture.name + ending), script = folder / (picture.name + ".gnuplot");
  std::error_code error;
  fs::remove(file, error);
  std::ofstream(script) << document(picture, terminal, file);
  Environment environment;
  const auto said = output_of({gnuplot.string(), script.string()}, environment, Stream::errors);
  fs::remove(script, error);
  if (fs::file_size(file, error) > 0 && !error) return {};
  const auto begin = said.find_first_not_of('\n');
  const auto reason =
      begin == std::string::npos ? "it said nothing" : said.substr(begin, said.find('\n', begin) - begin);
  return fmt::format("gnuplot did not write {}: {}", file.string(), reason);
}

} // namespace

std::vector<std::string> draw(const std::vector<Picture>& pictures, const fs::path& folder) {
  const auto gnuplot = find_program("gnuplot");
  if (gnuplot.result != Lookup::Result::found)
    return {"gnuplot was not found, so that there are no pictures; install it (gnuplot-nox), and "
            "wstree bench --draw with the results.json draws them"};
  std::vector<std::string> problems;
  for (const auto& picture : pictures) {
    // Debian's gnuplot-nox has both; others may lack cairo.
    for (const auto& [ending, terminal] :
         {std::pair{".svg", std::string("svg noenhanced font 'sans,11' background '#ffffff'")},
          std::pair{".png", std::string("pngcairo noenhanced font 'sans,10' background '#ffffff'")}})
      if (auto problem = draw_one(picture, gnuplot.path, folder, ending, terminal); !problem.empty())
        problems.push_back(std::move(problem));
  }
  return problems;
}

std::string block(const std::string& name, const Points& points) {
  auto text = fmt::format("${} << EOD\n", name);
  for (const auto& [x, y] : points) text += fmt::format("{:.6g} {:.6g}\n", x, y);
  return text + "EOD\n";
}

std::string literal(std::string_view text) {
  std::string made = "'";
  for (const char c : text) {
    if (c == '\'') made += '\'';
    made += c == '\n' ? ' ' : c;
  }
  return made + "'";
}

Style style_of(std::string_view candidate, std::size_t index) {
  for (const auto& known : k_known)
    if (known.candidate == candidate) return known.style;
  return {k_colours[index % k_colours.size()], static_cast<int>(index % 15) + 1};
}

} // namespace wstree::cli::bench
