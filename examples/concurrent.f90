! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! do concurrent, which gfortran and flang make parallel: row i of a triangle has i terms.
!
!   gfortran -O2 -ftree-parallelize-loops=4 --param=parloops-schedule=runtime concurrent.f90 -o concurrent
!   wstree run --stats -- ./concurrent 12000
!
!   flang-22 -O2 -fopenmp -fdo-concurrent-to-openmp=host concurrent.f90 -o concurrent
!   wstree run --loops static --stats -- ./concurrent 6000 20
module triangle
  implicit none
contains
  subroutine rows(sums, terms)
    double precision, intent(out) :: sums(:)
    double precision, intent(in) :: terms(:)
    integer :: i
    do concurrent (i = 1:size(sums))
      sums(i) = dot_product(terms(1:i), terms(1:i))
    end do
  end subroutine rows
end module triangle

program concurrent
  use triangle
  implicit none
  double precision, allocatable :: sums(:), terms(:)
  double precision :: expected
  integer :: n, times, begin, ended, rate, k
  character(len=32) :: argument
  n = 12000
  if (command_argument_count() >= 1) then
    call get_command_argument(1, argument)
    read (argument, *) n
  end if
  times = 1
  if (command_argument_count() >= 2) then
    call get_command_argument(2, argument)
    read (argument, *) times
  end if
  allocate (sums(n), terms(n))
  terms = 1
  call system_clock(begin, rate)
  do k = 1, times
    call rows(sums, terms)
  end do
  call system_clock(ended)
  expected = 0.5d0 * n * (n + 1d0)
  print '(f0.0, a, f0.1, a)', sum(sums), ' terms in ', 1d3 * (ended - begin) / rate, ' ms'
  if (abs(sum(sums) - expected) > 0.5d0) stop 1
end program concurrent
