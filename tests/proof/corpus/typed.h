// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions for one element type: E is the type, NAME(what) makes a name of it. Included once for each type.

E NAME(a)[1000], NAME(b)[1000], NAME(partial)[64], NAME(shared);
static __thread E NAME(mine);

void NAME(yes_scale)(int n, E k) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) NAME(a)[i] = NAME(b)[i] * k;
}
void NAME(yes_copy_long)(long n) {
#pragma omp parallel for schedule(static)
  for (long i = 3; i < n; i += 2) NAME(a)[i] = NAME(b)[i - 1];
}
void NAME(yes_down)(int n) {
#pragma omp parallel for
  for (int i = n; i > 0; i--) NAME(a)[i] += NAME(b)[i];
}
void NAME(yes_unsigned)(unsigned n, unsigned from) {
#pragma omp parallel for
  for (unsigned i = from; i < n; i++) NAME(a)[i] = (E)i;
}
void NAME(yes_pointer)(E *from, E *to) {
#pragma omp parallel for
  for (E *p = from; p < to; p++) *p = *p + 1;
}
void NAME(yes_stride)(int n, int stride) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) NAME(a)[i * stride] = NAME(b)[i];
}
void NAME(yes_rows)(int n, int m, E *to) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    E row = 0;
    for (int j = 0; j < m; j++) row += to[i * m + j];
    NAME(a)[i] = row;
  }
}
void NAME(yes_branch)(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (NAME(b)[i] > 3) NAME(a)[i] = 1;
}
E NAME(yes_sum)(int n) {
  E sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += NAME(b)[i];
  return sum;
}
E NAME(yes_difference)(int n) {
  E sum = 0;
#pragma omp parallel for reduction(- : sum)
  for (int i = 0; i < n; i++) sum -= NAME(b)[i];
  return sum;
}
E NAME(yes_product)(int n) {
  E product = 1;
#pragma omp parallel for reduction(* : product)
  for (int i = 0; i < n; i++) product *= NAME(b)[i];
  return product;
}
E NAME(yes_least)(int n) {
  E least = 100;
#pragma omp parallel for reduction(min : least)
  for (int i = 0; i < n; i++) least = NAME(b)[i] < least ? NAME(b)[i] : least;
  return least;
}
E NAME(yes_most)(int n) {
  E most = 0;
#pragma omp parallel for reduction(max : most)
  for (int i = 0; i < n; i++)
    if (NAME(b)[i] > most) most = NAME(b)[i];
  return most;
}
E NAME(yes_two_sums)(int n) {
  E sum = 0, squares = 0;
#pragma omp parallel for reduction(+ : sum, squares)
  for (int i = 0; i < n; i++) {
    sum += NAME(b)[i];
    squares += NAME(b)[i] * NAME(b)[i];
  }
  return sum + squares;
}
E NAME(yes_last)(int n) {
  E x = 0;
#pragma omp parallel for lastprivate(x)
  for (int i = 0; i < n; i++) {
    x = NAME(b)[i] + 1;
    NAME(a)[i] = x;
  }
  return x;
}
void NAME(yes_atomic)(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    NAME(shared) += NAME(b)[i];
  }
}
void NAME(yes_first_private)(int n, E x) {
#pragma omp parallel for firstprivate(x)
  for (int i = 0; i < n; i++) NAME(a)[i] = NAME(b)[i] + x;
}
void NAME(yes_collapse)(int n, int m, E *to) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) to[i * 30 + j] = NAME(b)[j];
}

