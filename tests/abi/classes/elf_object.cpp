// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader of dynamic sections, on sections made by hand and on the objects of this process.
#include "resolve/elf_object.h"

#include <dlfcn.h>
#include <elf.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace wstree::abi {
namespace {

constexpr ElfW(Versym) k_default = 2;
constexpr ElfW(Versym) k_hidden = 0x8000 | 2;

struct Symbol {
  std::string name;
  Address value;
  ElfW(Versym) version = k_default;
  unsigned char type = STT_FUNC;
  ElfW(Section) section = 1;
};

/// An object with these symbols, laid out as a linker does it.
class Image {
public:
  enum class Hash { gnu, old };

  explicit Image(const std::vector<Symbol>& given, Hash hash = Hash::gnu, std::uint32_t buckets = 3) {
    std::vector<Symbol> symbols; // by bucket
    for (std::uint32_t bucket = 0; bucket < buckets; ++bucket)
      for (const Symbol& s : given)
        if (SymbolName(s.name).gnu_hash % buckets == bucket) symbols.push_back(s);
    symbols_.push_back({});
    versions_.push_back(0);
    for (const Symbol& s : symbols) {
      ElfW(Sym) symbol{};
      symbol.st_name = static_cast<ElfW(Word)>(strings_.size());
      symbol.st_info = static_cast<unsigned char>(ELF64_ST_INFO(STB_GLOBAL, s.type));
      symbol.st_shndx = s.section;
      symbol.st_value = s.value;
      symbols_.push_back(symbol);
      versions_.push_back(s.version);
      strings_ += s.name + '\0';
    }
    if (hash == Hash::gnu)
      add_gnu_hash(symbols, buckets);
    else
      add_old_hash(symbols, buckets);
    add(DT_STRTAB, strings_.data());
    add(DT_SYMTAB, symbols_.data());
    add(DT_VERSYM, versions_.data());
  }

  void add(ElfW(Sxword) tag, const void* pointer) { add(tag, reinterpret_cast<Address>(pointer)); }
  void add(ElfW(Sxword) tag, Address value) {
    ElfW(Dyn) entry{};
    entry.d_tag = tag;
    entry.d_un.d_ptr = value;
    dynamic_.push_back(entry);
  }

  /// At `base`, as the loader leaves it; if not `relocated`, with offsets for pointers, as in the vDSO.
  ElfObject object(Address base = 0, bool relocated = true) {
    std::vector<ElfW(Dyn)> section = dynamic_;
    if (!relocated)
      for (ElfW(Dyn) & entry : section) entry.d_un.d_ptr -= base;
    section.push_back({});
    link_map map{};
    map.l_addr = base;
    map.l_ld = section.data();
    return ElfObject(map);
  }
  /// Just below everything that the dynamic section points to.
  Address lowest() const {
    Address low = ~Address{0};
    for (const ElfW(Dyn) & entry : dynamic_) low = std::min<Address>(low, entry.d_un.d_ptr);
    return low - 1;
  }

private:
  void add_gnu_hash(const std::vector<Symbol>& symbols, std::uint32_t buckets) {
    constexpr std::uint32_t k_shift = 6;
    constexpr std::uint32_t k_bits = sizeof(ElfW(Addr)) * 8;
    std::vector<ElfW(Addr)> filter(2);
    std::vector<std::uint32_t> bucket(buckets);
    std::vector<std::uint32_t> chain;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const std::uint32_t hash = SymbolName(symbols[i].name).gnu_hash;
      filter[hash / k_bits % filter.size()] |=
          ElfW(Addr){1} << hash % k_bits | ElfW(Addr){1} << (hash >> k_shift) % k_bits;
      if (bucket[hash % buckets] == 0) bucket[hash % buckets] = static_cast<std::uint32_t>(i + 1);
      const bool last =
          i + 1 == symbols.size() || SymbolName(symbols[i + 1].name).gnu_hash % buckets != hash % buckets;
      chain.push_back((hash & ~1U) | (last ? 1 : 0));
    }
    hash_ = {buckets, 1, static_cast<std::uint32_t>(filter.size()), k_shift};
    for (const ElfW(Addr) word : filter) {
      hash_.push_back(static_cast<std::uint32_t>(word));
      hash_.push_back(static_cast<std::uint32_t>(word >> 32));
    }
    hash_.insert(hash_.end(), bucket.begin(), bucket.end());
    hash_.insert(hash_.end(), chain.begin(), chain.end());
    add(DT_GNU_HASH, hash_.data());
  }
  void add_old_hash(const std::vector<Symbol>& symbols, std::uint32_t buckets) {
    std::vector<std::uint32_t> bucket(buckets);
    std::vector<std::uint32_t> chain(symbols.size() + 1);
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      std::uint32_t& first = bucket[SymbolName(symbols[i].name).old_hash % buckets];
      chain[i + 1] = std::exchange(first, static_cast<std::uint32_t>(i + 1));
    }
    hash_ = {buckets, static_cast<std::uint32_t>(chain.size())};
    hash_.insert(hash_.end(), bucket.begin(), bucket.end());
    hash_.insert(hash_.end(), chain.begin(), chain.end());
    add(DT_HASH, hash_.data());
  }

  std::vector<ElfW(Sym)> symbols_;
  std::vector<ElfW(Versym)> versions_;
  std::string strings_{'\0'};
  std::vector<std::uint32_t> hash_;
  std::vector<ElfW(Dyn)> dynamic_;
};

Address find(const ElfObject& object, const char* name) {
  return reinterpret_cast<Address>(object.find(SymbolName(name)));
}

