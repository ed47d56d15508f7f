// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

struct Elf;

namespace wstree::cli {

/// The properties that the kernel compares before it runs a file: two programs with equal targets can
/// share libraries.
struct ElfTarget {
  int word_class = 0;        ///< ELFCLASS32 or ELFCLASS64
  std::uint16_t machine = 0; ///< EM_*
  bool operator==(const ElfTarget&) const = default;
};

/// Returns a text for people, such as "64-bit AArch64".
std::string to_string(const ElfTarget& target);

/// An ELF file that is open for reading, of any class and byte order.
class ElfFile {
public:
  /// Opens the file. Returns nothing if it cannot be read or is no ELF file.
  static std::optional<ElfFile> open(const std::filesystem::path& path);

  ElfFile(ElfFile&& other) noexcept;
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ElfFile& operator=(ElfFile&&) = delete;
  ~ElfFile();

  [[nodiscard]] const ElfTarget& target() const { return target_; }
  /// Returns whether the type is ET_EXEC or ET_DYN; relocatable objects and core files are not programs.
  [[nodiscard]] bool can_be_program() const;
  /// Returns the path of the dynamic loader that the file names; empty for static programs and
  /// most libraries.
  [[nodiscard]] const std::string& loader() const { return loader_; }

  /// Visits the undefined dynamic symbols, which other files have to define. Returns false if there is no
  /// such table.
  bool for_each_import(const std::function<void(std::string_view)>& visit) const;
  /// Symbols that the file itself defines, as far as it has not been stripped.
  void for_each_definition(const std::function<void(std::string_view)>& visit) const;
  /// Symbols that the file offers to others.
  void for_each_export(const std::function<void(std::string_view)>& visit) const;
  /// Names of the libraries that it is linked with, in their order.
  void for_each_needed(const std::function<void(std::string_view)>& visit) const;
  /// Returns whether the file is linked with -z initfirst: its constructors are to run before those of all
  /// other objects.
  [[nodiscard]] bool wants_to_be_first() const;
  /// Returns whether these bytes occur anywhere in the file.
  [[nodiscard]] bool contains(std::string_view bytes) const;

private:
  ElfFile(int descriptor, Elf* elf);
  /// Calls `visit(tag, value, section of names)` for each entry of the dynamic section, until it
  /// returns false.
  void for_each_dynamic(const std::function<bool(std::int64_t, std::uint64_t, std::size_t)>& visit) const;
  bool for_each_symbol(std::uint32_t table_type, bool defined,
                       const std::function<void(std::string_view)>& visit) const;

  int descriptor_;
  Elf* elf_;
  std::uint16_t type_ = 0;
  ElfTarget target_;
  std::string loader_;
};

} // namespace wstree::cli
