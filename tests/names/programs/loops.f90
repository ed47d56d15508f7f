! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module physics
contains
  subroutine assemble(cells)
    real, intent(inout) :: cells(:)
    integer :: i
    !$omp parallel do schedule(runtime) ! LINE assemble
    do i = 1, size(cells)
      cells(i) = cells(i) + i ! LINE body
    end do
  end subroutine
end module

program loops
  use physics
  real :: cells(1000) = 0
  call assemble(cells)
end program
