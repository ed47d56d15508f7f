! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Loops in the forms that Fortran has. Each prints which thread got which iterations.
module rows
  use omp_lib
  implicit none
  integer, parameter :: n = 53
  integer :: owner(n) = -1
contains
  subroutine got(i)
    integer, intent(in) :: i
    owner(i) = omp_get_thread_num()
  end subroutine got
  subroutine print_row(what, total)
    character(*), intent(in) :: what
    integer, intent(in) :: total
    print '(a, 53i3, i8)', what, owner, total
    owner = -1
  end subroutine print_row
  subroutine orphan()
    integer :: i
    !$omp do
    do i = 1, n
      call got(i)
    end do
    !$omp end do nowait
  end subroutine orphan
end module rows

program alike
  use rows
  implicit none
  type :: point
    integer :: x = 1
  end type point
  integer :: i, k, total, last, many(3)
  integer(8) :: far
  type(point) :: place
  integer, allocatable :: work(:)
  real :: a(n)

  !$omp parallel do
  do i = 1, n
    call got(i)
  end do
  call print_row('up', 0)

  !$omp parallel do lastprivate(last)
  do i = n, 1, -3
    last = i
    call got(i)
  end do
  call print_row('down', last)

  !$omp parallel do
  do far = 3000000001_8, 3000000000_8 + n, 2
    call got(int(far - 3000000000_8))
  end do
  call print_row('integer(8)', 0)

  !$omp parallel do collapse(2)
  do i = 0, 4
    do k = 1, 10
      call got(i * 10 + k)
    end do
  end do
  call print_row('collapse', 0)

  allocate (work(4))
  work = 2
  total = 0
  many = 0
  !$omp parallel firstprivate(work, place)
  !$omp do reduction(+:total, many)
  do i = 1, n
    total = total + work(mod(i, 4) + 1) * place%x
    many(mod(i, 3) + 1) = many(mod(i, 3) + 1) + i
    call got(i)
  end do
  !$omp end do
  !$omp end parallel
  call print_row('reduction', total + many(1) + 10 * many(2) + 100 * many(3))

  !$omp parallel
  call orphan()
  call orphan()
  !$omp end parallel
  call print_row('orphaned', 0)

  call orphan()
  call print_row('outside', 0)

  !$omp parallel workshare
  a = 1.5
  where (a > 1) a = 2 * a
  !$omp end parallel workshare
  call print_row('workshare', int(sum(a)))

  !$omp parallel do simd
  do i = 1, n
    a(i) = a(i) + i
  end do
  call print_row('simd', int(sum(a)))

  !$omp parallel do schedule(static)
  do i = 1, n
    call got(i)
  end do
  call print_row('static', 0)

  total = 0
  !$omp parallel do ordered
  do i = 1, n
    !$omp ordered
    total = mod(total * 3 + i, 1009)
    !$omp end ordered
    call got(i)
  end do
  call print_row('ordered', total)
end program alike
