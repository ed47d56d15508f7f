! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Regions of Fortran for the proof; see regions.c.
subroutine yes_scale_f(n, a, b, k)
  integer :: n, i
  real(8) :: a(n), b(n), k
  !$omp parallel do
  do i = 1, n
    a(i) = b(i) * k
  end do
end subroutine
subroutine yes_sum_f(n, a, s)
  integer :: n, i
  real(8) :: a(n), s
  !$omp parallel do reduction(+:s)
  do i = 1, n
    s = s + a(i)
  end do
end subroutine
subroutine yes_matrix_f(n, a, b)
  integer :: n, i, j
  real(8) :: a(n, n), b(n, n)
  !$omp parallel do private(i)
  do j = 1, n
    do i = 1, n
      a(i, j) = b(j, i) + 1
    end do
  end do
end subroutine
subroutine yes_down_f(n, a)
  integer :: n, i
  real(4) :: a(n)
  !$omp parallel do
  do i = n, 1, -3
    a(i) = 2 * a(i)
  end do
end subroutine
subroutine yes_last_f(n, a, x)
  integer :: n, i
  real(8) :: a(n), x
  !$omp parallel do lastprivate(x)
  do i = 1, n
    x = a(i) * 2
    a(i) = x
  end do
end subroutine
subroutine yes_integer_f(n, a, m)
  integer :: n, i, m, a(n)
  !$omp parallel do reduction(max:m)
  do i = 1, n
    m = max(m, a(i))
  end do
end subroutine
subroutine no_counter_f(n, a)
  integer :: n, i, j
  real(8) :: a(n)
  !$omp parallel private(j)
  j = 0
  !$omp do
  do i = 1, n
    j = j + 1
    a(i) = j
  end do
  !$omp end do nowait
  !$omp end parallel
end subroutine
subroutine no_carry_f(n, a, x)
  integer :: n, i
  real(8) :: a(n), x
  !$omp parallel do firstprivate(x)
  do i = 1, n
    x = x * 0.5d0 + a(i)
    a(i) = x
  end do
end subroutine
subroutine no_array_f(n, a)
  integer :: n, i
  real(8) :: a(n)
  real(8), allocatable :: w(:)
  allocate(w(10))
  w = 0
  !$omp parallel do firstprivate(w)
  do i = 1, n
    w(1) = w(1) + 1
    a(i) = a(i) + w(1)
  end do
end subroutine
subroutine no_counts_f(n, a, c)
  integer :: n, i, c
  real(8) :: a(n)
  !$omp parallel
  !$omp do
  do i = 1, n
    a(i) = i
  end do
  !$omp end do nowait
  !$omp atomic
  c = c + 1
  !$omp end parallel
end subroutine
subroutine no_threadprivate_f(n, a)
  integer :: n, i
  real(8) :: a(n)
  real(8), save :: t
  !$omp threadprivate(t)
  !$omp parallel do
  do i = 1, n
    t = t + a(i)
    a(i) = t
  end do
end subroutine
subroutine no_number_f(n, a)
  use omp_lib
  integer :: n, i
  real(8) :: a(0:63), b
  !$omp parallel do
  do i = 1, n
    a(omp_get_thread_num()) = a(omp_get_thread_num()) + i
  end do
end subroutine
subroutine no_print_f(n, a)
  integer :: n, i
  real(8) :: a(n)
  !$omp parallel
  !$omp do
  do i = 1, n
    a(i) = i
  end do
  !$omp end do nowait
  print *, 'member'
  !$omp end parallel
end subroutine
