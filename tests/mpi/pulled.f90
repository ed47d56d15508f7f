! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The module of Fortran: each iteration once, and a sum with the bits of one rank.
module elements
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_long_long) :: from = 1, to = 0
  integer :: steals = 0
contains
  function inverse(i) result(x) bind(c)
    integer(c_long_long), value :: i
    real(c_double) :: x
    x = 1/real(i, c_double)
  end function
  subroutine note(first, last) bind(c)
    integer(c_long_long), value :: first, last
    from = first
    to = last
    steals = steals + 1
  end subroutine
  function at_once() result(is_wanted) bind(c)
    integer(c_int) :: is_wanted
    is_wanted = 1
  end function
end module

program pulled
#ifdef WITH_MPI_F08
  use mpi_f08
  use wstree_mpi_f08
#else
  use mpi
  use wstree_mpi
#endif
  use elements
  implicit none
  integer(c_long_long), parameter :: n = 2000
  integer :: hits(n), all_hits(n), level, error
  integer(c_long_long) :: first, last, i
  real(c_double) :: total
  type(wstree_mpi_loop) :: loop
  call MPI_Init_thread(MPI_THREAD_FUNNELED, level, error)
  hits = 0
  call wstree_mpi_open(MPI_COMM_WORLD, n, loop)
  do while (wstree_mpi_next(loop, first, last))
    !$omp parallel do schedule(runtime)
    do i = first, last
      hits(i) = hits(i) + 1
    end do
  end do
  call wstree_mpi_close(loop)
  call MPI_Allreduce(hits, all_hits, int(n), MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (any(all_hits /= 1)) call MPI_Abort(MPI_COMM_WORLD, 1, error)
  total = wstree_mpi_sum(MPI_COMM_WORLD, n, inverse)
  if (total /= wstree_mpi_sum(MPI_COMM_SELF, n, inverse) .or. abs(total - 8.178368) > 1e-5) &
    call MPI_Abort(MPI_COMM_WORLD, 2, error)
  if (wstree_mpi_sum(MPI_COMM_SELF, n, inverse, root=0, label='alone') /= total) call MPI_Abort(MPI_COMM_WORLD, 3, error)
  ! Rank 0 begins with all iterations, and the others are told what they steal.
  hits = 0
  call wstree_mpi_open(MPI_COMM_WORLD, n, loop, label='stolen', weights=[1d0], chunk=10_c_long_long, on_steal=note)
  do while (wstree_mpi_next(loop, first, last))
    if (steals > 0 .and. (first < from .or. last > to)) call MPI_Abort(MPI_COMM_WORLD, 4, error)
    hits(first:last) = hits(first:last) + 1
  end do
  call wstree_mpi_close(loop)
  call MPI_Allreduce(hits, all_hits, int(n), MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (any(all_hits /= 1)) call MPI_Abort(MPI_COMM_WORLD, 5, error)
  call wstree_mpi_open(MPI_COMM_SELF, n, loop, stop=at_once)
  if (wstree_mpi_next(loop, first, last)) call MPI_Abort(MPI_COMM_WORLD, 6, error)
  call wstree_mpi_close(loop, error)
  if (error /= wstree_mpi_cancelled) call MPI_Abort(MPI_COMM_WORLD, 7, error)
  call MPI_Finalize(error)
end program
