// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that opens plugins of jumping.cpp and calls their functions in a random order:
// jumping_host SEED [FLAG...:]FILE...
//   lazy, global, deep    flags of dlopen(): RTLD_LAZY, RTLD_GLOBAL, RTLD_DEEPBIND
//   new                   in a namespace of its own
//   thread                opened, and called at first, by another thread, which ends then
//   resident              the same by a thread that lives as long as the program
//   close                 closed after that, so that it may be opened again
//   untouched             not called before all are open
//   runtime               only opened: an OpenMP runtime
// Built with OpenMP too: then its own copy of jumping.cpp takes part.
#include "headers.h"
#include "jumping.h"

#include <future>
#include <random>

namespace {

struct Code {
  std::string name;
  void* handle = nullptr;
  std::vector<void (*)()> functions;
  const char* (*seen)() = nullptr;
};

std::mt19937 random_order;

void call_each(const std::vector<Code>& all, unsigned times) {
  for (const Code& code : all) {
    std::vector<void (*)()> calls;
    for (unsigned i = 0; i < times; ++i)
      calls.insert(calls.end(), code.functions.begin(), code.functions.end());
    std::shuffle(calls.begin(), calls.end(), random_order);
    for (const auto call : calls) call();
    std::printf("%s: %s\n", code.name.c_str(), code.seen());
  }
}

Code open(const std::string& name, const std::string& flags) {
  const auto has = [&](const char* flag) { return flags.find(flag) != std::string::npos; };
  const int how = (has("lazy") ? RTLD_LAZY : RTLD_NOW) | (has("global") ? RTLD_GLOBAL : RTLD_LOCAL) |
                  (has("deep") ? RTLD_DEEPBIND : 0);
  Code code{name.substr(name.rfind('/') + 1), nullptr, {}, nullptr};
  code.handle = has("new") ? dlmopen(LM_ID_NEWLM, name.c_str(), how) : dlopen(name.c_str(), how);
  if (code.handle == nullptr) {
    std::puts(dlerror());
    std::exit(1);
  }
  if (has("runtime")) return code;
  const auto find = [&](const char* function) { return dlsym(code.handle, function); };
#define JUMPING_FIND(function) code.functions.push_back(reinterpret_cast<void (*)()>(find(#function)));
  JUMPING_FUNCTIONS(JUMPING_FIND)
  code.seen = reinterpret_cast<const char* (*)()>(find("seen"));
  return code;
}

/// Returns when a thread that lives as long as the program has called `use`.
void use_by_resident(const std::function<void()>& use) {
  std::promise<void> used;
  const std::future<void> until = used.get_future();
  std::thread([&use, used = std::move(used)]() mutable {
    use();
    used.set_value();
    for (;;) pause();
  }).detach();
  until.wait();
}

} // namespace

int main(int argc, char** argv) {
  random_order.seed(static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)));
  std::vector<Code> all;
#ifdef _OPENMP
  Code own{"host", nullptr, {}, &seen};
#define JUMPING_ADD(function) own.functions.push_back(&function);
  JUMPING_FUNCTIONS(JUMPING_ADD)
  all.push_back(own);
  call_each(all, 1);
#endif
  for (int i = 2; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t colon = argument.rfind(':'); // npos + 1 is 0
    const std::string flags = colon != std::string::npos ? argument.substr(0, colon) : "";
    const auto has = [&](const char* flag) { return flags.find(flag) != std::string::npos; };
    const auto use = [&] {
      const Code code = open(argument.substr(colon + 1), flags);
      if (code.functions.empty()) return;
      if (!has("untouched")) call_each({code}, 1);
      if (has("close"))
        dlclose(code.handle);
      else
        all.push_back(code);
    };
    if (has("thread"))
      std::thread(use).join();
    else if (has("resident"))
      use_by_resident(use);
    else
      use();
  }
  std::shuffle(all.begin(), all.end(), random_order);
  for (int round = 0; round < 2; ++round) call_each(all, 1);
}
