! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Loops that MPI ranks share: as wstree_mpi.h says, with iterations 1 to n. Compile this module by the program's compiler, and
! wstree/mpi/wstree_mpi.cpp by its MPI's mpicxx. Programs that say `use mpi_f08` compile wstree_mpi_f08.f90 too, and use that.
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
  public :: wstree_mpi_wish, wstree_mpi_fetch, wstree_mpi_cancelled

  !> No error of MPI, from wstree_mpi_close: a stop on any rank has left iterations undone.
  integer, parameter :: wstree_mpi_cancelled = -1

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
    !> Not 0: no rank begins another piece.
    function wstree_mpi_wish() result(is_wanted) bind(c)
      import :: c_int
      integer(c_int) :: is_wanted
    end function
    !> Called before iterations first to last of another rank's share are executed here.
    subroutine wstree_mpi_fetch(first, last) bind(c)
      import :: c_long_long
      integer(c_long_long), value :: first, last
    end subroutine
  end interface

  !> FortranOptions of wstree_mpi.cpp.
  type, bind(c) :: options_of_c
    type(c_ptr) :: label = c_null_ptr
    integer(c_long_long) :: chunk = 1
    type(c_ptr) :: weights = c_null_ptr
    integer(c_long_long) :: sections = 0
    integer(c_int) :: root = -1
    type(c_funptr) :: stop = c_null_funptr
    type(c_funptr) :: on_steal = c_null_funptr
  end type

  interface
    function open_loop(comm, n, options, loop) result(error) bind(c, name='wstree_mpi_open_f')
      import :: c_int, c_long_long, c_ptr, options_of_c
      integer, value :: comm
      integer(c_long_long), value :: n
      type(options_of_c) :: options
      type(c_ptr) :: loop
      integer(c_int) :: error
    end function
    function next_of(loop, first, behind) result(error) bind(c, name='wstree_mpi_next_f')
      import :: c_int, c_long_long, c_ptr
      type(c_ptr), value :: loop
      integer(c_long_long) :: first, behind
      integer(c_int) :: error
    end function
    function close_loop(loop) result(error) bind(c, name='wstree_mpi_close_f')
      import :: c_int, c_ptr
      type(c_ptr), value :: loop
      integer(c_int) :: error
    end function
    function sum_of(comm, n, options, get, total) result(error) bind(c, name='wstree_mpi_sum_f')
      import :: c_int, c_long_long, c_double, wstree_mpi_element, options_of_c
      integer, value :: comm
      integer(c_long_long), value :: n
      type(options_of_c) :: options
      procedure(wstree_mpi_element) :: get
      real(c_double) :: total
      integer(c_int) :: error
    end function
  end interface

contains

  !> Opens a loop of iterations 1 to n, on all ranks. Without `error`, an error ends the program. label: its name in
  !> statistics. chunk: iterations that a rank, or a thread, takes at least. weights: what equal sections of the loop cost.
  subroutine wstree_mpi_open(comm, n, loop, error, label, chunk, weights, stop, on_steal)
    integer, intent(in) :: comm
    integer(c_long_long), intent(in) :: n
    type(wstree_mpi_loop), intent(out) :: loop
    integer, intent(out), optional :: error
    character(*), intent(in), optional :: label
    integer(c_long_long), intent(in), optional :: chunk
    real(c_double), intent(in), optional :: weights(:)
    procedure(wstree_mpi_wish), optional :: stop
    procedure(wstree_mpi_fetch), optional :: on_steal
    type(options_of_c) :: options
    character(:, c_char), allocatable, target :: name
    real(c_double), allocatable, target :: costs(:)
    call take(options, name, costs, label, chunk, weights)
    if (present(stop)) options%stop = c_funloc(stop)
    if (present(on_steal)) options%on_steal = c_funloc(on_steal)
    call hand_on(open_loop(comm, n, options, loop%at), error)
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

  !> Closes the loop, on all ranks. wstree_mpi_cancelled does not end the program.
  subroutine wstree_mpi_close(loop, error)
    type(wstree_mpi_loop), intent(inout) :: loop
    integer, intent(out), optional :: error
    call hand_on(close_loop(loop%at), error)
    loop%at = c_null_ptr
  end subroutine

  !> get(1) + ... + get(n) on all ranks, or on `root` alone, with the same bits for any number of ranks and threads.
  function wstree_mpi_sum(comm, n, get, error, label, chunk, weights, root) result(total)
    integer, intent(in) :: comm
    integer(c_long_long), intent(in) :: n
    procedure(wstree_mpi_element) :: get
    integer, intent(out), optional :: error
    character(*), intent(in), optional :: label
    integer(c_long_long), intent(in), optional :: chunk
    real(c_double), intent(in), optional :: weights(:)
    integer, intent(in), optional :: root
    real(c_double) :: total
    type(options_of_c) :: options
    character(:, c_char), allocatable, target :: name
    real(c_double), allocatable, target :: costs(:)
    call take(options, name, costs, label, chunk, weights)
    if (present(root)) options%root = root
    total = 0
    call hand_on(sum_of(comm, n, options, get, total), error)
  end function

  !> `name` and `costs` keep for the call what `options` point to.
  subroutine take(options, name, costs, label, chunk, weights)
    type(options_of_c), intent(inout) :: options
    character(:, c_char), allocatable, target, intent(out) :: name
    real(c_double), allocatable, target, intent(out) :: costs(:)
    character(*), intent(in), optional :: label
    integer(c_long_long), intent(in), optional :: chunk
    real(c_double), intent(in), optional :: weights(:)
    if (present(label)) then
      name = trim(label) // c_null_char
      options%label = c_loc(name)
    end if
    if (present(chunk)) options%chunk = chunk
    if (present(weights)) then
      costs = weights
      options%weights = c_loc(costs)
      options%sections = size(costs, kind=c_long_long)
    end if
  end subroutine

  subroutine hand_on(status, error)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: error
    if (present(error)) then
      error = status
    else if (status > 0) then
      error stop 'wstree_mpi: the call has failed'
    end if
  end subroutine

end module wstree_mpi
