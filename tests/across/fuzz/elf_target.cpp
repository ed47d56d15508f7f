// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs and libraries that `wstree run` and `wstree doctor` look into: ELF files and scripts,
// damaged or not.
#include "support/files.h"
#include "support/target.h"

#include "inspect/elf_file.h"
#include "inspect/loop_calls.h"
#include "inspect/openmp_runtime.h"
#include "inspect/program.h"

#include <elf.h>
#include <string>

namespace wstree::fuzz::elf_target {
namespace {

using namespace cli;

void check_loop_form(std::string_view symbol) {
  const auto form = loop_form(symbol);
  if (!form) return;
  require(!to_text(*form).empty(), "a form has a name", symbol);
  const LoopForms forms{*form};
  require(can_be_served(forms) || !can_be_served(forms, k_all_loops), "all values serve what any value does",
          symbol);
  require(!leaves_out(forms, config::parse_loops(loops_for(forms)).value()),
          "the value that is recommended leaves nothing out", symbol);
}

void check_symbols(const ElfFile& file) {
  const auto named = [](std::string_view name) {
    require(!name.empty(), "symbols that are visited have names");
    check_loop_form(name);
  };
  const bool known = file.for_each_import(named);
  file.for_each_definition(named);
  file.for_each_export(named);
  const LoopCalls calls = loop_calls(file);
  require(calls.known == known, "loops are known if there is a table");
}

void body(std::string_view input) {
  if (input.size() > 64 * 1024) return;
  check_loop_form(input.substr(0, input.find('\n')));
  const MemoryFile memory(input);
  const auto kind = file_kind(memory.path());
  require((kind.kind == FileKind::Kind::elf) == input.starts_with(ELFMAG), "ELF files are recognised",
          input.substr(0, 4));
  if (kind.kind == FileKind::Kind::script)
    require(!kind.interpreter.empty() && kind.interpreter.find_first_of(" \t\n") == std::string::npos,
            "an interpreter is a path", kind.interpreter);

  openmp_runtime(memory.path());
  const auto file = ElfFile::open(memory.path());
  if (!file) return;
  require(kind.kind == FileKind::Kind::elf, "only ELF files are opened");
  require(file->loader().find('\0') == std::string::npos, "the path of the loader is a string",
          file->loader());
  require(!to_string(file->target()).empty(), "the machine has a name");
  static_cast<void>(file->wants_to_be_first());
  require(file->contains(input.substr(0, 16)), "what is in the file is found");
  check_symbols(*file);
}

const Registration registration("elf", body);

} // namespace
} // namespace wstree::fuzz::elf_target
