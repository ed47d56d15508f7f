// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function_name.h"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace wstree::names {

namespace {

constexpr std::string_view k_parts[] = {"._omp_fn.", ".omp_outlined", "._omp_cpyfn.", ".constprop.",
                                        ".isra.",    ".part.",        ".cold",        "..omp_par"};
constexpr std::string_view k_operator = "operator";
constexpr std::string_view k_anonymous = "(anonymous namespace)";

/// Returns nothing for names that are not C++'s: "f" is a function of C, and float among C++'s types.
std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return {};
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : std::string();
}

/// Returns the position behind the bracket that closes the one at `begin`.
std::size_t behind_group(std::string_view text, std::size_t begin) {
  std::size_t depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1;
  }
  return text.size();
}

/// Returns the text with "()" in place of "(int, char)".
std::string without_parameters(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with(k_anonymous)) {
      result += k_anonymous;
      i += k_anonymous.size();
    } else if (text[i] == '(') {
      result += "()";
      i = behind_group(text, i);
    } else {
      result += text[i++];
    }
  }
  return result;
}

/// Returns the end of the name of an operator that begins at `begin`: "operator()", "operator<<",
/// "operator int".
std::size_t behind_operator(std::string_view text, std::size_t begin) {
  const auto name = begin + k_operator.size();
  const auto rest = text.substr(name);
  if (rest.starts_with("()")) return name + 2;
  if (rest.starts_with(" ")) return std::min(text.find('(', name), text.size());
  return std::min(text.find_first_not_of("<>=!+-*/%^&|~,[]", name), text.size());
}

/// Returns "ns::f<T>" for "void ns::f<T>()", and "ns::f" for "ns::f() const".
std::string only_the_name(const std::string& text) {
  std::size_t begin = 0, end = text.size();
  int depth = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto rest = std::string_view(text).substr(i);
    if (depth == 0 && rest.starts_with(k_operator)) {
      i = behind_operator(text, i);
      continue;
    }
    const bool anonymous = rest.starts_with(k_anonymous);
    if (depth == 0 && text[i] == '(' && !anonymous) end = i; // the parameters are the last ones
    if (depth == 0 && text[i] == ' ' && end == text.size()) begin = i + 1;
    if (text[i] == '<' || text[i] == '(' || text[i] == '{') ++depth;
    if ((text[i] == '>' && text[i - 1] != '-') || text[i] == ')' || text[i] == '}') --depth;
    ++i;
  }
  return text.substr(begin, end - begin);
}

/// Returns "lambda in main" for "main::{lambda()#1}::operator()" and "main::'lambda'()::operator()".
std::string with_lambda(std::string text) {
  const auto begin = std::min(text.rfind("::{lambda"), text.rfind("::'lambda"));
  constexpr std::string_view k_call = "::operator()";
  if (begin == std::string::npos || begin == 0 || !std::string_view(text).substr(begin).ends_with(k_call))
    return text;
  auto outer = text.substr(0, begin);
  if (outer.ends_with("()")) outer.resize(outer.size() - 2);
  return "lambda in " + outer;
}

/// Returns "module::procedure" for gfortran's "__module_MOD_procedure"; empty for other symbols.
std::string fortran_name(std::string_view symbol) {
  constexpr std::string_view k_middle = "_MOD_";
  const auto middle = symbol.find(k_middle);
  if (!symbol.starts_with("__") || middle == std::string_view::npos || middle == 2) return {};
  return std::string(symbol.substr(2, middle - 2))
      .append("::")
      .append(symbol.substr(middle + k_middle.size()));
}

} // namespace

bool is_nameless_part(std::string_view symbol) {
  return symbol.starts_with(".omp_outlined") || symbol.starts_with("omp_outlined") ||
         symbol.starts_with("__omp_outlined");
}

std::string_view without_part(std::string_view symbol) {
  for (const auto part : k_parts) symbol = symbol.substr(0, std::max<std::size_t>(symbol.find(part), 1));
  return symbol;
}

std::string function_name(std::string_view symbol) {
  if (is_nameless_part(symbol)) return {};
  const std::string whole(without_part(symbol));
  if (auto fortran = fortran_name(whole); !fortran.empty()) return fortran;
  const auto text = demangled(whole);
  return text.empty() ? whole : with_lambda(only_the_name(without_parameters(text)));
}

std::string symbol_name(std::string_view symbol) {
  const auto function = function_name(symbol);
  if (function.empty()) return std::string(symbol);
  return function + std::string(symbol.substr(without_part(symbol).size()));
}

} // namespace wstree::names