// How many calls there are shows in a shared sum.
void NAME(no_counts_behind)(int n) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; i++) NAME(a)[i] = NAME(b)[i];
#pragma omp atomic
    NAME(shared) += 1;
  }
}
void NAME(no_counts_before)(int n) {
#pragma omp parallel
  {
#pragma omp atomic
    NAME(shared) += 1;
#pragma omp for nowait
    for (int i = 0; i < n; i++) NAME(a)[i] = NAME(b)[i];
  }
}
void NAME(no_adds_behind)(int n, E k) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; i++) NAME(a)[i] = NAME(b)[i];
#pragma omp atomic
    NAME(shared) += k;
  }
}
void NAME(no_sum_from_one)(int n) {
#pragma omp parallel
  {
    E sum = 1;
#pragma omp for nowait
    for (int i = 0; i < n; i++) sum += NAME(b)[i];
#pragma omp atomic
    NAME(shared) += sum;
  }
}
void NAME(no_product_from_two)(int n) {
#pragma omp parallel
  {
    E product = 2;
#pragma omp for nowait
    for (int i = 0; i < n; i++) product *= NAME(b)[i];
#pragma omp atomic
    NAME(shared) *= product;
  }
}
void NAME(no_square_of_sum)(int n) {
#pragma omp parallel
  {
    E sum = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) sum += NAME(b)[i];
#pragma omp atomic
    NAME(shared) += sum * sum;
  }
}
void NAME(no_sum_if_large)(int n) {
#pragma omp parallel
  {
    E sum = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) sum += NAME(b)[i];
    if (sum > 9) {
#pragma omp atomic
      NAME(shared) += sum;
    }
  }
}
void NAME(no_product_of_sums)(int n) {
#pragma omp parallel
  {
    E sum = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) sum += NAME(b)[i];
#pragma omp atomic
    NAME(shared) *= sum;
  }
}
void NAME(no_most_of_sums)(int n) {
#pragma omp parallel
  {
    E sum = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) sum += NAME(b)[i];
#pragma omp critical
    if (sum > NAME(shared)) NAME(shared) = sum;
  }
}
void NAME(no_carries)(int n, E x) {
#pragma omp parallel for firstprivate(x)
  for (int i = 0; i < n; i++) {
    x = x * 3 + 1;
    NAME(a)[i] = x;
  }
}
void NAME(no_running_sum)(int n) {
#pragma omp parallel
  {
    E sum = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      sum += NAME(b)[i];
      NAME(a)[i] = sum;
    }
  }
}
void NAME(no_counter)(int n) {
#pragma omp parallel
  {
    E j = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      NAME(a)[i] = j;
      j += 1;
    }
  }
}
void NAME(no_previous)(int n) {
#pragma omp parallel
  {
    E before = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      NAME(a)[i] = NAME(b)[i] - before;
      before = NAME(b)[i];
    }
  }
}
void NAME(no_first_is_base)(int n) {
#pragma omp parallel
  {
    int first = 1;
    E base = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      if (first) {
        base = NAME(b)[i];
        first = 0;
      }
      NAME(a)[i] = NAME(b)[i] - base;
    }
  }
}
void NAME(no_after_first)(int n) {
#pragma omp parallel
  {
    int first = 1;
    E base = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      if (first) {
        base = NAME(b)[i];
        first = 0;
      } else
        NAME(a)[i] = NAME(b)[i] - base;
    }
  }
}
void NAME(no_largest_so_far)(int n) {
#pragma omp parallel
  {
    E most = 0;
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      if (NAME(b)[i] > most) most = NAME(b)[i];
      NAME(a)[i] = most;
    }
  }
}
void NAME(no_swaps)(int n, E x, E y) {
#pragma omp parallel for firstprivate(x, y)
  for (int i = 0; i < n; i++) {
    NAME(a)[i] = x;
    E z = x;
    x = y;
    y = z;
  }
}
void NAME(no_private_array)(int n) {
#pragma omp parallel
  {
    E last[4] = {0, 0, 0, 0};
#pragma omp for nowait
    for (int i = 0; i < n; i++) {
      NAME(a)[i] = last[i & 3];
      last[(i + 1) & 3] = NAME(b)[i];
    }
  }
}
void NAME(no_by_number)(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) NAME(partial)[omp_get_thread_num()] += NAME(b)[i];
}
void NAME(no_by_number_of_region)(int n) {
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#pragma omp for nowait
    for (int i = 0; i < n; i++) NAME(partial)[me] += NAME(b)[i];
  }
}
void NAME(no_stores_sum_by_number)(int n) {
#pragma omp parallel
  {
    E sum = 0;
    int me = omp_get_thread_num();
#pragma omp for nowait
    for (int i = 0; i < n; i++) sum += NAME(b)[i];
    NAME(partial)[me] = sum;
  }
}
void NAME(no_number_as_value)(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) NAME(a)[i] = (E)omp_get_thread_num();
}
#ifndef __clang__ // which leaves the question a question of its own, with a true answer
void NAME(no_team_as_value)(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) NAME(a)[i] = (E)omp_get_num_threads();
}
#endif
void NAME(no_thread_memory)(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) NAME(mine) += NAME(b)[i];
}
void NAME(no_thread_memory_read)(int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) NAME(a)[i] = NAME(mine);
}
void NAME(no_parts_by_hand)(int n) {
#pragma omp parallel
  {
    int threads = omp_get_num_threads(), me = omp_get_thread_num(), part = n / threads;
    for (int i = me * part; i < (me + 1) * part; i++) NAME(a)[i] += 1;
  }
}
void NAME(no_parts_rounded_up)(int n) {
#pragma omp parallel
  {
    int threads = omp_get_num_threads(), me = omp_get_thread_num(), part = (n + threads - 1) / threads;
    int to = (me + 1) * part < n ? (me + 1) * part : n;
    for (int i = me * part; i < to; i++) NAME(a)[i] += (E)(i - me * part);
  }
}
void NAME(no_round_robin_counter)(int n) {
#pragma omp parallel
  {
    int threads = omp_get_num_threads(), me = omp_get_thread_num();
    E j = 0;
    for (int i = me; i < n; i += threads) {
      NAME(a)[i] = j;
      j += 1;
    }
  }
}
// gcc's own formula by hand, with other uses of what it gives.
#define WSTREE_PART                                                                                          \
  int threads = omp_get_num_threads(), me = omp_get_thread_num();                                            \
  int part = n / threads, rest = n % threads;                                                                \
  if (me < rest) {                                                                                           \
    part++;                                                                                                  \
    rest = 0;                                                                                                \
  }                                                                                                          \
  int from = part * me + rest, to = from + part;
