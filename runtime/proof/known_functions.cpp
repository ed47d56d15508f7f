// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "known_functions.h"

#include "code.h"

#include <cstring>

namespace wstree::proof {
namespace {

using Kind = KnownFunction::Kind;

constexpr std::uint8_t k_every = 6; // for a function that prints as many values as its caller asks for

// Functions that keep no value for their thread, but for errno, do not depend on which thread calls them, and
// wait for no other thread, but for locks and reductions.
constexpr KnownFunction k_known[] = {
    {"omp_get_num_threads", Kind::thread_count},
    {"omp_get_thread_num", Kind::thread_number},
    {"__kmpc_for_static_init_4", Kind::static_init},
    {"__kmpc_for_static_init_4u", Kind::static_init},
    {"__kmpc_for_static_init_8", Kind::static_init},
    {"__kmpc_for_static_init_8u", Kind::static_init},
    {"__kmpc_for_static_fini", Kind::static_fini},
    {"__kmpc_reduce_nowait", Kind::reduce},
    {"__kmpc_end_reduce_nowait", Kind::end_reduce},
    {"GOMP_atomic_start", Kind::lock},
    {"GOMP_atomic_end", Kind::unlock},
    {"__stack_chk_fail", Kind::no_return},
    {"abort", Kind::no_return},
    {"_ZSt9terminatev", Kind::no_return},
    {"__assert_fail", Kind::no_return, 4},
    {"__clang_call_terminate", Kind::no_return},
    {"__cxa_call_terminate", Kind::no_return},
    {"exit", Kind::no_return, 1},
    {"_exit", Kind::no_return, 1},
    {"_gfortran_runtime_error", Kind::no_return, k_every},
    {"_gfortran_runtime_error_at", Kind::no_return, k_every},
    {"_gfortran_os_error_at", Kind::no_return, k_every},
    {"_gfortran_stop_string", Kind::no_return, 3},
    {"_gfortran_stop_numeric", Kind::no_return, 2},
    {"_gfortran_error_stop_string", Kind::no_return, 3},
    {"_gfortran_error_stop_numeric", Kind::no_return, 2},
    {"_Unwind_Resume", Kind::throws},
    {"__cxa_throw", Kind::throws, 3},
    {"__cxa_rethrow", Kind::throws},
    {"__cxa_bad_cast", Kind::throws},
    {"__cxa_throw_bad_array_new_length", Kind::throws},
    {"_ZSt17__throw_bad_allocv", Kind::throws},
    {"_ZSt28__throw_bad_array_new_lengthv", Kind::throws},
    {"_ZSt20__throw_length_errorPKc", Kind::throws, 1},
    {"_ZSt20__throw_out_of_rangePKc", Kind::throws, 1},
    {"_ZSt24__throw_out_of_range_fmtPKcz", Kind::throws, k_every},
    {"_ZSt19__throw_logic_errorPKc", Kind::throws, 1},
    {"_ZSt25__throw_bad_function_callv", Kind::throws},
    {"memcpy", Kind::copies, 3},
    {"memmove", Kind::copies, 3},
    {"memset", Kind::copies, 3},
    {"strlen", Kind::pure, 1},
    {"strcmp", Kind::pure, 2},
    {"strncmp", Kind::pure, 3},
    {"memcmp", Kind::pure, 3},
    {"memchr", Kind::pure, 3},
    {"malloc", Kind::allocates, 1},
    {"calloc", Kind::allocates, 2},
    {"free", Kind::allocates, 1},
    {"_Znwm", Kind::allocates, 1},
    {"_Znam", Kind::allocates, 1},
    {"_ZdlPv", Kind::allocates, 1},
    {"_ZdaPv", Kind::allocates, 1},
    {"_ZdlPvm", Kind::allocates, 2},
    {"sleep", Kind::sleeps, 1},
    {"usleep", Kind::sleeps, 1},
    {"nanosleep", Kind::sleeps, 2},
    {"omp_get_max_threads", Kind::team_wide},
    {"omp_get_num_procs", Kind::team_wide},
    {"omp_in_parallel", Kind::team_wide},
#define WSTREE_FLOAT_1(name)                                                                                 \
  {name, Kind::pure, 0, 1}, { name "f", Kind::pure, 0, 1 }
#define WSTREE_FLOAT_2(name)                                                                                 \
  {name, Kind::pure, 0, 2}, { name "f", Kind::pure, 0, 2 }
    WSTREE_FLOAT_1("sqrt"),
    WSTREE_FLOAT_1("cbrt"),
    WSTREE_FLOAT_1("exp"),
    WSTREE_FLOAT_1("exp2"),
    WSTREE_FLOAT_1("expm1"),
    WSTREE_FLOAT_1("log"),
    WSTREE_FLOAT_1("log2"),
    WSTREE_FLOAT_1("log10"),
    WSTREE_FLOAT_1("log1p"),
    WSTREE_FLOAT_1("sin"),
    WSTREE_FLOAT_1("cos"),
    WSTREE_FLOAT_1("tan"),
    WSTREE_FLOAT_1("asin"),
    WSTREE_FLOAT_1("acos"),
    WSTREE_FLOAT_1("atan"),
    WSTREE_FLOAT_1("sinh"),
    WSTREE_FLOAT_1("cosh"),
    WSTREE_FLOAT_1("tanh"),
    WSTREE_FLOAT_1("floor"),
    WSTREE_FLOAT_1("ceil"),
    WSTREE_FLOAT_1("trunc"),
    WSTREE_FLOAT_1("round"),
    WSTREE_FLOAT_1("rint"),
    WSTREE_FLOAT_1("nearbyint"),
    WSTREE_FLOAT_1("fabs"),
    WSTREE_FLOAT_1("erf"),
    WSTREE_FLOAT_1("erfc"),
    WSTREE_FLOAT_2("pow"),
    WSTREE_FLOAT_2("atan2"),
    WSTREE_FLOAT_2("fmod"),
    WSTREE_FLOAT_2("hypot"),
    WSTREE_FLOAT_2("fmin"),
    WSTREE_FLOAT_2("fmax"),
    WSTREE_FLOAT_2("copysign"),
    {"__exp_finite", Kind::pure, 0, 1},
    {"__log_finite", Kind::pure, 0, 1},
    {"__pow_finite", Kind::pure, 0, 2},
    {"lround", Kind::pure, 0, 1},
    {"lrint", Kind::pure, 0, 1},
    {"cabs", Kind::pure, 0, 2},
    {"__muldc3", Kind::pure, 0, 4},
    {"__divdc3", Kind::pure, 0, 4},
#undef WSTREE_FLOAT_1
#undef WSTREE_FLOAT_2
};

} // namespace

const KnownFunction* find_known_function(const char* name) noexcept {
  if (name == nullptr) return nullptr;
  for (const KnownFunction& known : k_known)
    if (std::strcmp(known.name, name) == 0) return &known;
  return nullptr;
}

bool may_throw(const KnownFunction& known) noexcept {
  // Operators new.
  return known.kind == Kind::throws || std::strncmp(known.name, "_Zn", 3) == 0;
}

bool is_of_float_environment(const char* name) noexcept {
  static constexpr const char* k_names[] = {
      "fesetround",     "fesetenv",        "feholdexcept",    "feupdateenv",
      "feenableexcept", "fedisableexcept", "fetestexcept",    "feclearexcept",
      "feraiseexcept",  "fegetexceptflag", "fesetexceptflag", "fegetenv",
      "fegetmode",      "fesetmode",       "fesetexcept",     "fetestexceptflag"};
  for (const char* const known : k_names)
    if (std::strcmp(known, name) == 0) return true;
  return std::strncmp(name, "_gfortran_ieee_", 15) == 0;
}

bool never_returns(const char* name) noexcept {
  const KnownFunction* const known = find_known_function(name);
  return known != nullptr && (known->kind == Kind::no_return || known->kind == Kind::throws);
}

} // namespace wstree::proof
