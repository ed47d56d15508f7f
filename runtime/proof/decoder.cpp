// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "decoder.h"

#include "proof.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>

namespace wstree::proof {
namespace {

#define WSTREE_TEXT_OF(number) #number
#define WSTREE_TEXT(number) WSTREE_TEXT_OF(number)
// Numbers of instructions and layouts differ between versions: only the version of the header will do.
constexpr const char* k_library = "libcapstone.so." WSTREE_TEXT(CS_API_MAJOR);

struct Functions {
  decltype(&::cs_version) version = nullptr;
  decltype(&::cs_open) open = nullptr;
  decltype(&::cs_close) close = nullptr;
  decltype(&::cs_option) option = nullptr;
  decltype(&::cs_malloc) make = nullptr;
  decltype(&::cs_free) release = nullptr;
  decltype(&::cs_disasm_iter) next = nullptr;
};
Functions g_functions;
enum class Progress : int { untried, opening, open, failed };
std::atomic<Progress> g_progress{Progress::untried};
const char* g_problem = "";

const char* find_functions() noexcept {
  void* const library = ::dlopen(k_library, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return "Capstone is not installed";
  const auto find = [library](auto& function, const char* name) noexcept {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
    return function != nullptr;
  };
  if (!find(g_functions.version, "cs_version") || !find(g_functions.open, "cs_open") ||
      !find(g_functions.close, "cs_close") || !find(g_functions.option, "cs_option") ||
      !find(g_functions.make, "cs_malloc") || !find(g_functions.release, "cs_free") ||
      !find(g_functions.next, "cs_disasm_iter"))
    return "Capstone lacks a function";
  int major = 0;
  int minor = 0;
  g_functions.version(&major, &minor);
  return major == CS_API_MAJOR ? "" : "Capstone is of another version";
}

} // namespace

bool open_decoder() noexcept {
  auto progress = Progress::untried;
  // acquire: pairs with the release below, so that the functions are seen. Guard: unit.Proof.* with threads.
  if (g_progress.compare_exchange_strong(progress, Progress::opening, std::memory_order_acquire)) {
    g_problem = find_functions();
    progress = *g_problem == '\0' ? Progress::open : Progress::failed;
    g_progress.store(progress, std::memory_order_release);
  }
  return progress == Progress::open;
}

const char* decoder_problem() noexcept {
  // acquire: pairs with the release in open_decoder(), so that the text is seen.
  switch (g_progress.load(std::memory_order_acquire)) {
  case Progress::open:
    return "";
  case Progress::failed:
    return g_problem;
  default:
    return "Capstone is not open";
  }
}

Decoder::Decoder() noexcept {
  // acquire: pairs with the release in open_decoder(), so that the functions are seen.
  if (g_progress.load(std::memory_order_acquire) != Progress::open) return;
  if (g_functions.open(CS_ARCH_X86, CS_MODE_64, &handle_) != CS_ERR_OK) {
    handle_ = 0;
    return;
  }
  if (g_functions.option(handle_, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK)
    instruction_ = g_functions.make(handle_);
}

Decoder::~Decoder() {
  if (instruction_ != nullptr) g_functions.release(instruction_, 1);
  if (handle_ != 0) g_functions.close(&handle_);
}

const cs_insn* Decoder::decode(const std::byte* code, std::size_t size) noexcept {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(code);
  auto address = reinterpret_cast<std::uint64_t>(code);
  return g_functions.next(handle_, &bytes, &size, &address, instruction_) ? instruction_ : nullptr;
}

} // namespace wstree::proof
