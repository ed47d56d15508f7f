! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! do concurrent, which gfortran makes parallel, but executes alone if it has few iterations.
module concurrent_loop
  use, intrinsic :: iso_c_binding
  implicit none
  private :: spin
contains
  pure function spin(seed, units) result(x)
    integer(c_int64_t), intent(in), value :: seed, units
    integer(c_int64_t) :: x, k
    x = seed * (-7046029254386353131_c_int64_t) + 1
    do k = 1, units
      x = ieor(x, shiftr(x, 29))
      x = x * (-4658895280553007687_c_int64_t)
    end do
  end function spin

  subroutine loop(units, results, first)
    integer(c_int64_t), intent(in) :: units(:), first
    integer(c_int64_t), intent(out) :: results(:)
    integer(c_int64_t) :: i
    do concurrent (i = 1:size(units, kind=c_int64_t))
      results(i) = spin(first + i - 1, units(i))
    end do
  end subroutine loop

  subroutine front_execute(units, results, n, way) bind(C)
    integer(c_int64_t), value :: n
    integer(c_int64_t), intent(in) :: units(n)
    integer(c_int64_t), intent(out) :: results(n)
    integer(c_int), value :: way
    integer(c_int64_t) :: i
    if (way /= 0) then
      call loop(units, results, 0_c_int64_t)
      return
    end if
    do i = 1, n
      call loop(units(i:i), results(i:i), i - 1)
    end do
  end subroutine front_execute
end module concurrent_loop
