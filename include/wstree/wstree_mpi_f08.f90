! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Module wstree_mpi for programs that say `use mpi_f08`: communicators are of type(MPI_Comm). Compile it behind wstree_mpi.f90.
module wstree_mpi_f08
  use, intrinsic :: iso_c_binding, only: c_double, c_long_long
  use mpi_f08, only: MPI_Comm
  use wstree_mpi, open_number => wstree_mpi_open, sum_number => wstree_mpi_sum
  implicit none
  private
  public :: wstree_mpi_loop, wstree_mpi_open, wstree_mpi_next, wstree_mpi_close, wstree_mpi_sum, wstree_mpi_element
  public :: wstree_mpi_wish, wstree_mpi_fetch, wstree_mpi_cancelled

contains

  subroutine wstree_mpi_open(comm, n, loop, error, label, chunk, weights, stop, on_steal)
    type(MPI_Comm), intent(in) :: comm
    integer(c_long_long), intent(in) :: n
    type(wstree_mpi_loop), intent(out) :: loop
    integer, intent(out), optional :: error
    character(*), intent(in), optional :: label
    integer(c_long_long), intent(in), optional :: chunk
    real(c_double), intent(in), optional :: weights(:)
    procedure(wstree_mpi_wish), optional :: stop
    procedure(wstree_mpi_fetch), optional :: on_steal
    call open_number(comm%MPI_VAL, n, loop, error, label, chunk, weights, stop, on_steal)
  end subroutine

  function wstree_mpi_sum(comm, n, get, error, label, chunk, weights, root) result(total)
    type(MPI_Comm), intent(in) :: comm
    integer(c_long_long), intent(in) :: n
    procedure(wstree_mpi_element) :: get
    integer, intent(out), optional :: error
    character(*), intent(in), optional :: label
    integer(c_long_long), intent(in), optional :: chunk
    real(c_double), intent(in), optional :: weights(:)
    integer, intent(in), optional :: root
    real(c_double) :: total
    total = sum_number(comm%MPI_VAL, n, get, error, label, chunk, weights, root)
  end function

end module wstree_mpi_f08
