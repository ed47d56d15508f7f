// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// prove_corpus PERCENT FILE...: proves the regions of tests/proof/corpus. Fails if one is proven that must
// not be, or if fewer of those that may be are than PERCENT; says which these are.
#include "mapped_object.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <set>
#include <string>

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: prove_corpus PERCENT FILE...\n");
    return 2;
  }
  if (!wstree::proof::open_decoder()) {
    std::fprintf(stderr, "prove_corpus: %s\n", wstree::proof::decoder_problem());
    return 77;
  }
  int regions = 0;
  int wrong = 0;
  int may = 0;
  int proven = 0;
  for (int i = 2; i < count; ++i) try {
      const std::string path = arguments[i];
      const wstree::test::MappedObject object(path);
      std::set<std::string> names;
      for (const auto& function : object.outlined()) {
        // gcc and newer clangs name the function that a region was in; older ones put the outlined function
        // behind it.
        const bool is_named = function.name.starts_with("yes_") || function.name.starts_with("no_");
        const std::string& name = is_named ? function.name : function.before;
        const bool may_be = name.starts_with("yes_");
        if (!may_be && !name.starts_with("no_")) continue;
        names.insert(name.substr(0, name.find('.')));
        ++regions;
        may += may_be ? 1 : 0;
        const auto verdict = object.prove(function);
        const bool is_proven = verdict.kind != wstree::proof::Verdict::Kind::refused;
        proven += may_be && is_proven ? 1 : 0;
        const std::string file = path.substr(path.rfind('/') + 1);
        if (!may_be && is_proven) {
          ++wrong;
          std::printf("FALSE YES: %s %s %s at %lx\n", file.c_str(), name.c_str(), function.name.c_str(),
                      function.address);
        } else if (may_be && !is_proven)
          std::printf("could be a yes: %s %s: %s at %lx\n", file.c_str(), name.c_str(), verdict.reason,
                      verdict.at == nullptr ? function.address : object.in_file(verdict.at));
      }
    } catch (const std::exception& problem) {
      std::fprintf(stderr, "prove_corpus: %s\n", problem.what());
      return 2;
    }
  std::printf("%d regions: %d of %d proven that may be, %d of %d that must not be\n", regions, proven, may,
              wrong, regions - may);
  return wrong != 0 || may == 0 || proven * 100 < may * std::atoi(arguments[1]) ? 1 : 0;
}
