! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! module wstree: the functions of wstree.h, where they are explained, for Fortran 2008 programs. A program compiles this
! file (which includes its neighbour wstree_sums.inc) with its own compiler, and links with nothing:
!
!   gfortran -O2 -fopenmp /usr/include/wstree/wstree.f90 program.f90 -o program
!
! It runs with the library and without. Without it, which wstree_is_loaded() tells, labels and hints do nothing, nothing
! is served, and sums have the same bits, made by one thread. All procedures may be called from any thread. Each looks
! for its function once; without the library each call does. Before glibc 2.34 add -ldl.
module wstree
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: wstree_is_loaded, wstree_version, wstree_is_active, wstree_label, wstree_hint, wstree_loops_served
  public :: wstree_statistics_json, wstree_sum, wstree_dot

  !> Kinds for omp_set_schedule and wstree_hint.
  integer(c_int), parameter, public :: omp_sched_wstree = 119, omp_sched_wsrange = 120, omp_sched_wsqueue = 121, &
    omp_sched_wsqueue_lock = 122, omp_sched_wsfixed = 123, omp_sched_wsguided = 124, omp_sched_wsfac2 = 125, &
    omp_sched_wstrapezoid = 126, omp_sched_wsstatic = 127

  !> Of an array of real(c_double) or real(c_float): the same bits for every number of threads.
  interface wstree_sum
    module procedure sum_double, sum_float
  end interface
  !> Of two such arrays; the shorter one counts.
  interface wstree_dot
    module procedure dot_double, dot_float
  end interface

  integer, parameter :: block_size = 2048, most_runs = 64

  ! Threads that look for a function at the same time write the same word.
  type(c_funptr), save :: version_at = c_null_funptr, is_active_at = c_null_funptr, label_at = c_null_funptr, &
    hint_at = c_null_funptr, served_at = c_null_funptr, statistics_at = c_null_funptr, sum_double_at = c_null_funptr, &
    sum_float_at = c_null_funptr, dot_double_at = c_null_funptr, dot_float_at = c_null_funptr

  interface
    function dlsym(handle, name) bind(c) result(address)
      import :: c_ptr, c_char, c_funptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: address
    end function
  end interface

  abstract interface
    function version_function() bind(c) result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function
    function int_function() bind(c) result(number)
      import :: c_int
      integer(c_int) :: number
    end function
    function count_function() bind(c) result(number)
      import :: c_long_long
      integer(c_long_long) :: number
    end function
    subroutine label_function(text) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: text(*)
    end subroutine
    subroutine hint_function(kind, chunk) bind(c)
      import :: c_int
      integer(c_int), value :: kind, chunk
    end subroutine
    function statistics_function(buffer, bytes) bind(c) result(needed)
      import :: c_char, c_size_t
      character(kind=c_char), intent(out) :: buffer(*)
      integer(c_size_t), value :: bytes
      integer(c_size_t) :: needed
    end function
    function sum_double_function(x, count) bind(c) result(s)
      import :: c_double, c_size_t
      real(c_double), intent(in) :: x(*)
      integer(c_size_t), value :: count
      real(c_double) :: s
    end function
    function sum_float_function(x, count) bind(c) result(s)
      import :: c_float, c_size_t
      real(c_float), intent(in) :: x(*)
      integer(c_size_t), value :: count
      real(c_float) :: s
    end function
    function dot_double_function(x, y, count) bind(c) result(s)
      import :: c_double, c_size_t
      real(c_double), intent(in) :: x(*), y(*)
      integer(c_size_t), value :: count
      real(c_double) :: s
    end function
    function dot_float_function(x, y, count) bind(c) result(s)
      import :: c_float, c_size_t
      real(c_float), intent(in) :: x(*), y(*)
      integer(c_size_t), value :: count
      real(c_float) :: s
    end function
  end interface

contains

  logical function has(function_at, name)
    type(c_funptr), intent(inout) :: function_at
    character(len=*), intent(in) :: name
    ! A null handle is RTLD_DEFAULT.
    if (.not. c_associated(function_at)) function_at = dlsym(c_null_ptr, name//c_null_char)
    has = c_associated(function_at)
  end function

  logical function wstree_is_loaded()
    wstree_is_loaded = has(version_at, 'wstree_version')
  end function

  !> Empty without the library.
  function wstree_version() result(version)
    character(len=:), allocatable :: version
    procedure(version_function), pointer :: call_it
    character(kind=c_char), pointer :: text(:)
    type(c_ptr) :: address
    integer :: i
    version = ''
    if (.not. has(version_at, 'wstree_version')) return
    call c_f_procpointer(version_at, call_it)
    address = call_it()
    call c_f_pointer(address, text, [64])
    do i = 1, 64
      if (text(i) == c_null_char) exit
      version = version//text(i)
    end do
  end function

  logical function wstree_is_active()
    procedure(int_function), pointer :: call_it
    wstree_is_active = has(is_active_at, 'wstree_is_active')
    if (.not. wstree_is_active) return
    call c_f_procpointer(is_active_at, call_it)
    wstree_is_active = call_it() /= 0
  end function

  subroutine wstree_label(text)
    character(len=*), intent(in) :: text
    procedure(label_function), pointer :: call_it
    if (.not. has(label_at, 'wstree_label')) return
    call c_f_procpointer(label_at, call_it)
    call call_it(trim(text)//c_null_char)
  end subroutine

  !> `chunk` is 0 if it is not there: none.
  subroutine wstree_hint(kind, chunk)
    integer(c_int), intent(in) :: kind
    integer(c_int), intent(in), optional :: chunk
    procedure(hint_function), pointer :: call_it
    integer(c_int) :: iterations
    if (.not. has(hint_at, 'wstree_hint')) return
    iterations = 0
    if (present(chunk)) iterations = chunk
    call c_f_procpointer(hint_at, call_it)
    call call_it(kind, iterations)
  end subroutine

  function wstree_loops_served() result(loops)
    integer(c_long_long) :: loops
    procedure(count_function), pointer :: call_it
    loops = 0
    if (.not. has(served_at, 'wstree_loops_served')) return
    call c_f_procpointer(served_at, call_it)
    loops = call_it()
  end function

  !> The whole text; empty without the library.
  function wstree_statistics_json() result(text)
    character(len=:), allocatable :: text
    procedure(statistics_function), pointer :: call_it
    character(kind=c_char), allocatable :: buffer(:)
    integer(c_size_t) :: needed, room, i
    text = ''
    if (.not. has(statistics_at, 'wstree_statistics_json')) return
    call c_f_procpointer(statistics_at, call_it)
    room = 4096
    do
      allocate (buffer(room))
      needed = call_it(buffer, room)
      if (needed < room) exit
      room = needed + 4096 ! other threads may go on
      deallocate (buffer)
    end do
    deallocate (text)
    allocate (character(len=needed) :: text)
    do i = 1, needed
      text(i:i) = buffer(i)
    end do
  end function

  include 'wstree_sums.inc'

end module wstree
