// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a fuzz target is: a function that takes any bytes and ends the process if something does not hold. The
// same target is linked with libFuzzer, which makes up bytes,
// and with a program that reads those of the corpus.
#pragma once

#include <string_view>
#include <vector>

namespace wstree::fuzz {

using Body = void (*)(std::string_view input);

struct Target {
  std::string_view name; ///< of its folder in corpus/
  Body body;
};

/// All targets of the program.
std::vector<Target>& targets();

/// Makes a target known; one object of static storage for each.
struct Registration {
  Registration(std::string_view name, Body body) { targets().push_back({name, body}); }
};

/// Ends the process if `holds` is false. `what` is the sentence that is not true,
/// `about` the text that shows it.
void require(bool holds, std::string_view what, std::string_view about = {});

/// Runs the target. What fails meanwhile is reported with the bytes of `input`.
void run(const Target& target, std::string_view input);

} // namespace wstree::fuzz
