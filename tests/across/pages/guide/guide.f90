! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The guide's functions in Fortran, against loops of one thread.
module guide
  implicit none
contains
  real(8) function row(i)
    integer, intent(in) :: i
    integer :: k
    row = 0
    do k = 1, i
      row = row + 1d0/k
    end do
  end function row

  logical function is_hit(i)
    integer, intent(in) :: i
    is_hit = row(i) > 7.5d0 .and. mod(i, 5) == 3
  end function is_hit

  include 'snippets.f90'
end module guide

program main
  use guide
  implicit none
  integer, parameter :: n = 1500
  integer :: i
  real(8) :: x(n), wanted(n)
  integer, allocatable :: hits(:), found(:)
  wanted = [(row(i), i=1, n)]
  hits = pack([(i, i=1, n)], [(is_hit(i), i=1, n)])
  call rows_after(x)
  if (any(abs(x - wanted) > 0)) error stop 'rows_after'
  found = list_after(n)
  if (size(hits) < 10 .or. size(found) /= size(hits)) error stop 'size of list_after'
  if (any(found /= hits)) error stop 'list_after'
  if (first_after(n) /= hits(1)) error stop 'first_after'
  if (abs(sum_after(x) - sum(wanted)) > 1d-9) error stop 'sum_after'
  call draw_after(x, 5, 1)
  call draw_after(wanted, 5, 1)
  if (any(abs(x - wanted) > 0)) error stop 'draw_after'
  call draw_after(wanted, 5, 2)
  if (any(abs(x - wanted) <= 0)) error stop 'draw_after: another step'
  if (abs(sum(x)/n - 0.5d0) > 0.03d0) error stop 'the mean of draw_after'
end program main
