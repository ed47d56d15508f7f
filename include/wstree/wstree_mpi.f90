! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Loops that MPI ranks share: as wstree_mpi.h says, with iterations 1 to n. Compile this module by the program's compiler, and
! wstree/mpi/wstree_mpi.cpp by its MPI's mpicxx.
!
!     call wstree_mpi_open(MPI_COMM_WORLD, n, loop)
!     do while (wstree_mpi_next(loop, first, last))
!       !$omp parallel do schedule(runtime)
!       do i = first, last
!         ...
!     call wstree_mpi_close(loop)
module wstree_mpi
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: wstree_mpi_loop, wstree_mpi_open, wstree_mpi_next, wstree_mpi_close, wstree_mpi_sum, wstree_mpi_element

  !> A loop that is open.
  type :: wstree_mpi_loop
    private
    type(c_ptr) :: at = c_null_ptr
  end type

  abstract interface
    !> What wstree_mpi_sum() adds for element i.
    function wstree_mpi_element(i) result(x) bind(c)
      import :: c_double, c_long_long
      integer(c_long_long), value :: i
      real(c_double) :: x
    end function
  end interface

  interface
    function open_loop(comm, n, loop) result(error) bind(c, name='wstree_mpi_open_f')
      import :: c_int, c_long_long, c_ptr
      integer, value :: comm
      integer(c_long_long), value :: n
      type(c_ptr) :: loop
      integer(c_int) :: error
    end function
    function next_of(loop, first, behind) result(error) bind(c, name='wstree_mpi_next')
      import :: c_int, c_long_long, c_ptr
      type(c_ptr), value :: loop
      integer(c_long_long) :: first, behind
      integer(c_int) :: error
    end function
    function close_loop(loop) result(error) bind(c, name='wstree_mpi_close')
      import :: c_int, c_ptr
      type(c_ptr), value :: loop
      integer(c_int) :: error
    end function
    function sum_of(comm, n, get, total) result(error) bind(c, name='wstree_mpi_sum_f')
      import :: c_int, c_long_long, c_double, wstree_mpi_element
      integer, value :: comm
      integer(c_long_long), value :: n
      procedure(wstree_mpi_element) :: get
      real(c_double) :: total
      integer(c_int) :: error
    end function
  end interface

contains

  !> Opens a loop of iterations 1 to n, on all ranks. Without `error`, an error ends the program.
  subroutine wstree_mpi_open(comm, n, loop, error)
    integer, intent(in) :: comm
    integer(c_long_long), intent(in) :: n
    type(wstree_mpi_loop), intent(out) :: loop
    integer, intent(out), optional :: error
    call hand_on(open_loop(comm, n, loop%at), error)
  end subroutine

  !> The next iterations of this rank, first to last; false when all iterations of all ranks are executed.
  function wstree_mpi_next(loop, first, last, error) result(is_more)
    type(wstree_mpi_loop), intent(in) :: loop
    integer(c_long_long), intent(out) :: first, last
    integer, intent(out), optional :: error
    logical :: is_more
    integer(c_long_long) :: behind
    call hand_on(next_of(loop%at, first, behind), error)
    is_more = first < behind
    first = first + 1
    last = behind
  end function

  !> Closes the loop, on all ranks.
  subroutine wstree_mpi_close(loop, error)
    type(wstree_mpi_loop), intent(inout) :: loop
    integer, intent(out), optional :: error
    call hand_on(close_loop(loop%at), error)
    loop%at = c_null_ptr
  end subroutine

  !> get(1) + ... + get(n) on all ranks, with the same bits for any number of ranks and threads.
  function wstree_mpi_sum(comm, n, get, error) result(total)
    integer, intent(in) :: comm
    integer(c_long_long), intent(in) :: n
    procedure(wstree_mpi_element) :: get
    integer, intent(out), optional :: error
    real(c_double) :: total
    total = 0
    call hand_on(sum_of(comm, n, get, total), error)
  end function

  subroutine hand_on(status, error)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: error
    if (present(error)) then
      error = status
    else if (status /= 0) then
      error stop 'wstree_mpi: the call has failed'
    end if
  end subroutine

end module wstree_mpi
