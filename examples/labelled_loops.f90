! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The Fortran interface: names for loops, a schedule for one of them, a sum whose bits do not depend on the threads, and
! the statistics from inside the program. It runs without the library as well, and is not linked with it.
!
!   gfortran -O2 -fopenmp /usr/include/wstree/wstree.f90 labelled_loops.f90 -o labelled_loops
!   ./labelled_loops
!   WSTREE_STATS=1 OMP_SCHEDULE=wstree LD_PRELOAD=$(wstree path) ./labelled_loops
program labelled_loops
  use wstree
  use, intrinsic :: iso_c_binding, only: c_double, c_float
  implicit none
  integer :: n, i, j
  real(c_double), allocatable :: rows(:)
  real(c_double) :: total
  character(len=32) :: text

  n = 3000
  if (command_argument_count() > 0) then
    call get_command_argument(1, text)
    read (text, *) n
  end if
  if (n < 1 .or. n > 100000) stop 2
  allocate (rows(n))

  call wstree_label('assembly') ! rows of a sparse matrix have from 1 to 512 entries
  !$omp parallel do schedule(runtime) private(j, total)
  do i = 1, n
    total = 0
    do j = 1, mod(i, 512) + 1
      total = total + 1/real(i + j - 1, c_double)
    end do
    rows(i) = total
  end do
  !$omp end parallel do

  call wstree_hint(omp_sched_wsstatic) ! all rows take as long
  call wstree_label('scaling')
  !$omp parallel do schedule(runtime)
  do i = 1, n
    rows(i) = sqrt(rows(i))
  end do
  !$omp end parallel do

  ! The same bits with the library and without.
  print '(a,z16.16,a,z16.16)', 'sum ', wstree_sum(rows), ' square ', wstree_dot(rows, rows)
  print '(a,z8.8,a,z8.8)', 'float ', wstree_sum(real(rows, c_float)), ' square ', &
    wstree_dot(real(rows, c_float), real(rows, c_float))
  if (wstree_is_loaded()) print '(3a)', 'libwstree ', wstree_version(), ' is here'
  if (command_argument_count() > 1) print '(a)', wstree_statistics_json()
end program labelled_loops
