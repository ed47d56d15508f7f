// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a loop's number of iterations is at the call.
#include "count.h"
#include "registers.h"
#include "values.h"

namespace wstree::proof {
namespace {

/// Finds the word that `symbol` stands for: one in the data of the function or in a variable of the program.
/// Others may be there on some paths only.
bool find_word(const Values& values, SymbolId symbol, IterationCount::Word& word) noexcept {
  if (symbol == 0) return true;
  const Symbol& made = values.symbol(symbol);
  const bool has_zeros =
      made.kind == Symbol::Kind::result && (made.x == k_operation_zeros || made.x == k_operation_first);
  const Symbol& load = values.symbol(has_zeros ? values.only_symbol(static_cast<Value>(made.y)) : symbol);
  if (load.kind != Symbol::Kind::load || (load.y != 4 && load.y != 8)) return false;
  const auto address = static_cast<Value>(load.x);
  if (!values.is_polynomial(address)) return false;
  const Polynomial& polynomial = values.at(address).polynomial;
  word = {polynomial.constant, polynomial.count == 1, static_cast<std::uint8_t>(load.y)};
  if (polynomial.count == 0) return true;
  const Term& term = polynomial.terms[0];
  if (polynomial.count != 1 || term.factor != 1 || term.b != 0) return false;
  const Symbol& data = values.symbol(term.a);
  return data.kind == Symbol::Kind::argument && data.x == 0;
}

} // namespace

IterationCount count_of(const Values& values, Value dividend, unsigned width) noexcept {
  IterationCount count;
  const SymbolId only = values.only_symbol(dividend);
  if (only != 0 && values.symbol(only).kind == Symbol::Kind::result &&
      values.symbol(only).x == k_operation_signs)
    dividend = static_cast<Value>(values.symbol(only).y);
  if (!values.is_polynomial(dividend)) return {};
  const Polynomial& polynomial = values.at(dividend).polynomial;
  if (polynomial.count > IterationCount::k_most) return {};
  count.constant = polynomial.constant;
  for (; count.size < polynomial.count; ++count.size) {
    const Term& term = polynomial.terms[count.size];
    IterationCount::Product& product = count.products[count.size];
    product.factor = term.factor;
    if (!find_word(values, term.a, product.words[0]) || !find_word(values, term.b, product.words[1]))
      return {};
  }
  count.width = static_cast<std::uint8_t>(width);
  return count;
}

} // namespace wstree::proof