std::vector<Symbol> many() {
  std::vector<Symbol> symbols;
  for (Address i = 1; i <= 40; ++i) symbols.push_back({"function_" + std::to_string(i), i});
  return symbols;
}

TEST(ElfObject, HasFunctionsThatItChoosesForTheProcessor) {
  Image image({{.name = "memset", .value = 16, .type = STT_GNU_IFUNC},
               {.name = "data", .value = 32, .type = STT_OBJECT}});
  EXPECT_FALSE(image.object().defines(SymbolName("memset"))); // its address is that of another function
  EXPECT_TRUE(image.object().has_function(SymbolName("memset")));
  EXPECT_FALSE(image.object().has_function(SymbolName("data")));
}

TEST(ElfObject, FindsEveryFunctionByEitherTable) {
  for (const auto hash : {Image::Hash::gnu, Image::Hash::old}) {
    for (const std::uint32_t buckets : {1U, 2U, 7U, 64U}) {
      Image image(many(), hash, buckets);
      const ElfObject object = image.object();
      for (const Symbol& s : many()) EXPECT_EQ(find(object, s.name.c_str()), s.value) << s.name << buckets;
      for (int i = 41; i < 200; ++i) EXPECT_EQ(find(object, ("function_" + std::to_string(i)).c_str()), 0U);
      EXPECT_EQ(find(object, ""), 0U);
    }
  }
}

TEST(ElfObject, PassesOverWhatNewProgramsDoNotGet) {
  for (const auto hash : {Image::Hash::gnu, Image::Hash::old}) {
    Image image({{"old", 1, k_hidden},
                 {"both", 2, k_hidden},
                 {"both", 3},
                 {"data", 4, k_default, STT_OBJECT},
                 {"wanted", 5, k_default, STT_FUNC, SHN_UNDEF},
                 {"zero", 0},
                 {"assembled", 6, k_default, STT_NOTYPE}},
                hash);
    const ElfObject object = image.object();
    EXPECT_EQ(find(object, "old"), 0U);
    EXPECT_EQ(find(object, "both"), 3U);
    EXPECT_EQ(find(object, "data"), 0U);
    EXPECT_EQ(find(object, "wanted"), 0U);
    EXPECT_EQ(find(object, "zero"), 0U);
    EXPECT_EQ(find(object, "assembled"), 6U);
  }
}

TEST(ElfObject, ReadsPointersThatTheLoaderLeftAsOffsets) {
  Image image(many());
  const Address base = image.lowest();
  EXPECT_EQ(find(image.object(base), "function_7"), base + 7);
  EXPECT_EQ(find(image.object(base, false), "function_7"), base + 7);
}

TEST(ElfObject, NamesWhatTheLoaderResolved) {
  Image image(
      {{"called", 0, k_default, STT_FUNC, SHN_UNDEF}, {"referred", 0, k_default, STT_FUNC, SHN_UNDEF}},
      Image::Hash::gnu, 1);
  std::vector<ElfW(Rela)> calls(1);
  std::vector<ElfW(Rela)> references(2);
  calls[0] = {0x10, ELF64_R_INFO(1, 7), 0};
  references[0] = {0x20, ELF64_R_INFO(2, 6), 0};
  references[1] = {0x30, ELF64_R_INFO(1, 1), 8};
  image.add(DT_JMPREL, calls.data());
  image.add(DT_PLTRELSZ, Address{sizeof calls[0]});
  image.add(DT_RELA, references.data());
  image.add(DT_RELASZ, Address{2 * sizeof references[0]});
  const ElfObject object = image.object();
  std::vector<std::pair<Address, std::string>> seen;
  for (const auto& table : object.relocations())
    for (const ElfW(Rela) & entry : table) seen.emplace_back(entry.r_offset, object.name_of_symbol(entry));
  EXPECT_THAT(seen, testing::ElementsAre(testing::Pair(0x10, "called"), testing::Pair(0x20, "referred"),
                                         testing::Pair(0x30, "called")));
}

TEST(ElfObject, AgreesWithTheLoaderAboutTheObjectsOfThisProcess) {
  void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  ASSERT_NE(libc, nullptr);
  link_map* map = nullptr;
  ASSERT_EQ(dlinfo(libc, RTLD_DI_LINKMAP, &map), 0);
  const ElfObject by_map(*map);
  for (const char* name : {"getpid", "qsort", "posix_spawn", "execve", "system", "realpath"}) {
    void* const known = dlsym(libc, name);
    ASSERT_NE(known, nullptr) << name;
    EXPECT_EQ(by_map.find(SymbolName(name)), known) << name;
  }
  EXPECT_EQ(by_map.find(SymbolName("GOMP_parallel")), nullptr);

  // The same object by its program headers.
  struct Wanted {
    const void* address;
    ElfObject object;
    Extent extent;
    int holders = 0;
  } wanted{dlsym(libc, "getpid"), {}, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& want = *static_cast<Wanted*>(data);
        if (!extent_of(*info).holds(want.address)) return 0;
        ++want.holders;
        want.object = ElfObject(*info);
        want.extent = extent_of(*info);
        return 0;
      },
      &wanted);
  EXPECT_EQ(wanted.holders, 1);
  EXPECT_EQ(wanted.object.base(), by_map.base());
  EXPECT_EQ(wanted.object.find(SymbolName("qsort")), dlsym(libc, "qsort"));
  EXPECT_FALSE(wanted.extent.holds(&k_own_address));
  EXPECT_FALSE(Extent{}.holds(&k_own_address));
  dlclose(libc);
}

} // namespace
} // namespace wstree::abi