void NAME(no_first_of_part)(int n) {
#pragma omp parallel
  {
    WSTREE_PART
    for (int i = from; i < to; i++) NAME(a)[i] = i == from ? NAME(b)[i] : 1;
  }
}
void NAME(no_last_of_part)(int n) {
#pragma omp parallel
  {
    WSTREE_PART
    for (int i = from; i < to; i++) NAME(a)[i] = i == to - 1 ? NAME(b)[i] : 1;
  }
}
void NAME(no_halo)(int n) {
#pragma omp parallel
  {
    WSTREE_PART
    for (int i = from; i < to; i++) NAME(a)[i] = NAME(b)[i];
    if (from < to) NAME(partial)[to & 63] = NAME(b)[to - 1];
  }
}
void NAME(no_offset_in_part)(int n) {
#pragma omp parallel
  {
    WSTREE_PART
    for (int i = from; i < to; i++) NAME(a)[i] = (E)(i - from);
  }
}
void NAME(no_by_length)(int n) {
#pragma omp parallel
  {
    WSTREE_PART
    if (part > 3)
      for (int i = from; i < to; i++) NAME(a)[i] = 1;
    else
      for (int i = from; i < to; i++) NAME(a)[i] = NAME(b)[i];
  }
}
void NAME(no_all_but_one)(int n) {
#pragma omp parallel
  {
    WSTREE_PART
    for (int i = from; i < to - 1; i++) NAME(a)[i] += 1;
  }
}
void NAME(no_one_too_many)(int n) {
#pragma omp parallel
  {
    WSTREE_PART
    for (int i = from; i <= to; i++) {
#pragma omp atomic
      NAME(a)[i] += 1;
    }
  }
}
void NAME(no_at_least_one)(int n) {
#pragma omp parallel
  {
    WSTREE_PART
    int i = from;
    do {
#pragma omp atomic
      NAME(a)[i] += 1;
    } while (++i < to);
  }
}
void NAME(no_stops_early)(int n) {
#pragma omp parallel
  {
    WSTREE_PART
    for (int i = from; i < to; i++) {
      if (NAME(b)[i] > 7) break;
      NAME(a)[i] = 1;
    }
  }
}
void NAME(no_every_other)(int n) {
#pragma omp parallel
  {
    WSTREE_PART
    for (int i = from; i < to; i += 2) NAME(a)[i] = 1;
  }
}
void NAME(no_length_as_value)(int n) {
#pragma omp parallel
  {
    WSTREE_PART
    for (int i = from; i < to; i++) NAME(a)[i] = (E)part;
  }
}
void NAME(no_twice)(int n) {
#pragma omp parallel
  {
    WSTREE_PART
    for (int i = from; i < to; i++) NAME(a)[i] += NAME(a)[i + 1 == to ? from : i];
  }
}
#undef WSTREE_PART
#undef E
#undef NAME
