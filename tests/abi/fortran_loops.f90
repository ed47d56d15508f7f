! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Guards: what Fortran compilers make of loops. They pass bounds from 1 on in unsigned types, call even for empty
! loops, use the simd kind of schedule(runtime), open regions with an if clause by an entry of their own, and reach
! omp_set_schedule under another name. Prints one line for a failure and stops with status 1. With an argument: the
! library is there.
module oracle
  implicit none
  integer, parameter :: wide = selected_int_kind(18)
  integer, parameter :: width = 2000
  integer :: hits(width)
contains
  subroutine touch(i)
    integer, intent(in) :: i
    !$omp atomic
    hits(i) = hits(i) + 1
  end subroutine touch

  subroutine must_be(wanted, what)
    integer, intent(in) :: wanted(:)
    character(*), intent(in) :: what
    if (any(hits(:size(wanted)) /= wanted) .or. any(hits(size(wanted) + 1:) /= 0)) then
      print *, 'wrong: ', what
      stop 1
    end if
    hits = 0
  end subroutine must_be

  subroutine orphaned(n)
    integer, intent(in) :: n
    integer :: i
    !$omp do schedule(runtime)
    do i = 1, n
      call touch(i)
    end do
    !$omp end do
  end subroutine orphaned
end module oracle

program fortran_loops
  use oracle
  implicit none
  external :: omp_set_schedule, omp_get_schedule
  integer, parameter :: counts(7) = [0, 1, 3, 4, 5, 1000, width]
  integer :: round, c, n, i, x, kind, chunk, k
  integer(wide) :: l
  integer :: wanted(width)

  hits = 0
  do round = 1, 20
    do c = 1, size(counts)
      n = counts(c)
      wanted = 0
      wanted(:n) = 1

      !$omp parallel do schedule(runtime)
      do i = 1, n
        call touch(i)
      end do
      call must_be(wanted, 'up')

      !$omp parallel do schedule(runtime) if (mod(round, 2) == 0)
      do i = n, 1, -1
        call touch(i)
      end do
      call must_be(wanted, 'down, with an if clause')

      !$omp parallel do simd schedule(simd: runtime) simdlen(4)
      do i = 1, n
        call touch(i)
      end do
      call must_be(wanted, 'simd')

      x = -1
      !$omp parallel do schedule(runtime) lastprivate(x)
      do l = int(n, wide), 1_wide, -1_wide
        x = int(l)
        call touch(x)
      end do
      call must_be(wanted, 'eight bytes')
      if (n > 0 .and. x /= 1) then
        print *, 'wrong: lastprivate', x
        stop 1
      end if

      !$omp parallel num_threads(3) private(k)
      do k = 1, 10
        call orphaned(n)
      end do
      !$omp end parallel
      call must_be(10 * wanted, 'orphaned, several in a region')

    end do
  end do

  call omp_set_schedule(3, 7) ! guided
  call omp_get_schedule(kind, chunk)
  if (kind /= 3 .or. chunk /= 7) then
    print *, 'wrong: schedule', kind, chunk
    stop 1
  end if
  if (command_argument_count() > 0) then ! the library is there: its own kind
    call omp_set_schedule(119, 9)
    call omp_get_schedule(kind, chunk)
    if (kind /= 119 .or. chunk /= 9) then
      print *, 'wrong: schedule of the library', kind, chunk
      stop 1
    end if
  end if
end program fortran_loops
