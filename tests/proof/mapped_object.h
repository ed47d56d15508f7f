// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An object file as the loader would map it, without a process: for proofs about its functions.
#pragma once

#include "proof.h"

#include <elf.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace wstree::test {

class MappedObject {
public:
  /// Throws std::runtime_error if there is no such object of x86-64.
  explicit MappedObject(const std::string& path);
  ~MappedObject();
  MappedObject(const MappedObject&) = delete;
  MappedObject& operator=(const MappedObject&) = delete;

  struct Function {
    std::string name;
    std::uint64_t address = 0; ///< in the file's own terms
    std::string before = {};   ///< the named function before it, which clang has outlined it from
  };
  /// The functions that compilers have outlined from regions, by their names; in an object without names
  /// those that are handed to GOMP_parallel() or __kmpc_fork_call().
  const std::vector<Function>& outlined() const noexcept { return outlined_; }
  proof::Verdict prove(const Function& function) const noexcept;
  /// An address of the process in the file's own terms.
  std::uint64_t in_file(const void* address) const noexcept;

private:
  void read_names(const std::vector<char>& file);
  void read_slots();
  void find_handed();
  const char* text(std::uint64_t address) const noexcept { return memory_ + (address - first_); }

  std::vector<Elf64_Phdr> headers_;
  std::uint64_t first_ = 0;
  std::size_t size_ = 0;
  char* memory_ = nullptr;
  std::map<std::uint64_t, proof::Callee> slots_;
  bool needs_others_ = false; ///< of the libraries, which may define what is called
  std::vector<Function> outlined_;
};

} // namespace wstree::test
